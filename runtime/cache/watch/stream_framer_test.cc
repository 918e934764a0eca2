#include "runtime/cache/watch/stream_framer.h"

#include <gtest/gtest.h>

#include <vector>

namespace reprise::runtime {
namespace {

using Step = StreamFramer::Step;

std::string frame(const std::string& event) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(event.size() >> shift & 0xFFU);
  return out + event;
}

struct Cut {
  std::vector<std::string> events;
  Step last = Step::NeedMore;
};

Cut feed(StreamFramer& framer, std::string_view chunk) {
  Cut cut;
  framer.add(chunk);
  std::string_view event;
  while ((cut.last = framer.next(event)) == Step::Event) cut.events.emplace_back(event);
  return cut;
}

StreamFramer framer_of(Encoding encoding, std::size_t limit = 1000) {
  StreamFramer framer(limit);
  framer.reset(encoding);
  return framer;
}

using Events = std::vector<std::string>;

TEST(StreamFramer, cuts_the_same_events_however_the_bytes_are_chunked) {
  const std::vector<std::pair<Encoding, std::string>> streams{
      {Encoding::Json, "one\n\ntwo\r\nthree\n"},
      {Encoding::Protobuf, frame("one") + frame("") + frame("two") + frame("three")}};
  for (const auto& [encoding, bytes] : streams) {
    for (std::size_t first = 0; first <= bytes.size(); ++first) {
      for (std::size_t second = first; second <= bytes.size(); ++second) {
        auto framer = framer_of(encoding);
        Events events;
        for (const auto& part : {bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)}) {
          for (auto& event : feed(framer, part).events) events.push_back(std::move(event));
        }
        ASSERT_EQ(events, (Events{"one", "two", "three"})) << first << " " << second;
        EXPECT_EQ(framer.buffered(), 0U);
      }
    }
  }
}

TEST(StreamFramer, an_event_within_one_chunk_is_not_copied) {
  for (const auto encoding : {Encoding::Json, Encoding::Protobuf}) {
    auto framer = framer_of(encoding);
    const std::string chunk = encoding == Encoding::Json ? "event\n" : frame("event");
    framer.add(chunk);
    std::string_view event;
    ASSERT_EQ(framer.next(event), Step::Event);
    EXPECT_TRUE(event.data() >= chunk.data() && event.data() + event.size() <= chunk.data() + chunk.size());
  }
}

TEST(StreamFramer, an_event_as_long_as_the_limit_passes_and_a_longer_one_does_not) {
  for (const auto encoding : {Encoding::Json, Encoding::Protobuf}) {
    for (const bool in_parts : {false, true}) {
      for (const std::size_t size : {10U, 11U}) {
        auto framer = framer_of(encoding, 10);
        const std::string text(size, 'x');
        const std::string bytes = encoding == Encoding::Json ? text + "\n" : frame(text);
        Cut cut;
        if (in_parts) {
          for (const char c : bytes) {
            cut = feed(framer, std::string_view(&c, 1));
            if (cut.last == Step::TooLong) break;
          }
        } else {
          cut = feed(framer, bytes);
        }
        EXPECT_EQ(cut.last == Step::TooLong, size == 11) << size;
        EXPECT_EQ(cut.events, size == 10 ? Events{text} : Events{}) << size;
      }
    }
  }
}

TEST(StreamFramer, a_length_beyond_the_limit_is_rejected_before_anything_is_kept) {
  auto framer = framer_of(Encoding::Protobuf);
  EXPECT_EQ(feed(framer,
                 "\xFF\xFF\xFF\xFF"
                 "abc")
                .last,
            Step::TooLong);
  EXPECT_LE(framer.buffered(), 4U);
}

TEST(StreamFramer, never_keeps_more_than_one_event) {
  auto framer = framer_of(Encoding::Protobuf, 100'000);
  const std::string bytes = frame(std::string(90'000, 'a')) + frame("b");
  for (std::size_t at = 0; at < bytes.size(); at += 7000) {
    (void)feed(framer, std::string_view(bytes).substr(at, 7000));
    EXPECT_LE(framer.buffered(), 90'004U);
  }
  EXPECT_EQ(framer.buffered(), 0U);
}

TEST(StreamFramer, a_new_stream_knows_nothing_of_the_old_one) {
  auto framer = framer_of(Encoding::Json);
  (void)feed(framer, "half an ev");
  framer.reset(Encoding::Protobuf);
  EXPECT_EQ(feed(framer, frame("whole")).events, Events{"whole"});
}

}  // namespace
}  // namespace reprise::runtime
