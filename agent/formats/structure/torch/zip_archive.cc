#include "agent/formats/structure/torch/zip_archive.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <string_view>
#include <vector>

#include "agent/formats/structure/little_endian.h"
#include "agent/formats/structure/read_through.h"

namespace reprise::agent {
namespace {

// APPNOTE.TXT of PKWARE, 4.3: signatures and lengths of the records.
constexpr std::string_view kEnd{"PK\x05\x06", 4}, kEnd64{"PK\x06\x06", 4}, kLocator{"PK\x06\x07", 4};
constexpr std::string_view kMember{"PK\x01\x02", 4}, kHead{"PK\x03\x04", 4};
constexpr std::size_t kEndLength = 22, kEnd64Length = 56, kLocatorLength = 20, kMemberLength = 46, kHeadLength = 30;
constexpr std::size_t kLongestComment = 65'535;
constexpr std::uint64_t kLongestDirectory = std::uint64_t{64} << 20U;
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  // the number is in the zip64 record
constexpr std::size_t kMostHeads = 64;

struct Directory {
  std::uint64_t offset = 0, size = 0, members = 0;
  std::uint64_t ends = 0;  // the place where it has to end
};

struct Member {
  std::uint64_t head = 0, size = 0;
  std::uint64_t method = 0;  // 0: stored as it is
  std::uint64_t sum = 0;     // CRC-32 of its bytes before compression
  std::string_view name;     // within the directory's bytes
};

Flawed cut_off(const CheckedFile& file, std::string_view what) {
  return corrupt(file.name + ": " + std::string(what));
}

// The numbers of a member that do not fit 32 bits stand in its extra field of kind 1, in this order.
void widen(std::string_view extra, std::uint64_t full_size, Member& member) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const auto kind = little_endian(extra, at, 2), length = little_endian(extra, at + 2, 2);
    if (kind == 1) {
      std::size_t next = at + 4;
      if (full_size == kIn64) next += 8;
      if (member.size == kIn64) member.size = little_endian(extra, next, 8), next += 8;
      if (member.head == kIn64) member.head = little_endian(extra, next, 8);
      return;
    }
    at += 4 + length;
  }
}

bool agrees(std::uint64_t plain, std::uint64_t wide, std::uint64_t all_ones) {
  return plain == all_ones || plain == wide;
}

