// Hundreds of trainings of gangs, drawn at random: ranks out of step where they are killed, gangs that shrink and grow
// between saves, trainers that archive or copy former saves. A save that all ranks have made counts, any other does
// not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/formats/name_numbers.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

using testing_support::in_layout;

enum class Former { Stay, Go, ToArchive, CopiedSomeTimes };

class World {
 public:
  explicit World(std::uint32_t seed) : random_(seed) {
    const std::vector<std::string> layouts{"rank#/step_@", "step_@_rank#", "out/rank_#/checkpoint-@", "gpu#/step_@.pt"};
    layout_ = layouts[draw(layouts.size())];
    former_ = std::vector{Former::Stay, Former::Go, Former::ToArchive, Former::CopiedSomeTimes}[draw(4)];
    gang_ = {.ranks = 4, .devices = 1};
  }

  // The fault that was found; empty where all is as it should be.
  std::string play() {
    for (int attempt = 1; attempt <= 5; ++attempt) {
      if (attempt > 1 && draw(3) == 0) gang_.ranks = gang_.ranks == 4 ? 2 : 4;
      train(attempt);
      if (std::string wrong = what_is_wrong(); !wrong.empty())
        return layout_ + ", former " + std::to_string(static_cast<int>(former_)) + ", attempt " +
               std::to_string(attempt) + " of " + std::to_string(gang_.ranks) + ": " + wrong;
      put_halves_aside();
    }
    return {};
  }

 private:
  std::size_t draw(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }

  void write(const std::string& name, int attempt, runtime::WallTime time, GangSize gang) {
    std::erase_if(found_, [&](const Checkpoint& each) { return each.name == name; });
    found_.insert(found_.begin(), {.name = name,
                                   .step = read_save_name(name).likely.value_or(0),
                                   .complete = true,
                                   .time = time,
                                   .format = std::string(kMarkerFormat)});
    made_.push_back({.order = std::ssize(made_) + 1, .name = name, .job_uid = "job", .attempt = attempt, .gang = gang});
  }

  void save(int step, int rank, int attempt) {
    clock_ += std::chrono::microseconds(700'001);
    write(in_layout(layout_, step, rank), attempt, runtime::WallTime(clock_), gang_);
  }

  // The saves before the last one, once all ranks have made it.
  void leave_former(int step, int attempt) {
    const bool goes = former_ == Former::Go || former_ == Former::ToArchive;
    Checkpoints before;
    for (const Checkpoint& each : found_)
      if (each.step == (goes ? step - kPeriod : step) && !each.name.starts_with("archive/")) before.push_back(each);
    const bool is_copied = former_ == Former::CopiedSomeTimes && draw(2) == 0;
    for (const Checkpoint& each : before) {
      if (goes) std::erase_if(found_, [&](const Checkpoint& one) { return one.name == each.name; });
      if (former_ == Former::ToArchive || is_copied)
        write("archive/" + each.name, attempt, each.time, gang_of(each.name));
    }
  }

  // The gang as it is listed where the checkpoint is moved (made_checkpoints.h).
  [[nodiscard]] GangSize gang_of(const std::string& name) const {
    return std::ranges::find(made_.rbegin(), made_.rend(), name, &MadeCheckpoint::name)->gang;
  }

  void look() { known_ = last_saves(found_, made_, known_); }

  // Killed while some ranks are up to two saves ahead of the others.
  void train(int attempt) {
    const std::size_t saves = draw(3) + (attempt == 1 ? 1 : 0);
    for (std::size_t count = 0; count < saves; ++count) {
      last_ += kPeriod;
      for (int rank = 0; rank < gang_.ranks; ++rank) {
        save(last_, rank, attempt);
        if (draw(2) == 0) look();
      }
      look();
      leave_former(last_, attempt);
      look();
    }
    whole_ = last_;
    const auto first_late = static_cast<int>(draw(static_cast<std::size_t>(gang_.ranks) - 1)) + 1;
    const std::size_t ahead = draw(3);
    for (std::size_t count = 1; count <= ahead; ++count) {
      for (int rank = 0; rank < first_late; ++rank) save(last_ + static_cast<int>(count) * kPeriod, rank, attempt);
      if (draw(2) == 0) look();
    }
  }

  [[nodiscard]] std::vector<HalfSave> halves() const { return find_half_saves(found_, made_, Holds::AllRanks, known_); }

  [[nodiscard]] std::string what_is_wrong() const {
    std::set<std::string> told;
    for (const HalfSave& each : halves()) told.insert(each.halves.begin(), each.halves.end());
    for (const Checkpoint& each : found_) {
      const bool is_half = each.step > whole_;
      if (is_half != told.contains(each.name)) return each.name + (is_half ? " counts" : " does not count");
    }
    return {};
  }

  // Puts halves aside as the next attempt does.
  void put_halves_aside() {
    std::set<std::string> aside;
    for (const Checkpoint& each : found_)
      if (each.step > whole_) aside.insert(each.name);
    std::erase_if(found_, [&](const Checkpoint& each) { return aside.contains(each.name); });
    std::erase_if(made_, [&](const MadeCheckpoint& each) { return aside.contains(each.name); });
    std::erase_if(known_, [&](const KnownPart& each) { return aside.contains(each.checkpoint.name); });
  }

  static constexpr int kPeriod = 20;
  std::mt19937 random_;
  std::string layout_;
  Former former_ = Former::Stay;
  GangSize gang_{};
  Checkpoints found_;
  MadeCheckpoints made_;
  KnownParts known_;
  std::chrono::microseconds clock_{0};
  int last_ = 0, whole_ = 0;
};

TEST(gang_worlds, what_all_ranks_have_saved_counts_and_nothing_else) {
  constexpr std::uint32_t kWorlds = 400;
  std::size_t wrong = 0;
  for (std::uint32_t seed = 1; seed <= kWorlds; ++seed) {
    const std::string said = World(seed).play();
    if (said.empty() || ++wrong > 5) continue;
    ADD_FAILURE() << "world " << seed << ": " << said;
  }
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace reprise::agent
