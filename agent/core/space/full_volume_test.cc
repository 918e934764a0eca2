// When a trainer's failure is one for want of room.
#include "agent/core/space/full_volume.h"

#include <gtest/gtest.h>

#include "agent/core/record/record.h"
#include "agent/core/watch/save_trail.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

std::optional<FreeSpace> free_bytes(std::int64_t bytes) {
  return FreeSpace{.bytes = bytes, .files = 100'000};
}

TEST(FullVolume, a_save_that_broke_off_where_its_rest_has_no_room_failed_for_that) {
  FailedTrainer end{.free = free_bytes(0), .save_size = 4 * kGiB, .broke_off = true, .broken_size = kGiB};
  EXPECT_TRUE(failed_for_want_of_room(end));
  end.free = free_bytes(2 * kGiB);
  EXPECT_TRUE(failed_for_want_of_room(end));
  end.free = free_bytes(3 * kGiB);
  EXPECT_FALSE(failed_for_want_of_room(end)) << "the rest would have fitted";
  end.free = free_bytes(0);
  end.stopped = true;
  EXPECT_FALSE(failed_for_want_of_room(end)) << "a stop breaks saves off as well";
  end.stopped = false;
  end.free.reset();
  EXPECT_FALSE(failed_for_want_of_room(end)) << "nobody knows";
}

TEST(FullVolume, a_crash_beside_a_volume_that_is_as_full_as_it_always_is_counts) {
  // One checkpoint, written over in place.
  EXPECT_FALSE(failed_for_want_of_room({.free = free_bytes(2 * kGiB),
                                        .save_size = 4 * kGiB,
                                        .saved_nothing = true,
                                        .output = "ImportError: flash_attn"}));
  EXPECT_FALSE(failed_for_want_of_room({.free = free_bytes(2 * kGiB), .save_size = 4 * kGiB}));
}

TEST(FullVolume, with_nothing_free_a_training_that_has_saved_nothing_failed_for_that) {
  EXPECT_TRUE(failed_for_want_of_room({.free = free_bytes(0), .saved_nothing = true}));
  EXPECT_TRUE(failed_for_want_of_room({.free = free_bytes(20 * kKiB), .save_size = kGiB, .saved_nothing = true}));
  EXPECT_FALSE(failed_for_want_of_room({.free = free_bytes(0), .save_size = kGiB})) << "it had saved";
  EXPECT_TRUE(failed_for_want_of_room({.free = free_bytes(0), .save_size = kGiB, .looked = false}))
      << "nobody knows whether the newest is whole";
}

TEST(FullVolume, a_few_files_left_are_too_few) {
  EXPECT_TRUE(failed_for_want_of_room(
      {.free = FreeSpace{.bytes = 100 * kGiB, .files = 0}, .save_size = kMiB, .broke_off = true}));
  EXPECT_FALSE(failed_for_want_of_room(
      {.free = FreeSpace{.bytes = 100 * kGiB, .files = {}}, .save_size = kMiB, .broke_off = true}));
}

TEST(FullVolume, words_count_where_room_is_short_or_the_volume_is_named) {
  const FailedTrainer is_short{.free = free_bytes(kMiB), .save_size = kGiB, .root = "/checkpoints"};
  const FailedTrainer is_ample{.free = free_bytes(50 * kGiB), .save_size = kGiB, .root = "/checkpoints"};
  const auto says = [](FailedTrainer end, std::string_view output) {
    end.output = output;
    return failed_for_want_of_room(end);
  };
  for (const char* words : {"OSError: [Errno 28] No space left on device", "SafetensorError: I/O error (os error 28)",
                            "RuntimeError: [enforce fail at inline_container.cc:664] . PytorchStreamWriter failed "
                            "writing file data/0: file "
                            "write failed"}) {
    EXPECT_TRUE(says(is_short, words)) << words;
    EXPECT_FALSE(says(is_ample, words)) << "/dev/shm, say: " << words;
  }
  EXPECT_TRUE(says(is_ample, "a\nOSError: [Errno 28] No space left on device: '/checkpoints/step_3/model.pt'\nb"));
  EXPECT_FALSE(says(is_ample, "saved to /checkpoints\nOSError: [Errno 28] No space left on device: '/dev/shm/x'"));
  EXPECT_FALSE(says(is_short, "ValueError: 28"));
}

TEST(FullVolume, a_quota_shows_in_no_free_space) {
  FailedTrainer end{
      .free = free_bytes(50 * kGiB), .save_size = kGiB, .output = "OSError: [Errno 122] Disk quota exceeded"};
  EXPECT_FALSE(failed_for_want_of_room(end)) << "of a home directory, say: its saves are whole";
  end.broke_off = true;
  EXPECT_TRUE(failed_for_want_of_room(end));
}

TEST(FullVolume, a_quota_of_another_directory_and_a_limit_of_watches_are_none_of_the_volume_s) {
  FailedTrainer end{.free = free_bytes(50 * kGiB), .saved_nothing = true, .root = "/checkpoints"};
  for (const char* elsewhere : {"OSError: [Errno 122] Disk quota exceeded: '/home/u/.cache/huggingface/hub/x'",
                                "EDQUOT: write to /home/u/.triton failed, see https://example.com/quota",
                                "OSError: [Errno 28] inotify watch limit reached, no watch for /checkpoints/logs"}) {
    end.output = elsewhere;
    EXPECT_FALSE(failed_for_want_of_room(end)) << elsewhere;
  }
  for (const char* here : {"OSError: [Errno 122] Disk quota exceeded", "Disk quota exceeded: 'out/step_5/model.pt'",
                           "Disk quota exceeded (https://example.com/quota)",
                           "OSError: [Errno 122] Disk quota exceeded: '/checkpoints/step_5/model.pt'"}) {
    end.output = here;
    EXPECT_TRUE(failed_for_want_of_room(end)) << here;
  }
  end.output = "OSError: [Errno 122] Disk quota exceeded: '/workspace/out/step_5/model.pt'";
  end.broke_off = true;
  EXPECT_TRUE(failed_for_want_of_room(end)) << "a link to the volume";
}

TEST(FullVolume, what_the_volume_rejects_of_the_agent_counts) {
  EXPECT_TRUE(failed_for_want_of_room({.volume_problem = "write /c/.reprise/made/1: No space left on device"}));
  EXPECT_FALSE(failed_for_want_of_room({.volume_problem = "write /c/.reprise/made/1: Input/output error"}));
}

TEST(FullVolume, a_save_breaks_off_until_a_newer_one_is_complete_and_a_deletion_never_does) {
  SaveTrail trail;
  CheckpointWatch::Seen seen;
  seen.saving = "step-10";
  trail.note(seen);
  EXPECT_EQ(trail.broke_off(), "step-10");
  seen.saving.reset();  // its trainer has removed it
  trail.note(seen);
  EXPECT_EQ(trail.broke_off(), "step-10");
  seen.newest = Checkpoint{.name = "step-20", .step = 20, .complete = true};
  seen.saving = "step-20";  // whole, and not known to be durable yet
  trail.note(seen);
  EXPECT_EQ(trail.broke_off(), std::nullopt);
  seen.saving = "step-10";  // rotated, half of it is gone
  trail.note(seen);
  EXPECT_EQ(trail.broke_off(), std::nullopt);
  seen.saving = "step-30";
  trail.note(seen);
  EXPECT_EQ(trail.broke_off(), "step-30");
}

TEST(FullVolume, a_record_says_it_within_what_survives_every_cut) {
  Record record;
  record.attempt = 1;
  record.path = std::string(900, 'p');
  record.step = 7;
  record.full = protocol::ReportedRoom{.free_bytes = 4096,
                                       .save_bytes = 4 * kGiB,
                                       .needed_bytes = 8 * kGiB,
                                       .generations = 5,
                                       .keep = 2,
                                       .keep_deletes = 3,
                                       .keep_frees_bytes = 12 * kGiB,
                                       .torn_bytes = 3 * kGiB,
                                       .quarantine_bytes = kGiB,
                                       .unproven_bytes = 2 * kGiB};
  const std::string text = encode_record_with_output(record, std::string(10'000, 'o'));
  EXPECT_LT(text.find("unprovenBytes"), protocol::kMaxDecidingBytes);
  EXPECT_LT(text.find("keepFreesBytes"), protocol::kMaxDecidingBytes);
  EXPECT_EQ(decode_record(text)->full, record.full);
}

}  // namespace
}  // namespace reprise::agent
