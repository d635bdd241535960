"""The demo: softmax, layer normalisation, GELU and a 512x512x512 matrix product, each from an empty memory; then the same four from a
memory that was filled by four related operators.

    tests/bench/run demo [--rounds 12]
"""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from figures import figure, geometric_mean  # noqa: E402
from installation import Installation  # noqa: E402

OPERATORS = ["softmax", "layer_norm", "gelu", "matmul"]
RELATED = ["log_softmax", "rms_norm", "silu", "linear_relu"]


def run(installation, operator, rounds):
    job_id = installation.submit(f"configs/tasks/{operator}.py", "--rounds", rounds)
    job, recorded = installation.finish(job_id)
    if job["state"] != "SUCCEEDED":
        raise SystemExit(f"{operator}: {job['state']}: {job['reason']}")
    print(f"  {operator}: first {job['first_correct_us']:.1f} us, best {job['best_us']:.1f} us, "
          f"{job['speedup_vs_first']:.2f}x of first, {job['speedup_vs_baseline']:.2f}x of PyTorch, "
          f"{job['time_use']['wall_s']:.1f} s, overhead {100 * job['time_use']['overhead_ratio']:.1f} %", flush=True)
    return job, recorded


def rounds_to(recorded, latency_us):
    """The first round that is as fast, or one more than there were."""
    for one in recorded:
        if one["status"] == "PASSED" and 0 < one["latency_us"] <= latency_us:
            return one["round"]
    return len(recorded) + 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--rounds", type=int, default=12)
    rounds = arguments.parse_args().rounds

    empty, filled = {}, {}
    for operator in OPERATORS:
        print(f"empty memory, {operator}", flush=True)
        with Installation(quiet=True) as installation:
            empty[operator] = run(installation, operator, rounds)
    with Installation(quiet=True) as installation:
        print("filling", flush=True)
        for operator in RELATED:
            run(installation, operator, rounds)
        print("filled memory", flush=True)
        for operator in OPERATORS:
            filled[operator] = run(installation, operator, rounds)

    to_best = {"empty": [], "filled": []}
    print(f"{'operator':<12} {'within 5 % of best':>20}: empty, filled")
    for operator in OPERATORS:
        best = 1.05 * min(empty[operator][0]["best_us"], filled[operator][0]["best_us"])
        for arm, result in (("empty", empty), ("filled", filled)):
            to_best[arm].append(rounds_to(result[operator][1], best))
        print(f"{operator:<12} {to_best['empty'][-1]:>28}, {to_best['filled'][-1]}")

    jobs = [empty[operator][0] for operator in OPERATORS]
    wall = sum(job["time_use"]["wall_s"] for job in jobs)
    covered = sum(job["time_use"]["covered_s"] for job in jobs)
    against_torch = [job["speedup_vs_baseline"] for job in jobs]
    figure("demo_median_self_speedup", statistics.median(job["speedup_vs_first"] for job in jobs), "ratio")
    figure("loop_overhead", (wall - covered) / wall, "ratio")
    figure("rounds_to_best_empty", statistics.median(to_best["empty"]), "rounds")
    figure("rounds_to_best_filled", statistics.median(to_best["filled"]), "rounds")
    figure("demo_geomean_vs_pytorch", geometric_mean(against_torch), "ratio")
    figure("demo_at_least_pytorch", sum(ratio >= 1 for ratio in against_torch), "operators")


if __name__ == "__main__":
    main()
