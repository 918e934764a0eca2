// What a trainer has printed: the steps it names, and its last words. The agent's own lines are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::simulator {

struct PrintedSteps {
  std::optional<std::int64_t> first, last;
  // The numbers of the first 64 KiB count evenly from the start, by so many: 1, 2, 3 or 0, 50, 100; nothing: fewer than
  // three, or others ("epoch 2 step 1").
  std::optional<std::int64_t> counts_by = {};
};

// "step 40", "Step: 40", "global_step=40", "{'step': 40"; not "step-40" (a file) and not "max_steps 40".
[[nodiscard]] PrintedSteps printed_steps(std::string_view output);
// The last lines that are not empty, at most 200 bytes of each, with " | " between them.
[[nodiscard]] std::string last_words(std::string_view output, std::size_t lines = 1);
// The begin and the end of the file, 64 KiB each.
[[nodiscard]] std::string ends_of_file(const std::filesystem::path& file);

}  // namespace reprise::simulator
