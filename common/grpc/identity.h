// Who calls, and whether they may. One guard in front of every server maps a bearer token to (team, roles) and checks
// the role that the method needs before any handler runs. Handlers take the team from here, never from the request.
//
//   Identity who = IdentityOf(*context);
//   store.Find(who.team, request->job_id());
#pragma once

#include <grpcpp/security/auth_metadata_processor.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_interceptor.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::common {

enum class Role { kRead, kSubmit, kWorker, kAdmin };

struct Identity {
  std::string team;
  std::set<Role> roles;
};

// Role that each method needs, by full path such as "/kernelsmith.v1.Coordinator/GetJob". A method that is not listed
// is refused; health and reflection are open. kSubmit includes kRead, kAdmin includes kSubmit and kRead.
using MethodRoles = std::map<std::string, Role>;

// Token hashes and what they stand for.
class TokenTable {
 public:
  // Lines "sha256hex team role,role"; "#" starts a comment. INVALID_ARGUMENT names the line.
  static absl::StatusOr<TokenTable> Parse(const std::string& text, const std::string& name);
  // Null if the token is unknown.
  const Identity* Find(const std::string& token) const;

 private:
  std::map<std::string, Identity> by_hash_;
};

// The two halves of the guard. The processor refuses calls; the marker tells handlers who calls, in the metadata of the
// call itself: gRPC's auth context belongs to the connection, which calls with different tokens may share.
struct IdentityGuard {
  std::shared_ptr<grpc::AuthMetadataProcessor> processor;
  std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> marker;
};

// `anonymous` is who a caller without a token is; a team of "" means nobody.
IdentityGuard MakeIdentityGuard(TokenTable tokens, Identity anonymous, MethodRoles method_roles);

// Builds the guard from the configuration; `loopback` tells whether only this host can connect.
absl::StatusOr<IdentityGuard> IdentityFromConfig(const config::v1::Listen& listen, bool loopback,
                                                 MethodRoles method_roles);

// The caller of a method that passed the guard.
Identity IdentityOf(const grpc::ServerContextBase& context);

}  // namespace kernelsmith::common
