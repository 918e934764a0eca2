// Rules for a shell around the trainer: the signals it keeps from it, and the exit code it loses.
#pragma once

#include <string>

#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {

// `at`: the field of the container that trains.
void look_at_shell(const Manifest& job, const std::string& at, const simulator::Value& container, Report& report);

}  // namespace reprise::apps::lint
