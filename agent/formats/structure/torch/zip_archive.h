// Zip archives, as torch.save writes them: .pt, .pth, .bin, .ckpt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Checks the archive by its end record, its directory and the heads of its members; the members' bytes are not read
// (torch compares no sums either). A file that was cut off, whose tail is zero, or whose members do not fill it up is
// Corrupt.
[[nodiscard]] Flawed check_zip(const CheckedFile& file);

// True if the file's first bytes are those of a zip archive.
[[nodiscard]] runtime::Result<bool> begins_as_zip(const CheckedFile& file);

// Checks as check_zip() does, and reads each member: Corrupt when its CRC-32 is not what the directory says. A
// compressed member, which torch does not write, is read and not compared.
[[nodiscard]] Flawed check_zip_sums(const CheckedFile& file);

// True if check_zip_sums() compares the bytes of every member: none is compressed. For an archive without a flaw.
[[nodiscard]] runtime::Result<bool> sums_all_members(const CheckedFile& file);

// Checks the bytes that stand there in the file: false when it begins as a zip archive and does not end as one that
// bears no comment, and when it begins with zeros.
[[nodiscard]] runtime::Result<bool> ends_as_begun(const CheckedFile& file, std::uint64_t offset, std::uint64_t length);

// The bytes of the first member whose name ends so, when it is stored without compression, as torch does. Of an archive
// without a flaw.
[[nodiscard]] runtime::Result<std::optional<CheckedFile>> find_member(const CheckedFile& file,
                                                                      std::string_view name_ends);

}  // namespace reprise::agent
