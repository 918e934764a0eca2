// The parts of an ApiServer.
#pragma once

#include "simulator/api_server/api_server.h"
#include "simulator/api_server/schema/kinds.h"
#include "simulator/api_server/store/store.h"
#include "simulator/api_server/store/writer.h"

namespace reprise::simulator {

struct ServerState {
  ServerState(const runtime::Clock& given_clock, runtime::Random& random)
      : clock(given_clock), writer(store, kinds, given_clock, random) {}

  const runtime::Clock& clock;
  Kinds kinds;
  Store store;
  Writer writer;
};

struct ApiServer::State final : ServerState {
  using ServerState::ServerState;
};

}  // namespace reprise::simulator
