// Finds the ResumableJob that an object belongs to: its controller reference says so, by the job's uid and in the job's
// namespace. Labels and names find objects and prove nothing: anybody who may write there chooses them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/resumable_job.h"
#include "runtime/kube/meta.h"
#include "runtime/kube/pod.h"

namespace reprise::controllers {

// The reference of the ResumableJob that controls the object; null: none does.
[[nodiscard]] const kube::OwnerReference* controlling_job(const kube::ObjectMeta& object);
[[nodiscard]] bool is_of_job(const kube::ObjectMeta& object, const api::ResumableJob& job);
// True for a pod that holds a place for a job and does not train.
[[nodiscard]] bool is_standby(const kube::Pod& pod);

// The key of an object's job in an index, and the keys of an object there: none where no job controls it.
[[nodiscard]] std::string job_key(std::string_view ns, std::string_view job_uid);
[[nodiscard]] std::vector<std::string> job_keys_of(const kube::ObjectMeta& object);

}  // namespace reprise::controllers
