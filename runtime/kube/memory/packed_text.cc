#include "runtime/kube/memory/packed_text.h"

#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace reprise::kube {
namespace {

constexpr std::size_t kWorthIt = 512;  // shorter texts stay as they are
constexpr std::size_t kBases = 4;      // each text is packed against all of them when none fits

struct End {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

bool good(std::size_t outcome) {
  return ZSTD_isError(outcome) == 0;
}

}  // namespace

struct Packer::Context {
  Context() : context(ZSTD_createCCtx()) {
    if (context == nullptr || !good(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1)))
      throw std::bad_alloc();
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { ZSTD_freeCCtx(context); }

  // The compressed difference of the text from `base`; empty when it cannot be made.
  [[nodiscard]] std::string difference(std::string_view text, std::string_view base) const {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    if (!good(ZSTD_CCtx_refPrefix(context, base.data(), base.size()))) return {};
    const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
    out.resize(good(size) ? size : 0);
    return out;
  }

  ZSTD_CCtx* context;
};

Packer::Packer() = default;
Packer::~Packer() = default;

void Packer::pack(PackedText& text) {
  const Text whole = text.stored_;
  if (!text.base_.empty() || whole.size() < kWorthIt) return;
  if (const auto known = std::ranges::find(bases_, whole); known != bases_.end()) {
    text.stored_ = *known;
    return;
  }
  if (!context_) context_ = std::make_unique<Context>();
  Text best_base;
  std::string best;
  for (std::size_t i = 0; i < bases_.size(); ++i) {
    std::string packed = context_->difference(whole, bases_[i]);
    if (packed.empty() || (!best.empty() && packed.size() >= best.size())) continue;
    best = std::move(packed);
    best_base = bases_[i];
    if (best.size() * 8 > whole.size()) continue;
    std::rotate(bases_.begin(), bases_.begin() + static_cast<std::ptrdiff_t>(i),
                bases_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    break;
  }
  if (!best.empty() && (best.size() * 8 <= whole.size() || (bases_.size() == kBases && best.size() < whole.size()))) {
    text.base_ = std::move(best_base);
    text.stored_ = best;
  } else if (bases_.size() < kBases) {
    bases_.insert(bases_.begin(), whole);
  }
}

std::string PackedText::text() const {
  if (base_.empty()) return std::string(stored_);
  const std::unique_ptr<ZSTD_DCtx, End> context(ZSTD_createDCtx());
  const std::string_view base = base_.view();
  // Only a Packer makes the bytes that are read here: the only failure can be a lack of memory.
  std::string out(static_cast<std::size_t>(ZSTD_getFrameContentSize(stored_.data(), stored_.size())), '\0');
  if (context == nullptr || !good(ZSTD_DCtx_refPrefix(context.get(), base.data(), base.size())) ||
      ZSTD_decompressDCtx(context.get(), out.data(), out.size(), stored_.data(), stored_.size()) != out.size()) {
    throw std::bad_alloc();
  }
  return out;
}

}  // namespace reprise::kube
