"""Whole jobs on a running installation: the kernel comes with its evidence, memory helps a related operator, a candidate that is
wrong is told so, and nothing is left running."""

import json
import pathlib
import tempfile
import unittest

from installation import Installation

SMALL = ("--set", "ROWS=256")
WRONG = """
#include <kernelsmith/kernel_abi.h>
extern "C" int ks_kernel(const ks_call* call) {
  float* y = static_cast<float*>(call->outputs[0].data);
  for (int64_t i = 0; i < call->outputs[0].elements; ++i) y[i] = 0.0f;
  return 0;
}
"""


class Job(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.installation = Installation(self.path / "data")
        self.installation.__enter__()

    def tearDown(self):
        self.installation.stop()
        self.assertEqual(self.installation.survivors(), [])
        self.folder.cleanup()

    def test_a_job_ends_with_a_verified_kernel_and_teaches_a_related_operator(self):
        job_id = self.installation.submit("configs/tasks/silu.py", "--rounds", 4, *SMALL)
        job, rounds = self.installation.finish(job_id)
        self.assertEqual(job["state"], "SUCCEEDED", job["reason"])
        self.assertEqual([one["round"] for one in rounds], [1, 2, 3, 4])
        self.assertEqual(rounds[0]["status"], "PASSED")
        self.assertGreater(job["baseline_us"], 0)

        out = self.path / "kernel"
        self.installation.json("best", job_id, "--out", out)
        report = json.loads((out / "report.json").read_text())
        self.assertEqual(report["status"], "PASSED")
        self.assertIn("ks_kernel", (out / "kernel.cpp").read_text())
        again = self.installation.lines("eval", "configs/tasks/silu.py", out / "kernel.cpp", *SMALL)[-1]
        self.assertEqual(again["report"]["status"], "PASSED")

        related = self.installation.submit("configs/tasks/gelu.py", "--rounds", 2, *SMALL)
        _, recorded = self.installation.finish(related)
        self.assertEqual(recorded[0]["status"], "PASSED")
        first = self.installation.json("show", related, "--round", 1)
        attempt = first.get("attempt", first)
        states = [record["state"] for record in attempt["proposal"]["adoption"]]
        self.assertIn("ADOPTED", states, "the first draft of a related operator uses what was learned")

    def test_a_wrong_candidate_is_told_what_is_wrong(self):
        (self.path / "wrong.cpp").write_text(WRONG)
        report = self.installation.lines("eval", "configs/tasks/softmax.py", self.path / "wrong.cpp", *SMALL)[-1]["report"]
        self.assertEqual(report["status"], "INCORRECT_NUMERICAL")
        mismatch = report["cases"][0]["mismatches"][0]
        self.assertEqual(int(mismatch["wrong"]), int(mismatch["elements"]))


if __name__ == "__main__":
    unittest.main()
