#include "tests/server/catalog/ascend_run.h"

#include <dlfcn.h>
#include <kernelsmith/plan_abi.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "tests/server/catalog/candidate_run.h"

namespace kernelsmith::server::testing {
namespace {

constexpr char kToolkit[] = KERNELSMITH_EMULATED_CANN;

// The functions of libascendcl.so that a run needs, and the emulated one's report.
struct Runtime {
  int (*set_device)(int32_t);
  int (*create_stream)(void**);
  int (*allocate)(void**, size_t, int);
  int (*release)(void*);
  int (*copy)(void*, size_t, const void*, size_t, int);
  int (*fill)(void*, size_t, int32_t, size_t);
  int (*synchronise)(void*);
  size_t (*report)(int32_t, char*, size_t);
  void* stream = nullptr;

  static const Runtime& Get() {
    static const Runtime* const runtime = [] {
      void* library = dlopen(absl::StrCat(kToolkit, "/lib64/libascendcl.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (library == nullptr) return static_cast<Runtime*>(nullptr);
      auto* r = new Runtime;
      const auto find = [&](const char* name) { return dlsym(library, name); };
      r->set_device = reinterpret_cast<int (*)(int32_t)>(find("aclrtSetDevice"));
      r->create_stream = reinterpret_cast<int (*)(void**)>(find("aclrtCreateStream"));
      r->allocate = reinterpret_cast<int (*)(void**, size_t, int)>(find("aclrtMalloc"));
      r->release = reinterpret_cast<int (*)(void*)>(find("aclrtFree"));
      r->copy = reinterpret_cast<int (*)(void*, size_t, const void*, size_t, int)>(find("aclrtMemcpy"));
      r->fill = reinterpret_cast<int (*)(void*, size_t, int32_t, size_t)>(find("aclrtMemset"));
      r->synchronise = reinterpret_cast<int (*)(void*)>(find("aclrtSynchronizeStream"));
      r->report = reinterpret_cast<size_t (*)(int32_t, char*, size_t)>(find("kseReport"));
      reinterpret_cast<int (*)(const char*)>(find("aclInit"))(nullptr);
      r->set_device(0);
      r->create_stream(&r->stream);
      return r;
    }();
    return *runtime;
  }
};

std::string Shell(const std::string& command, const std::string& messages) {
  if (std::system(absl::StrCat(command, " > ", messages, " 2>&1").c_str()) == 0) return "";
  std::stringstream text;
  text << std::ifstream(messages).rdbuf();
  return text.str().empty() ? absl::StrCat("failed: ", command) : text.str();
}

struct DeviceBuffer {
  explicit DeviceBuffer(size_t size) : bytes(size) {
    Runtime::Get().allocate(&data, std::max<size_t>(bytes, 32), 0);
    Runtime::Get().fill(data, std::max<size_t>(bytes, 32), 0x7f, std::max<size_t>(bytes, 32));
  }
  ~DeviceBuffer() { Runtime::Get().release(data); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  void* data = nullptr;
  size_t bytes;
};

// A tensor as the plan sees it.
struct PlanTensor {
  explicit PlanTensor(const v1::TensorDescriptor& t) : shape(t.shape().begin(), t.shape().end()) {
    strides.assign(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    for (int64_t extent : shape) elements *= extent;
    abi = {nullptr, int32_t(t.dtype()), int32_t(shape.size()), shape.data(), strides.data(), elements};
  }
  PlanTensor(const PlanTensor&) = delete;
  PlanTensor& operator=(const PlanTensor&) = delete;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t elements = 1;
  ks_tensor abi{};
};

// What the launches since the last report did.
void ReadReport(AscendOutcome* outcome) {
  std::string text(1 << 20, '\0');
  text.resize(Runtime::Get().report(0, text.data(), text.size()));
  const auto report = nlohmann::json::parse(text.c_str(), nullptr, false);
  if (report.is_discarded()) {
    outcome->findings += "the report is not JSON\n";
    return;
  }
  for (const auto& launch : report.value("launches", nlohmann::json::array())) {
    outcome->us += launch.value("us", 0.0);
    ++outcome->launches;
    if (launch.value("end", "") != "done" || launch.value("truncated", false)) {
      absl::StrAppend(&outcome->findings, launch.value("kernel", ""), ": ", launch.value("end", ""), " ",
                      launch.value("message", ""), launch.value("truncated", false) ? " (trace cut)" : "", "\n");
    }
    for (const auto& finding : launch.value("findings", nlohmann::json::array())) {
      if (finding.value("severity", "") != "error") continue;
      absl::StrAppend(&outcome->findings, finding.value("check", ""), " line ", finding.value("line", 0), ": ",
                      finding.value("text", ""), "\n");
    }
  }
}

}  // namespace

bool AscendCandidate::Available() {
  return std::filesystem::exists(absl::StrCat(kToolkit, "/bin/bisheng")) &&
         std::filesystem::exists(absl::StrCat(kToolkit, "/lib64/libascendcl.so"));
}

std::unique_ptr<AscendCandidate> AscendCandidate::Compile(const AscendSource& source, bool auto_sync,
                                                          std::string* error) {
  std::string folder = absl::StrCat(std::filesystem::temp_directory_path().string(), "/ascend_XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    *error = "no temporary folder";
    return nullptr;
  }
  std::unique_ptr<AscendCandidate> candidate(new AscendCandidate);
  std::ofstream(folder + "/kernel.asc") << source.kernel;
  std::ofstream(folder + "/plan.cpp") << source.plan;
  // Host functions that launch the kernels, as the worker adds them.
  std::ofstream launcher(folder + "/launch.asc");
  launcher << "#include \"kernel.asc\"\n";
  const std::regex entry(R"re(extern "C" __global__ __vector__ void (\w+)\(([^)]*)\))re");
  for (std::sregex_iterator i(source.kernel.begin(), source.kernel.end(), entry), end; i != end; ++i) {
    const std::string name = (*i)[1];
    const std::string parameters = (*i)[2];
    const int count = static_cast<int>(std::count(parameters.begin(), parameters.end(), ',')) + 1;
    candidate->arguments_[name] = count;
    launcher << "extern \"C\" void launch_" << name << "(uint32_t blocks, void* stream, void** a) {\n  " << name
             << "<<<blocks, nullptr, stream>>>(";
    for (int a = 0; a < count; ++a) launcher << (a > 0 ? ", " : "") << "(GM_ADDR)a[" << a << "]";
    launcher << ");\n}\n";
  }
  launcher.close();
  *error = Shell(absl::StrCat("g++ -std=c++17 -O1 -shared -fPIC -Wall -Wextra -Werror -I", KERNELSMITH_SOURCE_DIR,
                              "/worker/include ", folder, "/plan.cpp -o ", folder, "/plan.so"),
                 folder + "/messages");
  if (error->empty()) {
    *error = Shell(absl::StrCat("ASCEND_HOME_PATH=", kToolkit, " ", kToolkit, "/bin/bisheng -O2 -shared -fPIC ",
                                "--npu-arch=dav-2201 --cce-auto-sync=", auto_sync ? "on" : "off", " ", folder,
                                "/launch.asc -o ", folder, "/kernels.so"),
                   folder + "/messages");
  }
  if (error->empty()) {
    Runtime::Get();
    candidate->plan_ = dlopen((folder + "/plan.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    candidate->kernels_ = dlopen((folder + "/kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (candidate->plan_ == nullptr || candidate->kernels_ == nullptr) *error = dlerror();
  }
  std::filesystem::remove_all(folder);
  if (!error->empty()) candidate.reset();
  return candidate;
}

AscendCandidate::~AscendCandidate() {
  if (plan_ != nullptr) dlclose(plan_);
}

AscendOutcome AscendCandidate::Call(const v1::TaskCase& c, const std::vector<Numbers>& inputs,
                                    std::vector<Numbers>* outputs) const {
  AscendOutcome outcome;
  std::vector<std::unique_ptr<PlanTensor>> tensors;
  std::vector<ks_tensor> in;
  std::vector<ks_tensor> out;
  std::vector<std::unique_ptr<DeviceBuffer>> in_buffers;
  std::vector<std::unique_ptr<DeviceBuffer>> out_buffers;
  const Runtime& runtime = Runtime::Get();
  for (int i = 0; i < c.inputs_size(); ++i) {
    tensors.push_back(std::make_unique<PlanTensor>(c.inputs(i)));
    in.push_back(tensors.back()->abi);
    const std::vector<char> bytes = Encoded(inputs[static_cast<size_t>(i)], c.inputs(i).dtype());
    in_buffers.push_back(std::make_unique<DeviceBuffer>(bytes.size()));
    runtime.copy(in_buffers.back()->data, bytes.size(), bytes.data(), bytes.size(), 1);
  }
  for (const v1::TensorDescriptor& t : c.outputs()) {
    tensors.push_back(std::make_unique<PlanTensor>(t));
    out.push_back(tensors.back()->abi);
    out_buffers.push_back(
        std::make_unique<DeviceBuffer>(static_cast<size_t>(tensors.back()->elements) * BytesOf(t.dtype())));
  }
  const ks_call call = {KS_ABI_VERSION, 40,     uint32_t(in.size()), uint32_t(out.size()), 0, 0, in.data(),
                        out.data(),     nullptr};
  const auto plan = std::make_unique<ks_plan>();
  *plan = {};
  plan->abi_version = KS_ABI_VERSION;
  const auto make_plan = reinterpret_cast<int (*)(const ks_call*, struct ks_plan*)>(dlsym(plan_, "ks_plan"));
  outcome.plan = make_plan(&call, plan.get());
  if (outcome.plan != 0) return outcome;
  DeviceBuffer workspace(plan->workspace_bytes);
  DeviceBuffer tiling(plan->tiling_bytes);
  if (plan->tiling_bytes > 0) {
    runtime.copy(tiling.data, plan->tiling_bytes, plan->tiling, plan->tiling_bytes, 1);
  }
  for (uint32_t l = 0; l < plan->n_launches; ++l) {
    const ks_launch& launch = plan->launches[l];
    const auto known = arguments_.find(launch.kernel);
    if (known == arguments_.end() || known->second != static_cast<int>(launch.n_arguments) || launch.blocks == 0 ||
        launch.blocks > 40) {
      absl::StrAppend(&outcome.findings, "launch of '", launch.kernel, "' with ", launch.n_arguments, " arguments on ",
                      launch.blocks, " blocks\n");
      return outcome;
    }
    std::vector<void*> arguments;
    for (uint32_t a = 0; a < launch.n_arguments; ++a) {
      const ks_argument& argument = launch.arguments[a];
      const auto at = static_cast<size_t>(argument.value);
      switch (argument.kind) {
        case KS_ARGUMENT_INPUT:
          arguments.push_back(in_buffers[at]->data);
          break;
        case KS_ARGUMENT_OUTPUT:
          arguments.push_back(out_buffers[at]->data);
          break;
        case KS_ARGUMENT_WORKSPACE:
          arguments.push_back(static_cast<char*>(workspace.data) + at);
          break;
        default:
          arguments.push_back(static_cast<char*>(tiling.data) + at);
      }
    }
    const auto start = reinterpret_cast<void (*)(uint32_t, void*, void**)>(
        dlsym(kernels_, absl::StrCat("launch_", launch.kernel).c_str()));
    start(launch.blocks, runtime.stream, arguments.data());
  }
  outcome.error = runtime.synchronise(runtime.stream);
  ReadReport(&outcome);
  outputs->clear();
  for (int o = 0; o < c.outputs_size(); ++o) {
    const DeviceBuffer& buffer = *out_buffers[static_cast<size_t>(o)];
    std::vector<char> bytes(buffer.bytes);
    if (!bytes.empty()) runtime.copy(bytes.data(), bytes.size(), buffer.data, bytes.size(), 2);
    outputs->push_back(Decoded(bytes, c.outputs(o).dtype()));
  }
  return outcome;
}

}  // namespace kernelsmith::server::testing
