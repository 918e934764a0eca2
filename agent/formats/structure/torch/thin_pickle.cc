#include "agent/formats/structure/torch/thin_pickle.h"

#include <algorithm>
#include <utility>

#include "agent/formats/structure/little_endian.h"
#include "agent/formats/structure/torch/pickle_opcodes.h"

namespace reprise::agent {
namespace {

using enum pickle_opcodes::Opcode;

constexpr std::uint64_t kWindow = std::uint64_t{1} << 20U, kMostRead = std::uint64_t{256} << 20U;
constexpr std::uint64_t kLongText = 1024, kLongestLine = 64'000;
constexpr std::size_t kLongRun = 256;

// How what follows an opcode is laid out.
struct Arguments {
  std::size_t bytes = 0;         // bytes of a fixed length
  std::size_t length_bytes = 0;  // or of the number that says how many follow
  int lines = 0;                 // or so many that end with a newline
  bool is_number = false;        // the opcode pushes a number, None, True or False
};

// NOLINTNEXTLINE(readability-function-size): a table, one row per opcode
std::optional<Arguments> arguments_of(unsigned char opcode) {
  switch (opcode) {
    case kBinInt1:
      return Arguments{.bytes = 1, .is_number = true};
    case kBinInt2:
      return Arguments{.bytes = 2, .is_number = true};
    case kBinInt:
      return Arguments{.bytes = 4, .is_number = true};
    case kBinFloat:
      return Arguments{.bytes = 8, .is_number = true};
    case kNone:
    case kNewTrue:
    case kNewFalse:
      return Arguments{.is_number = true};
    case kLong1:
      return Arguments{.length_bytes = 1, .is_number = true};
    case kBinGet:
    case kBinPut:
    case kProto:
      return Arguments{.bytes = 1};
    case kLongBinGet:
    case kLongBinPut:
      return Arguments{.bytes = 4};
    case kFrame:
      return Arguments{.bytes = 8};
    case kShortBinUnicode:
    case kShortBinString:
    case kShortBinBytes:
      return Arguments{.length_bytes = 1};
    case kBinUnicode:
    case kBinString:
    case kBinBytes:
    case kLong4:
      return Arguments{.length_bytes = 4};
    case kBinUnicode8:
    case kBinBytes8:
    case kByteArray8:
      return Arguments{.length_bytes = 8};
    case kFloat:
    case kInt:
    case kLong:
      return Arguments{.lines = 1, .is_number = true};
    case kPersId:
    case kUnicode:
      return Arguments{.lines = 1};
    case kGlobal:
      return Arguments{.lines = 2};
    case kMark:
    case kStop:
    case kPop:
    case kPopMark:
    case kDup:
    case kBinPersId:
    case kReduce:
    case kAppend:
    case kBuild:
    case kDict:
    case kAppends:
    case kList:
    case kSetItem:
    case kTuple:
    case kSetItems:
    case kEmptyList:
    case kEmptyTuple:
    case kEmptyDict:
    case kEmptySet:
    case kNewObj:
    case kTuple1:
    case kTuple2:
    case kTuple3:
    case kAddItems:
    case kFrozenSet:
    case kNewObjEx:
    case kStackGlobal:
    case kMemoize:
      return Arguments{};
    default:
      return std::nullopt;
  }
}

class Thinning {
 public:
  Thinning(const CheckedFile& pickle, std::uint64_t most) : pickle_(pickle), most_(most) {}

  runtime::Result<std::optional<std::string>> run() {
    for (;;) {
      const auto byte = next(1);
      if (!byte) return std::unexpected(byte.error());
      if (byte->empty() || thin_.size() > most_) return std::nullopt;
      const auto opcode = static_cast<unsigned char>(byte->front());
      const auto arguments = arguments_of(opcode);
      if (!arguments) return std::nullopt;
      thin_ += static_cast<char>(opcode);
      if (opcode == kStop) return std::move(thin_);
      const auto taken = take(*arguments);
      if (!taken) return std::unexpected(taken.error());
      if (!*taken) return std::nullopt;
      note(opcode, *arguments);
    }
  }

