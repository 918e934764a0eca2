#include <unistd.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "apps/kubectl-reprise/commands/report/report_files.h"
#include "apps/kubectl-reprise/run/plugin_for_tests.h"

namespace reprise::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Report : PluginTest {
  // This process's own folder: each test is a process, and several run at once.
  std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("reprise-report-test-" + std::to_string(::getpid()));
  Report() {
    std::filesystem::create_directories(folder);
    answer(kJobsPath, list_of({job_json("finetune", "", R"("note":{"apiToken":"SECRET99"})")}));
    answer(kPoolsPath, list_of({}));
    answer("/api/v1/namespaces/reprise-system/pods", list_of({R"({"metadata":{"name":"reprise-0"}})"}));
    answer("/api/v1/namespaces/reprise-system/pods/reprise-0/log", "it runs with token=SECRET99\n");
    answer("/api/v1/nodes", R"({"kind":"Status","message":"nodes is forbidden"})", 403);
  }
  ~Report() override { std::filesystem::remove_all(folder); }
};

TEST_F(Report, a_bundle_lists_what_is_in_it_and_what_is_not) {
  EXPECT_EQ(run({"report", "--list"}), kDone) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("  resumablejobs.json: 1 object\n"), HasSubstr("  operator/reprise-0.log: 1 line\n"),
                         HasSubstr("Not in it:\n"), HasSubstr("  nodes.json: ")));
}

TEST_F(Report, that_could_read_nothing_writes_no_bundle_and_ends_with_the_reason) {
  answers.clear();
  answer(kJobsPath, R"({"kind":"Status","message":"resumablejobs is forbidden"})", 403);
  const std::filesystem::path file = folder / "report.tar.gz";
  EXPECT_EQ(run({"report", "--file", file.string()}), kNotAllowed);
  EXPECT_THAT(err, AllOf(HasSubstr("no bundle was written"), HasSubstr("forbidden")));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Report, a_bundle_is_a_new_file_for_its_owner_alone) {
  const std::filesystem::path file = folder / "report.tar.gz";
  EXPECT_EQ(run({"report", "--file", file.string()}), kDone) << err;
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  EXPECT_TRUE(bytes.starts_with("\x1f\x8b"));
  EXPECT_EQ(run({"report", "--file", file.string()}), kFailed);
  EXPECT_THAT(err, HasSubstr("File exists"));
}

std::string unpacked(const std::filesystem::path& file) {
  std::string bytes;
  const gzFile in = ::gzopen(file.c_str(), "rb");
  std::array<char, 4096> part{};
  for (int count = 0; (count = ::gzread(in, part.data(), part.size())) > 0;)
    bytes.append(part.data(), static_cast<std::size_t>(count));
  ::gzclose(in);
  return bytes;
}

// Plants secrets in every place of a cluster that the report reads.
TEST_F(Report, no_planted_secret_is_in_the_bytes_of_a_bundle) {
  const std::string kinds =
      R"("containers":[{"name":"c","image":"https://u:SECRET99@r.example/i","args":["--hf-token","SECRET99"],)"
      R"("env":[{"name":"PLAIN","value":"SECRET99"}],"livenessProbe":{"httpGet":{"path":"/x?key=SECRET99",)"
      R"("httpHeaders":[{"name":"Authorization","value":"Bearer SECRET99x"},{"name":"X-Api-Key","value":"SECRET99"}]}}}])";
  const std::string annotations =
      R"({"kubectl.kubernetes.io/last-applied-configuration":"{\"env\":\"SECRET99\"}",)"
      R"("kapp.k14s.io/original":"{\"spec\":{\"env\":[{\"name\":\"PLAIN\",\"value\":\"SECRET99\"}]}}",)"
      R"("packed":"H4sIAAAAAAAAA6tWKkotSUxSUqrlAgSECRET99","text":"{\"dbPassword\":\"SECRET99\"}",)"
      R"("odd":"aB3kL9SECRET99pQ7rTz1xYw5vNm2Hg4",)"
      R"("pull":"{\".dockerconfigjson\":\"eyJhdXRocyI6eyJyLmV4YSECRET99\",\"auths\":{\"r\":{\"auth\":\"SECRET99\"}}}"})";
  const std::string object =
      R"({"metadata":{"name":"o","annotations":)" + annotations + R"(},"spec":{)" + kinds +
      R"(},"message":"GET https://h/?sig=SECRET99: token SECRET99abcdefgh refused: {\"pw\":\"x\"}"})";
  for (const char* path :
       {"/api/v1/namespaces/vision/pods", "/api/v1/namespaces/vision/events", "/apis/karpenter.sh/v1/nodepools",
        "/apis/karpenter.sh/v1/nodeclaims", "/api/v1/namespaces/vision/persistentvolumeclaims"})
    answer(path, list_of({object}));
  answers["/api/v1/namespaces/reprise-system/pods/reprise-0/log"] = {
      {200, R"(I1124 sent body="{\"env\":[{\"name\":\"PLAIN\",\"value\":\"SECRET99\"}]}")"
            "\n"
            R"({"msg":"sent","body":"{\"auth\":\"SECRET99\",\"password\":\"SECRET99\"}"})"
            "\n"}};
  const std::filesystem::path file = folder / "report.tar.gz";
  ASSERT_EQ(run({"report", "--file", file.string()}), kDone) << err;
  const std::string bytes = unpacked(file);
  EXPECT_THAT(bytes, Not(HasSubstr("SECRET99"))) << bytes.substr(bytes.find("SECRET99") - 300, 400);
  for (const char* file_of_it : {"/pods.json", "/events.json", "/nodepools.json", "/nodeclaims.json", "/claims.json"})
    EXPECT_THAT(bytes, HasSubstr(file_of_it));
  EXPECT_THAT(bytes, HasSubstr("compressed texts"));
}

TEST(Bundle, no_planted_secret_is_in_any_file_of_it) {
  Bundle bundle("b");
  bundle.add_objects("o.json",
                     {*parse_json(R"({"spec":{"env":[{"name":"A","value":"SECRET99"}]},"password":"SECRET99"})")});
  bundle.add_text("t.log", "Authorization: Bearer SECRET99\n");
  bundle.lack("x", runtime::fail(runtime::ErrorClass::Forbidden, "https://u:SECRET99@host: no").error());
  const std::string tar = tar_of(bundle.files(), kube::Time{});
  EXPECT_THAT(tar, Not(HasSubstr("SECRET99")));
  EXPECT_THAT(tar, AllOf(HasSubstr("b/INDEX.txt"), HasSubstr("b/o.json"), HasSubstr("b/t.log")));
  EXPECT_EQ(tar.size() % 512, 0U);
}

}  // namespace
}  // namespace reprise::plugin
