#include "apps/kubectl-reprise/commands/report/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plugin {
namespace {

using ::testing::AllOf;
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
                           "PASSWORD=SECRET99",
                           R"(body={\"password\":\"SECRET99\"} sent)",
                           R"(body={\\\"apiToken\\\": \\\"a b SECRET99\\\"} sent)",
                           R"(env: {\"name\":\"PLAIN\",\"value\":\"SECRET99 x\"})",
                           R"({"level":"info","object":"{\"env\":[{\"name\":\"PLAIN\",\"value\":\"SECRET99\"}]}"})",
                           R"({"password":"a\"SECRET99"})",
                           R"({"auths":{"r.example":{"auth":"SECRET99"}}})",
                           R"(found {"auth": "SECRET99"})",
                           "https://host/x?api_key=SECRET99&b=1",
                           "https://host/x?a=1&Key=SECRET99",
                           R"(GET https://host/x?a=1\u0026X-Amz-Signature=SECRET99)",
                           "{\"token\":\"SECRET99\",\"tokens\":[\"SECRET99\"]}\nnext",
                           "env:\n- name: PLAIN\n  value: SECRET99 x\n",
                           "apiVersion: v1\nkind: Pod\nspec:\n  args: [SECRET99]\n",
                           "H4sIAAAAAAAAA6tWKkotSUxSUqrlAgSECRET99==",
                           "eyJhdXRocyI6eyJyLmV4YSECRET99==",
                           "found aB3kL9SECRET99pQ7rTz1xYw5vNm2Hg4 there"}) {
    EXPECT_THAT(redacted_text(text), Not(HasSubstr("SECRET99"))) << text;
  }
}

TEST(Redact, what_is_no_secret_stays_as_it_is) {
  for (const char* text :
       {"pod finetune-1-0 is gone, and its end was not reported by node n-1", "https://host:8080/path", "step=4000",
        "reprise.dev/confirm-ended=2f4c/1", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", "sk-learn",
        R"({"level":"info","msg":"bound","node":"n-1"})", "registry.example/Team/Project/TrainerImage/Release1/Cuda12",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "uid 3f2c6d0e-7f3b-4a39-9c43-0f6c1b2a4d5e", "key: nvidia.com/gpu",
        "WriterNotFencedBecauseTheKubeletSaysNothing1"}) {
    EXPECT_EQ(redacted_text(text), text);
  }
}

TEST(Redact, no_planted_secret_comes_out_of_an_object) {
  const char* object = R"({
    "metadata": {"name": "a", "managedFields": [{"x": "SECRET99"}],
      "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "SECRET99", "example.com/api-token": "SECRET99", "kept": "yes",
        "kapp.k14s.io/original": "{\"spec\":{\"env\":[{\"name\":\"PLAIN\",\"value\":\"SECRET99\"}]}}",
        "example.com/wrapped": "[\"{\\\"env\\\":[{\\\"name\\\":\\\"A\\\",\\\"value\\\":\\\"SECRET99\\\"}]}\"]",
        "example.com/packed": "H4sIAAAAAAAAA6tWKkotSUxSUqrlAgSECRET99",
        "example.com/pull": "{\"auths\":{\"r.example\":{\"auth\":\"SECRET99\"}}}"}},
    "spec": {"containers": [{"name": "trainer", "command": ["train", "--add-special-tokens", "--hf-token", "SECRET99", "--token", "SECRET99", "--lr", "0.1", "--password=SECRET99"],
      "env": [{"name": "PLAIN", "value": "SECRET99"}, {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}],
      "probe": {"httpGet": {"httpHeaders": [{"name": "X-Api-Key", "value": "SECRET99"}]}},
      "nested": {"template": {"spec": {"initContainers": [{"env": [{"name": "X", "value": "SECRET99"}]}]}}, "dbPassword": "SECRET99", "tokens": ["SECRET99"], "pins": {"password": 99.5},
        "https://u:SECRET99@host": 1},
      "volumes": [{"secret": {"secretName": "tls"}}], "serviceAccountToken": {"expirationSeconds": 3600}}})";
  const std::string text = compact_json(redacted(*parse_json(object)));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("SECRET99")), Not(HasSubstr("99.5"))));
  for (const char* kept : {R"("name":"PLAIN")", R"("kept":"yes")", R"("--lr","0.1")", R"("secretName":"tls")",
                           R"({"name":"s","key":"k"})", R"("expirationSeconds":3600)"})
    EXPECT_THAT(text, HasSubstr(kept));
}

}  // namespace
}  // namespace reprise::plugin