  // True if the reader has asked for a byte behind the last one.
  [[nodiscard]] bool ran_out() const { return ran_out_; }
  [[nodiscard]] std::uint64_t place() const { return at_; }

 private:
  // A long run of numbers between a mark and what gathers them goes as it comes.
  void note(unsigned char opcode, const Arguments& arguments) {
    if (opcode == kMark)
      mark_ = thin_.size(), numbers_ = 0;
    else if (!arguments.is_number)
      mark_.reset();
    else if (mark_ && ++numbers_ > kLongRun)
      thin_.resize(*mark_);
  }

  // False: they are not all there, or too many to be read.
  runtime::Result<bool> take(const Arguments& arguments) {
    for (int line = 0; line < arguments.lines; ++line) {
      const auto taken = take_line();
      if (!taken || !*taken) return taken;
    }
    const std::size_t fixed = arguments.bytes + arguments.length_bytes;
    const auto bytes = next(fixed);
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->size() < fixed) return false;
    if (arguments.length_bytes == 0) {
      thin_ += *bytes;
      return true;
    }
    const std::uint64_t length = little_endian(*bytes, 0, arguments.length_bytes);
    if (length > pickle_.size - at_) {
      ran_out_ = true;
      return false;
    }
    if (length > kLongText) {
      thin_.append(arguments.length_bytes, '\0');
      at_ += length;
      return true;
    }
    thin_ += *bytes;
    const auto text = next(length);
    if (!text) return std::unexpected(text.error());
    thin_ += *text;
    return text->size() == length;
  }

  runtime::Result<bool> take_line() {
    for (std::uint64_t taken = 0; taken < kLongestLine; ++taken) {
      const auto byte = next(1);
      if (!byte) return std::unexpected(byte.error());
      if (byte->empty()) return false;
      thin_ += *byte;
      if (byte->front() == '\n') return true;
    }
    return false;
  }

  // Fewer where the pickle ends, and where too many have been read. The view holds until the next call.
  runtime::Result<std::string_view> next(std::uint64_t count) {
    if (at_ < begin_ || at_ + count > begin_ + window_.size()) {
      if (read_ > kMostRead) return std::string_view();
      auto read = pickle_.bytes(at_, std::min(kWindow, pickle_.size - std::min(at_, pickle_.size)));
      if (!read) return std::unexpected(std::move(read).error());
      window_ = *std::move(read);
      begin_ = at_;
      read_ += window_.size();
    }
    const std::string_view taken = std::string_view(window_).substr(at_ - begin_, count);
    at_ += taken.size();
    ran_out_ = ran_out_ || taken.size() < count;
    return taken;
  }

  const CheckedFile& pickle_;
  const std::uint64_t most_;
  std::string window_, thin_;
  std::uint64_t begin_ = 0, at_ = 0, read_ = 0;
  std::optional<std::size_t> mark_;  // behind the last one, while numbers alone have followed
  std::size_t numbers_ = 0;
  bool ran_out_ = false;
};

}  // namespace

runtime::Result<std::optional<std::string>> thin_pickle(const CheckedFile& pickle, std::uint64_t most) {
  return Thinning(pickle, most).run();
}

runtime::Result<PickleEnd> find_pickle_end(const CheckedFile& pickle, std::uint64_t most) {
  Thinning thinning(pickle, most);
  const auto whole = thinning.run();
  if (!whole) return std::unexpected(whole.error());
  if (*whole) return PickleEnd{.is = PickleEnd::Is::Reached, .at = thinning.place()};
  return PickleEnd{.is = thinning.ran_out() ? PickleEnd::Is::CutOff : PickleEnd::Is::NotKnown};
}

}  // namespace reprise::agent
