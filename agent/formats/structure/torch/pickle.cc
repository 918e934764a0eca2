#include "agent/formats/structure/torch/pickle.h"

#include <charconv>
#include <unordered_map>

#include "agent/formats/structure/little_endian.h"
#include "agent/formats/structure/torch/pickle_opcodes.h"

namespace reprise::agent {
namespace {

using Kind = PickleNode::Kind;

using enum pickle_opcodes::Opcode;

constexpr std::size_t kFewNodes = 1024;

class Machine {
 public:
  explicit Machine(std::string_view text) : text_(text) {}

  std::optional<Pickle> run() {
    while (good_ && at_ < text_.size()) {
      const auto opcode = static_cast<unsigned char>(text_[at_++]);
      if (opcode == kStop) return good_ && stack_.size() == 1 ? std::optional(std::move(nodes_)) : std::nullopt;
      if (!numbers(opcode) && !texts(opcode) && !containers(opcode) && !objects(opcode) && !memory(opcode))
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // The next bytes of the text; what is not there any more ends the run.
  std::string_view take(std::uint64_t length) {
    if (length > text_.size() - at_) good_ = false;
    if (!good_) return {};
    const std::string_view taken = text_.substr(at_, length);
    at_ += length;
    return taken;
  }
  std::uint64_t number(std::size_t width) { return little_endian(take(width), 0, width); }
  std::string_view line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) good_ = false;
    const std::string_view taken = take(good_ ? end - at_ : 0);
    if (good_) ++at_;
    return taken;
  }

  // Values of one byte share one node. No pickle of Python's has another for each two of its bytes: such a text is
  // there to fill the memory.
  void push(PickleNode node) {
    if (nodes_.size() > text_.size() / 2 + kFewNodes) good_ = false;
    if (!good_) return;
    nodes_.push_back(std::move(node));
    stack_.push_back(nodes_.size() - 1);
  }
  void push_one(std::optional<std::size_t>& place, PickleNode node) {
    if (place) return stack_.push_back(*place);
    push(std::move(node));
    if (good_) place = stack_.back();
  }
  void push_number(std::int64_t value) { push({.kind = Kind::Number, .number = value}); }
  std::size_t pop() {
    if (stack_.empty()) {
      good_ = false;
      return 0;
    }
    const std::size_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::vector<std::size_t> pop_to_mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) {
      good_ = false;
      return {};
    }
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::size_t> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<std::size_t> pop_last(std::size_t count) {
    std::vector<std::size_t> items(count);
    for (std::size_t at = count; at-- > 0;) items[at] = pop();
    return items;
  }
  void put_into_top(const std::vector<std::size_t>& items) {
    if (stack_.empty() || nodes_.empty()) {
      good_ = false;
      return;
    }
    auto& into = nodes_[stack_.back()].items;
    into.insert(into.end(), items.begin(), items.end());
  }
  void remember(std::uint64_t key) {
    if (stack_.empty())
      good_ = false;
    else
      memo_[key] = stack_.back();
  }
  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end())
      good_ = false;
    else
      stack_.push_back(found->second);
  }

  void push_decimal(std::string_view digits) {
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    push_number(value);
  }
  // Two's complement of any width; wider than 64 bits is no place in a file.
  void push_long(std::uint64_t width) {
    const std::string_view bytes = take(width);
    if (bytes.size() > 8) return push({});
    std::uint64_t value = little_endian(bytes, 0, bytes.size());
    const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
    if (negative && bytes.size() < 8) value |= ~std::uint64_t{0} << (8 * bytes.size());
    push_number(static_cast<std::int64_t>(value));
  }

  bool numbers(unsigned char opcode) {
    switch (opcode) {
      case kBinInt:
        push_number(static_cast<std::int32_t>(static_cast<std::uint32_t>(number(4))));
        return true;
      case kBinInt1:
        push_number(static_cast<std::int64_t>(number(1)));
        return true;
      case kBinInt2:
        push_number(static_cast<std::int64_t>(number(2)));
        return true;
      case kInt:
      case kLong:
        push_decimal(line());
        return true;
      case kLong1:
        push_long(number(1));
        return true;
      case kLong4:
        push_long(number(4));
        return true;
      case kFloat:
        (void)line();
        push({});
        return true;
      case kBinFloat:
        (void)take(8);
        push({});
        return true;
      case kNone:
        push_one(none_, {});
        return true;
      case kNewTrue:
        push_one(true_, {.kind = Kind::Number, .number = 1});
        return true;
      case kNewFalse:
        push_one(false_, {.kind = Kind::Number, .number = 0});
        return true;
      default:
        return false;
    }
  }

