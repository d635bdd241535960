#include "server/jobs/references.h"

#include <vector>

#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::server {

void CollectDigests(const google::protobuf::Message& message, std::set<std::string>& digests) {
  if (message.GetDescriptor() == v1::ArtifactRef::descriptor()) {
    const auto& digest = static_cast<const v1::ArtifactRef&>(message).digest();
    if (!digest.empty()) digests.insert(digest);
    return;
  }
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      CollectDigests(reflection->GetMessage(message, field), digests);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      CollectDigests(reflection->GetRepeatedMessage(message, field, i), digests);
    }
  }
}

}  // namespace kernelsmith::server
