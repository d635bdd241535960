// What memory keeps of a round: the structured case and its prose twin. A function of the log and the stored payloads,
// so that recording again after a crash sends the same content under the same attempt id.
#pragma once

#include <string>

#include "kernelsmith/v1/memory.pb.h"
#include "server/proposers/proposer.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

struct CaseInputs {
  const JobHistory& history;     // before the round is recorded; task is set
  const RoundState& round;       // proposed and evaluated
  const PastRound& attempt;      // its payloads
  const PastRound* predecessor;  // payloads of the start round, or null
  bool became_incumbent = false;
};

v1::RecordAttemptRequest BuildCaseRecord(const CaseInputs& inputs, const std::string& producer);

}  // namespace kernelsmith::server
