#include "controllers/reports/endpoint_reconciler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "controllers/testing/scripted_context.h"

namespace reprise::controllers::reports {
namespace {

using runtime::ErrorClass;

struct EndpointReconcilerTest : ::testing::Test {
  EndpointReconcilerTest() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    context.on_create = [this](const kube::KindInfo& kind,
                               const std::string& body) -> testing::ScriptedContext::Answer {
      const auto found = rejected.find(kind.kind);
      if (found != rejected.end()) return runtime::fail(found->second, "the server's message");
      return body;
    };
    context.on_patch = [this](const kube::KindInfo&, const std::string& body) -> testing::ScriptedContext::Answer {
      changes.push_back(body);
      if (slice_is_others) return runtime::fail(ErrorClass::Invalid, "the test failed");
      return R"({"metadata":{"name":"reprise-reports-leader-ipv4","namespace":"reprise-system"}})";
    };
    context.objects["Service/reprise-reports"] =
        R"({"metadata":{"name":"reprise-reports","namespace":"reprise-system","uid":"s1"},"spec":{"clusterIP":"10.96.0.12"}})";
  }
  ~EndpointReconcilerTest() override { std::filesystem::remove_all(folder); }

  runtime::Result<runtime::Next> reconcile() { return reconciler.reconcile(context, key); }
  void mount(const runtime::ServingCertificate& pair) const {
    std::ofstream(folder + "/tls.crt") << pair.certificate_pem;
    std::ofstream(folder + "/tls.key") << pair.key_pem;
  }

  std::string folder = ::testing::TempDir() + "/report_certificate-" + std::to_string(::getpid());
  testing::ScriptedContext context;
  std::map<std::string_view, ErrorClass> rejected;  // by kind
  std::vector<std::string> served;                  // certificates
  std::vector<std::string> changes;                 // patches to a slice
  bool slice_is_others = false;
  std::shared_ptr<const CurrentCertificate> serving;
  CurrentTarget target;
  const runtime::ObjectKey key{"reprise-system", "reprise-reports"};
  EndpointReconciler make(const std::string& certificate_folder) {
    return {{.bind_address = ":9446",
             .namespace_ = "reprise-system",
             .service = "reprise-reports",
             .certificate_folder = certificate_folder,
             .own_address = "10.244.1.7",
             .url = {}},
            [this](const std::string&, std::shared_ptr<const CurrentCertificate> certificate) {
              served.push_back(certificate->get()->certificate_pem);
              serving = std::move(certificate);
              return runtime::Result<std::uint16_t>(9446);
            },
            target};
  }
  EndpointReconciler reconciler = make("");
};

TEST_F(EndpointReconcilerTest, the_leader_makes_a_certificate_serves_with_it_and_says_where) {
  ASSERT_TRUE(reconcile());
  ASSERT_TRUE(target.get());
  EXPECT_EQ(target.get()->url, "https://10.96.0.12:9446");
  EXPECT_EQ(served, std::vector{target.get()->certificate_pem});
  EXPECT_EQ(context.requests, (std::vector<std::string>{"get Service/reprise-reports", "create EndpointSlice"}));
}

TEST_F(EndpointReconcilerTest, a_certificate_that_is_given_is_waited_for_and_used) {
  EndpointReconciler given = make(folder);
  const auto next = given.reconcile(context, key);
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->after);
  EXPECT_TRUE(served.empty()) << "no other takes its place";
  const auto kept = runtime::make_self_signed_certificate("reprise-operator", 90);
  mount(*kept);
  ASSERT_TRUE(given.reconcile(context, key));
  EXPECT_EQ(target.get()->certificate_pem, kept->certificate_pem);
}

TEST_F(EndpointReconcilerTest, a_certificate_that_is_renewed_is_served_and_told) {
  EndpointReconciler given = make(folder);
  mount(*runtime::make_self_signed_certificate("reprise-operator", 90));
  ASSERT_TRUE(given.reconcile(context, key)->after) << "whoever gives it renews it";
  const auto renewed = runtime::make_self_signed_certificate("reprise-operator", 90);
  mount(*renewed);
  ASSERT_TRUE(given.reconcile(context, key));
  EXPECT_EQ(target.get()->certificate_pem, renewed->certificate_pem);
  EXPECT_EQ(serving->get(), *renewed);
  EXPECT_EQ(served.size(), 1U);
  std::filesystem::remove(folder + "/tls.key");
  ASSERT_TRUE(given.reconcile(context, key));
  EXPECT_EQ(serving->get(), *renewed) << "half of the next one is none";
}

