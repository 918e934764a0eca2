// How a cache follows one collection: list, watch, resume, re-list. A pure state machine: inputs in, outputs out, no
// I/O. The shell (reflector.h) carries outputs out and calls step() with Tick when `deadline` has come.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/random.h"
#include "runtime/cache/watch_event.h"

namespace reprise::runtime {

enum class WatchState {
  Idle,       // not started
  Opening,    // a watch is asked for, no answer yet
  Streaming,  // the watch sends the initial state, up to the bookmark that ends it
  Live,       // the watch sends changes
  Listing,    // pages of a list come in (servers without streaming lists, and after they failed us)
  Waiting,    // backing off before the next attempt
  Stopped,
};
[[nodiscard]] std::string_view name(WatchState state);

struct WatchPolicy {
  Duration backoff_first{800};
  Duration backoff_cap{30'000};
  Duration healthy_after{120'000};          // a watch that lived so long resets the backoff
  Duration initial_events_timeout{60'000};  // without the bookmark by then: paged lists from now on
  Duration idle_timeout{75'000};            // no byte for so long: the stream is dead
  Duration open_timeout{30'000};            // no status for so long
  Duration server_timeout_min{180'000}, server_timeout_max{230'000};
  Duration short_watch{1'000};  // a watch that ends sooner, with no event, counts as a failure
  bool streaming_list = true;
};

// Inputs.
struct WatchStarted {};
struct WatchTick {};    // a deadline may have passed
struct WatchOpened {};  // status 200
struct WatchBytes {};   // something arrived, perhaps not a whole line
struct WatchClosed {
  std::optional<Error> error;
  int status = 0;
};  // refused (status set), broken, or ended in order
struct PageArrived {
  std::string resource_version, continue_token;
};
struct PageFailed {
  Error error;
};
struct WatchStop {};
using WatchInput = std::variant<WatchStarted, WatchTick, WatchOpened, WatchBytes, const WatchEvent*, WatchClosed,
                                PageArrived, PageFailed, WatchStop>;

// Outputs, to be carried out in order.
struct OpenWatch {
  std::string resource_version;
  bool initial_events = false;
  Duration server_timeout{};
};
struct CloseWatch {};
struct FetchPage {
  std::string continue_token;
};
struct BeginSnapshot {};
struct AddToSnapshot {};  // the object of the event at hand
struct CommitSnapshot {
  std::string resource_version;
};
struct ApplyEvent {};  // the change at hand
struct AdvanceVersion {
  std::string resource_version;
};  // a bookmark
struct Note {
  std::string what;
  bool warning = false;
};  // for the log
using WatchOutput = std::variant<OpenWatch, CloseWatch, FetchPage, BeginSnapshot, AddToSnapshot, CommitSnapshot,
                                 ApplyEvent, AdvanceVersion, Note>;

// One thread. `random` outlives it.
class WatchMachine {
 public:
  WatchMachine(WatchPolicy policy, Random& random) : policy_(policy), random_(random) {}

  [[nodiscard]] std::vector<WatchOutput> step(Instant now, const WatchInput& input);

  [[nodiscard]] WatchState state() const { return state_; }
  // When to call step(Tick) at the latest.
  [[nodiscard]] std::optional<Instant> deadline() const;
  // The version to resume from; empty before the first snapshot.
  [[nodiscard]] const std::string& resource_version() const { return resource_version_; }
  [[nodiscard]] bool uses_paged_lists() const { return !policy_.streaming_list || paged_fallback_; }

 private:
  using Outputs = std::vector<WatchOutput>;
  void begin(Instant now, Outputs& out);
  void open(Instant now, bool initial_events, Outputs& out);
  void on_event(Instant now, const WatchEvent& event, Outputs& out);
  void on_closed(Instant now, const WatchClosed& closed, Outputs& out);
  void on_tick(Instant now, Outputs& out);
  void back_off(Instant now, std::optional<Duration> at_least);
  void fail(Instant now, const Error& error, Outputs& out);
  void fall_back(Instant now, std::string why, Outputs& out);

  WatchPolicy policy_;
  Random& random_;
  WatchState state_ = WatchState::Idle;
  std::string resource_version_;
  bool paged_fallback_ = false;
  bool initial_events_ = false;  // the watch at hand was asked for the initial state
  bool saw_event_ = false;
  Duration backoff_{0};
  Instant opened_at_{}, last_byte_{}, until_{};
};

}  // namespace reprise::runtime
