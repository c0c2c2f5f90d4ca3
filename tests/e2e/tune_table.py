#!/usr/bin/env python3
"""Replays recorded tables: figures against closed forms and a model of our own, broken tables with their places.

SPDX-License-Identifier: Apache-2.0
test-timeout: 200
test-label: slow
"""
import gzip
import json
import math
import os
import random
import signal
import subprocess
import time
import zlib

import _support as support
from _support import call, call_json, check, equal

FOLDER = support.scratch()
ALL = "ceal,al,alph,geist,rs"


def write(name, text):
    path = FOLDER / name
    path.write_text(text, encoding="utf-8")
    return path


def output(a, b, c):
    return 10 + (a - 3) ** 2 + 2 * (b - 2) ** 2 + abs(c - 4)


def tables():
    """A workflow of two components with 7 x 6 x 5 configurations, and constants beside them."""
    rows = [(a, b, c) for a in range(7) for b in range(6) for c in range(5)]
    random.Random(4).shuffle(rows)
    lines = ["a,b,c,seconds,watts"] + [f"{a},{b},{c},{output(a, b, c)},{a + b}" for a, b, c in rows]
    first = ["a,b,seconds"] + [f"{a},{b},{5 + (a - 3) ** 2 + 2 * (b - 2) ** 2}" for a in range(7) for b in range(6)]
    second = ["c,seconds"] + [f"{c},{5 + abs(c - 4)}" for c in range(5)]
    return (write("workflow.csv", "\n".join(lines) + "\n"), write("first.csv", "\n".join(first) + "\n"),
            write("second.csv", "\n".join(second) + "\n"), write("third.csv", "seconds\n2.5\n"))


def words(*more):
    workflow, first, second, third = tables()
    return ("tune", "--table", workflow, "--objective", "seconds", "--ignore", "watts", "--component", f"first={first}",
            "--component", f"second={second}", "--component", f"third={third}", "--combine", "sum", *more)