TEST_F(EndpointReconcilerTest, a_service_that_is_made_anew_is_led_here_and_told) {
  ASSERT_TRUE(reconcile()->after);
  context.objects["Service/reprise-reports"] =
      R"({"metadata":{"name":"reprise-reports","namespace":"reprise-system","uid":"s2"},"spec":{"clusterIP":"10.96.0.99"}})";
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(target.get()->url, "https://10.96.0.99:9446");
  EXPECT_EQ(context.times("create EndpointSlice"), 2U);
}

TEST_F(EndpointReconcilerTest, nobody_is_woken_where_nothing_has_changed) {
  int told = 0;
  target.on_change([&] { ++told; });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reconcile());
  EXPECT_EQ(told, 1);
}

TEST_F(EndpointReconcilerTest, one_that_agents_would_not_take_is_not_served) {
  EndpointReconciler given = make(folder);
  mount(*runtime::make_self_signed_certificate("somebody", 90));
  ASSERT_TRUE(given.reconcile(context, key));
  EXPECT_TRUE(served.empty());
  EXPECT_FALSE(target.get());
}

TEST_F(EndpointReconcilerTest, a_slice_of_the_leader_before_is_changed) {
  rejected["EndpointSlice"] = ErrorClass::AlreadyExists;
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(context.times("patch EndpointSlice/reprise-reports-leader-ipv4"), 1U);
  EXPECT_TRUE(target.get());
  EXPECT_EQ(changes,
            std::vector<std::string>{R"([{"op":"test","path":"/metadata/ownerReferences/0/uid","value":"s1"},)"
                                     R"({"op":"test","path":"/metadata/ownerReferences/0/controller","value":true},)"
                                     R"({"op":"add","path":"/endpoints","value":[{"addresses":["10.244.1.7"],)"
                                     R"("conditions":{"ready":true}}]},{"op":"add","path":"/ports","value":[)"
                                     R"({"name":"reports","protocol":"TCP","port":9446}]}])"});
}

TEST_F(EndpointReconcilerTest, a_slice_of_that_name_that_is_somebody_else_s_is_left_alone_and_looked_at_again) {
  rejected["EndpointSlice"] = ErrorClass::AlreadyExists;
  slice_is_others = true;
  const auto next = reconcile();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->after);
  EXPECT_FALSE(target.get()) << "nobody is sent where the reports of ranks might go to somebody else";
  slice_is_others = false;
  ASSERT_TRUE(reconcile());
  EXPECT_TRUE(target.get());
}

TEST_F(EndpointReconcilerTest, without_a_service_nothing_is_made_and_it_looks_again) {
  const auto service = context.objects.extract("Service/reprise-reports");
  const auto next = reconcile();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->after);
  EXPECT_TRUE(served.empty());
  EXPECT_FALSE(target.get());
}

TEST_F(EndpointReconcilerTest, it_is_served_once_however_often_the_service_is_led_here) {
  rejected["EndpointSlice"] = ErrorClass::Forbidden;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(reconcile()->after);
  EXPECT_EQ(served.size(), 1U);
  EXPECT_FALSE(target.get());
  rejected.clear();
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(served.size(), 1U);
  EXPECT_TRUE(target.get());
}

TEST(ReportTarget, is_an_annotation_of_one_line) {
  const ReportTarget target{"https://10.96.0.12:9446",
                            "-----BEGIN CERTIFICATE-----\nMIIB\nAAA=\n-----END CERTIFICATE-----\n"};
  EXPECT_EQ(target.annotation(), "https://10.96.0.12:9446 MIIBAAA=");
}

TEST(ReportEndpointSlice, leads_the_service_to_the_leader_and_goes_with_it) {
  ReportService service{.meta = {}, .cluster_ip = "fd00::1"};
  service.meta.name = "reprise-reports";
  service.meta.namespace_ = "reprise-system";
  service.meta.uid = "s1";
  const std::string slice = encode_endpoint_slice(service, "fd00::7", 9446);
  for (const char* const part :
       {R"("addressType":"IPv6")", R"("addresses":["fd00::7"])", R"("kubernetes.io/service-name":"reprise-reports")",
        R"("name":"reprise-reports-leader-ipv6")", R"("port":9446)", R"("uid":"s1")"}) {
    EXPECT_NE(slice.find(part), std::string::npos) << part << " in " << slice;
  }
}

}  // namespace
}  // namespace reprise::controllers::reports
