// A page of a list in either encoding: every item is handed out, and they are counted.
#include "runtime/cache/watch/watch_event.h"
#include "tests/fuzz/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace runtime = reprise::runtime;
  const std::string_view text = reprise::fuzz::text_of(data, size);
  for (const auto encoding : {runtime::Encoding::Json, runtime::Encoding::Protobuf}) {
    std::size_t items = 0;
    const auto count = [&items, encoding](std::string_view item) {
      ++items;
      (void)runtime::peek_key({item, encoding});
    };
    const auto page = encoding == runtime::Encoding::Json ? runtime::parse_list_page(text, count)
                                                          : runtime::parse_protobuf_list_page(text, count);
    if (page) {
      reprise::fuzz::invariant(page->items == items, "items are counted");
      reprise::fuzz::invariant(!page->resource_version.empty(), "a list has a version");
    }
  }
  return 0;
}
