// The Asio side of AsioExecutor.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

#include "runtime/http/asio_executor.h"

namespace reprise::runtime {

struct AsioExecutor::Impl {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{context.get_executor()};
  std::thread thread;
};

}  // namespace reprise::runtime
