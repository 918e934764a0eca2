// Bytes of a watch in either encoding: however they are cut into chunks, the same events come out; an event is read or
// rejected, and its object is a part of it.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cache/watch/stream_framer.h"
#include "runtime/cache/watch/watch_event.h"
#include "tests/fuzz/invariant.h"

namespace {

namespace runtime = reprise::runtime;
using reprise::fuzz::invariant;
using runtime::StreamFramer;

constexpr std::size_t limit = 4096;

struct Framed {
  std::vector<std::string> events;
  bool fits = true;
  bool operator==(const Framed&) const = default;
};

Framed frame(std::string_view bytes, std::size_t chunk, runtime::Encoding encoding) {
  StreamFramer framer(limit);
  framer.reset(encoding);
  Framed framed;
  while (!bytes.empty() && framed.fits) {
    const std::string_view next = bytes.substr(0, chunk);
    bytes.remove_prefix(next.size());
    framer.add(next);
    std::string_view event;
    auto step = framer.next(event);
    for (; step == StreamFramer::Step::Event; step = framer.next(event)) {
      invariant(!event.empty(), "empty events are passed over");
      framed.events.emplace_back(event);
    }
    framed.fits = step == StreamFramer::Step::NeedMore;
    invariant(framer.buffered() <= limit + 4, "no more than the limit is kept");
  }
  return framed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto encoding = data[0] % 2U == 0 ? runtime::Encoding::Json : runtime::Encoding::Protobuf;
  const std::string_view bytes = reprise::fuzz::text_of(data + 2, size - 2);
  const Framed whole = frame(bytes, std::max<std::size_t>(bytes.size(), 1), encoding);
  const Framed cut = frame(bytes, data[1] % 17U + 1U, encoding);
  // A line in one chunk needs no buffer and may be longer than one that had to be put together.
  if (whole.fits && cut.fits) invariant(whole == cut, "the cut of the chunks does not matter");
  for (const std::string& text : whole.events) {
    const auto event = runtime::parse_watch_event(text, encoding);
    if (!event) {
      invariant(!event.error().message.empty(), "an error says what is wrong");
      continue;
    }
    const auto split = encoding == runtime::Encoding::Json ? runtime::split_watch_event(text) : std::nullopt;
    if (split) {
      invariant(split->type == event->type, "the short way sees the same type");
      invariant(split->object.bytes.starts_with(event->object.bytes), "and the same object");
    }
    const std::string_view object = event->object.bytes;
    invariant(
        object.empty() || (object.data() >= text.data() && object.data() + object.size() <= text.data() + text.size()),
        "the object is a part of the event");
    (void)runtime::peek_key(event->object);
  }
  return 0;
}
