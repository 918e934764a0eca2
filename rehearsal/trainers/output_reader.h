// Reads a trainer's output: the steps it names, and its last words. The agent's own lines are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::rehearsal {

struct PrintedSteps {
  std::optional<std::int64_t> first, last;
  std::optional<std::int64_t> total = {};  // behind the last: "step 150 of 200", "step 150/200"
  // The part of the first 64 KiB that counts evenly, three numbers at least: its first number and its distance (1, 2, 3
  // or 0, 50, 100). Empty: there is none, or there are several as of epochs ("epoch 2 step 1").
  std::optional<std::int64_t> counts_from = {}, counts_by = {};
  bool counts_again = false;  // the numbers go back to a lower one and count on from there, as steps of epochs do
};

// "step 40", "Step: 40", "global_step=40", "{'step': 40"; not "step-40" (a file) and not "max_steps 40".
[[nodiscard]] PrintedSteps printed_steps(std::string_view output);
// The last lines that are not empty, at most 200 bytes of each, with " | " between them.
[[nodiscard]] std::string last_output(std::string_view output, std::size_t lines = 1);
// The same lines as a list.
[[nodiscard]] std::vector<std::string> last_lines(std::string_view output, std::size_t lines);
// The begin and the end of the file, 64 KiB each.
[[nodiscard]] std::string ends_of_file(const std::filesystem::path& file);

}  // namespace reprise::rehearsal
