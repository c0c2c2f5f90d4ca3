#!/usr/bin/env python3
"""Median regret of Nelder-Mead, PRO and the genetic algorithm beside scipy's methods, computed in the same run.

SPDX-License-Identifier: Apache-2.0

200 runs, 40 seeds, four functions; ours may be at most 1.5 times scipy's in the same run. The functions are those of
tests/unit/tune/functions.h; unit.tune.searches compares with the figures that are kept in
tests/vectors/tuning/scipy_regret.json.
"""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

RUNS, LIMIT = 200, 1.5
SEEDS = range(1001, 1041)  # those of unit.tune.searches; no setting was chosen with them
BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", "build"))
REFUSED = 1e9  # scipy has no other way to see a constraint
RIVALS = {"nelder-mead": "nelder-mead", "pro": "differential-evolution", "genetic": "differential-evolution"}


def sphere(x):
    return sum(v * v for v in x)


def rosenbrock(x):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def ackley(x):
    squares = sum(v * v for v in x) / len(x)
    waves = sum(math.cos(2 * math.pi * v) for v in x) / len(x)
    return 20 + math.e - 20 * math.exp(-0.2 * math.sqrt(squares)) - math.exp(waves)


def integers(x):
    x = [min(max(round(v), 0), 40) for v in x]
    if not x[0] <= x[1] <= x[2]:
        return REFUSED
    return sum((i + 1) * (v - c) ** 2 for i, (v, c) in enumerate(zip(x, (25, 12, 30, 7, 33))))


FUNCTIONS = {
    "sphere": (sphere, -3.5, 6.5, 0), "rosenbrock": (rosenbrock, -2.048, 2.048, 0),
    "ackley": (ackley, -20, 44, 0), "integers": (integers, 0, 40, 113),
}


class Spent(Exception):
    """The runs are used up."""


def regret(name, method, seed):
    import numpy
    from scipy.optimize import differential_evolution, minimize
    function, low, high, least = FUNCTIONS[name]
    found = []

    def counted(x):
        if len(found) == RUNS:
            raise Spent
        found.append(function(list(x)))
        return found[-1]

    bounds = [(low, high)] * 5
    random = numpy.random.default_rng(seed)
    start = random.uniform(low, high, 5)
    while function(list(start)) == REFUSED:
        start = random.uniform(low, high, 5)
    try:
        if method == "nelder-mead":
            minimize(counted, start, method="Nelder-Mead", bounds=bounds, options={"maxfev": RUNS})
        else:
            differential_evolution(counted, bounds, seed=seed, polish=False, integrality=[name == "integers"] * 5)
    except Spent:
        pass
    return min(found) - least


def main():
    try:
        import scipy
    except ImportError:
        print("SKIP: python3-scipy is not installed")
        return 77
    ours = json.loads(subprocess.run([BUILD / "tests" / "test_tune", "searches", "regret"], check=True,
                                     capture_output=True, text=True).stdout)
    print(f"scipy {scipy.__version__}, {RUNS} runs, {len(SEEDS)} seeds: median regret of scipy and of ours")
    worse = 0
    for name in FUNCTIONS:
        theirs = {method: statistics.median(regret(name, method, seed) for seed in SEEDS)
                  for method in sorted(set(RIVALS.values()))}
        print(f"{name}: {theirs} {ours[name]}")
        for tuner, method in RIVALS.items():
            if ours[name][tuner] > LIMIT * theirs[method]:
                print(f"{tuner} on {name}: {ours[name][tuner]}, scipy's {method} {theirs[method]}")
                worse += 1
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
