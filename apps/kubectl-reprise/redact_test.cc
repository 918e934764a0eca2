#include "apps/kubectl-reprise/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Redact, no_planted_secret_comes_out_of_a_text) {
  for (const char* text : {"token=SECRET99",
                           "Authorization: Bearer SECRET99abc",
                           "--password SECRET99",
                           "--hf-token=SECRET99",
                           "api_key: 'SECRET99'",
                           "https://user:SECRET99@host/path",
                           "wget --header 'Authorization: Basic SECRET99='",
                           "AWS_SECRET_ACCESS_KEY=SECRET99",
                           "https://SECRET99@host/path",
                           "https://u:p@SECRET99@db",
                           "https://host/blob?sp=r&sig=SECRET99",
                           "AccountName=a;AccountKey=SECRET99==",
                           "eyJhbGciOiJSUzI1NiJ9.SECRET99.SECRET99",
                           "hf_SECRET99aaaaaaaaaaaaaaaa",
                           "ghp_SECRET99aaaaaaaaaaaaaaaa",
                           "-----BEGIN RSA PRIVATE KEY-----\nSECRET99\n-----END RSA PRIVATE KEY-----",
                           "-----BEGIN PRIVATE KEY-----\nSECRET99",
                           R"({"password":"SECRET99"})",
                           R"(export WANDB_API_KEY="SECRET99 x"; python train.py)",
                           "PASSWORD=SECRET99"}) {
    EXPECT_THAT(redacted_text(text), Not(HasSubstr("SECRET99"))) << text;
  }
}

TEST(Redact, what_is_no_secret_stays_as_it_is) {
  for (const char* text :
       {"pod finetune-1-0 is gone, and its end was not reported by node n-1", "https://host:8080/path", "step=4000",
        "reprise.dev/confirm-ended=2f4c/1", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", "sk-learn"}) {
    EXPECT_EQ(redacted_text(text), text);
  }
}

TEST(Redact, no_planted_secret_comes_out_of_an_object) {
  const char* object = R"({
    "metadata": {"name": "a", "managedFields": [{"x": "SECRET99"}],
      "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "SECRET99", "example.com/api-token": "SECRET99", "kept": "yes"}},
    "spec": {"containers": [{"name": "trainer", "command": ["train", "--add-special-tokens", "--hf-token", "SECRET99", "--token", "SECRET99", "--lr", "0.1", "--password=SECRET99"],
      "env": [{"name": "PLAIN", "value": "SECRET99"}, {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}],
      "probe": {"httpGet": {"httpHeaders": [{"name": "X-Api-Key", "value": "SECRET99"}]}},
      "nested": {"template": {"spec": {"initContainers": [{"env": [{"name": "X", "value": "SECRET99"}]}]}}, "dbPassword": "SECRET99"},
      "volumes": [{"secret": {"secretName": "tls"}}], "serviceAccountToken": {"expirationSeconds": 3600}}})";
  const std::string text = compact_json(redacted(*parse_json(object)));
  EXPECT_THAT(text, Not(HasSubstr("SECRET99")));
  for (const char* kept : {R"("name":"PLAIN")", R"("kept":"yes")", R"("--lr","0.1")", R"("secretName":"tls")",
                           R"({"name":"s","key":"k"})", R"("expirationSeconds":3600)"})
    EXPECT_THAT(text, HasSubstr(kept));
}

}  // namespace
}  // namespace reprise::plugin
