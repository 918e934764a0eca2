// A page of a list: every item handed out lies in the page, and they are counted.
#include "runtime/cache/watch_event.h"
#include "tests/fuzz/law.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = reprise::fuzz::text_of(data, size);
  std::size_t items = 0;
  const auto page = reprise::runtime::parse_list_page(text, [&items](std::string_view item) {
    ++items;
    (void)reprise::runtime::peek_key(item);
  });
  if (page) {
    reprise::fuzz::law(page->items == items, "items are counted");
    reprise::fuzz::law(!page->resource_version.empty(), "a list has a version");
  }
  return 0;
}
