// Who may call what, and that teams do not see each other.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/memory/requests.h"
#include "tests/memory/service/memory_server.h"

namespace kernelsmith::memory {
namespace {

using testing::Call;
using ::testing::SizeIs;
using Stub = v1::ExperienceMemory::Stub;

class MemoryIdentityTest : public ::testing::Test {
 protected:
  // The status of an empty request to a call, by its full name.
  absl::StatusCode Try(const std::string& method, const std::string& token) {
    grpc::GenericStub stub(server_.Channel());
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
    if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
    grpc::CompletionQueue queue;
    const auto call = stub.PrepareCall(&context, method, &queue);
    const auto succeeds = [&queue] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    call->StartCall(nullptr);
    succeeds();
    const grpc::Slice nothing("");
    call->WriteLast(grpc::ByteBuffer(&nothing, 1), grpc::WriteOptions(), nullptr);
    succeeds();
    grpc::ByteBuffer response;
    do {  // a stream of answers is read to its end
      call->Read(&response, nullptr);
    } while (succeeds());
    grpc::Status status;
    call->Finish(&status, nullptr);
    succeeds();
    return common::FromGrpc(status).code();
  }

  testing::MemoryServer server_{{{"token-red", "red", "submit"},
                                 {"token-blue", "blue", "submit"},
                                 {"token-reader", "red", "read"},
                                 {"token-worker", "red", "worker"},
                                 {"token-admin", "red", "admin"},
                                 {"token-shared", "shared", "submit"}}};
  const std::unique_ptr<Stub> stub_ = server_.Stub();
};

TEST_F(MemoryIdentityTest, EveryCallOfTheServiceHasARole) {
  const auto* service = v1::Item::descriptor()->file()->FindServiceByName("ExperienceMemory");
  const common::MethodRoles roles = MemoryRoles();
  EXPECT_EQ(roles.size(), static_cast<size_t>(service->method_count()));
  for (int i = 0; i < service->method_count(); ++i) {
    EXPECT_TRUE(roles.contains(absl::StrCat("/", service->full_name(), "/", service->method(i)->name())))
        << service->method(i)->name();
  }
}

TEST_F(MemoryIdentityTest, RefusesEveryCallOfTheWrongCaller) {
  for (const auto& [method, role] : MemoryRoles()) {
    EXPECT_EQ(Try(method, ""), absl::StatusCode::kUnauthenticated) << method;
    EXPECT_EQ(Try(method, "token-unknown"), absl::StatusCode::kUnauthenticated) << method;
    EXPECT_EQ(Try(method, "token-worker"), absl::StatusCode::kPermissionDenied) << method;
    EXPECT_EQ(Try(method, "token-reader") == absl::StatusCode::kPermissionDenied, role != common::Role::kRead)
        << method;
    EXPECT_EQ(Try(method, "token-red") == absl::StatusCode::kPermissionDenied, role == common::Role::kAdmin) << method;
    EXPECT_NE(Try(method, "token-admin"), absl::StatusCode::kPermissionDenied) << method;
  }
}

TEST_F(MemoryIdentityTest, NobodyActsForThePseudoTeam) {
  for (const auto& [method, role] : MemoryRoles()) {
    if (role == common::Role::kAdmin) continue;  // the token is no admin's
    EXPECT_EQ(Try(method, "token-shared"), absl::StatusCode::kPermissionDenied) << method;
  }
}

TEST_F(MemoryIdentityTest, HidesOneTeamsThingsFromAnother) {
  const auto recorded = Call(*stub_, &Stub::RecordAttempt, testing::Attempt("a"), "token-red");
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  const auto context = Call(*stub_, &Stub::AssembleContext, testing::Context("b"), "token-red");
  ASSERT_TRUE(context.ok()) << context.status();

  for (const std::string token : {"token-red", "token-blue"}) {
    const bool own = token == "token-red";
    v1::GetItemRequest item;
    item.set_item_id(recorded->case_item_id());
    EXPECT_EQ(Call(*stub_, &Stub::GetItem, item, token).status().code(),
              own ? absl::StatusCode::kOk : absl::StatusCode::kNotFound);
    v1::RetrieveRequest query;
    query.set_query("softmax");
    EXPECT_THAT(Call(*stub_, &Stub::Retrieve, query, token)->items(), SizeIs(own ? 2 : 0));
    EXPECT_THAT(Call(*stub_, &Stub::Lineage, v1::LineageRequest(), token)->nodes(), SizeIs(own ? 1 : 0));
    EXPECT_EQ(Call(*stub_, &Stub::Stats, v1::StatsRequest(), token)->facts(), own ? 2 : 0);
  }
  EXPECT_EQ(Call(*stub_, &Stub::RecordAdoption, testing::Adoption(*context, 0), "token-blue").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Call(*stub_, &Stub::CompleteStage, testing::FinishedStage("s", {context->retrieval_id()}), "token-blue")
                .status()
                .code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Call(*stub_, &Stub::RecordAttempt, testing::Attempt("z", "a"), "token-blue").status().code(),
            absl::StatusCode::kFailedPrecondition)
      << "another team's attempt is no predecessor";
  const auto blue = Call(*stub_, &Stub::AssembleContext, testing::Context("b"), "token-blue");
  ASSERT_TRUE(blue.ok()) << blue.status();
  EXPECT_THAT(blue->items(), SizeIs(0));
  EXPECT_NE(blue->retrieval_id(), context->retrieval_id());
}

TEST_F(MemoryIdentityTest, KeepsTwoTeamsApartUnderConcurrency) {
  constexpr int kAttempts = 25;
  std::vector<std::thread> teams;
  for (const std::string team : {"red", "blue"}) {
    teams.emplace_back([this, team] {
      const std::string token = absl::StrCat("token-", team);
      const std::unique_ptr<Stub> stub = server_.Stub();
      for (int i = 0; i < kAttempts; ++i) {
        v1::RecordAttemptRequest attempt =
            testing::Attempt(absl::StrCat("n", i), i == 0 ? "" : absl::StrCat("n", i - 1), 1.0 + i);
        attempt.mutable_case_()->set_session(team);
        EXPECT_TRUE(Call(*stub, &Stub::RecordAttempt, attempt, token).ok());
        v1::RetrieveRequest query;
        query.set_query("softmax");
        query.set_limit(200);
        const auto found = Call(*stub, &Stub::Retrieve, query, token);
        ASSERT_TRUE(found.ok()) << found.status();
        EXPECT_EQ(found->candidates(), 2 * (i + 1));
        for (const v1::RankedItem& item : found->items()) {
          EXPECT_EQ(item.item().author().team(), team);
          EXPECT_TRUE(item.item().kind() != v1::CASE || item.item().case_().session() == team);
        }
      }
    });
  }
  for (std::thread& team : teams) team.join();
  for (const char* token : {"token-red", "token-blue"}) {
    const auto stats = Call(*stub_, &Stub::Stats, v1::StatsRequest(), token);
    EXPECT_EQ(stats->attempts(), kAttempts);
    EXPECT_EQ(stats->facts(), kAttempts);
  }
  EXPECT_EQ(server_.experience().Fingerprint(), *server_.experience().RefoldedFingerprint());
}

}  // namespace
}  // namespace kernelsmith::memory
