// A small job that several tests look at: three rounds, the second is the best.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

v1::Job ExampleJob();                        // "j-1", succeeded, 100 us then 50 us, baseline 75 us
std::vector<v1::JobEvent> ExampleEvents();   // sequences 1 to 8, the last one is the job's end
std::vector<v1::Attempt> ExampleAttempts();  // rounds 1 to 3; round 2 started from round 1
v1::EvaluationReport ExampleReport();        // of round 2

// An event from protobuf text, for example "job_ended { state: FAILED }". Fails the test if it does not parse.
v1::JobEvent EventFrom(const std::string& text);

}  // namespace kernelsmith::client
