#include "runtime/kube/memory/interning_pool.h"

#include <gtest/gtest.h>

#include "api/resumable_job.h"
#include "runtime/kube/internal/dump_for_tests.h"
#include "runtime/kube/pod.h"

namespace reprise::api {
namespace {

kube::Pod a_pod(int number) {
  return kube::KindOf<kube::Pod>::decode(
             R"({"metadata":{"name":"trainer-number-)" + std::to_string(number) +
             R"(","namespace":"a-long-namespace","labels":{"reprise.dev/job":"the-same-job"}},)"
             R"("spec":{"nodeName":"node-0001","containers":[{"name":"trainer"}]},)"
             R"("status":{"conditions":[{"type":"ContainersReady","status":"True"},{"type":"Ready","status":"True"}],)"
             R"("containerStatuses":[{"name":"trainer","ready":true,"state":{"running":{}}}]}})")
      .value();
}

std::string a_template(int seed, int lines = 60) {
  std::string text = R"({"spec":{"containers":[{"name":"trainer","command":["train"],"args":["--seed=)" +
                     std::to_string(seed) + R"("],"env":[)";
  for (int i = 0; i < lines; ++i) {
    text += (i == 0 ? "" : ",") + (R"({"name":"VARIABLE_)" + std::to_string(i)) + R"(","value":")" +
            std::to_string(i * 7919 % 1009) + R"("})";
  }
  return text + "]}]}}";
}

TEST(InterningPool, equal_parts_become_one_and_nothing_changes) {
  kube::InterningPool pool;
  kube::Pod first = a_pod(1), second = a_pod(2);
  const std::string before = kube::internal::dump(second);
  pool.share(first);
  pool.share(second);
  EXPECT_EQ(kube::internal::dump(second), before);
  EXPECT_EQ(first.node_name.block(), second.node_name.block());
  EXPECT_EQ(first.conditions.block(), second.conditions.block());
  EXPECT_EQ(first.container_statuses.block(), second.container_statuses.block());
  EXPECT_EQ(first.meta.labels.entries().block(), second.meta.labels.entries().block());
  EXPECT_NE(first.meta.name.block(), second.meta.name.block());
}

TEST(InterningPool, what_is_shared_is_not_changed_by_one_who_changes_his_own) {
  kube::InterningPool pool;
  kube::Pod first = a_pod(1), second = a_pod(2);
  pool.share(first);
  pool.share(second);
  second.conditions[1].status = "False";
  second.meta.labels["reprise.dev/job"] = "another";
  EXPECT_TRUE(first.ready());
  EXPECT_EQ(first.meta.label("reprise.dev/job"), "the-same-job");
}

TEST(InterningPool, accounts_for_what_objects_share_and_objects_for_the_rest) {
  kube::Pod alone = a_pod(1);
  const std::size_t whole = kube::heap_bytes(alone);
  EXPECT_GT(whole, 300U);
  kube::InterningPool pool;
  EXPECT_EQ(pool.bytes(), 0U);
  pool.share(alone);
  EXPECT_EQ(kube::heap_bytes(alone), 0U);
  const std::size_t one = pool.bytes();
  EXPECT_GE(one, whole);
  kube::Pod same = a_pod(1);
  pool.share(same);
  EXPECT_EQ(pool.bytes(), one);
}

TEST(InterningPool, gives_back_what_nobody_holds) {
  kube::InterningPool pool;
  for (int i = 0; i < 100'000; ++i) {
    kube::Text text = "a text that is used once: " + std::to_string(i);
    pool.share(text);
  }
  EXPECT_LT(pool.bytes(), 10'000U);
  std::vector<kube::Text> kept;
  for (int i = 0; i < 1000; ++i) {
    kept.emplace_back("a text that is kept: " + std::to_string(i));
    pool.share(kept.back());
  }
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(kept[static_cast<std::size_t>(i)], "a text that is kept: " + std::to_string(i));
  EXPECT_LT(pool.bytes(), 150'000U);
}

TEST(InterningPool, objects_outlive_it) {
  kube::Pod pod = a_pod(1);
  const std::string before = kube::internal::dump(pod);
  {
    kube::InterningPool pool;
    pool.share(pod);
  }
  EXPECT_EQ(kube::internal::dump(pod), before);
}

TEST(PackedText, templates_that_differ_a_little_take_a_fraction) {
  kube::InterningPool pool;
  std::vector<kube::PackedText> kept;
  for (int i = 0; i < 100; ++i) {
    kept.emplace_back(a_template(i));
    pool.share(kept.back());
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(kept[static_cast<std::size_t>(i)].text(), a_template(i));
  EXPECT_LT(pool.bytes(), a_template(0).size() + 100 * 160);
}

TEST(PackedText, comes_back_whatever_it_is_and_whatever_came_before) {
  kube::InterningPool pool;
  std::vector<std::pair<kube::PackedText, std::string>> kept;
  for (int i = 0; i < 300; ++i) {
    std::string text = a_template(i * 37 % 11, 1 + i * 13 % 170);
    if (i % 7 == 0) text = std::string(static_cast<std::size_t>(i) * 10, static_cast<char>('a' + i % 26));
    if (i % 11 == 0) text = "short " + std::to_string(i);
    kept.emplace_back(text, text);
    pool.share(kept.back().first);
  }
  for (const auto& [packed, text] : kept) {
    EXPECT_EQ(packed.text(), text);
    EXPECT_EQ(packed, kube::PackedText(text));
  }
}

TEST(PackedText, a_job_that_was_packed_is_the_same_job) {
  kube::InterningPool pool;
  for (int seed = 0; seed < 3; ++seed) {
    const auto decode = [&] {
      return kube::KindOf<ResumableJob>::decode(R"({"spec":{"template":)" + a_template(seed) + "}}").value();
    };
    ResumableJob job = decode();
    pool.share(job);
    EXPECT_EQ(job.spec, decode().spec);
    EXPECT_EQ(encode(job), encode(decode()));
    EXPECT_EQ(job.spec.pod_template.json.text(), a_template(seed));
  }
}

}  // namespace
}  // namespace reprise::api
