#include "agent/formats/structure/torch/zip_archive.h"

#include <gtest/gtest.h>

#include "agent/testing/checkpoint_files.h"
#include "agent/testing/temporary_directory.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using testing_support::zip_of;

std::string zip_flaw(const std::string& bytes) {
  const testing_support::TemporaryDirectory directory;
  const auto path = directory.path() / "optimizer.pt";
  testing_support::put_text(path, bytes);
  const PosixFiles files(std::make_shared<VolumeCalls>(), directory.path());
  const auto flaw = check_zip({.files = files, .path = path, .name = "optimizer.pt", .size = bytes.size()});
  if (!flaw) return "error: " + flaw.error().message;
  return *flaw ? (*flaw)->reason : "";
}

const std::string kWholes[] = {
    zip_of({{"archive/data.pkl", "pickle"}, {"archive/data/0", std::string(300, 'w')}}),
    zip_of({{"archive/data.pkl", "pickle"}, {"archive/data/0", std::string(300, 'w')}}, true)};

TEST(ZipArchive, a_whole_one_has_no_flaw) {
  for (const std::string& whole : kWholes) EXPECT_EQ(zip_flaw(whole), "");
  EXPECT_EQ(zip_flaw(zip_of({})), "");
}

TEST(ZipArchive, one_cut_off_at_any_byte_has_a_flaw) {
  for (const std::string& whole : kWholes)
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_NE(zip_flaw(whole.substr(0, length)), "") << length;
}

TEST(ZipArchive, one_whose_tail_is_zero_has_a_flaw) {
  for (const std::string& whole : kWholes)
    for (std::size_t length = 0; length < whole.size() - 2; length += 7)
      EXPECT_NE(zip_flaw(whole.substr(0, length) + std::string(whole.size() - length, '\0')), "") << length;
}

TEST(ZipArchive, a_hole_where_a_member_begins_is_found) {
  std::string holed = kWholes[0];
  holed.replace(0, 16, 16, '\0');
  EXPECT_EQ(zip_flaw(holed), "optimizer.pt: a member of the zip archive does not begin where its directory says");
}

TEST(ZipArchive, a_tensor_in_a_shard_that_is_zero_altogether_or_at_its_end_does_not_end_as_begun) {
  const testing_support::TemporaryDirectory directory;
  const auto path = directory.path() / "__0_0.distcp";
  const PosixFiles files(std::make_shared<VolumeCalls>(), directory.path());
  const std::size_t length = kWholes[0].size();
  const auto as_begun = [&](const std::string& second) {
    testing_support::put_text(path, kWholes[0] + second);
    return *ends_as_begun({.files = files, .path = path, .name = "__0_0.distcp", .size = 2 * length}, length, length);
  };
  EXPECT_TRUE(as_begun(kWholes[0]));
  EXPECT_TRUE(as_begun(std::string(length, 'w'))) << "not every writer makes archives";
  EXPECT_FALSE(as_begun(std::string(length, '\0')));
  EXPECT_FALSE(as_begun(kWholes[0].substr(0, length - 30) + std::string(30, '\0')));
}

TEST(ZipArchive, what_lies_before_the_archive_is_not_taken_for_a_part_of_it) {
  EXPECT_NE(zip_flaw("x" + kWholes[0]), "");
  EXPECT_NE(zip_flaw(kWholes[0] + "x"), "");
}

}  // namespace
}  // namespace reprise::agent