def validator():
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return None
    text = (support.ROOT / "docs/schema/tune-table.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def conforms(reply, what):
    schema = validator()
    for error in schema.iter_errors(reply) if schema else ():
        check(False, f"the schema refuses the reply of {what}: {error.json_path}: {error.message[:200]}")


def expected_best(outputs, m):
    """Mean of the least of m outputs that are drawn without repetition."""
    outputs = sorted(outputs)
    n, left, mean = len(outputs), 1.0, 0.0
    for i in range(n - m + 1):
        mean += left * m / (n - i) * outputs[i]
        left *= 1 - m / (n - i)
    return mean / outputs[0]


def figures():
    reply = call_json(*words("--algorithm", ALL, "--budget", 20, "--seeds", 6, "--expert", 20))
    conforms(reply, "all tuners")
    equal((reply["pool"], reply["failed"], reply["best"]), (210, 0, 10), "pool and best")
    equal([r["algorithm"] for r in reply["results"]], ALL.split(","), "the order of the results")
    for result in reply["results"]:
        name, seeds = result["algorithm"], result["per_seed"]
        equal([one["seed"] for one in seeds], list(range(1, 7)), f"{name}: seeds")
        # 0.4 of the budget is 8 runs of each component; the second has 5 rows, the third is a constant: 6.5 runs.
        runs = (13, 14) if name in ("ceal", "alph") else (20, 0)
        for one in seeds:
            check(one["charged"] <= 20, f"{name}: charged {one['charged']} of 20")
            check(one["recommended"] <= one["measured"], f"{name}: the recommendation is worse than the best measured")
            if one["confirmed"]:
                check(one["recommended"] <= one["predicted"], f"{name}: it is worse than a confirmed prediction")
            equal((one["runs"]["workflow"], one["runs"]["components"]), runs, f"{name}: runs")
            uses = one["cost"] / (20 - 10 * one["recommended"]) if one["recommended"] < 2 else None
            check(math.isclose(one["least_uses"], uses, rel_tol=1e-9), f"{name}: least uses {one['least_uses']}, not {uses}")
        for key in ("predicted", "measured", "recommended"):
            values = [one[key] for one in seeds]
            mean = sum(values) / 6
            se = math.sqrt(sum((v - mean) ** 2 for v in values) / 5 / 6)
            found = result["normalised_best"][key]
            check(math.isclose(found["mean"], mean, rel_tol=1e-12) and math.isclose(found["se"], se, abs_tol=1e-12),
                  f"{name}: {key} {found}, not {mean} and {se}")
        total = result["cost"]["workflow"] + result["cost"]["components"]
        check(math.isclose(total, sum(one["cost"] for one in seeds) / 6, rel_tol=1e-9), f"{name}: cost")
        check((result["cost"]["components"] > 0) == (name in ("ceal", "alph")), f"{name}: cost of components")
    text = call(*words("--algorithm", "al,rs", "--budget", 10, "--seeds", 2)).stdout
    check("210 configurations" in text and "recommended" in text and "\n  al" in text, f"the text: {text}")


def random_search():
    """Random search has a closed form; so has its budget."""
    reply = call_json(*words("--algorithm", "rs", "--budget", 12, "--seeds", 400, "--no-confirmation"))
    result = reply["results"][0]
    exact = expected_best([output(a, b, c) for a in range(7) for b in range(6) for c in range(5)], 12)
    found = result["normalised_best"]["measured"]
    check(abs(found["mean"] - exact) < 4 * found["se"], f"random search: {found}, expected {exact}")
    check(all(one["runs"]["workflow"] == 12 for one in result["per_seed"]), "random search: runs")


def seeds_and_history():
    one = call_json(*words("--algorithm", "ceal,geist", "--budget", 15, "--seeds", 3, "--first-seed", 5))
    two = call_json(*words("--algorithm", "geist,ceal", "--budget", 15, "--seeds", 3, "--first-seed", 5, "--jobs", 1))
    equal(one["results"][0]["per_seed"], two["results"][1]["per_seed"], "the same seeds, another order and one thread")
    later = call_json(*words("--algorithm", "ceal", "--budget", 15, "--seeds", 1, "--first-seed", 6))
    equal(later["results"][0]["per_seed"][0], one["results"][0]["per_seed"][1], "seed 6")
    free = call_json(*words("--algorithm", "ceal", "--budget", 15, "--seeds", 3, "--history"))["results"][0]
    equal(free["cost"]["components"], 0, "components with --history")
    check(all(one["runs"]["workflow"] == 15 for one in free["per_seed"]), "every run is one of the workflow with --history")
    conforms(one, "two tuners")
    for more in ("--pretrain", "--adaptive-random"):
        reply = call_json(*words("--algorithm", "ceal", "--budget", 30, "--seeds", 2, more))
        check(all(seed["charged"] <= 30 for seed in reply["results"][0]["per_seed"]), f"{more}: charged")


def maximise():
    """The same table turned upside down gives the same trials: 1 / y is ranked as y is."""
    rows = [(a, b, output(a, b, 4)) for a in range(7) for b in range(6)]
    low = write("low.csv", "a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows))
    high = write("high.csv", "a,b,y\n" + "".join(f"{a},{b},{100 - y}\n" for a, b, y in rows))
    for words_of in ((low,), (high, "--maximise")):
        reply = call_json("tune", "--table", words_of[0], "--objective", "y", "--algorithm", "geist", "--budget", 12, "--seeds", 5,
                          *words_of[1:])
        best = reply["best"]
        found = [round((one["measured"] - 1) * best if len(words_of) == 1 else best - best / one["measured"], 6)
                 for one in reply["results"][0]["per_seed"]]
        if len(words_of) == 1:
            wanted = found
    equal(found, wanted, "distance to the best, minimised and maximised")


def failures():
    """Failed runs: empty, inf, valid 0. They spend budget and are not recommended."""
    text = "a,b,y,valid\n" + "".join(
        f"{a},{b},{'' if a == 0 else 'inf' if a == 1 else 1 if a == 2 else output(a, b, 4)},{int(a != 2)}\n"
        for a in range(7) for b in range(6))
    path = FOLDER / "failures.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    reply = call_json("tune", "--table", path, "--objective", "y", "--algorithm", "al,geist,rs", "--budget", 15, "--seeds", 4)
    equal((reply["pool"], reply["failed"], reply["best"]), (24, 18, 10), "rows that can be run, and those that failed")
    conforms(reply, "a table with failures")
    for result in reply["results"]:
        check(all(one["runs"]["workflow"] == 15 and one["recommended"] >= 1 for one in result["per_seed"]), f"{result['algorithm']}")
    check(any(one["runs"]["failed"] for one in reply["results"][2]["per_seed"]), "random search met no failure")


BAD = {
    "objective.csv": ("a,b,z\n1,2,3\n2,3,4\n", 3, "objective.csv:1:1", "no column 'y'"),
    "nothing.csv": ("", 3, "nothing.csv", ""),
    "header.csv": ("a,b,y\n", 3, "header.csv:1:1", "no rows"),
    "only.csv": ("y\n1\n2\n", 3, "only.csv:1:1", "no parameter"),
    "twice.csv": ("a,b,a,y\n1,2,3,4\n", 3, "twice.csv:1:5", "two columns 'a'"),
    "text.csv": ("a,b,y\n1,2,3\n2,fast,4\n", 3, "text.csv:3:3", "'fast' is not a number"),
    "words.csv": ("a,b,y\n1,2,3\n2,3,slow\n", 3, "words.csv:3:5", "'slow' is not a number"),
    "infinite.csv": ("a,b,y\n1,2,3\ninf,3,4\n", 3, "infinite.csv:3:1", "'inf' is not a number"),
    "valid.csv": ("a,y,valid\n1,2,yes\n2,3,1\n", 3, "valid.csv:2:5", "'yes' is not a number"),
    "failed.csv": ("a,b,y\n1,2,inf\n2,3,\n", 3, "failed.csv:2:5", "every run failed"),
    "one.csv": ("a,b,y\n1,2,3\n", 3, "one.csv:2:5", "one row"),
    "contradiction.csv": ("a,b,y\n1,2,3\n2,2,3\n1,2,4\n", 3, "contradiction.csv:4:5", "line 2"),
    "ragged.csv": ("a,b,y\n1,2,3\n1,2\n", 3, "ragged.csv:3:1", "2 cells"),
    "wide.csv": ("a,b,y\n1,2,3\n1,2,4,5\n", 3, "wide.csv:3:1", "4 cells"),
    "cut.csv": ("a,b,y\n1,2,3\n2,3,4\n3,", 3, "cut.csv:4:1", "2 cells"),
    "empty.csv": ("a,b,y\n1,2,3\n2,,4\n", 3, "empty.csv:3:3", "'' is not a number"),
    "quoted.csv": ("a,\"b, c\",y\n1,2,3\n2,\"x, y\",4\n", 3, "quoted.csv:3:3", "'x, y' is not a number"),
    "lines.csv": ("a,b,y\n1,2,3\n2,\"x\ny\",4\n5,6,z\n", 3, "lines.csv:5:5", "'z' is not a number"),
    "fails.csv": ("a,b,y\n1,2,3\n1,2,inf\n3,4,5\n", 3, "fails.csv:3:5", "line 2"),
    "same.csv": ("a,b,y\n1,2,3\n1,2,3\n1.0,2,3\n", 3, "same.csv:2:5", "one row"),
    "invalid.csv": ("a,y,valid\n1,2,0\n2,3,0\n", 3, "invalid.csv:2:3", "every run failed"),
}


def end_of_text(data):
    """Line and column behind what can be unpacked of a gz file, by another program."""
    text = zlib.decompressobj(31).decompress(data).decode()
    return f"{text.count(chr(10)) + 1}:{len(text) - text.rfind(chr(10))}"


def broken_columns():
    """Columns that the options name, and the table lacks."""
    path = write("columns.csv", "a,b,y,watts\n1,2,3,4\n2,3,4,5\n")
    for more, said in ((("--ignore", "wats"), "did you mean 'watts'"), (("--ignore", "z"), "no column 'z' to ignore"),
                       (("--objective", "joules"), "no column 'joules'")):
        run = call("tune", "--table", path, "--objective", "y", "--algorithm", "rs", *more, expect=3)
        check("columns.csv:1:1" in run.stderr and said in run.stderr, f"{more}: expected '{said}':\n{run.stderr}")


def broken():
    for name, (text, status, place, said) in BAD.items():
        path = write(name, text)
        run = call("tune", "--table", path, "--objective", "y", "--algorithm", "rs", expect=status)
        check(place in run.stderr and said in run.stderr, f"{name}: expected '{place}' and '{said}':\n{run.stderr}")
    text = "a,b,y\n" + "".join(f"{a},{b},{a + b}.{random.Random(a * 99 + b).random()}\n".replace(".0.", ".") for a in range(40) for b in range(40))
    whole = gzip.compress(text.encode())
    damaged = bytearray(whole)
    damaged[-6] ^= 255
    for name, data, said, place in (
            ("short.csv.gz", whole[:len(whole) // 2], "is cut short", end_of_text(whole[:len(whole) // 2])),
            ("trailer.csv.gz", whole[:-4], "is cut short", end_of_text(whole)), ("head.csv.gz", whole[:6], "is cut short", "1:1"),
            ("bare.csv.gz", b"", "is cut short", "1:1"), ("plain.csv.gz", b"a,y\n1,2\n2,3\n", "is not one", "1:1"),
            ("crc.csv.gz", bytes(damaged), "is damaged", end_of_text(whole))):
        (FOLDER / name).write_bytes(data)
        run = call("tune", "--table", FOLDER / name, "--objective", "y", "--algorithm", "rs", expect=3)
        check(said in run.stderr and f"{name}:{place}" in run.stderr, f"{name}: expected '{said}' at {place}:\n{run.stderr}")
    run = call("tune", "--table", FOLDER / "missing.csv", "--objective", "y", expect=3)
    check("there is no file" in run.stderr, run.stderr)
    repeated = write("repeated.csv", "a,y\n1,2\n2,3\n1,2\n3,1\n")
    reply = call_json("tune", "--table", repeated, "--objective", "y", "--algorithm", "rs", "--seeds", 1, "--budget", 2)
    check(reply["pool"] == 3 and "repeat" in " ".join(reply["warnings"]), "rows that repeat earlier ones")
    leak = write("leak.csv", "a,t,y\n" + "".join(f"{i % 5 + 10 * (i // 5)},{i * 1.5},{i}\n" for i in range(30)))
    reply = call_json("tune", "--table", leak, "--objective", "y", "--algorithm", "rs", "--seeds", 1, "--budget", 2)
    check("--ignore t" in " ".join(reply["warnings"]), f"a column that looks measured: {reply['warnings']}")


def broken_components():
    workflow = tables()[0]
    base = ("tune", "--table", workflow, "--objective", "seconds", "--ignore", "watts", "--algorithm", "ceal")
    for name, text, place, said in (("other.csv", "a,x,seconds\n1,2,3\n", "other.csv:1:3", "not a parameter of the workflow"),
                                    ("lacks.csv", "a,b\n1,2\n", "lacks.csv:1:1", "no column 'seconds'"),
                                    ("constants.csv", "seconds\n1\n2\n", "constants.csv:3:1", "as in line 2"),
                                    ("speech.csv", "a,seconds\n1,2\n2,soon\n", "speech.csv:3:3", "'soon' is not a number"),
                                    ("disagrees.csv", "a,b,seconds\n1,2,3\n1,2,4\n", "disagrees.csv:3:5", "line 2"),
                                    ("down.csv", "a,seconds\n1,inf\n", "down.csv:2:3", "every run failed")):
        run = call(*base, "--component", f"x={write(name, text)}", expect=3)
        check(place in run.stderr and said in run.stderr, f"{name}: expected '{place}' and '{said}':\n{run.stderr}")


def usage():
    workflow = tables()[0]
    base = ("tune", "--table", workflow)
    for more, said in (((), "no objective"), (("--objective", "seconds", "--algorithm", "ceel"), "did you mean 'ceal'"),
                       (("--objective", "seconds", "--algorithm", "ceal"), "needs components"),
                       (("--objective", "seconds", "--algorithm", "al,al"), "named twice"),
                       (("--objective", "seconds", "--history"), "needs components"),
                       (("--objective", "seconds", "--maximise", "--minimise"), "exclude each other"),
                       (("--objective", "seconds", "--budget", "0.5"), "less than one run"),
                       (("--objective", "seconds", "--combine", "mean"), "max, sum or min")):
        run = call(*base, *more, expect=2)
        check(said in run.stderr, f"{more}: {run.stderr}")
    run = call("tune", expect=2)
    check("--table" in run.stderr, run.stderr)
    listed = call_json("list")["tuners"]
    check({"ceal", "al", "alph", "geist", "rs"} <= {tuner["name"] for tuner in listed}, "tuners in 'list'")


def interrupted():
    """Ctrl-C ends a long replay; progress is reported on the way."""
    command = [support.PROGRAM, *map(str, words("--algorithm", "al", "--budget", 100, "--seeds", 100000, "--progress", "json"))]
    run = subprocess.Popen(command, env=support.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    begin = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=120)
    equal(run.returncode, 130, "exit status after Ctrl-C")
    check('"replay"' in said, f"progress: {said[-500:]}")
    check(time.monotonic() - begin < (60 if support.SANITIZED else 20), "Ctrl-C was not answered")


def recorded():
    """The tables of in-situ workflows, with few seeds; `make papers` has the many."""
    folder = support.SHARED / "data/tuning/tables/lv"
    if not folder.exists():
        support.skip_part("there is no ../shared/data/tuning")
        return
    reply = call_json("tune", "--table", folder / "workflow.csv", "--objective", "core_h", "--ignore", "exec_s", "--combine", "sum",
                      "--component", f"lmp={folder / 'lmp.csv'}", "--component", f"vr={folder / 'vr.csv'}", "--algorithm", "ceal,al",
                      "--budget", 50, "--seeds", 2 if support.SANITIZED else 10)
    equal((reply["pool"], round(reply["best"], 4)), (1835, 3.1284), "LV: rows and best")
    wanted = {("lv", "core_h"): (40, 40, 52), ("lv", "exec_s"): (0, 20, 24), ("gp", "core_h"): (60, 40, 32)}  # of another program
    for (workflow, column), recalls in wanted.items():
        parts = [f"{path.stem}={path}" for path in sorted((folder.parent / workflow).glob("*.csv")) if "workflow" not in path.stem]
        words_of = [word for part in parts for word in ("--component", part)]
        found = call_json("tune", "--table", folder.parent / workflow / "workflow.csv", "--objective", column, "--ignore",
                          "exec_s" if column == "core_h" else "core_h", "--combine", "sum" if column == "core_h" else "max", *words_of,
                          "--history", "--algorithm", "ceal", "--budget", 4, "--seeds", 1)["component_recall"]
        equal(tuple(found[n - 1] for n in (5, 10, 25)), recalls, f"{workflow} {column}: recall of the combined components")
    ceal, al = (result["normalised_best"]["measured"] for result in reply["results"])
    check(ceal["mean"] < 1.2 and al["mean"] < 1.4, f"LV: ceal {ceal}, al {al}")
    for one in reply["results"][0]["per_seed"]:
        equal((one["charged"], one["runs"]["workflow"], one["runs"]["components"]), (50, 30, 40), "LV: what CEAL was charged")


def main():
    support.need_program()
    figures()
    random_search()
    seeds_and_history()
    maximise()
    failures()
    broken()
    broken_columns()
    broken_components()
    usage()
    interrupted()
    recorded()
    support.finish()


main()
