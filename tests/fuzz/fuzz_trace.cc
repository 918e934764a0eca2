// Traces of spot capacity: each trace that is read has the properties that replays rely on; Events become a trace that
// is read again.
#include "controllers/placement/evaluation/events_trace.h"
#include "controllers/placement/evaluation/trace.h"
#include "tests/fuzz/invariant.h"

namespace {

namespace placement = reprise::controllers::placement;

void sound(const placement::Trace& trace) {
  using reprise::fuzz::invariant;
  invariant(trace.tick > 0 && trace.nodes_probed > 0 && !trace.zones.empty(), "a trace has a tick, nodes and zones");
  for (const auto& zone : trace.zones) {
    invariant(!zone.available.empty() && zone.available.size() == trace.zones.front().available.size(),
              "all zones are listed for the same ticks");
    for (const int count : zone.available)
      invariant(count >= placement::kUnknown && count <= trace.nodes_probed,
                "a count is unknown or within what was probed");
    for (const double price : zone.prices) invariant(price > 0, "a price is greater than 0");
    invariant(placement::market_of(trace, zone, 1).up.size() == zone.available.size(), "a market has all ticks");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = reprise::fuzz::text_of(data, size);
  if (const auto trace = placement::read_trace("t.csv", text)) {
    sound(*trace);
    if (const auto priced = placement::with_prices(*trace, "p.csv", text)) sound(*priced);
  }
  if (const auto objects = placement::read_event_objects("o.txt", text))
    reprise::fuzz::invariant(!objects->contains("NAME"), "the line of column names is no object");
  const auto events = placement::trace_from_events("e.txt", text, {.objects = {}, .otherwise = "zone-1a"}, 86400);
  if (events && events->zones.front().available.size() < 1000) {
    sound(*events);
    reprise::fuzz::invariant(placement::read_trace("e.csv", placement::write_trace(*events)).has_value(),
                             "what Events tell is a trace");
  }
  return 0;
}
