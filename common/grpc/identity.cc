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

constexpr char kTeamProperty[] = "kernelsmith-team";
constexpr char kRoleProperty[] = "kernelsmith-role";
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

class IdentityProcessor : public grpc::AuthMetadataProcessor {
 public:
  IdentityProcessor(TokenTable tokens, Identity anonymous, MethodRoles method_roles)
      : tokens_(std::move(tokens)), anonymous_(std::move(anonymous)), method_roles_(std::move(method_roles)) {}

  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* context, OutputMetadata* consumed,
                       OutputMetadata* /*response*/) override {
    const auto path_entry = metadata.find(":path");
    const std::string path =
        path_entry == metadata.end() ? "" : std::string(path_entry->second.data(), path_entry->second.size());
    if (IsOpen(path)) return grpc::Status::OK;

    Identity identity = anonymous_;
    const auto authorization = metadata.find("authorization");
    if (authorization != metadata.end()) {
      absl::string_view value(authorization->second.data(), authorization->second.size());
      consumed->emplace("authorization", std::string(value));
      if (!absl::ConsumePrefix(&value, "Bearer ")) {
        return {grpc::StatusCode::UNAUTHENTICATED, "the authorization header is not \"Bearer <token>\""};
      }
      const Identity* found = tokens_.Find(std::string(value));
      if (found == nullptr) {
        return {grpc::StatusCode::UNAUTHENTICATED, "the token is unknown here; ask the operator for a current one"};
      }
      identity = *found;
    }
    if (identity.team.empty()) {
      return {grpc::StatusCode::UNAUTHENTICATED, "this server needs a token: send \"authorization: Bearer <token>\""};
    }
    const auto needed = method_roles_.find(path);
    if (needed == method_roles_.end()) {
      return {grpc::StatusCode::UNIMPLEMENTED, absl::StrCat("no method ", path, " here")};
    }
    if (!Allows(identity.roles, needed->second)) {
      return {grpc::StatusCode::PERMISSION_DENIED,
              absl::StrCat(path, " needs role ", NameOf(needed->second), ", which team '", identity.team,
                           "' does not have with this token")};
    }
    context->AddProperty(kTeamProperty, identity.team);
    for (const Role role : identity.roles) context->AddProperty(kRoleProperty, std::string(NameOf(role)));
    return grpc::Status::OK;
  }

 private:
  const TokenTable tokens_;
  const Identity anonymous_;
  const MethodRoles method_roles_;
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

std::shared_ptr<grpc::AuthMetadataProcessor> MakeIdentityProcessor(TokenTable tokens, Identity anonymous,
                                                                   MethodRoles method_roles) {
  return std::make_shared<IdentityProcessor>(std::move(tokens), std::move(anonymous), std::move(method_roles));
}

absl::StatusOr<std::shared_ptr<grpc::AuthMetadataProcessor>> IdentityFromConfig(const config::v1::Listen& listen,
                                                                                bool loopback,
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
  return MakeIdentityProcessor(std::move(tokens), std::move(anonymous), std::move(method_roles));
}

Identity IdentityOf(const grpc::ServerContextBase& context) {
  Identity identity;
  const auto auth = context.auth_context();
  for (const auto& team : auth->FindPropertyValues(kTeamProperty)) identity.team.assign(team.data(), team.size());
  for (const auto& value : auth->FindPropertyValues(kRoleProperty)) {
    for (const auto& [name, role] : kRoleNames) {
      if (absl::string_view(value.data(), value.size()) == name) identity.roles.insert(role);
    }
  }
  return identity;
}

}  // namespace kernelsmith::common
