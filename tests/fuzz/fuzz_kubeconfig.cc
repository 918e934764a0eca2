// A kubeconfig file with any content: a configuration, or an error that names what is wrong.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "runtime/client/config.h"
#include "tests/fuzz/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("kubeconfig", MFD_CLOEXEC);
  reprise::fuzz::invariant(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size),
                           "the file can be written");
  const auto config = reprise::runtime::read_kubeconfig("/proc/self/fd/" + std::to_string(file), "");
  close(file);
  if (!config) reprise::fuzz::invariant(!config.error().message.empty(), "a rejection says why");
  return 0;
}
