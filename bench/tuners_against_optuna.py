#!/usr/bin/python3
"""Compares tuners on recorded kernel tables with Optuna's TPE sampler on the same pool, in the same run.

SPDX-License-Identifier: Apache-2.0

usage: tuners_against_optuna.py [SEEDS [BUDGET,... [FILE]]]; needs Debian's python3-optuna and ../shared/data/tuning/kerneltuner.
Optuna sees every parameter as an integer, the level of its value. A suggestion outside the table costs no run and is asked again; one
that was run before costs a run, as it would outside of a table; a failed run costs one. Both kinds are reported as pruned, which
Optuna learns from: of trials reported as failed it learns nothing, and then asks for the same row outside the table for ever. One search per seed serves all budgets, since
Optuna's sampler does not know the budget. FILE keeps Optuna's results, and what it has is not computed again. Prints the gap of the
best measured run, mean over the seeds and standard error, and progress to stderr. Exits with 1 unless auto is below Optuna in at least
7 of 9 cases, or 7/9 of those asked for.
"""
import csv
import gzip
import json
import math
import pathlib
import subprocess
import sys
import time

import optuna

from _papers import PROGRAM, SHARED

TABLES = sorted((SHARED / "data/tuning/kerneltuner").glob("*.csv.gz"))
OBJECTIVE = "time_ms"
ALGORITHMS = ("auto", "al", "tpe", "rs")
ASKS = 50  # per run: Optuna must not ask for ever where the table has no more rows


def read(path):
    """The levels of each parameter, and the value (None: failed) of each row of levels."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in (OBJECTIVE, "valid")]
    levels = {name: sorted({float(row[name]) for row in rows}) for name in names}
    names = [name for name in names if len(levels[name]) > 1]
    values = {}
    for row in rows:
        key = tuple(levels[name].index(float(row[name])) for name in names)
        runs = row["valid"] == "1" and row[OBJECTIVE] not in ("", "inf")
        values[key] = float(row[OBJECTIVE]) if runs else None
    return {name: len(levels[name]) for name in names}, values


def optuna_bests(sizes, values, budgets, seed):
    """The best value after each of the budgets."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    runs, best, bests = 0, math.inf, {}
    for _ in range(ASKS * max(budgets)):
        if runs == max(budgets):
            break
        trial = study.ask()
        key = tuple(trial.suggest_int(name, 0, size - 1) for name, size in sizes.items())
        value = values.get(key)
        if value is None:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        else:
            study.tell(trial, value)
            best = min(best, value)
        runs += key in values
        if runs in budgets:
            bests[runs] = best
    return {str(budget): bests.get(budget, best) for budget in budgets}


def optuna_gaps(name, table, budgets, seeds, kept, file):
    """The gaps of all seeds by budget; what is computed goes to `kept`, and to the file."""
    sizes, values = table
    least = min(value for value in values.values() if value is not None)
    start = time.monotonic()
    for seed in range(1, seeds + 1):
        key = f"{name} {seed}"
        if not all(str(budget) in kept.get(key, {}) for budget in budgets):
            kept[key] = optuna_bests(sizes, values, budgets, seed)
            if file:
                file.write_text(json.dumps(kept, indent=1))
        print(f"{name}: Optuna, seed {seed} of {seeds}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return {budget: [kept[f"{name} {seed}"][str(budget)] / least - 1 for seed in range(1, seeds + 1)] for budget in budgets}


def mean_and_error(numbers):
    mean = sum(numbers) / len(numbers)
    spread = sum((x - mean) ** 2 for x in numbers) / max(1, len(numbers) - 1)
    return mean, math.sqrt(spread / len(numbers))


def ours(path, budget, seeds):
    reply = subprocess.run([PROGRAM, "tune", "--table", path, "--objective", OBJECTIVE, "--budget", str(budget), "--seeds",
                            str(seeds), "--algorithm", ",".join(ALGORITHMS), "--json"], check=True, capture_output=True)
    gaps = {}
    for result in json.loads(reply.stdout)["results"]:
        measured = result["normalised_best"]["measured"]
        gaps[result["algorithm"]] = (measured["mean"] - 1, measured["se"])
    return gaps


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    budgets = [int(word) for word in sys.argv[2].split(",")] if len(sys.argv) > 2 else [50, 100, 200]
    file = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    kept = json.loads(file.read_text()) if file and file.exists() else {}
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    below, cases = 0, 0
    for path in TABLES:
        name = path.name.split(".")[0]
        theirs = optuna_gaps(name, read(path), budgets, seeds, kept, file)
        for budget in budgets:
            gaps = ours(path, budget, seeds)
            gaps["optuna"] = mean_and_error(theirs[budget])
            cases += 1
            below += gaps["auto"][0] < gaps["optuna"][0]
            print(f"{name:20} {budget:4}", *(f"{tuner} {mean:.4f} ± {se:.4f}" for tuner, (mean, se) in gaps.items()), sep="  ", flush=True)
    print(f"auto is below Optuna in {below} of {cases}")
    return 0 if 9 * below >= 7 * cases else 1


if __name__ == "__main__":
    sys.exit(main())
