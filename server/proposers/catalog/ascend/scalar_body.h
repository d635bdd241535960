// Computes tiles on the scalar unit, one number after the other, with GetValue and SetValue: what a first draft does.
// Only conversions between types are vector instructions. Everything waits for everything (Sync::kBarriers), which is
// what makes the scalar unit's view of UB right.
#pragma once

#include <map>
#include <set>
#include <string>

#include "server/proposers/catalog/ascend/kernel_writer.h"

namespace kernelsmith::server {

// For the forms whose tiles have one row or are steps of columns: kChunks, kSweep, kColumns.
class ScalarBody : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

 protected:
  void WriteWork(const PassWork& work) override;
  void WritePassBegin(const PassWork& step) override;
  void WritePassEnd(const PassWork&) override {}
  void WriteItemEnd() override {}
  void WriteMembers() override;
  Bytes WorkBytes() const override { return work_bytes_; }

 private:
  // Values that are one number while a tile is computed.
  bool IsNumber(int value) const;
  // Numbers that outlive a method.
  bool IsMember(int value) const { return LifeOf(value) != Life::kStep; }
  std::string Number(int value) const;
  std::string PlaceOf(int value);
  std::string Room(int value, const std::string& what, Role role);
  std::string Expression(int value) const;
  void WriteLoads(const PassWork& work);
  void WriteItemValues(const PassWork& work);
  void WriteStep(const PassWork& work);
  void WriteOutputs(const PassWork& work);
  std::string Combined(const std::string& function, const std::string& a, const std::string& b) const;
  std::string Identity(const std::string& function) const;

  Bytes work_bytes_;
  std::map<std::string, std::string> places_;
  std::set<int> members_;
};

}  // namespace kernelsmith::server
