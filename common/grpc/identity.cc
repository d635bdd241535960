#include "common/grpc/identity.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"

namespace kernelsmith::common {
namespace {

constexpr char kAuthorization[] = "authorization";
// Metadata that the marker sets and nobody else can.
constexpr char kTeamKey[] = "kernelsmith-team";
constexpr char kRoleKey[] = "kernelsmith-role";
constexpr std::pair<absl::string_view, Role> kRoleNames[] = {
    {"read", Role::kRead}, {"submit", Role::kSubmit}, {"worker", Role::kWorker}, {"admin", Role::kAdmin}};

absl::string_view NameOf(Role role) {
  for (const auto& [name, value] : kRoleNames) {
    if (value == role) return name;
  }
  return "";
}

bool Allows(const std::set<Role>& roles, Role needed) {
  if (roles.contains(needed)) return true;
  if (needed == Role::kRead && roles.contains(Role::kSubmit)) return true;
  return (needed == Role::kRead || needed == Role::kSubmit) && roles.contains(Role::kAdmin);
}

bool IsOpen(absl::string_view path) {
  return absl::StartsWith(path, "/grpc.health.v1.Health/") || absl::StartsWith(path, "/grpc.reflection.");
}

// Tokens and the caller without one, shared by the two halves of the guard.
struct Callers {
  TokenTable tokens;
  Identity anonymous;

  // Who sends this metadata. The message of an error is for the caller.
  template <typename Metadata>
  absl::StatusOr<const Identity*> Find(const Metadata& metadata) const {
    const auto authorization = metadata.find(kAuthorization);
    if (authorization == metadata.end()) {
      if (!anonymous.team.empty()) return &anonymous;
      return absl::UnauthenticatedError("this server needs a token: send \"authorization: Bearer <token>\"");
    }
    if (metadata.count(kAuthorization) > 1) {
      return absl::UnauthenticatedError("the call carries two authorization headers; send one");
    }
    absl::string_view value(authorization->second.data(), authorization->second.size());
    if (!absl::ConsumePrefix(&value, "Bearer ")) {
      return absl::UnauthenticatedError("the authorization header is not \"Bearer <token>\"");
    }
    const Identity* found = tokens.Find(std::string(value));
    if (found != nullptr) return found;
    return absl::UnauthenticatedError("the token is unknown here; ask the operator for a current one");
  }
};

class IdentityProcessor : public grpc::AuthMetadataProcessor {
 public:
  IdentityProcessor(std::shared_ptr<const Callers> callers, MethodRoles method_roles)
      : callers_(std::move(callers)), method_roles_(std::move(method_roles)) {}

  bool IsBlocking() const override { return false; }

  // Consumes nothing: the marker still needs the authorization, and removes it.
  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* /*context*/, OutputMetadata* /*consumed*/,
                       OutputMetadata* /*response*/) override {
    const auto path_entry = metadata.find(":path");
    const std::string path =
        path_entry == metadata.end() ? "" : std::string(path_entry->second.data(), path_entry->second.size());
    if (IsOpen(path)) return grpc::Status::OK;
    const absl::StatusOr<const Identity*> identity = callers_->Find(metadata);
    if (!identity.ok()) {
      return {grpc::StatusCode::UNAUTHENTICATED, std::string(identity.status().message())};
    }
    const auto needed = method_roles_.find(path);
    if (needed == method_roles_.end()) {
      return {grpc::StatusCode::UNIMPLEMENTED, absl::StrCat("no method ", path, " here")};
    }
    if (!Allows((*identity)->roles, needed->second)) {
      return {grpc::StatusCode::PERMISSION_DENIED,
              absl::StrCat(path, " needs role ", NameOf(needed->second), ", which team '", (*identity)->team,
                           "' does not have with this token")};
    }
    return grpc::Status::OK;
  }

