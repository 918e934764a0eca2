#include "runtime/metrics/serving_certificate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace reprise::runtime {
namespace {

struct ServingCertificateTest : ::testing::Test {
  ServingCertificateTest() { std::filesystem::create_directories(folder); }
  ~ServingCertificateTest() override { std::filesystem::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder + "/" + name) << text; }

  std::string folder = ::testing::TempDir() + "/serving_certificate_test";
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

}  // namespace
}  // namespace reprise::runtime
