"""The demo, on both targets: operators from an empty memory each, then the same ones from a memory that related operators filled.

    tests/bench/run demo [--target ascend|cpu|both] [--rounds 12]

ascend: softmax, RMS normalisation and GELU on two emulated Ascend910B3 cards; latencies are simulated.
cpu: softmax, layer normalisation, GELU and a 512x512x512 matrix product on this machine, measured against PyTorch.
Figures named cpu_* are of the cpu target alone; those against PyTorch exist there only.
"""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from figures import figure, geometric_mean  # noqa: E402
from installation import Installation  # noqa: E402

OPERATORS = {"ascend": ["softmax", "rms_norm", "gelu"], "cpu": ["softmax", "layer_norm", "gelu", "matmul"]}
RELATED = {"ascend": ["log_softmax", "layer_norm", "silu"], "cpu": ["log_softmax", "rms_norm", "silu", "linear_relu"]}


def installation(target):
    """A fresh one; cards of this machine have to be quiet, emulated ones do not care."""
    return Installation(quiet=target == "cpu", options=["--card-kind", target])


def run(it, target, operator, rounds):
    job_id = it.submit(f"configs/tasks/{operator}.py", "--rounds", rounds, "--card-kind", target)
    job, recorded = it.finish(job_id)
    if job["state"] != "SUCCEEDED":
        raise SystemExit(f"{target}, {operator}: {job['state']}: {job['reason']}")
    torch = f"{job['speedup_vs_baseline']:.2f}x of PyTorch, " if target == "cpu" else ""
    print(f"  {operator}: first {job['first_correct_us']:.1f} us, best {job['best_us']:.1f} us, "
          f"{job['speedup_vs_first']:.2f}x of first, {torch}"
          f"{job['time_use']['wall_s']:.1f} s, overhead {100 * job['time_use']['overhead_ratio']:.1f} %", flush=True)
    return job, recorded


def rounds_to(recorded, latency_us):
    """The first round that is as fast, or one more than there were."""
    for one in recorded:
        if one["status"] == "PASSED" and 0 < one["latency_us"] <= latency_us:
            return one["round"]
    return len(recorded) + 1


def measure(target, rounds):
    """Runs every operator from an empty and from a filled memory. Returns the jobs from the empty one, and the rounds to within 5 %
    of the best by arm."""
    empty, filled = {}, {}
    for operator in OPERATORS[target]:
        print(f"{target}, empty memory, {operator}", flush=True)
        with installation(target) as it:
            empty[operator] = run(it, target, operator, rounds)
    with installation(target) as it:
        print(f"{target}, filling", flush=True)
        for operator in RELATED[target]:
            run(it, target, operator, rounds)
        print(f"{target}, filled memory", flush=True)
        for operator in OPERATORS[target]:
            filled[operator] = run(it, target, operator, rounds)

    to_best = {"empty": [], "filled": []}
    print(f"{'operator':<12} {'within 5 % of best':>20}: empty, filled")
    for operator in OPERATORS[target]:
        best = 1.05 * min(empty[operator][0]["best_us"], filled[operator][0]["best_us"])
        for arm, result in (("empty", empty), ("filled", filled)):
            to_best[arm].append(rounds_to(result[operator][1], best))
        print(f"{operator:<12} {to_best['empty'][-1]:>28}, {to_best['filled'][-1]}", flush=True)
    return [empty[operator][0] for operator in OPERATORS[target]], to_best


def figures_of(jobs, to_best):
    """The figures every target has, by name."""
    wall = sum(job["time_use"]["wall_s"] for job in jobs)
    covered = sum(job["time_use"]["covered_s"] for job in jobs)
    return {
        "demo_median_self_speedup": (statistics.median(job["speedup_vs_first"] for job in jobs), "ratio"),
        "loop_overhead": ((wall - covered) / wall, "ratio"),
        "rounds_to_best_empty": (statistics.median(to_best["empty"]), "rounds"),
        "rounds_to_best_filled": (statistics.median(to_best["filled"]), "rounds"),
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--target", choices=["ascend", "cpu", "both"], default="both")
    arguments.add_argument("--rounds", type=int, default=12)
    options = arguments.parse_args()

    figures = {}
    # The cpu target first: its times are measured, and want a machine that has not been busy.
    for target in ["cpu", "ascend"] if options.target == "both" else [options.target]:
        jobs, to_best = measure(target, options.rounds)
        for name, value in figures_of(jobs, to_best).items():
            figures[name if target == "ascend" or options.target == "cpu" else f"cpu_{name}"] = value
        if target == "cpu":
            against_torch = [job["speedup_vs_baseline"] for job in jobs]
            figures["demo_geomean_vs_pytorch"] = (geometric_mean(against_torch), "ratio")
            figures["demo_at_least_pytorch"] = (sum(ratio >= 1 for ratio in against_torch), "operators")
    for name, (value, unit) in figures.items():
        figure(name, value, unit)


if __name__ == "__main__":
    main()
