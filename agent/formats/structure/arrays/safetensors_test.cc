#include "agent/formats/structure/arrays/safetensors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "agent/testing/temporary_directory.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

std::string with_head(const std::string& head, std::size_t data) {
  std::string text(8, '\0');
  for (std::size_t at = 0; at < 8; ++at) text[at] = static_cast<char>(head.size() >> (8 * at) & 0xffU);
  return text + head + std::string(data, 'w');
}

std::string safetensors_flaw(const std::string& bytes) {
  const testing_support::TemporaryDirectory directory;
  const auto path = directory.path() / "model.safetensors";
  std::ofstream(path, std::ios::binary) << bytes;
  const PosixFiles files(std::make_shared<VolumeCalls>(), directory.path());
  const auto flaw =
      check_safetensors({.files = files, .path = path, .name = "model.safetensors", .size = bytes.size()});
  if (!flaw) return "error: " + flaw.error().message;
  return *flaw ? (*flaw)->reason : "";
}

const std::string kTwo =
    R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

TEST(Safetensors, a_whole_file_has_no_flaw_in_whatever_order_its_tensors_are_named) {
  EXPECT_EQ(safetensors_flaw(with_head(kTwo, 16)), "");
  EXPECT_EQ(safetensors_flaw(with_head("{}", 0)), "");
}

TEST(Safetensors, a_file_cut_off_at_any_byte_has_a_flaw) {
  const std::string whole = with_head(kTwo, 16);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(safetensors_flaw(whole.substr(0, length)), "") << length;
}

TEST(Safetensors, a_head_that_one_read_does_not_take_is_read_to_its_end) {
  std::string head = "{";
  for (int at = 0; at < 1'000; ++at)
    head += (at == 0 ? "\"w" : ",\"w") + std::to_string(at) + "\":{\"data_offsets\":[" + std::to_string(at) + "," +
            std::to_string(at + 1) + "]}";
  const std::string whole = with_head(head + "}", 1'000);
  EXPECT_EQ(safetensors_flaw(whole), "");
  EXPECT_NE(safetensors_flaw(whole.substr(0, whole.size() - 1)), "");
  EXPECT_NE(safetensors_flaw(whole.substr(0, head.size() / 2)), "");
}

TEST(Safetensors, what_contradicts_itself_is_named) {
  struct Row {
    const char* head;
    std::size_t data;
    const char* reason;
  };
  for (const Row& row :
       {Row{R"({"a":{"data_offsets":[0,8]}})", 9,
            "model.safetensors: its tensors are 8 bytes, the file has 9 for them"},
        Row{R"({"a":{"data_offsets":[4,8]}})", 8, "model.safetensors: there is a gap between its tensors"},
        Row{R"({"a":{"data_offsets":[8,0]}})", 8, "model.safetensors: tensor a has no place in the file"},
        Row{R"({"a":{"data_offsets":[-1,8]}})", 8, "model.safetensors: tensor a has no place in the file"},
        Row{R"([1])", 0, "model.safetensors: its head is not a JSON object"}})
    EXPECT_EQ(safetensors_flaw(with_head(row.head, row.data)), row.reason);
  EXPECT_EQ(safetensors_flaw("\xff\xff\xff\xff\xff\xff\xff\xff"),
            "model.safetensors: its head is longer than the file");
}

}  // namespace
}  // namespace reprise::agent
