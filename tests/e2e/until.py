#!/usr/bin/env python3
"""Studies that add runs until their indices are sharp enough: what they add, when they stop, what they say.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 180
"""
import _faults as faults
import _support as support
from _support import call, call_json, check, equal, say


def study(folder, name, *words, expect=0):
    reply = call_json("study", "-C", folder, "--store", f"store-{name}", "-o", f"out-{name}", "-j", 2, *words,
                      expect=expect)
    return reply, (folder / f"out-{name}/results.csv").read_bytes()


def widest(reply, column):
    """The widest half interval as a share of the largest index, over all outputs; from the indices themselves."""
    shares = []
    for item in reply["analyses"]:
        if item["scope"] == "pooled" and column in item["columns"]:
            rows = item["indices"]
            half = max((row[f"{column}_hi"] - row[f"{column}_lo"]) / 2 for row in rows)
            shares.append(half / max(abs(row[column]) for row in rows))
    return max(shares)


def check_same(folder, name, grown, raw, *words):
    """A study that grew is the study that would have been asked for at once: same runs, same indices, same work."""
    plain, wanted = study(folder, f"{name}-plain", *words)
    check(raw == wanted, f"{name}: results.csv is not that of a study of the final size")
    equal(grown["indices"], plain["indices"], f"{name}: indices")
    equal(grown["reuse"]["executed"], plain["reuse"]["executed"], f"{name}: tasks executed in all rounds")
    equal(grown["distinct_runs"], plain["distinct_runs"], f"{name}: distinct runs")
    for row in grown["by_task"]:
        parts = ("stage_reused", "task_reused", "executed", "cutoff", "store", "failed", "skipped")
        equal(sum(row[part] for part in parts), row["requested"], f"{name}: sum of {row['stage']}.{row['task']}")


def check_morris(folder):
    reply, raw = study(folder, "morris", "--trajectories", 4, "--until", "ci(mu_star) < 0.001", "--max-runs", 3000)
    until = reply["until"]
    say(f"morris: {until}")
    equal((until["met"], until["text"]), (True, "ci(mu_star) < 0.001"), "morris: met")
    check(until["rounds"] > 1 and until["blocks"] > 4, f"morris: nothing was added: {until}")
    equal(until["blocks"] * 3, len(reply["runs"]), "morris: runs of all trajectories")
    check(widest(reply, "mu_star") < 0.001, f"morris: the widest interval is {widest(reply, 'mu_star')}")
    check_same(folder, "morris", reply, raw, "--trajectories", until["blocks"])
    again, raw_again = study(folder, "morris", "--trajectories", 4, "--until", "ci(mu_star) < 0.001", "--max-runs", 3000)
    equal((again["reuse"]["executed"], again["until"]), (0, until), "morris: a second time")
    check(raw == raw_again, "morris: results.csv of a second time differs")


def check_vbd(folder):
    reply, raw = study(folder, "vbd", "--method", "vbd", "--count", 16, "--until", "ci(ST) < 0.2")
    until = reply["until"]
    say(f"vbd: {until}")
    check(until["met"] and until["blocks"] in (32, 64, 128, 256), f"vbd: n is not doubled: {until}")
    check(widest(reply, "ST") < 0.2, f"vbd: the widest interval is {widest(reply, 'ST')}")
    check_same(folder, "vbd", reply, raw, "--method", "vbd", "--count", until["blocks"])


