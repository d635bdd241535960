"""20 kill -9s of coordinator, workers and memory, in turn, while two jobs run; against an undisturbed run of the same jobs.

    tests/bench/run crash [--kills 20] [--rounds 24] [--seed 1]
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
from crash_scenario import duplicated, lost, run_scenario  # noqa: E402
from figures import figure  # noqa: E402


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--kills", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=24)
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()

    print("undisturbed", flush=True)
    calm = run_scenario(chosen.rounds, 0, chosen.seed)
    print(f"  {calm.states}, rounds {[len(r) for r in calm.rounds]}, model requests {calm.model_requests}")
    print(f"{chosen.kills} kills", flush=True)
    wild = run_scenario(chosen.rounds, chosen.kills, chosen.seed)
    print(f"  {wild.states}, rounds {[len(r) for r in wild.rounds]}, model requests {wild.model_requests}, "
          f"in doubt {wild.in_doubt}, kills {wild.kills}, survivors {wild.survivors}")

    figure("kills", sum(wild.kills.values()), "kills")
    figure("model_requests_beyond_rounds", wild.model_requests - len(wild.rounds[1]), "requests")
    figure("model_calls_in_doubt", wild.in_doubt, "calls")
    figure("orphans", len(wild.survivors), "processes")
    figure("lost_rounds", lost(calm, wild), "rounds")
    figure("duplicated_rounds", duplicated(wild), "rounds")


if __name__ == "__main__":
    main()
