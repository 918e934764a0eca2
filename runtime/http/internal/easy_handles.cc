#include "runtime/http/internal/easy_handles.h"

#include <new>

namespace reprise::runtime {
namespace {

// More than are under way together in ordinary times; a burst makes its own and lets them go.
constexpr std::size_t kMostIdle = 16;

}  // namespace

EasyHandle EasyHandles::take(RequestKind kind) {
  std::vector<EasyHandle>& idle = idle_[kind];
  if (idle.empty()) {
    EasyHandle made;
    made.easy.reset(curl_easy_init());
    if (!made.easy) throw std::bad_alloc();
    return made;
  }
  EasyHandle handle = std::move(idle.back());
  idle.pop_back();
  return handle;
}

void EasyHandles::give_back(RequestKind kind, EasyHandle handle) {
  std::vector<EasyHandle>& idle = idle_[kind];
  if (idle.size() < kMostIdle) idle.push_back(std::move(handle));
}

}  // namespace reprise::runtime
