#!/usr/bin/env python3
"""A statistician's path: a problem of SALib, a design that knows how it was made, an analysis to files of three kinds.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.analyse)
"""
import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys

import _support as support
from _sensitivity import PI, close, ishigami, ishigami_space, named, read_dicts, read_rows, real, write_column, write_space
from _support import call, call_json, check, equal

FOLDER = support.scratch()
PROBLEM = {"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[-PI, PI]] * 3, "groups": None, "outputs": ["Y"]}
FREE = "correlation, regression, rbd-fast, pawn, delta, given-data or pce"


def write_json(name, value):
    (FOLDER / name).write_text(json.dumps(value, indent=1), encoding="utf-8")
    return name


def fails(code, number, said, *words):
    """What the program says; it ends with a code, the number of the error, the text and a line of help."""
    run = call(*words, cwd=FOLDER, expect=code)
    what = " ".join(map(str, words))
    for part in (f"error[T{number}]", said, "help:"):
        check(part in run.stderr, f"{what}: no '{part}' in\n{run.stderr}")
    return run.stderr


def run_model(design="design.csv", outputs="y.csv"):
    write_column(FOLDER / outputs, [ishigami(row) for row in read_dicts(FOLDER / design)])


def analyse(*words, **options):
    return call_json("analyse", "--design", "design.csv", "--outputs", "y.csv", *words, cwd=FOLDER, **options)


# ---- the path ----

def check_rows():
    """The order of SALib.sample.sobol: A, A with one column of B after the other, B with those of A, B."""
    rows = [[float(cell) for cell in row] for row in read_rows(FOLDER / "design.csv")[1:]]
    for start in range(0, 80, 8):
        block = rows[start:start + 8]
        a, b = block[0], block[7]
        equal(block[1:4], [[b[c] if c == j else a[c] for c in range(3)] for j in range(3)], "rows AB of a base sample")
        equal(block[4:7], [[a[c] if c == j else b[c] for c in range(3)] for j in range(3)], "rows BA of a base sample")


def check_path():
    write_json("problem.json", PROBLEM)
    text = call("sample", "--method", "sobol", "--space", "problem.json", "-N", 2048, "--seed", 7, "-o", "design.csv",
                cwd=FOLDER).stdout
    check("tessera analyse --design design.csv --outputs y.csv\n" in text, f"the next step is not\n{text}")
    check_rows()
    run_model()
    reply = analyse("-o", "indices.json")
    equal((reply.get("method"), reply.get("layout"), reply.get("blocks")), ("vbd", "saltelli-second-order", 2048), "found")
    equal({name: reply.get("drawn", {}).get(name) for name in ("method", "seed")}, {"method": "sobol", "seed": 7}, "drawn")
    for column, right in (("S1", (0.3139, 0.4424, 0)), ("ST", (0.5576, 0.4424, 0.2437))):
        for (name, found), wanted in zip(named(reply, column).items(), right):
            check(abs(found - wanted) < 0.03, f"{column} of {name} is {found}, not {wanted}")
    pairs = {(pair["a"], pair["b"]): pair["value"] for pair in reply.get("S2", [])}
    for names, wanted in ((("x1", "x2"), 0), (("x1", "x3"), 0.2437), (("x2", "x3"), 0)):
        check(abs(pairs.get(names, 9) - wanted) < 0.05, f"S2 of {names} is {pairs.get(names)}, not {wanted}")
    check("x1" in reply.get("answer", ""), f"the answer is {reply.get('answer')}")
    equal(json.loads((FOLDER / "indices.json").read_text()), reply, "the JSON file is the reply")
    return reply


def check_table(reply):
    """One row per output and parameter; numbers read back as those of the reply."""
    rows = read_dicts(FOLDER / "design.csv")
    with open(FOLDER / "y.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "a,b"])
        writer.writerows([repr(ishigami(row)), row["x2"]] for row in rows)
    text = call("analyse", "--design", "design.csv", "--outputs", "y.csv", "-o", "indices.csv", cwd=FOLDER).stdout
    check("\nWrote indices.csv\n" in text, f"not said:\n{text}")
    found = read_dicts(FOLDER / "indices.csv")
    equal([(row["output"], row["parameter"]) for row in found],
          [(o, p) for o in ("y", "a,b") for p in ("x1", "x2", "x3")], "rows of the table")
    for row, index in zip(found[:3], reply["indices"]):
        for column in ("S1", "S1_lo", "S1_hi", "ST", "ST_lo", "ST_hi", "n"):
            equal(float(row[column]), index[column], f"{column} of {row['parameter']} in the table")
        equal(int(row["rank"]), reply["order"].index(index["name"]) + 1, f"rank of {row['parameter']}")
        equal(row["finding"], index["finding"], f"finding of {row['parameter']}")
    check(close(float(found[4]["S1"]), 1, 0.02), f"S1 of x2, which is the second output: {found[4]['S1']}")
    run_model()


def check_page(name, *wanted):
    page = (FOLDER / name).read_text(encoding="utf-8")
    run = subprocess.run([sys.executable, support.ROOT / "tests/report/check_report.py", FOLDER / name],
                         capture_output=True, text=True, timeout=60)
    equal(run.returncode, 0, f"{name}: {run.stdout}{run.stderr}")
    for text in (*wanted, "default-src 'none'", "What matters</h2>", "Trust</h2>",
                 "Method</h2>", "x3"):
        check(text in page, f"{name}: no '{text}'")
    check("<img" not in page and "No task failed" not in page, f"{name}: it speaks of an engine")
    embedded = re.search(r'<script type="application/json" id="tessera-result">(.*?)</script>', page, re.DOTALL)
    return json.loads(embedded[1]) if embedded else {}


def check_pages(reply):
    said = analyse("-o", "indices.html", "--convergence")
    embedded = check_page("indices.html", "Which parameters matter for y?", "first-order and total indices",
                          "Second-order indices (S2)", "16384", "design.csv", "(sobol), seed 7")
    equal(embedded, said, "the object in the page")
    equal(embedded.get("indices"), reply["indices"], "indices of the page")
    equal(embedded["digests"]["design"], support.sha256((FOLDER / "design.csv").read_bytes()), "SHA-256 of the design")
    call("sample", "--method", "morris", "--space", "problem.json", "-N", 12, "--levels", 6, "-o", "design.csv", cwd=FOLDER)
    run_model()
    said = analyse("-o", "morris.HTML")
    check_page("morris.HTML", "sigma", "12 trajectories")
    check(all("class" in item for item in said["indices"]), "classes of a Morris analysis")
    write_json("params.json", {"parameters": [real("x1", -PI, PI), real("x2", -PI, PI),
                                              {"name": "x3", "type": "real", "distribution": {"normal": {"mean": 0, "sd": 1}}}]})
    call("sample", "--method", "lhs", "--space", "params.json", "-N", 300, "-o", "design.csv", cwd=FOLDER)
    run_model()
    equal(analyse("-o", "lhs.html").get("method"), "correlation", "the method that sample proposes for a hypercube")
    check_page("lhs.html", "normal (mean 0, sd 1)", "prcc")
    warned = analyse("--method", "delta", "--resamples", 0).get("warnings", [])
    check(any("300 runs give 5 classes" in text and "'pce'" in text for text in warned), f"delta of few runs: {warned}")


def check_targets():
    words = ("analyse", "--design", "design.csv", "--outputs", "y.csv", "-o")
    for name in ("indices.xlsx", "indices", "csv"):
        fails(2, 901, f"what to write to '{name}' is not known from its ending", *words, name)
    for name in ("y.csv", "design.csv", "./design.csv", "design.csv.json"):
        before = (FOLDER / name).read_bytes()
        fails(3, 316, "which is read here", *words, name)
        equal((FOLDER / name).read_bytes(), before, f"{name} afterwards")
    fails(3, 316, "No such file or directory", *words, "nowhere/indices.csv")
    (FOLDER / "old.csv").write_text("old", encoding="utf-8")
    call(*words, "old.csv", cwd=FOLDER)
    check((FOLDER / "old.csv").read_text().startswith("output,parameter,rank,"), "an older file is replaced")


# ---- the file beside a design ----

def check_schema():
    """What is kept has the published form, for every kind of parameter, and says which space it is."""
    import jsonschema
    schema = json.loads((support.ROOT / "docs/schema/design.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    write_space(FOLDER / "kinds.json", [
        {"name": "k", "type": "integer", "range": [3, 7], "group": "a"}, {"name": "w", "type": "real", "grid": [0.5, 1, 2],
         "weights": [1, 2, 1]}, {"name": "mode", "type": "string", "grid": ["fast", "exact"]},
        {"name": "n", "type": "integer", "distribution": {"normal": {"mean": 50, "sd": 9}}}, real("x", 0, 1), real("z", 0, 1)],
        constraints=["x < 0.9", "x<z"], correlations=[{"between": ["x", "z"], "rank": 0.4}])
    words = ("sample", "--method", "lhs", "-N", 60, "--seed", 5, "--unit")
    call(*words, "--space", "kinds.json", "-o", "kinds.csv", cwd=FOLDER)
    origin = json.loads((FOLDER / "kinds.csv.json").read_text())
    for error in validator.iter_errors(origin):
        check(False, f"the schema refuses what was written: {error.json_path}: {error.message[:200]}")
    text = json.dumps(origin["space"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    equal(support.sha256(text.encode()), origin["space_digest"], "the digest of the space")
    call(*words, "--space", "kinds.csv.json", "-o", "again.csv", cwd=FOLDER)
    equal((FOLDER / "again.csv").read_bytes(), (FOLDER / "kinds.csv").read_bytes(), "drawn from the space that was kept")


def check_origin():
    ishigami_space(FOLDER / "space.json")
    reply = call_json("sample", "--method", "morris", "--space", "space.json", "-N", 8, "--levels", 6, "--seed", 3, "-o",
                      "design.csv", cwd=FOLDER)
    equal(reply.get("design_json"), "design.csv.json", "the file beside the design")
    origin = json.loads((FOLDER / "design.csv.json").read_text())
    wanted = {"schema": "tessera.design/1", "method": "morris", "layout": "trajectories", "runs": 32, "levels": 6, "seed": 3}
    equal({name: origin.get(name) for name in wanted}, wanted, "what the file beside the design says")
    run_model()
    asked = call_json("analyse", "--method", "morris", "--levels", 6, "--space", "space.json", "--design", "design.csv",
                      "--outputs", "y.csv", cwd=FOLDER)
    equal(analyse().get("indices"), asked.get("indices"), "with and without method, space and levels")
    # The same space in other words has the same digest; another one does not.
    write_json("problem.json", PROBLEM)
    equal(analyse("--space", "problem.json").get("indices"), asked.get("indices"), "the space as a problem of SALib")
    equal(analyse("--space", "design.csv.json").get("indices"), asked.get("indices"), "the space that was kept")
    write_json("other.json", {**PROBLEM, "bounds": [[-PI, PI], [-PI, PI], [-4, 4]]})
    words = ("analyse", "--design", "design.csv", "--outputs", "y.csv")
    said = fails(3, 315, "'design.csv' was not drawn from the space of 'other.json' as it is now", *words, "--space",
                 "other.json")
    check("leave --space out" in said and "design.csv.json" in said, f"no way out in\n{said}")
    for method in ("vbd", "fast", "dgsm"):
        said = fails(3, 315, "'design.csv' was drawn with 'morris' (", *words, "--method", method)
        check(f"for this design use --method morris, {FREE}; '{method}' needs" in said, f"{method}: no way out in\n{said}")
    # Of another design: said where it can be seen.
    rows = read_rows(FOLDER / "design.csv")
    with open(FOLDER / "design.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows[:-4])
    run_model()
    warned = analyse().get("warnings", [])
    check(any("'design.csv' has 28 rows, but the file beside it says that 32 were drawn" in text for text in warned),
          f"fewer rows than were drawn: {warned}")


def check_wrong_design():
    call("sample", "--method", "lhs", "--space", "space.json", "-N", 80, "-o", "design.csv", cwd=FOLDER)
    run_model()
    words = ("analyse", "--design", "design.csv", "--outputs", "y.csv")
    for method, needed in (("vbd", "Saltelli design; "), ("sobol", "Saltelli design; "), ("morris", "Morris design; ")):
        said = fails(3, 315, "'design.csv' was drawn with 'lhs' (Latin hypercube", *words, "--method", method)
        name = "vbd" if method == "sobol" else method
        check(f"but '{name}' needs a {needed[:-2]}" in said, f"{method}: not what it needs in\n{said}")
        check(f"for this design use --method {FREE};" in said, f"{method}: no way out in\n{said}")
    call("sample", "--method", "saltelli", "--space", "space.json", "-N", 16, "-o", "design.csv", cwd=FOLDER)
    run_model()
    check("S2" not in analyse(), "indices of pairs without their rows")
    said = fails(3, 315, "this is not a Saltelli design of second order", *words, "--second-order")
    check("draw the design with: tessera sample --method sobol" in said, f"no way out in\n{said}")


def check_other_files():
    """What is not of tessera beside a design is neither used nor replaced."""
    words = ("sample", "--method", "lhs", "--space", "space.json", "-N", 20, "-o", "mine.csv")
    write_json("mine.csv.json", {"mine": 1})
    fails(3, 316, "is not what 'tessera sample' writes beside a design", *words)
    check(not (FOLDER / "mine.csv").exists(), "a design was written")
    equal(json.loads((FOLDER / "mine.csv.json").read_text()), {"mine": 1}, "a file of others")
    fails(3, 316, "which is read here", *words[:-1], "space.json")
    call(*words[:-1], "/dev/null", cwd=FOLDER)
    check(not os.path.exists("/dev/null.json"), "a file beside a device")
    call(*words[:-1], "design.csv", cwd=FOLDER)
    run_model()
    (FOLDER / "design.csv.json").write_text("{", encoding="utf-8")
    run = call("analyse", "--design", "design.csv", "--outputs", "y.csv", cwd=FOLDER, expect=2)
    check("no method was given" in run.stderr and "DESIGN.csv.json" in run.stderr, f"a broken file beside:\n{run.stderr}")
    call("analyse", "--method", "correlation", "--space", "space.json", "--design", "design.csv", "--outputs", "y.csv", cwd=FOLDER)


# ---- problems of SALib ----

NORMAL = statistics.NormalDist()
INVERSES = {  # of the distributions as scipy.stats has them, with the bounds as SALib gives them
    "unif": ([2, 5], lambda u: 2 + 3 * u),
    "logunif": ([0.1, 100], lambda u: 0.1 * 1000 ** u),
    "norm": ([3, 0.5], lambda u: 3 + 0.5 * NORMAL.inv_cdf(u)),
    "lognorm": ([0.2, 0.4], lambda u: math.exp(0.2 + 0.4 * NORMAL.inv_cdf(u))),
    "truncnorm": ([-1, 2, 0.5, 1.5], lambda u: 0.5 + 1.5 * NORMAL.inv_cdf(NORMAL.cdf(-1) + u * (NORMAL.cdf(1) - NORMAL.cdf(-1)))),
    "triang": ([1, 3, 0.25], lambda u: 1 + math.sqrt(u * 2 * 0.5) if u < 0.25 else 3 - math.sqrt((1 - u) * 2 * 1.5)),
}


def check_distributions():
    names = list(INVERSES)
    (FOLDER / "design.csv.json").unlink()
    write_json("dists.json", {"num_vars": 6, "names": names, "bounds": [INVERSES[n][0] for n in names], "dists": names})
    call("sample", "--method", "lhs", "--space", "dists.json", "-N", 40, "--unit", "-o", "design.csv", cwd=FOLDER)
    for row in read_dicts(FOLDER / "design.csv"):
        for name in names:
            u, value = float(row[f"u_{name}"]), float(row[name])
            wanted = INVERSES[name][1](u)
            check(abs(value - wanted) < 1e-9 * max(1, abs(wanted)), f"{name} at {u} is {value}, not {wanted}")
    # The kept space gives the same design again.
    call("sample", "--method", "lhs", "--space", "design.csv.json", "-N", 40, "--unit", "-o", "again.csv", cwd=FOLDER)
    equal((FOLDER / "again.csv").read_bytes(), (FOLDER / "design.csv").read_bytes(), "drawn from the kept space")
    write_json("two.json", {"names": ["t"], "bounds": [[4, 0.5]], "dists": ["triang"]})
    call("sample", "--method", "lhs", "--space", "two.json", "-N", 50, "-o", "two.csv", cwd=FOLDER)
    values = [float(row["t"]) for row in read_dicts(FOLDER / "two.csv")]
    check(0 < min(values) < 1 and 3 < max(values) < 4, f"a triangle of two bounds: {min(values)} to {max(values)}")
    write_json("groups.json", {**PROBLEM, "groups": ["a", "b", "a"]})
    reply = call_json("sample", "--method", "sobol", "--space", "groups.json", "-N", 4, "-o", "design.csv", cwd=FOLDER)
    equal((reply.get("groups"), reply.get("runs")), (["a", "b"], 4 * 6), "groups of a problem")


def check_problem_faults():
    def said(number, text, place, **changes):
        problem = {name: value for name, value in {**PROBLEM, **changes}.items() if value != "absent"}
        write_json("bad.json", problem)
        found = fails(3, number, text, "sample", "--method", "lhs", "--space", "bad.json")
        check(re.search(rf"bad\.json:{place}", found), f"{changes}: not placed at {place} in\n{found}")
        return found

    said(314, "tessera does not have the distribution 'weibull' of SALib", r"\d+:", dists=["unif", "weibull", "norm"])
    found = said(314, "the distribution 'uniform'", r"\d+:", dists=["unif", "uniform", "norm"])
    check("did you mean 'unif'?" in found or "truncnorm" in found, f"no distributions are named in\n{found}")
    said(204, "the bounds of 'x2' (truncnorm) must be 4 numbers", r"\d+:", dists=["unif", "truncnorm", "unif"])
    said(204, "the bounds of 'x1' (triang) must be 2 or 3 numbers", r"\d+:", dists=["triang", "unif", "unif"],
         bounds=[[1, 2, 3, 4], [0, 1], [0, 1]])
    said(314, "'num_vars' is 4, but there are 3 names", "2:", num_vars=4)
    said(314, "'bounds' has 2 entries, but there are 3 names", r"\d+:", bounds=[[0, 1], [0, 1]])
    said(314, "'groups' has 1 entries", r"\d+:", groups=["a"])
    said(312, "'range' of parameter 'x2' is empty", r"\d+:", bounds=[[0, 1], [2, 1], [0, 1]])
    said(211, "parameter 'x1' occurs twice", r"\d+:", names=["x1", "x2", "x1"])
    found = said(212, "'β' cannot be the name of a parameter", r"\d+:", names=["x1", "β", "x3"])
    check("a letter from A to Z or a to z" in found, f"which letters is not said in\n{found}")
    found = said(201, "has no key 'dist'", r"\d+:", dist=["unif"] * 3)
    check("did you mean 'dists'?" in found, f"no proposal in\n{found}")
    said(202, "needs the key 'bounds'", r"\d+:", bounds="absent")


def check_space_words():
    write_space(FOLDER / "ends.json", [{"name": "x1", "type": "real", "min": 0, "max": 1}])
    said = fails(3, 201, "parameter 'x1' has no key 'min'", "sample", "--method", "lhs", "--space", "ends.json")
    check('write "range": [2.5, 7.5] instead' in said, f"no hint at 'range' in\n{said}")
    write_json("nothing.json", {"variables": []})
    said = fails(3, 202, "a space file needs a list of 'parameters'", "sample", "--method", "lhs", "--space", "nothing.json")
    check("problem of SALib" in said, f"no hint at SALib in\n{said}")


support.need_program()
first = check_path()
check_table(first)
check_pages(first)
check_targets()
check_schema()
check_origin()
check_wrong_design()
check_other_files()
check_distributions()
check_problem_faults()
check_space_words()
support.finish()
