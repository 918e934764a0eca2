// The name of a checkpoint within a path that a script has written down. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

// True if `said`, in a file in `folder`, may mean the checkpoint `name`, or something in it, although it leads to
// nothing on the volume as it stands: it may begin in a directory of the script's, or be without the file's ending.
[[nodiscard]] bool may_be_meant_by(std::string_view said, std::string_view folder, std::string_view name);

// `said` with another checkpoint in the place of the one that it leads to or into. Empty: it has not that name in it,
// or what it leads to is not in the other one.
[[nodiscard]] std::optional<std::string> renamed(const std::string& said, const std::string& from,
                                                 const std::string& to,
                                                 const std::function<bool(const std::string& path)>& is_there);

// The step of the other one, or its epoch, as wide as `digits` where those begin with a zero. Empty: not known.
[[nodiscard]] std::optional<std::string> number_in_place_of(std::string_view from, std::string_view to,
                                                            std::string_view digits, bool is_epoch);

}  // namespace reprise::agent
