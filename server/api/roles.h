// Which role each call of the Coordinator needs.
#pragma once

#include "common/grpc/identity.h"

namespace kernelsmith::server {

common::MethodRoles CoordinatorRoles();

}  // namespace kernelsmith::server
