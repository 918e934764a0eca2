#include "runtime/metrics/serving/serving_certificate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace reprise::runtime {
namespace {

struct ServingCertificateTest : ::testing::Test {
  ServingCertificateTest() { std::filesystem::create_directories(folder); }
  ~ServingCertificateTest() override { std::filesystem::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder + "/" + name) << text; }

  std::string folder = ::testing::TempDir() + "/serving_certificate_test-" + std::to_string(::getpid());
};

TEST_F(ServingCertificateTest, is_the_pair_that_a_mounted_secret_holds_now) {
  write("tls.crt", "certificate");
  EXPECT_FALSE(read_serving_certificate(folder)) << "without its key";
  write("tls.key", "key");
  EXPECT_EQ(read_serving_certificate(folder), (ServingCertificate{"certificate", "key"}));
  write("tls.key", "another");
  EXPECT_EQ(read_serving_certificate(folder), (ServingCertificate{"certificate", "another"}));
}

TEST_F(ServingCertificateTest, is_made_anew_by_each_process) {
  const auto one = make_self_signed_certificate(), other = make_self_signed_certificate();
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->key_pem, other->key_pem);
}

TEST_F(ServingCertificateTest, is_used_as_long_as_it_is_valid_names_us_and_fits_its_key) {
  const auto made = make_self_signed_certificate("reprise-operator", 30);
  const auto other = make_self_signed_certificate("reprise-operator", 30);
  ASSERT_TRUE(made && other);
  EXPECT_TRUE(is_usable(*made, "reprise-operator", 29));
  EXPECT_FALSE(is_usable(*made, "reprise-operator", 31)) << "ends before";
  EXPECT_FALSE(is_usable(*made, "somebody-else", 1));
  EXPECT_FALSE(is_usable({made->certificate_pem, other->key_pem}, "reprise-operator", 1));
  EXPECT_FALSE(is_usable({"no certificate", made->key_pem}, "reprise-operator", 1));
  EXPECT_FALSE(is_usable({}, "reprise-operator", 1));
}

}  // namespace
}  // namespace reprise::runtime
