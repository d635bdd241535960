"""The closing lines of a benchmark."""

import math


def figure(name, value, unit):
    """Prints one figure: a number with at most four significant digits after the point."""
    print(f"figure {name} {value:.4g} {unit}", flush=True)


def geometric_mean(values):
    """REQUIRES: all values are positive."""
    return math.exp(sum(map(math.log, values)) / len(values))
