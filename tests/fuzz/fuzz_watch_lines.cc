// Bytes of a watch: however they are cut into chunks, the same lines come out, and a line is an event or an error.
#include <algorithm>
#include <string>
#include <vector>

#include "runtime/cache/line_framer.h"
#include "runtime/cache/watch_event.h"
#include "tests/fuzz/law.h"

namespace {

using reprise::fuzz::law;

constexpr std::size_t limit = 4096;

struct Framed {
  std::vector<std::string> lines;
  bool fits = true;
  bool operator==(const Framed&) const = default;
};

Framed frame(std::string_view bytes, std::size_t chunk) {
  reprise::runtime::LineFramer framer(limit);
  Framed framed;
  while (!bytes.empty() && framed.fits) {
    const std::string_view next = bytes.substr(0, chunk);
    bytes.remove_prefix(next.size());
    framed.fits = framer.feed(next, [&framed](std::string_view line) {
      framed.lines.emplace_back(line);
      return true;
    });
    law(framer.buffered() <= limit, "no more than the limit is kept");
  }
  return framed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes = reprise::fuzz::text_of(data + 1, size - 1);
  const Framed whole = frame(bytes, std::max<std::size_t>(bytes.size(), 1));
  const Framed cut = frame(bytes, data[0] % 17U + 1U);
  // A whole line in one chunk needs no buffer and may be longer than one that had to be put together.
  if (whole.fits && cut.fits) law(whole == cut, "the cut of the chunks does not matter");
  for (const std::string& line : whole.lines) {
    const auto event = reprise::runtime::parse_watch_event(line);
    if (!event) {
      law(!event.error().message.empty(), "an error says what is wrong");
      continue;
    }
    law(event->object.data() >= line.data() && event->object.data() + event->object.size() <= line.data() + line.size(),
        "the object is a part of the line");
    (void)reprise::runtime::peek_key(event->object);
  }
  return 0;
}