def check_doubling(folder, method, keeps):
    """Doubled until the condition holds, and no longer: the study of half the size does not meet it."""
    limit, start = 0.2, 8
    reply, raw = study(folder, method, "--method", method, "--count", start, "--until", f"ci(pearson) < {limit}",
                       "--max-runs", 1000)
    until, size = reply["until"], reply["until"]["blocks"]
    say(f"{method}: {len(reply['runs'])} runs, {until}")
    check(until["met"] and until["rounds"] > 1, f"{method}: {until}")
    equal(size, start * 2 ** (until["rounds"] - 1), f"{method}: size after {until['rounds']} rounds")
    equal(len(reply["runs"]), size if keeps else 2 * size - start, f"{method}: runs of all rounds")
    check(widest(reply, "pearson") < limit, f"{method}: the widest interval is {widest(reply, 'pearson')}")
    equal(reply["analyses"][0]["indices"], reply["indices"], f"{method}: indices")
    plain, wanted = study(folder, f"{method}-plain", "--method", method, "--count", size)
    equal(plain["indices"], reply["indices"], f"{method}: indices of the study of the final size")
    equal(raw == wanted, keeps, f"{method}: results.csv is that of a study of the final size")
    half, _ = study(folder, f"{method}-plain", "--method", method, "--count", size // 2)
    check(widest(half, "pearson") >= limit, f"{method}: {size // 2} would have been enough: {widest(half, 'pearson')}")


def check_others(folder):
    """Designs that keep their runs when they grow, and those that do not; one without intervals, and one that is whole."""
    check_doubling(folder, "sobol-sequence", True)
    check_doubling(folder, "lhs", False)
    reply, _ = study(folder, "fast", "--method", "fast", "--count", 65, "--until", "ci(S1) < 0.2", "--max-runs", 300,
                     expect=4)
    equal((reply["until"]["met"], reply["until"]["rounds"], len(reply["runs"])), (False, 1, 130), "fast: of 2 parameters")
    for text in ("the interval of S1 is not known", "would need 390 runs in all", "limit of 300"):
        check(text in reply["until"]["reason"], f"fast: '{text}' is not in {reply['until']}")
    reply, _ = study(folder, "grid", "--method", "grid", "--until", "rank(2)")
    equal((reply["until"]["met"], reply["until"]["rounds"], len(reply["runs"])), (True, 1, 25), "grid: 5 x 5 values")
    weight, factor = (next(row for row in reply["indices"] if row["name"] == name) for name in ("weight", "factor"))
    check(weight["pearson_lo"] > factor["pearson_hi"], f"grid: ranks that overlap: {weight} {factor}")


def check_rank(folder):
    reply, _ = study(folder, "rank", "--method", "vbd", "--count", 8, "--until", "rank(1) settled")
    first, second = (next(row for row in reply["indices"] if row["name"] == name)
                     for name in reply["analyses"][0]["order"][:2])
    check(reply["until"]["met"] and first["ST_lo"] > second["ST_hi"], f"rank: {reply['until']} {first} {second}")


def check_budget(folder):
    reply, _ = study(folder, "budget", "--trajectories", 4, "--until", "ci(mu_star) < 0.00001", "--max-runs", 60,
                     expect=4)
    equal((reply["state"], reply["until"]["met"], len(reply["runs"])), ("done", False, 60), "budget")
    check("60" in reply["until"]["reason"], f"budget: {reply['until']['reason']}")
    text = call("study", "-C", folder, "--store", "store-budget", "--trajectories", 4, "--until",
                "ci(mu_star) < 0.00001", "--max-runs", 60, "--progress=none", expect=4).stdout
    check("was not met" in text, f"budget: nothing on the terminal\n{text}")
    plan = call_json("plan", "-C", folder, "--trajectories", 4, "--until", "rank(1)")
    equal((plan["runs"], plan["until"]), (12, "rank(1)"), "plan of the first round")


def check_faults(folder):
    for words, wanted in ((("--until", "ci(mu_star) < "), "not a condition to stop at"),
                          (("--until", "ci(mustar) < 0.1"), "did you mean 'mu_star'?"),
                          (("--until", "rank(0)"), "not a condition to stop at"),
                          (("--until", "rank(1)", "--max-runs", 5), "the first round has 24 runs")):
        run = call("study", "-C", folder, "--store", "memory", *words, expect=2)
        check(wanted in run.stderr, f"{words}: {run.stderr}")


def main():
    folder = faults.project()
    check_morris(folder)
    check_vbd(folder)
    check_others(folder)
    check_rank(folder)
    check_budget(folder)
    check_faults(folder)
    support.finish()


main()
