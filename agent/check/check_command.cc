#include "agent/check/check_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "agent/check/find_checkpoints.h"
#include "agent/check/print_checkpoints.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

constexpr int kNoneComplete = 3, kMisused = 2, kUnreadable = 1;

struct Asked {
  std::string directory, format = "Auto", output = "table", verify = "structure";
};

runtime::Result<Asked> read(const std::vector<std::string>& arguments) {
  using runtime::ErrorClass;
  Asked asked;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    const bool option = word == "--format" || word == "--output" || word == "--verify";
    if (option && at + 1 == arguments.size()) return runtime::fail(ErrorClass::Invalid, word + " needs a value");
    if (word == "--format")
      asked.format = arguments[++at];
    else if (word == "--output")
      asked.output = arguments[++at];
    else if (word == "--verify")
      asked.verify = arguments[++at];
    else if (word.starts_with('-') || !asked.directory.empty())
      return runtime::fail(
          ErrorClass::Invalid,
          "found \"" + word + "\", allowed: DIR, --format F, --output table|json, --verify structure|full");
    else
      asked.directory = word;
  }
  if (asked.directory.empty()) return runtime::fail(ErrorClass::Invalid, "check needs the directory to look into");
  if (asked.output != "table" && asked.output != "json")
    return runtime::fail(ErrorClass::Invalid, "--output: found \"" + asked.output + "\", allowed: table, json");
  if (asked.verify != "structure" && asked.verify != "full")
    return runtime::fail(ErrorClass::Invalid, "--verify: found \"" + asked.verify + "\", allowed: structure, full");
  return asked;
}

int failed(const runtime::Error& error, int code) {
  std::fprintf(stderr, "reprise-agent: check: %s\n", error.message.c_str());
  return code;
}

}  // namespace

int check(const std::vector<std::string>& arguments) {
  const auto asked = read(arguments);
  if (!asked) return failed(asked.error(), kMisused);
  const auto layouts = layouts_named(asked->format);
  if (!layouts) return failed(runtime::Error(layouts.error()).with_context("--format"), kMisused);
  const PosixFiles files(std::make_shared<VolumeCalls>(), asked->directory);
  const auto found =
      find_checkpoints(files, *layouts, asked->directory, asked->verify == "full" ? Verify::Full : Verify::Structure);
  if (!found)
    return failed(found.error(), found.error().error_class == runtime::ErrorClass::Invalid ? kMisused : kUnreadable);
  const std::string text = asked->output == "json" ? as_json(found->rows) : as_table(found->rows);
  std::fwrite(text.data(), 1, text.size(), stdout);
  for (const std::string& line : {found->unsearched, found->not_taken})
    if (!line.empty()) std::fprintf(stderr, "reprise-agent: check: %s\n", line.c_str());
  const bool any = std::ranges::any_of(found->rows, [](const auto& each) { return each.verdict == Verdict::Complete; });
  return any ? 0 : kNoneComplete;
}

}  // namespace reprise::agent
