#include "runtime/base/yaml_check.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <map>
#include <streambuf>
#include <string>
#include <vector>

namespace reprise::runtime {
namespace {

constexpr std::size_t kBytesOfAValue = 64;

// Reads the text where it is.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

class Checker : public YAML::EventHandler {
 public:
  Checker(int first_line, const YamlLimits& limits) : first_line_(first_line), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // The parser leaves a token that begins no value where it is, and would find it again for ever.
    if (mark.pos == begin_of_last_) reject(mark, "found what begins no value; must be a key or a value");
    begin_of_last_ = mark.pos;
  }
  void OnDocumentEnd() override {
    anchored_.clear();
    values_ = 0;
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    no_key(mark);
    leaf(mark, anchor, 1);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    no_key(mark);
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) reject(mark, "found an alias of a value that contains it; write the value out");
    leaf(mark, 0, found->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    const std::size_t size = 1 + value.size() / kBytesOfAValue;
    if (!awaits_key()) return leaf(mark, anchor, size);
    Collection& map = open_.back();
    const auto [at, fresh] = map.keys.try_emplace(value, line_of(mark));
    if (!fresh)
      reject(mark, "found the key '" + shortened(value) + "' a second time, the first is in line " +
                       std::to_string(at->second) + "; a key must be there once");
    map.awaits_key = false;
    count(mark, size);
    if (anchor != 0) anchored_[anchor] = size;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, anchor, false);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, anchor, true);
  }
  void OnMapEnd() override { end(); }

  [[nodiscard]] std::string place(const YAML::Mark& mark) const {
    return "line " + std::to_string(line_of(mark)) + ", column " + std::to_string(mark.column + 1) + ": ";
  }

 private:
  struct Collection {
    bool map = false, awaits_key = false;
    YAML::anchor_t anchor = 0;
    std::size_t before = 0;           // values counted before it
    std::map<std::string, int> keys;  // with their lines
  };

  [[noreturn]] static void reject(const YAML::Mark& mark, const std::string& why) {
    throw YAML::ParserException(mark, why);
  }
  static std::string shortened(const std::string& text) {
    constexpr std::size_t kMost = 60;
    return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
  }
  [[nodiscard]] int line_of(const YAML::Mark& mark) const { return mark.line + first_line_; }
  [[nodiscard]] bool awaits_key() const { return !open_.empty() && open_.back().awaits_key; }

  void no_key(const YAML::Mark& mark) const {
    if (awaits_key()) reject(mark, "found a key that is no plain text; a key must be a name");
  }
  void count(const YAML::Mark& mark, std::size_t size) {
    values_ += size;
    if (values_ > limits_.values)
      reject(mark, "found more than " + std::to_string(limits_.values) +
                       " values, aliases followed; must be fewer: write out what is needed");
  }
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, std::size_t size) {
    count(mark, size);
    if (anchor != 0) anchored_[anchor] = size;
    value_is_complete();
  }
  void begin(const YAML::Mark& mark, YAML::anchor_t anchor, bool map) {
    no_key(mark);
    if (open_.size() >= limits_.depth)
      reject(mark, "found values nested more than " + std::to_string(limits_.depth) + " deep; must be less");
    open_.push_back({.map = map, .awaits_key = map, .anchor = anchor, .before = values_, .keys = {}});
    count(mark, 1);
  }
  void end() {
    const Collection& done = open_.back();
    if (done.anchor != 0) anchored_[done.anchor] = values_ - done.before;
    open_.pop_back();
    value_is_complete();
  }
  void value_is_complete() {
    if (!open_.empty() && open_.back().map) open_.back().awaits_key = true;
  }

  int first_line_;
  YamlLimits limits_;
  int begin_of_last_ = -1;  // document
  std::size_t values_ = 0;
  std::map<YAML::anchor_t, std::size_t> anchored_;  // complete values with an anchor: what an alias of them counts
  std::vector<Collection> open_;
};

}  // namespace

Result<void> check_yaml(std::string_view text, int first_line, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return fail(ErrorClass::Invalid, "found " + std::to_string(text.size()) + " bytes of YAML, must be at most " +
                                         std::to_string(limits.bytes));
  Checker checker(first_line, limits);
  try {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(checker)) {
    }
  } catch (const YAML::Exception& wrong) {
    return fail(ErrorClass::Invalid, checker.place(wrong.mark) + wrong.msg);
  }
  return {};
}

}  // namespace reprise::runtime
