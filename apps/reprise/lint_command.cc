#include "apps/reprise/lint_command.h"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <istream>
#include <iterator>
#include <ostream>
#include <sstream>

#include "apps/common/flags.h"
#include "apps/reprise/lint/check.h"
#include "apps/reprise/lint/diff.h"
#include "apps/reprise/lint/manifest_files.h"
#include "apps/reprise/lint/output.h"
#include "apps/reprise/text_file.h"

namespace reprise::apps {
namespace {

namespace po = boost::program_options;

constexpr int kUsageError = 2;
constexpr const char* kStandardInput = "(standard input)";

struct Options {
  std::vector<std::string> paths;
  lint::Format format = lint::Format::Text;
  bool fix = false, diff = false, strict = false;
};

po::options_description known_flags() {
  auto known = flags::described();
  known.add_options()("filename,f", flags::many(),
                      "FILE or directory of manifests, - for standard input; several times")(
      "file", flags::many(), "FILE: the same as --filename")(
      "fix", po::bool_switch(), "write the mends into the files")("diff", po::bool_switch(),
                                                                  "print the mends as a patch instead")(
      "output,o", flags::one(), "text, json, github (annotations) or sarif (default: text)")(
      "strict", po::bool_switch(), "warnings count as errors");
  return known;
}

std::expected<Options, UsageText> options_of(const std::vector<std::string>& arguments) {
  const po::options_description known = known_flags();
  try {
    const po::variables_map given = flags::parse(known, arguments);
    if (given.contains("help")) {
      std::ostringstream help;
      help << "Usage: reprise lint -f FILE [flags]\n\n"
              "Says what the API server, the operator or Karpenter would say about GpuPools, ResumableJobs and "
              "NodePools, "
              "without any of\nthem, and what could be better. Other kinds are left alone. Exit codes: 0 there is no "
              "error, also where there was\nnothing to check, which is said; 1 there is one; 2 wrong flags or a file "
              "that cannot be read.\n\n"
           << known;
      return std::unexpected(UsageText{help.str(), false});
    }
    Options options;
    for (const char* flag : {"filename", "file"}) {
      if (!given.contains(flag)) continue;
      const auto& paths = given[flag].as<std::vector<std::string>>();
      options.paths.insert(options.paths.end(), paths.begin(), paths.end());
    }
    if (options.paths.empty()) throw flags::Wrong{"--filename is missing: must name a file, a directory or -"};
    using lint::Format;
    options.format =
        flags::one_of<Format>(
            given, "output",
            {{"text", Format::Text}, {"json", Format::Json}, {"github", Format::GitHub}, {"sarif", Format::Sarif}})
            .value_or(Format::Text);
    options.fix = flags::is_set(given, "fix");
    options.diff = flags::is_set(given, "diff");
    options.strict = flags::is_set(given, "strict");
    if (options.fix && options.diff) throw flags::Wrong{"found --fix and --diff, must be one of them"};
    if (options.fix && std::ranges::find(options.paths, "-") != options.paths.end())
      throw flags::Wrong{"found --fix with -f -, standard input cannot be written; write --diff"};
    return options;
  } catch (const flags::Wrong& wrong) {
    return std::unexpected(flags::usage_error("reprise lint", wrong.text));
  }
}

struct Read {
  std::vector<lint::File> files;
  bool whole = true;  // everything below the directories could be looked at
};

runtime::Result<Read> read(const std::vector<std::string>& paths, std::istream& in, std::ostream& err) {
  Read read;
  for (const std::string& path : paths) {
    if (path == "-") {
      read.files.push_back({kStandardInput, (std::ostringstream() << in.rdbuf()).str()});
      continue;
    }
    std::vector<std::string> names{path};
    if (std::error_code problem; std::filesystem::is_directory(path, problem)) {
      lint::ManifestFiles found = lint::manifest_files(path);
      for (const std::string& each : found.problems) err << "reprise lint: " << each << '\n';
      read.whole = read.whole && found.problems.empty();
      names = std::move(found.files);
    }
    for (const std::string& name : names) {
      const bool twice = std::ranges::any_of(read.files, [&](const lint::File& file) { return file.name == name; });
      if (twice) continue;
      auto text = text_of_file(name);
      if (!text) return std::unexpected(std::move(text).error());
      read.files.push_back({name, *std::move(text)});
    }
  }
  return read;
}

int report(const runtime::Error& error, std::ostream& err) {
  err << "reprise lint: " << error.message << '\n';
  return kUsageError;
}

std::string counted(int number, const char* one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

// Says so when nothing was checked, as with a misspelt file or kind. The exit code stays 0, for a user who lints one
// file after the other has some of other kinds.
void tell_objects(const lint::ObjectCounts& objects, const std::vector<std::string>& paths, std::ostream& err) {
  if (objects.checked > 0) return;
  err << "reprise lint: warning: nothing was checked: there is no GpuPool, ResumableJob or NodePool in ";
  for (const std::string& path : paths)
    err << (&path == paths.data() ? "" : ", ") << (path == "-" ? kStandardInput : path);
  err << '\n';
}

void tell_sum(const std::vector<lint::Finding>& findings, const lint::ObjectCounts& objects, std::ostream& err) {
  const lint::Counts counts = lint::count(findings);
  const auto mends = std::ranges::count_if(findings, [](const lint::Finding& each) { return !each.mend.empty(); });
  err << "reprise lint: " << counted(objects.checked, "object") << " checked";
  if (objects.others > 0) err << ", " << objects.others << " of other kinds left alone";
  err << ": " << counted(counts.errors, "error") << ", " << counted(counts.warnings, "warning") << ", " << counts.advice
      << " advice";
  if (mends > 0) err << "; --fix mends " << mends;
  err << '\n';
}

void tell_refused(const lint::Mending& mending, std::ostream& err) {
  for (const lint::Finding& each : mending.refused)
    err << "reprise lint: " << each.file << ": " << each.object << ": " << each.field << " [" << each.rule
        << "]: was not mended, the file would not have been the same YAML any more; change it by hand\n";
}

}  // namespace

int run_lint(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& err) {
  const auto options = options_of(arguments);
  if (!options) {
    (options.error().error ? err : out) << options.error().text;
    return options.error().error ? kUsageError : 0;
  }
  auto given = read(options->paths, in, err);
  if (!given) return report(given.error(), err);
  std::vector<lint::File>* files = &given->files;
  if (options->fix) {
    lint::Mending after = lint::mended(*files);
    for (std::size_t i = 0; i < files->size(); ++i) {
      const lint::File& file = after.files[i];
      if (file.text == (*files)[i].text) continue;
      if (auto written = replace_text_file(file.name, file.text); !written) return report(written.error(), err);
      err << "reprise lint: mended " << file.name << '\n';
    }
    tell_refused(after, err);
    *files = std::move(after.files);
  }
  const std::vector<lint::Finding> findings = lint::check_files(*files);
  (options->diff ? err : out) << lint::show(findings, options->format);
  if (options->diff) {
    const lint::Mending after = lint::mended(*files);
    for (std::size_t i = 0; i < files->size(); ++i)
      out << lint::unified_diff(after.files[i].name, (*files)[i].text, after.files[i].text);
    tell_refused(after, err);
  }
  const lint::ObjectCounts objects = lint::count_objects(*files);
  tell_objects(objects, options->paths, err);
  tell_sum(findings, objects, err);
  if (!given->whole) return kUsageError;
  const lint::Counts counts = lint::count(findings);
  return counts.errors > 0 || (options->strict && counts.warnings > 0) ? 1 : 0;
}

}  // namespace reprise::apps
