#include "agent/formats/names/place_name.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

TEST(place_name, the_innermost_directory_that_says_something_says_what_lies_there) {
  EXPECT_EQ(said_of_place("outputs/train/run-7/checkpoints"), Place::OfCheckpoints);
  EXPECT_EQ(said_of_place("my-ckpts/run"), Place::OfCheckpoints);
  EXPECT_EQ(said_of_place("checkpoints/data"), Place::OfData);
  EXPECT_EQ(said_of_place("data/checkpoints/a"), Place::OfCheckpoints);
  EXPECT_EQ(said_of_place("saved_dataset"), Place::OfData);
  for (const char* path : {"", "outputs", "literature/run", "checkpoint-7", "database", "filter"})
    EXPECT_EQ(said_of_place(path), Place::Unknown) << path;
}

}  // namespace
}  // namespace reprise::agent
