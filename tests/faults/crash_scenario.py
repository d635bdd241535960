"""Two jobs at once, a catalog job that learns and a chat job that asks a scripted model server, while daemons are killed."""

import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from installation import Installation, wait_until  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

KERNEL = """
#include <kernelsmith/kernel_abi.h>
// variant {round}
extern "C" int ks_kernel(const ks_call* call) {{
  const float* x = static_cast<const float*>(call->inputs[0].data);
  float* y = static_cast<float*>(call->outputs[0].data);
  for (int64_t i = 0; i < call->outputs[0].elements; ++i) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
  return 0;
}}
"""

LEASES = "reconnect_grace_s: 4\nlease_s: 6\n"


def reply(round_number):
    """What a model says: a kernel, and an adoption record for whatever it was shown."""
    facts = {"thought": {"id": "vector", "title": "vector loop", "reason": "memory-bound", "layer": "INSTRUCTION",
                         "bottleneck": "memory-bound"},
             "hypothesis": "one pass over memory is enough", "rationale": "the compiler vectorises the loop"}
    adoption = json.dumps(facts)[:-1] + ', "adoption": {{not_adopted}}}'
    return f"```cpp kernel.cpp\n{KERNEL.format(round=round_number)}```\n```json\n{adoption}\n```\n"


@dataclass
class Outcome:
    """What is left of a scenario. Rounds and attempts by job, in the order catalog, chat."""
    states: list = field(default_factory=list)
    rounds: list = field(default_factory=list)       # recorded rounds, as lists of round numbers
    attempts: list = field(default_factory=list)     # steps of the attempts in memory
    kills: dict = field(default_factory=dict)
    model_requests: int = 0
    in_doubt: int = 0                                # model calls repeated because their reply was lost
    survivors: list = field(default_factory=list)


def pid_of(installation, daemon):
    try:
        return int((installation.folder / "run" / f"{daemon}.pid").read_text())
    except (OSError, ValueError):
        return 0


def kill(installation, daemon):
    """kill -9, then waits until another process has taken its place."""
    old = wait_until(lambda: pid_of(installation, daemon), 30, f"{daemon} runs")
    os.kill(old, signal.SIGKILL)
    wait_until(lambda: pid_of(installation, daemon) not in (0, old), 60, f"{daemon} runs again")


def run_scenario(rounds, kills, seed, pause=(0.5, 2.5)):
    """Submits both jobs with `rounds` rounds each, kills `kills` daemons in turn at random moments while one of the jobs runs, and
    waits for the end of both."""
    chance = random.Random(seed)
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="kernelsmith-crash-") as name:
        folder = pathlib.Path(name)
        model = ScriptedModel(folder, [reply(i) for i in range(1, rounds + 1)])
        installation = Installation(folder / "data", options=model.options(LEASES))
        with installation:
            jobs = [installation.submit("configs/tasks/silu.py", "--rounds", rounds, "--set", "ROWS=512"),
                    installation.submit("configs/tasks/relu.py", "--rounds", rounds, "--set", "ROWS=512",
                                        "--proposer", "chat", "--endpoint", "scripted")]
            for number in range(kills):
                time.sleep(chance.uniform(*pause))
                states = [installation.json("show", job).get("state") for job in jobs]
                if not any(state in ("SUBMITTED", "QUEUED", "RUNNING_ROUND") for state in states):
                    break
                daemon = ["coordinator", f"worker-{chance.randrange(2)}", "memory"][number % 3]
                kill(installation, daemon)
                outcome.kills[daemon.split("-")[0]] = outcome.kills.get(daemon.split("-")[0], 0) + 1
            for job_id in jobs:
                job, recorded = installation.finish(job_id)
                outcome.states.append(job["state"])
                outcome.rounds.append([one["round"] for one in recorded])
                outcome.in_doubt += sum(event.get("model_call_intended", {}).get("repeats_in_doubt", False)
                                        for event in installation.lines("watch", job_id))
                lineage = installation.json("memory", "lineage", "--session", job_id)
                outcome.attempts.append([node["step"] for node in lineage["nodes"]])
        outcome.survivors = [pid for pid in installation.survivors() if pid != model.pid]
        model.stop()
        outcome.model_requests = model.requests()
    return outcome


def lost(undisturbed, disturbed):
    """Rounds that the undisturbed run recorded and the other did not."""
    return sum(len(set(a) - set(b)) for a, b in zip(undisturbed.rounds, disturbed.rounds))


def duplicated(outcome):
    """Rounds recorded twice, in the log or in memory."""
    return sum(len(steps) - len(set(steps)) for steps in outcome.rounds + outcome.attempts)
