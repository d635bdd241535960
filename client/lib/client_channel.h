// Client's private state.
#pragma once

#include "client/lib/channel.h"
#include "kernelsmith/client/client.h"
#include "kernelsmith/v1/coordinator.grpc.pb.h"

namespace kernelsmith::client {

struct Client::Channel : ServiceChannel<v1::Coordinator> {};

}  // namespace kernelsmith::client