  bool texts(unsigned char opcode) {
    switch (opcode) {
      case kShortBinUnicode:
      case kShortBinString:
      case kShortBinBytes:
        return push_text(number(1));
      case kBinUnicode:
      case kBinString:
      case kBinBytes:
        return push_text(number(4));
      case kBinUnicode8:
      case kBinBytes8:
      case kByteArray8:
        return push_text(number(8));
      case kUnicode:
        push({.kind = Kind::Text, .text = line()});
        return true;
      default:
        return false;
    }
  }
  bool push_text(std::uint64_t length) {
    push({.kind = Kind::Text, .text = take(length)});
    return true;
  }

  bool containers(unsigned char opcode) {
    switch (opcode) {
      case kMark:
        marks_.push_back(stack_.size());
        return true;
      case kEmptyTuple:
        push_one(empty_tuple_, {.kind = Kind::Sequence});
        return true;
      case kEmptyList:
      case kEmptySet:
        push({.kind = Kind::Sequence});
        return true;
      case kEmptyDict:
        push({.kind = Kind::Mapping});
        return true;
      case kTuple1:
      case kTuple2:
      case kTuple3:
        push({.kind = Kind::Sequence, .items = pop_last(opcode - kTuple1 + std::size_t{1})});
        return true;
      case kTuple:
      case kList:
      case kFrozenSet:
        push({.kind = Kind::Sequence, .items = pop_to_mark()});
        return true;
      case kDict:
        push({.kind = Kind::Mapping, .items = pop_to_mark()});
        return true;
      case kAppend:
        put_into_top(pop_last(1));
        return true;
      case kSetItem:
        put_into_top(pop_last(2));
        return true;
      case kAppends:
      case kSetItems:
      case kAddItems:
        put_into_top(pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  bool objects(unsigned char opcode) {
    switch (opcode) {
      case kGlobal: {
        (void)line();
        push({.kind = Kind::Class, .text = line()});
        return true;
      }
      case kStackGlobal: {
        const auto names = pop_last(2);
        push({.kind = Kind::Class, .text = good_ ? nodes_[names[1]].text : std::string_view{}});
        return true;
      }
      case kReduce:
      case kNewObj:
        push({.kind = Kind::Object, .items = pop_last(2)});
        return true;
      case kNewObjEx:
        push({.kind = Kind::Object, .items = pop_last(3)});
        return true;
      case kBuild: {
        const std::size_t state = pop();
        if (stack_.empty() || !good_)
          good_ = false;
        else
          nodes_[stack_.back()].state = state;
        return true;
      }
      case kPersId:
        (void)line();
        push({});
        return true;
      case kBinPersId:
        (void)pop();
        push({});
        return true;
      default:
        return false;
    }
  }

  bool memory(unsigned char opcode) {
    switch (opcode) {
      case kProto:
        (void)take(1);
        return true;
      case kFrame:
        (void)take(8);
        return true;
      case kPop:
        (void)pop();
        return true;
      case kPopMark:
        (void)pop_to_mark();
        return true;
      case kDup:
        if (stack_.empty())
          good_ = false;
        else
          stack_.push_back(stack_.back());
        return true;
      case kBinPut:
        remember(number(1));
        return true;
      case kLongBinPut:
        remember(number(4));
        return true;
      case kMemoize:
        remember(memo_.size());
        return true;
      case kBinGet:
        recall(number(1));
        return true;
      case kLongBinGet:
        recall(number(4));
        return true;
      default:
        return false;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
  Pickle nodes_;
  std::optional<std::size_t> none_, true_, false_, empty_tuple_;
  std::vector<std::size_t> stack_, marks_;
  std::unordered_map<std::uint64_t, std::size_t> memo_;
};

}  // namespace

std::optional<Pickle> read_pickle(std::string_view text) {
  return Machine(text).run();
}

const PickleNode* member(const Pickle& pickle, std::size_t mapping, std::string_view key) {
  const PickleNode& node = pickle[mapping];
  if (node.kind != Kind::Mapping) return nullptr;
  for (std::size_t at = 0; at + 1 < node.items.size(); at += 2) {
    const PickleNode& name = pickle[node.items[at]];
    if (name.kind == Kind::Text && name.text == key) return &pickle[node.items[at + 1]];
  }
  return nullptr;
}

std::optional<std::int64_t> number_in(const Pickle& pickle, std::size_t mapping, std::string_view key) {
  const PickleNode* node = member(pickle, mapping, key);
  if (node == nullptr || node->kind != Kind::Number || node->number < 0) return std::nullopt;
  return node->number;
}

}  // namespace reprise::agent
