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
#include "runtime/cache/encoding.h"
#include "runtime/cache/watch/watch_event.h"

namespace reprise::runtime {

enum class WatchState {
  Idle,       // not started
  Opening,    // a watch is asked for, no answer yet
  Streaming,  // the watch sends the initial state, up to the bookmark that ends it
  Live,       // the watch sends changes
  Listing,    // pages of a list come in (servers without streaming lists, and after they failed us)
  Asking,     // the collection was not found: does the server serve the kind?
  Waiting,    // backing off before the next attempt
  Stopped,
};
[[nodiscard]] std::string_view name(WatchState state);

struct WatchPolicy {
  Duration start_spread{0};  // the first request leaves at a random moment of it: many processes start together
  Duration backoff_first{800};
  Duration backoff_cap{30'000};
  Duration healthy_after{120'000};  // a stream that still sent something so late resets the backoff
  // A streaming list without its end by then is fetched in pages, this once: frozen, slow, or unknown to the server.
  Duration initial_events_timeout{60'000};
  // No byte for so long: the stream may be dead, so it is opened again. A server sends a bookmark a minute, but for a
  // kind that nothing happens to it may send none: then it is doubled, up to the server's timeout and `idle_grace`,
  // until a bookmark comes.
  Duration idle_timeout{75'000};
  Duration idle_grace{15'000};
  Duration open_timeout{30'000};  // no status for so long
  // The server's timeout of a watch that is opened to catch up: a server that sends bookmarks sends one 2 s before.
  Duration catch_up_timeout{3'000};
  Duration server_timeout_min{180'000}, server_timeout_max{230'000};
  // A watch that ends sooner and brought nothing new counts as a failure; one that did bring something is opened again
  // no sooner than so long after its beginning.
  Duration short_watch{1'000};
  // An optional kind that the server does not serve is looked for again after this, less up to half of it.
  Duration absent_retry{15'000};
  bool streaming_list = true;
  Encoding encoding = Encoding::Protobuf;  // for kinds that can be read in both; Json: the fallback for all
  std::size_t event_limit = 16U << 20U;    // bytes; an event that is longer ends its stream with an error
};

// Features that the server has rejected for a kind; all watches of the kind remember them together. Silence is no
// rejection.
struct WatchRejections {
  bool streaming_lists = false;
  bool protobuf = false;
};

// Inputs.
struct WatchStarted {};
struct WatchTick {};       // a deadline may have passed
struct WatchOpened {};     // status 200
struct WatchBytes {};      // something arrived, perhaps not a whole event
struct AnsweredInJson {};  // although protobuf was asked for
struct WatchClosed {
  std::optional<Error> error;
  int status = 0;
};  // rejected (status set), broken, or ended in order
struct PageArrived {
  std::string resource_version, continue_token;
};
struct PageFailed {
  Error error;
  int status = 0;
};
// The known state may be older than now: look again. Does nothing while a request that answers it is under way, or
// before the first list.
struct LookAgain {
  bool list = false;  // at everything; otherwise from the version known on, with a watch that soon brings a bookmark
};
// Answers AskWhetherServed: true, false, or why that is not known.
struct ServedAnswer {
  Result<bool> served;
};
struct WatchStop {};
using WatchInput = std::variant<WatchStarted, WatchTick, WatchOpened, WatchBytes, AnsweredInJson, const WatchEvent*,
                                WatchClosed, PageArrived, PageFailed, LookAgain, ServedAnswer, WatchStop>;

// Outputs, to be carried out in order.
struct OpenWatch {
  std::string resource_version;  // to continue from; with initial_events: the state sent is not older, empty: newest
  bool initial_events = false;
  Duration server_timeout{};
  Duration idle_timeout{};
  Encoding encoding = Encoding::Json;
};
struct CloseWatch {};
struct FetchPage {
  std::string continue_token;
  Encoding encoding = Encoding::Json;
};
struct BeginSnapshot {  // before the request leaves
  bool newest = true;   // the list will show all earlier writes; else only those seen already
};
struct AddToSnapshot {};  // the object of the event at hand
struct CommitSnapshot {
  std::string resource_version;
};
struct AskWhetherServed {};
struct CommitAbsence {};   // the server does not serve the kind: there are no objects of it
struct ApplyEvent {};      // the change at hand
struct AdvanceVersion {};  // the bookmark at hand
struct Note {
  std::string what;
  bool warning = false;
};  // for the log
using WatchOutput = std::variant<OpenWatch, CloseWatch, FetchPage, BeginSnapshot, AddToSnapshot, CommitSnapshot,
                                 AskWhetherServed, CommitAbsence, ApplyEvent, AdvanceVersion, Note>;

// One thread. `random` and `rejections` outlive it. `encoding`: the one to ask for; Protobuf falls back by itself.
// `optional`: a kind that the server does not serve is an answer too, see CommitAbsence; otherwise it is a failure that
// passes.
class WatchMachine {
 public:
  using Outputs = std::vector<WatchOutput>;
  WatchMachine(WatchPolicy policy, Encoding encoding, Random& random, WatchRejections& rejections,
               bool optional = false)
      : policy_(policy), wanted_(encoding), optional_(optional), random_(random), rejections_(rejections) {}

  // Appends to `out`, so that a caller can use the same vector for every event.
  void step(Instant now, const WatchInput& input, Outputs& out);

  [[nodiscard]] WatchState state() const { return state_; }
  // When to call step(Tick) at the latest.
  [[nodiscard]] std::optional<Instant> deadline() const;
  // The version to resume from; empty before the first snapshot.
  [[nodiscard]] const std::string& resource_version() const { return resource_version_; }
  [[nodiscard]] bool uses_paged_lists() const { return !policy_.streaming_list || rejections_.streaming_lists; }

 private:
  void begin(Instant now, Outputs& out);
  void open(Instant now, bool initial_events, Outputs& out);
  void open_for(Instant now, bool initial_events, Duration server_timeout, Outputs& out);
  void fetch(const std::string& continue_token, Outputs& out);
  void on_opened(Instant now);
  void on_event(Instant now, const WatchEvent& event, Outputs& out);
  void on_closed(Instant now, const WatchClosed& closed, Outputs& out);
  void on_page(Instant now, const PageArrived& page, Outputs& out);
  void on_page_failed(Instant now, const PageFailed& failed, Outputs& out);
  void on_not_found(Instant now, Outputs& out);
  void on_served_answer(Instant now, const Result<bool>& served, Outputs& out);
  void on_look_again(Instant now, bool list, Outputs& out);
  void on_json(Outputs& out);
  void on_tick(Instant now, Outputs& out);
  void on_silence(Instant now, Outputs& out);
  void forgive();
  void back_off(Instant now, std::optional<Duration> at_least);
  void fail(Instant now, const Error& error, Outputs& out);
  void use_pages(Instant now, std::string why, Outputs& out);
  void on_unfinished_list(Instant now, Outputs& out);
  // The server rejected the encoding that was asked for: JSON from now on. False: JSON was.
  [[nodiscard]] bool use_json(int status, Outputs& out);
  void ask();

  WatchPolicy policy_;
  Encoding wanted_;
  bool optional_;
  Random& random_;
  WatchRejections& rejections_;
  WatchState state_ = WatchState::Idle;
  std::string resource_version_;     // empty: the whole state is needed first
  std::string relist_from_;          // the whole state must not be older than this
  Encoding asked_ = Encoding::Json;  // the encoding of the request at hand
  bool initial_events_ = false;      // the watch at hand was asked for the initial state
  bool moved_ = false;               // the watch at hand brought something new
  bool plain_bookmark_ = false;      // a bookmark came where the end of the initial state should have come first
  bool absent_ = false;              // the last answer was that the kind is not served
  bool pages_once_ = false;          // the next list comes in pages
  Duration list_backoff_{0}, watch_backoff_{0};
  Duration learned_idle_timeout_ = policy_.idle_timeout;  // with silence, as this server has taught it
  Duration idle_{};                                       // the timeout of the watch at hand
  Instant opened_at_{}, last_byte_{}, until_{};
};

}  // namespace reprise::runtime
