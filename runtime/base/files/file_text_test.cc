#include "runtime/base/files/file_text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace reprise::runtime {
namespace {

TEST(FileText, is_all_that_the_file_holds) {
  std::string folder = (std::filesystem::temp_directory_path() / "file-text-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto file = std::filesystem::path(folder) / "text";
  const std::string text(100'000, 'x');
  std::ofstream(file) << text;
  EXPECT_EQ(file_text(file), text);
  std::ofstream(file) << "";
  EXPECT_EQ(file_text(file), "");
  std::filesystem::remove_all(folder);
}

TEST(FileText, of_a_file_that_cannot_be_read_is_an_error) {
  EXPECT_EQ(file_text("/no/such/file").error(), std::errc::no_such_file_or_directory);
  EXPECT_EQ(file_text("/proc").error(), std::errc::is_a_directory);
}

}  // namespace
}  // namespace reprise::runtime
