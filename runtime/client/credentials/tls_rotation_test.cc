#include "runtime/client/credentials/tls_rotation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/http/testing/test_pki.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::TestAuthority;
using testing::VirtualClock;

struct TlsRotationTest : ::testing::Test {
  Credential get() {
    Credential given;
    source->get([&](Result<Credential> credential) { given = credential.value(); });
    return given;
  }

  VirtualClock clock;
  std::optional<TlsIdentity> files = TlsIdentity{.ca_pem = "one"};
  std::vector<std::string> used;
  int reads = 0;
  std::unique_ptr<CredentialSource> source = with_tls_rotation(
      make_static_token("t"),
      [this] {
        ++reads;
        return files;
      },
      TlsIdentity{.ca_pem = "one"}, [this](const TlsIdentity& identity) { used.push_back(identity.ca_pem); }, clock);
};

TEST_F(TlsRotationTest, changed_files_are_used_a_minute_after_the_last_look) {
  const Credential before = get();
  files->ca_pem = "two";
  clock.advance(seconds(59));
  EXPECT_EQ(get(), before);
  clock.advance(seconds(1));
  EXPECT_FALSE(get() == before);
  EXPECT_EQ(used, std::vector<std::string>{"two"});
  EXPECT_EQ(get().bearer, "t");
}

TEST_F(TlsRotationTest, files_that_did_not_change_are_left_alone) {
  clock.advance(seconds(60));
  get();
  EXPECT_EQ(reads, 1);
  EXPECT_TRUE(used.empty());
}

TEST_F(TlsRotationTest, after_a_401_or_a_missing_answer_they_are_looked_at_but_once_a_second) {
  files->ca_pem = "two";
  clock.advance(seconds(1));
  source->rejected(get());
  EXPECT_EQ(used.size(), 1U);
  files->ca_pem = "three";
  for (int i = 0; i < 10; ++i) source->unanswered();
  EXPECT_EQ(reads, 1);
  clock.advance(seconds(1));
  source->unanswered();
  EXPECT_EQ(used.back(), "three");
}

TEST_F(TlsRotationTest, what_cannot_be_read_changes_nothing) {
  files.reset();
  clock.advance(seconds(60));
  get();
  EXPECT_TRUE(used.empty());
}

struct IdentityFilesTest : ::testing::Test {
  IdentityFilesTest() { std::filesystem::create_directories(folder); }
  ~IdentityFilesTest() override { std::filesystem::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("reprise-identity-test-" + std::to_string(getpid()));
  TlsFiles files{(folder / "ca").string(), (folder / "cert").string(), (folder / "key").string()};
  TestAuthority authority{"authority"};
};

TEST_F(IdentityFilesTest, only_a_sound_set_of_files_is_an_identity) {
  const auto one = authority.issue("one");
  const auto two = authority.issue("two");
  write("ca", authority.certificate_pem());
  write("cert", one.certificate_pem);
  EXPECT_FALSE(read_identity(files, {})) << "the key is missing";
  write("key", two.key_pem);
  EXPECT_FALSE(read_identity(files, {})) << "the key is another's";
  write("key", one.key_pem);
  ASSERT_TRUE(read_identity(files, {}));
  EXPECT_EQ(read_identity(files, {})->client_key_pem, one.key_pem);
  write("ca", "half a");
  EXPECT_FALSE(read_identity(files, {})) << "the authority is no certificate";
}

TEST_F(IdentityFilesTest, what_is_not_from_a_file_stays) {
  write("ca", authority.certificate_pem());
  const auto own = authority.issue("own");
  const TlsIdentity first{.client_certificate_pem = own.certificate_pem, .client_key_pem = own.key_pem};
  const auto identity = read_identity({.ca = files.ca}, first);
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->client_certificate_pem, own.certificate_pem);
}

}  // namespace
}  // namespace reprise::runtime
