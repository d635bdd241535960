#include "server/api/roles.h"

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {

common::MethodRoles CoordinatorRoles() {
  using common::Role;
  constexpr std::pair<absl::string_view, Role> kRoles[] = {
      {"SubmitJob", Role::kSubmit}, {"ExtendJob", Role::kSubmit},      {"GetJob", Role::kRead},
      {"ListJobs", Role::kRead},    {"WatchJob", Role::kRead},         {"CancelJob", Role::kSubmit},
      {"Evaluate", Role::kSubmit},  {"Compare", Role::kSubmit},        {"GetAttempt", Role::kRead},
      {"GetLogs", Role::kRead},     {"GetArtifact", Role::kRead},      {"ListCards", Role::kRead},
      {"DrainCard", Role::kAdmin},  {"ListDeadLetters", Role::kAdmin}, {"ReplayDeadLetter", Role::kAdmin}};
  common::MethodRoles roles;
  for (const auto& [method, role] : kRoles) roles[absl::StrCat("/kernelsmith.v1.Coordinator/", method)] = role;
  return roles;
}

}  // namespace kernelsmith::server
