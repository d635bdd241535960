"""kill -9 of every kind of daemon in turn, while jobs run: nothing is lost, nothing counted twice, nothing left behind."""

import unittest

from crash_scenario import duplicated, run_scenario

ROUNDS = 6


class Crash(unittest.TestCase):
    def test_jobs_finish_with_every_round_once(self):
        outcome = run_scenario(rounds=ROUNDS, kills=6, seed=7)
        self.assertEqual(outcome.states, ["SUCCEEDED", "SUCCEEDED"])
        self.assertEqual(outcome.rounds, [list(range(1, ROUNDS + 1))] * 2)
        self.assertEqual([sorted(steps) for steps in outcome.attempts], [list(range(1, ROUNDS + 1))] * 2)
        self.assertEqual(duplicated(outcome), 0)
        self.assertLessEqual(outcome.model_requests, ROUNDS + outcome.kills.get("coordinator", 0))
        self.assertEqual(outcome.survivors, [])
        self.assertGreaterEqual(sum(outcome.kills.values()), 3, "the jobs ended before anything was killed")


if __name__ == "__main__":
    unittest.main()
