// A pipe between the trainer and one of the agent's own output streams: a thread copies it, byte for byte, and tells
// what passes. As without it, a trainer waits while nobody reads, and gets SIGPIPE or EPIPE when the reader is gone.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "agent/volume/file_descriptor.h"

namespace reprise::agent {

class OutputRelay {
 public:
  using Tell = std::function<void(std::string_view bytes)>;

  // Null where the trainer must write to `to` itself: a terminal, a stream that is not open, no more descriptors or
  // threads. `tell` is called from the relay's thread, also after this object is gone.
  [[nodiscard]] static std::unique_ptr<OutputRelay> open(int to, Tell tell);
  OutputRelay(const OutputRelay&) = delete;
  OutputRelay& operator=(const OutputRelay&) = delete;
  ~OutputRelay();

  // Closed in whoever executes another program.
  [[nodiscard]] int write_end() const { return write_end_.get(); }
  // When the trainer has it: from then on the pipe ends with whoever holds it.
  void close_write_end() { write_end_ = FileDescriptor(); }
  // When the trainer has ended: passes on what is in the pipe already, whoever else holds it. Whether all was in time;
  // what was not is left to a thread that is left behind.
  [[nodiscard]] bool finish(std::chrono::milliseconds timeout);

 private:
  struct State;
  OutputRelay(FileDescriptor write_end, std::shared_ptr<State> state);

  FileDescriptor write_end_;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::agent
