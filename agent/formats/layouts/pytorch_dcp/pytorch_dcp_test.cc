#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing_support::dcp_metadata;
using testing_support::put_text;
using testing_support::torch_file;

class PyTorchDcp : public testing_support::LayoutFormatTest {
 protected:
  PyTorchDcp() { use("PyTorchDCP"); }
  void put(const std::string& file, const std::string& bytes = torch_file()) const {
    put_text(root() / "step-7" / file, bytes);
  }
  void remove(const std::string& file) const { fs::remove(root() / "step-7" / file); }
  // Writes metadata that is too large to be read.
  void put_large(const std::string& metadata) const {
    put(metadata, "\x80");
    fs::resize_file(root() / "step-7" / metadata, (std::uintmax_t{64} << 20U) + 1);
  }
  [[nodiscard]] bool complete() const {
    const auto found = scanned();
    EXPECT_EQ(found.size(), 1U);
    return found == std::vector<std::string>{"step-7 PyTorchDCP"};
  }
};

TEST_F(PyTorchDcp, metadata_of_17_mib_is_read) {
  put("__0_0.distcp");
  put("__1_0.distcp");
  const std::size_t size = torch_file().size();
  put(".metadata",
      dcp_metadata({{"__0_0.distcp", size}, {"__1_0.distcp", size}}, std::string(std::size_t{9} << 20U, 'w')));
  ASSERT_GT(fs::file_size(root() / "step-7/.metadata"), std::uintmax_t{17} << 20U);
  EXPECT_TRUE(complete());
  remove("__1_0.distcp");
  EXPECT_FALSE(complete()) << "the highest rank's";
}

TEST_F(PyTorchDcp, beside_metadata_that_is_too_large_to_be_read_each_rank_has_a_shard) {
  put_large(".metadata");
  EXPECT_FALSE(complete()) << "there is none at all";
  for (const char* shard : {"__0_0.distcp", "__0_1.distcp", "__1_0.distcp", "__2_0.distcp"}) put(shard);
  put("__3_0.distcp", "");  // a rank that had nothing to write
  EXPECT_TRUE(complete());
  for (const char* shard : {"__1_0.distcp", "__2_0.distcp"}) {
    remove(shard);
    EXPECT_FALSE(complete()) << shard;
    put(shard);
  }
  remove("__0_0.distcp");
  EXPECT_TRUE(complete()) << "one shard of the rank is enough";
  remove("__0_1.distcp");
  EXPECT_FALSE(complete());
}

TEST_F(PyTorchDcp, beside_metadata_that_is_too_large_to_be_read_no_shard_is_cut_off) {
  put_large(".metadata");
  put("__0_0.distcp", torch_file() + torch_file());
  put("__1_0.distcp", torch_file() + torch_file());
  EXPECT_TRUE(complete());
  fs::resize_file(root() / "step-7/__1_0.distcp", torch_file().size() + 9);
  EXPECT_FALSE(complete());
  remove("__1_0.distcp");
  fs::create_symlink("nowhere", root() / "step-7/__1_0.distcp");
  EXPECT_FALSE(complete());
}

TEST_F(PyTorchDcp, a_rank_s_own_metadata_that_is_too_large_to_be_read_stands_for_its_shards_alone) {
  put_large("__1.metadata");
  EXPECT_FALSE(complete());
  put("__1_0.distcp");
  EXPECT_TRUE(complete()) << "the other ranks have a volume each";
}

TEST_F(PyTorchDcp, where_each_rank_writes_metadata_each_with_a_shard_has_its_own) {
  const std::size_t size = torch_file().size();
  for (const std::string rank : {"0", "1", "12"}) {
    put("__" + rank + "_0.distcp");
    put("__" + rank + ".metadata", dcp_metadata({{"__" + rank + "_0.distcp", size}}));
  }
  EXPECT_TRUE(complete());
  for (const char* rank : {"0", "1", "12"}) {
    const fs::path metadata = root() / "step-7" / ("__" + std::string(rank) + ".metadata");
    fs::rename(metadata, root() / "aside");
    EXPECT_FALSE(complete()) << rank;
    fs::rename(root() / "aside", metadata);
  }
  remove("__1_0.distcp");
  EXPECT_FALSE(complete());
  remove("__1.metadata");
  EXPECT_TRUE(complete()) << "of a rank with another volume";
  put("__1_0.distcp");
  put(".metadata", dcp_metadata({{"__0_0.distcp", size}, {"__1_0.distcp", size}}));
  EXPECT_TRUE(complete()) << "one for all ranks is enough";
}

}  // namespace
}  // namespace reprise::agent
