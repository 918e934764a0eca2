// Two parts of a save whose names say no step: a word that nobody knows stands in front of the number.
#include "agent/core/generations/halves/words/unclear_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::in_layout;
using testing_support::OnVolume;

TEST(unclear_words, the_only_number_of_a_name_counts) {
  EXPECT_EQ(number_of_unknown_word("model_400"), 400);
  EXPECT_EQ(number_of_unknown_word("run-3/G_300.pth"), 300);
  EXPECT_EQ(number_of_unknown_word("model_400_rank3"), 400);
  for (const char* name :
       {"step_400", "checkpoint_400_1.pt", "400", "gpt2_model_400", "llama-7b", "best_0.25", "model"})
    EXPECT_EQ(number_of_unknown_word(name), std::nullopt) << name;
}

TEST(unclear_words, a_part_alone_is_no_save_where_each_one_before_had_both_and_it_stays_where_it_is) {
  for (const auto& [one, other] :
       {std::pair("model_@", "optim_@"), std::pair("G_@.pth", "D_@.pth"), std::pair("ckpt_actor_@", "ckpt_critic_@"),
        std::pair("out/actor-@", "out/critic-@"), std::pair("model_@_rank0", "model_@_rank1")}) {
    for (const bool is_torn : {false, true}) {
      OnVolume saved;
      for (const int step : {1, 2, 3}) saved.save({in_layout(one, step, 0), in_layout(other, step, 0)});
      EXPECT_THAT(saved.halves(), IsEmpty()) << one;
      const std::string last = in_layout(one, 4, 0), lacking = in_layout(other, 4, 0);
      saved.save({last});
      if (is_torn) saved.tear(lacking);
      EXPECT_THAT(saved.names(), ElementsAre(last));
      EXPECT_THAT(names_of_those_over(saved.halves()), ElementsAre(last)) << "nothing is moved by such a number";
      EXPECT_THAT(saved.save({lacking}).save({in_layout(one, 5, 0), in_layout(other, 5, 0)}).names(), IsEmpty()) << one;
    }
  }
}

TEST(unclear_words, a_part_alone_is_none_of_what_nobody_saw_being_made_either) {
  OnVolume there;
  for (const int step : {1, 2, 3}) there.save({in_layout("G_@.pth", step, 0), in_layout("D_@.pth", step, 0)}, 0);
  EXPECT_THAT(there.save({"G_4.pth"}, 0).names(), ElementsAre("G_4.pth"));
  EXPECT_THAT(OnVolume().save({"resnet_18.pth", "vgg_16.pth", "resnet_50.pth", "vgg_19.pth"}, 0).names(), IsEmpty());
}

TEST(unclear_words, what_was_together_once_or_comes_at_its_own_pace_is_no_save) {
  EXPECT_THAT(OnVolume().save({"alpha_1", "beta_1", "alpha_2"}).names(), IsEmpty());
  EXPECT_THAT(OnVolume().save({"alpha_1", "alpha_2", "beta_1", "alpha_3", "beta_2", "alpha_4"}).names(), IsEmpty());
  EXPECT_THAT(OnVolume().save({"G_1", "best_G_1", "G_2", "best_G_2", "G_3"}).names(), IsEmpty());
  OnVolume done = OnVolume().save({"G_1", "D_1", "G_2", "D_2"});
  EXPECT_THAT(done.save({"G_3"}).save({"G_4"}).save({"G_5"}).names(), IsEmpty()) << "three in a row";
  EXPECT_THAT(OnVolume().save({"step_4", "model_4", "step_5", "model_5", "step_6"}).names(), IsEmpty());
}

}  // namespace
}  // namespace reprise::agent