runtime::Result<std::optional<Directory>> find_directory(const CheckedFile& file) {
  const std::uint64_t length = std::min<std::uint64_t>(file.size, kEndLength + kLongestComment);
  const auto tail = file.bytes(file.size - length, length);
  if (!tail) return std::unexpected(tail.error());
  for (std::size_t at = tail->rfind(kEnd); at != std::string::npos;
       at = at == 0 ? std::string::npos : tail->rfind(kEnd, at - 1)) {
    const std::uint64_t comment = little_endian(*tail, at + 20, 2);
    if (at + kEndLength + comment != tail->size()) continue;
    const std::uint64_t end = file.size - length + at;
    Directory found{.offset = little_endian(*tail, at + 16, 4),
                    .size = little_endian(*tail, at + 12, 4),
                    .members = little_endian(*tail, at + 10, 2),
                    .ends = end};
    if (end < kLocatorLength) return found;
    const auto locator = file.bytes(end - kLocatorLength, kLocatorLength);
    if (!locator) return std::unexpected(locator.error());
    if (!locator->starts_with(kLocator)) return found;
    const std::uint64_t at64 = little_endian(*locator, 8, 8);
    if (at64 > end - kLocatorLength) return std::nullopt;
    const auto end64 = file.bytes(at64, kEnd64Length);
    if (!end64) return std::unexpected(end64.error());
    if (!end64->starts_with(kEnd64) || end64->size() < kEnd64Length) return std::nullopt;
    const Directory wide{.offset = little_endian(*end64, 48, 8),
                         .size = little_endian(*end64, 40, 8),
                         .members = little_endian(*end64, 32, 8),
                         .ends = at64};
    // Numbers that do not fit the plain record are all ones there.
    const bool agree = agrees(found.offset, wide.offset, kIn64) && agrees(found.size, wide.size, kIn64) &&
                       agrees(found.members, wide.members, 0xFFFF);
    return agree ? std::optional(wide) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::vector<Member>> members_of(std::string_view directory) {
  std::vector<Member> members;
  for (std::size_t at = 0; at < directory.size();) {
    if (directory.size() - at < kMemberLength || !directory.substr(at).starts_with(kMember)) return std::nullopt;
    const auto name = little_endian(directory, at + 28, 2), extra = little_endian(directory, at + 30, 2);
    const auto comment = little_endian(directory, at + 32, 2);
    if (directory.size() - at < kMemberLength + name + extra + comment) return std::nullopt;
    Member member{.head = little_endian(directory, at + 42, 4),
                  .size = little_endian(directory, at + 20, 4),
                  .method = little_endian(directory, at + 10, 2),
                  .sum = little_endian(directory, at + 16, 4),
                  .name = directory.substr(at + kMemberLength, name)};
    widen(directory.substr(at + kMemberLength + name, extra), little_endian(directory, at + 24, 4), member);
    members.push_back(member);
    at += kMemberLength + name + extra + comment;
  }
  return members;
}

bool fits(const Member& member, std::uint64_t directory) {
  const std::uint64_t least = kHeadLength + member.name.size();
  return member.head <= directory && member.size <= directory && least <= directory - member.head &&
         member.size <= directory - member.head - least;
}

Flawed check_sum(const CheckedFile& file, const Member& member) {
  const auto head = file.bytes(member.head, kHeadLength);
  if (!head) return std::unexpected(head.error());
  CheckedFile content = file;
  content.begin += member.head + kHeadLength + little_endian(*head, 26, 2) + little_endian(*head, 28, 2);
  content.size = member.size;
  boost::crc_32_type sum;
  auto flaw = read_through(content, [&](std::string_view bytes) { sum.process_bytes(bytes.data(), bytes.size()); });
  if (!flaw || *flaw) return flaw;
  if (member.method != 0 || sum.checksum() == member.sum) return std::nullopt;
  return cut_off(file, "the bytes of " + std::string(member.name) + " do not have the CRC-32 that the archive says");
}

// A hole in the middle of a file, as a power loss leaves it, shows where a member's head is none.
Flawed check_heads(const CheckedFile& file, const std::vector<Member>& members) {
  const std::size_t stride = std::max<std::size_t>(1, members.size() / kMostHeads);
  for (std::size_t at = 0; at < members.size(); at += stride) {
    const auto head = file.bytes(members[at].head, kHead.size());
    if (!head) return std::unexpected(head.error());
    if (*head != kHead) return cut_off(file, "a member of the zip archive does not begin where its directory says");
  }
  return std::nullopt;
}

}  // namespace

runtime::Result<bool> ends_as_begun(const CheckedFile& file, std::uint64_t offset, std::uint64_t length) {
  if (length < kHead.size() + kEndLength) return true;
  const auto head = file.bytes(offset, kHead.size());
  if (!head) return std::unexpected(head.error());
  if (*head == std::string(kHead.size(), '\0'))
    return false;  // a hole: whatever writes tensors begins with a mark or a length
  if (*head != kHead) return true;
  const auto end = file.bytes(offset + length - kEndLength, kEnd.size());
  if (!end) return std::unexpected(end.error());
  return *end == kEnd;
}

runtime::Result<std::optional<CheckedFile>> find_member(const CheckedFile& file, std::string_view name_ends) {
  const auto directory = find_directory(file);
  if (!directory) return std::unexpected(directory.error());
  if (!*directory || (*directory)->size > kLongestDirectory) return std::nullopt;
  const auto bytes = file.bytes((*directory)->offset, (*directory)->size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto members = members_of(*bytes);
  if (!members) return std::nullopt;
  const auto found = std::ranges::find_if(*members, [&](const Member& each) { return each.name.ends_with(name_ends); });
  if (found == members->end() || found->method != 0) return std::nullopt;
  const auto head = file.bytes(found->head, kHeadLength);
  if (!head) return std::unexpected(head.error());
  CheckedFile member = file;
  member.begin += found->head + kHeadLength + little_endian(*head, 26, 2) + little_endian(*head, 28, 2);
  member.size = found->size;
  return member;
}

runtime::Result<bool> begins_as_zip(const CheckedFile& file) {
  const auto head = file.bytes(0, kHead.size());
  if (!head) return std::unexpected(head.error());
  return *head == kHead;
}

Flawed check_zip_sums(const CheckedFile& file) {
  if (auto flaw = check_zip(file); !flaw || *flaw) return flaw;
  const auto directory = find_directory(file);
  if (!directory) return std::unexpected(directory.error());
  if (!*directory) return std::nullopt;  // changed since check_zip()
  const auto bytes = file.bytes((*directory)->offset, (*directory)->size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto members = members_of(*bytes);
  for (const Member& member : members.value_or(std::vector<Member>{}))
    if (auto flaw = check_sum(file, member); !flaw || *flaw) return flaw;
  return std::nullopt;
}

runtime::Result<bool> sums_all_members(const CheckedFile& file) {
  const auto directory = find_directory(file);
  if (!directory) return std::unexpected(directory.error());
  if (!*directory) return false;
  const auto bytes = file.bytes((*directory)->offset, (*directory)->size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto members = members_of(*bytes);
  return members && std::ranges::all_of(*members, [](const Member& each) { return each.method == 0; });
}

Flawed check_zip(const CheckedFile& file) {
  if (file.size == 0) return incomplete(file.name + ": is empty");
  const auto directory = find_directory(file);
  if (!directory) return std::unexpected(directory.error());
  if (!*directory) return cut_off(file, "has no end record of a zip archive: it was cut off");
  const auto& [offset, size, count, ends] = **directory;
  if (size > kLongestDirectory || offset > ends || ends - offset != size)
    return cut_off(file, "the zip archive's directory does not end where its end record begins");
  const auto bytes = file.bytes(offset, size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto members = members_of(*bytes);
  if (!members || members->size() != count) return cut_off(file, "the zip archive's directory cannot be read");
  for (const Member& member : *members)
    if (!fits(member, offset)) return cut_off(file, "a member of the zip archive reaches beyond its directory");
  return check_heads(file, *members);
}

}  // namespace reprise::agent