 private:
  const std::shared_ptr<const Callers> callers_;
  const MethodRoles method_roles_;
};

// Replaces the token by the identity in the metadata that the handler sees. The texts lie in the shared table.
class IdentityMarker : public grpc::experimental::Interceptor {
 public:
  explicit IdentityMarker(std::shared_ptr<const Callers> callers) : callers_(std::move(callers)) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(grpc::experimental::InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      auto& metadata = *methods->GetRecvInitialMetadata();
      metadata.erase(kTeamKey);
      metadata.erase(kRoleKey);
      const absl::StatusOr<const Identity*> identity = callers_->Find(metadata);
      metadata.erase(kAuthorization);
      if (identity.ok()) {
        metadata.emplace(kTeamKey, grpc::string_ref((*identity)->team));
        for (const Role role : (*identity)->roles) {
          const absl::string_view name = NameOf(role);
          metadata.emplace(kRoleKey, grpc::string_ref(name.data(), name.size()));
        }
      }
    }
    methods->Proceed();
  }

 private:
  const std::shared_ptr<const Callers> callers_;
};

class IdentityMarkerFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit IdentityMarkerFactory(std::shared_ptr<const Callers> callers) : callers_(std::move(callers)) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(grpc::experimental::ServerRpcInfo* /*info*/) override {
    return new IdentityMarker(callers_);
  }

 private:
  const std::shared_ptr<const Callers> callers_;
};

}  // namespace

absl::StatusOr<TokenTable> TokenTable::Parse(const std::string& text, const std::string& name) {
  TokenTable table;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    const auto bad = [&](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat("token file ", name, ", line ", number, ": ", what, "; a line is: sha256-hex team role,role"));
    };
    if (words.size() != 3) return bad("does not have three words");
    if (words[0].size() != 64 || words[0].find_first_not_of("0123456789abcdef") != std::string::npos) {
      return bad("the first word is not 64 lower-case hexadecimal digits");
    }
    Identity identity{words[1], {}};
    for (absl::string_view role_name : absl::StrSplit(words[2], ',')) {
      bool known = false;
      for (const auto& [role_text, role] : kRoleNames) {
        if (role_name == role_text) {
          identity.roles.insert(role);
          known = true;
        }
      }
      if (!known) return bad(absl::StrCat("'", role_name, "' is no role (read, submit, worker, admin)"));
    }
    if (!table.by_hash_.emplace(words[0], std::move(identity)).second) return bad("the token is listed twice");
  }
  return table;
}

const Identity* TokenTable::Find(const std::string& token) const {
  const auto found = by_hash_.find(Sha256Hex(token));
  return found == by_hash_.end() ? nullptr : &found->second;
}

IdentityGuard MakeIdentityGuard(TokenTable tokens, Identity anonymous, MethodRoles method_roles) {
  const auto callers = std::make_shared<const Callers>(Callers{std::move(tokens), std::move(anonymous)});
  return {.processor = std::make_shared<IdentityProcessor>(callers, std::move(method_roles)),
          .marker = std::make_unique<IdentityMarkerFactory>(callers)};
}

absl::StatusOr<IdentityGuard> IdentityFromConfig(const config::v1::Listen& listen, bool loopback,
                                                 MethodRoles method_roles) {
  TokenTable tokens;
  if (!listen.token_file().empty()) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(listen.token_file()));
    ASSIGN_OR_RETURN(tokens, TokenTable::Parse(text, listen.token_file()));
  }
  const bool open = listen.has_anonymous_loopback() ? listen.anonymous_loopback() : listen.token_file().empty();
  if (!loopback && listen.token_file().empty()) {
    return InvalidField("listen.token_file", absl::StrCat("is empty, but ", listen.address(),
                                                          " is not a loopback address; give a token file"));
  }
  Identity anonymous;
  if (loopback && open) anonymous = {"local", {Role::kRead, Role::kSubmit, Role::kWorker, Role::kAdmin}};
  return MakeIdentityGuard(std::move(tokens), std::move(anonymous), std::move(method_roles));
}

Identity IdentityOf(const grpc::ServerContextBase& context) {
  Identity identity;
  const auto& metadata = context.client_metadata();
  if (const auto team = metadata.find(kTeamKey); team != metadata.end()) {
    identity.team.assign(team->second.data(), team->second.size());
  }
  const auto [begin, end] = metadata.equal_range(kRoleKey);
  for (auto value = begin; value != end; ++value) {
    for (const auto& [name, role] : kRoleNames) {
      if (absl::string_view(value->second.data(), value->second.size()) == name) identity.roles.insert(role);
    }
  }
  return identity;
}

}  // namespace kernelsmith::common
