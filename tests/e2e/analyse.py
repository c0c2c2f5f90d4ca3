#!/usr/bin/env python3
"""Analyses runs with `tessera analyse`: reference vectors, own models, failed runs, and every way it can fail.

SPDX-License-Identifier: Apache-2.0
test-timeout: 240
"""
import itertools
import json
import math
import random
import re
import subprocess

import _support as support
from _sensitivity import (PI, close, ishigami, ishigami_space, named, read_dicts, read_rows, real, write_column,
                          write_rows, write_space)
from _support import call, call_json, check, equal

FOLDER = support.scratch()
VECTORS = support.vectors("sensitivity")
GRIDS = {"B": (210, 240, 10), "G": (210, 240, 10), "R": (210, 240, 10), "T1": (2.5, 7.5, 0.5), "T2": (2.5, 7.5, 0.5),
         "G1": (5, 80, 5), "G2": (2, 40, 2), "minS": (2, 40, 2), "maxS": (900, 1500, 50), "minSPl": (5, 80, 5),
         "minSS": (2, 40, 2), "maxSS": (900, 1500, 50), "FH": (4, 8, 4), "RC": (4, 8, 4), "WConn": (4, 8, 4)}


def analyse(method, *words, space="space.json", design="design.csv", outputs="y.csv", **options):
    return call_json("analyse", "--method", method, "--space", space, "--design", design, "--outputs", outputs, *words,
                     cwd=FOLDER, **options)


def fails(code, number, said, method, *words, space="space.json", design="design.csv", outputs="y.csv", files=True):
    named_files = ("--space", space, "--design", design, "--outputs", outputs) if files else ()
    run = call("analyse", "--method", method, *named_files, *words, cwd=FOLDER, expect=code)
    what = f"{method} {' '.join(map(str, words))} {design} {outputs}"
    check(f"error[T{number}]" in run.stderr, f"{what}: no T{number} in\n{run.stderr}")
    check(said in run.stderr, f"{what}: '{said}' is not in\n{run.stderr}")
    check("help:" in run.stderr, f"{what}: no help in\n{run.stderr}")
    equal(run.stdout, "", f"{what}: standard output")
    return run.stderr


def sample(*words, space="space.json", name="design.csv"):
    call("sample", "--space", space, "-o", name, *words, cwd=FOLDER)
    return read_dicts(FOLDER / name)


# ---- reference vectors ----

def grid_space():
    """The grids of the segmentation, as the vectors use them: all values are written as reals."""
    parameters = []
    for name, (low, high, step) in GRIDS.items():
        count = round((high - low) / step) + 1
        parameters.append({"name": name, "type": "real", "grid": [low + step * i for i in range(count)]})
    return write_space(FOLDER / "grid.json", parameters)


def split_vector(name):
    """The file of a vector in two: inputs (unit coordinates too) and y."""
    rows = read_rows(VECTORS / name)
    write_rows(FOLDER / "design.csv", [row[:-1] for row in rows])
    write_rows(FOLDER / "y.csv", [row[-1:] for row in rows])
    return rows


def compare(reply, wanted, columns, what):
    names = [item["name"] for item in reply.get("indices", [])]
    for column in columns:
        found = [item.get(column) for item in reply.get("indices", [])]
        if not check(len(found) == len(wanted[column]), f"{what}: {len(found)} indices"):
            return
        for name, value, right in zip(names, found, wanted[column]):
            check(close(value, right), f"{what}: {column} of {name} is {value}, not {right}")


def check_width(reply, column, halves, what):
    """Half widths of 95 % normal intervals, within 15 %."""
    for item, half in zip(reply["indices"], halves):
        width = (item[f"{column}_hi"] - item[f"{column}_lo"]) / 2
        check(abs(width - half) <= max(0.15 * half, 1e-9), f"{what}: {column} of {item['name']} +- {width}, not {half}")


def vector_morris(record, space):
    what = record["file"]
    split_vector(what)
    words = ("--levels", record["levels"])
    reply = analyse("morris", *words, "--resamples", 1000, "--interval", "normal", space=space)
    compare(reply, record, ("mu", "mu_star", "sigma"), what)
    equal({item["n"] for item in reply["indices"]}, {record["r"]}, f"{what}: n")
    check_width(reply, "mu_star", record["mu_star_conf95_R1000"], what)
    scaled = analyse("morris", *words, "--scaled", "--resamples", 0, space=space)
    compare(scaled, record["scaled"], ("mu", "mu_star", "sigma"), f"{what}, scaled")


def vector_sobol(record, space):
    what, count = record["file"], record["D"]
    rows = split_vector(what)
    reply = analyse("sobol", "--resamples", 1000, "--interval", "normal", space=space)  # the rows say that pairs are there
    compare(reply, record, ("S1", "ST"), what)
    for column in ("S1", "ST"):
        check_width(reply, column, record[f"{column}_conf95_R1000"], what)
    names = [item["name"] for item in reply["indices"]]
    pairs = {(item["a"], item["b"]): item["value"] for item in reply["S2"]}
    for a, b in itertools.combinations(range(count), 2):
        value, right = pairs.get((names[a], names[b])), record["S2"][a][b]
        check(close(value, right), f"{what}: S2 of {names[a]}, {names[b]} is {value}, not {right}")
    first = "first_and_total_only_on_rows_A_AB_B"
    if first in record:
        kept = [row for i, row in enumerate(rows[1:]) if i % (2 * count + 2) <= count or i % (2 * count + 2) == 2 * count + 1]
        write_rows(FOLDER / "design.csv", [rows[0][:-1], *[row[:-1] for row in kept]])
        write_rows(FOLDER / "y.csv", [["y"], *[row[-1:] for row in kept]])
        compare(analyse("sobol", space=space), record[first], ("S1", "ST"), f"{what}, first order")


def check_vectors():
    if not VECTORS.is_dir():
        support.skip_part("there is no ../shared/vectors/sensitivity")
        return
    expected = json.loads((VECTORS / "expected.json").read_text(encoding="utf-8"))
    spaces = {"ishigami": ishigami_space(FOLDER / "space.json"), "seggrid15": grid_space()}
    methods = [item["name"] for item in call_json("list").get("analyses", [])]
    for name, record in expected.items():
        space = spaces[name.split("_")[0]]
        kind = record.get("kind", "")
        if kind == "morris" and "morris" in methods:
            vector_morris(record, space)
        elif kind == "sobol" and "vbd" in methods:
            vector_sobol(record, space)
        elif kind == "fast" and "fast" in methods:
            split_vector(record["file"])
            compare(analyse("fast", "--harmonics", record["M"], "--resamples", 0), record, ("S1", "ST"), name)
        elif name == "ishigami_lhs_N500" and "pawn" in methods and "rbd-fast" in methods:
            split_vector(record["file"])
            reply = analyse("rbd-fast", "--harmonics", 10, "--resamples", 0)
            compare(reply, {"S1": record["rbd_fast_M10_S1"]}, ("S1",), name)
            reply = analyse("pawn", "--slices", 10, "--resamples", 0)
            compare(reply, record["pawn_S10"], ("minimum", "mean", "median", "maximum", "CV"), name)
        elif name == "ishigami_lhs_N500_correlation" and "correlation" in methods:
            split_vector(record["file"])
            reply = analyse("correlation")
            compare(reply, record, [c for c in ("pearson", "spearman", "pcc", "prcc") if c in reply["columns"]], name)
            check(len(reply["columns"]) >= 4, f"{name}: columns {reply['columns']}")
        elif kind == "morris-groups" and "morris" in methods:
            groups = {member: group for group, members in record["groups"].items() for member in members}
            split_vector(record["file"])
            reply = analyse("morris", "--levels", record["levels"], space=ishigami_space(FOLDER / "g.json", **groups))
            for group, right in record["mu_star"].items():
                check(close(named(reply, "mu_star").get(group), right), f"{name}: {named(reply, 'mu_star')}")


# ---- own models ----

def check_round_trips():
    ishigami_space(FOLDER / "space.json")
    for words in ((), ("--radial",), ("--candidates", 60)):
        rows = sample("--method", "morris", "-N", 20, "--seed", 3, *words)
        write_column(FOLDER / "y.csv", [2 * float(r["x1"]) - 3 * float(r["x2"]) for r in rows])
        reply = analyse("morris")
        equal(reply.get("schema"), "tessera.analyse/1", "schema")
        equal(reply.get("runs"), 80, f"morris {words}: runs")
        # The model is linear: every effect is the slope times the range.
        for name, slope in (("x1", 2), ("x2", -3), ("x3", 0)):
            check(close(named(reply, "mu").get(name), slope * 2 * PI, 1e-9), f"morris {words}: mu {named(reply, 'mu')}")
            check(close(named(reply, "mu_star").get(name), abs(slope) * 2 * PI, 1e-9), f"morris {words}: mu_star of {name}")
            check(close(named(reply, "sigma").get(name), 0, 1e-9), f"morris {words}: sigma of {name}")
        equal(named(reply, "n"), {"x1": 20, "x2": 20, "x3": 20}, f"morris {words}: n")
        equal(reply["outputs"][0]["order"], ["x2", "x1", "x3"], f"morris {words}: order")
    right = {"S1": {"x1": 0.3139, "x2": 0.4424, "x3": 0.0}, "ST": {"x1": 0.5576, "x2": 0.4424, "x3": 0.2437}}
    for words in ((), ("--base", "lhs")):
        rows = sample("--method", "saltelli", "-N", 4096, "--second-order", *words)
        write_column(FOLDER / "y.csv", [ishigami(row) for row in rows])
        reply = analyse("vbd", "--second-order", "--resamples", 100)
        for column, values in right.items():
            for name, value in values.items():
                found = named(reply, column).get(name)
                check(found is not None and abs(found - value) < 0.04, f"vbd {words}: {column} of {name} is {found}")
        for item in reply["indices"]:
            for column in ("S1", "ST"):
                check(item[f"{column}_lo"] <= item[column] <= item[f"{column}_hi"], f"vbd: interval of {item}")
            equal(item["n"], 4096, "vbd: n")
        pairs = {(item["a"], item["b"]): item for item in reply["S2"]}
        check(abs(pairs["x1", "x3"]["value"] - 0.2437) < 0.06, f"vbd: S2 {pairs}")
        check(pairs["x1", "x3"]["value_lo"] <= pairs["x1", "x3"]["value"] <= pairs["x1", "x3"]["value_hi"], "vbd: S2")
    # Without being asked, the rows say themselves that they are of second order.
    equal(analyse("vbd", "--resamples", 0)["layout"], reply["layout"], "layout found from the rows")
    check("S2" in reply, "S2 at the top")


def check_threads():
    texts = [call("analyse", "--method", "vbd", "--space", "space.json", "--design", "design.csv", "--outputs", "y.csv",
                  "--json", "-j", threads, cwd=FOLDER).stdout for threads in (1, 3)]
    equal(texts[0], texts[1], "the reply with one and three threads")


def check_convergence():
    reply = analyse("vbd", "--convergence", "--resamples", 0)
    steps = reply["outputs"][0].get("convergence", [])
    equal([step["n"] for step in steps][-1:], [4096], "convergence: the last step")
    check(len(steps) >= 3, f"convergence: {len(steps)} steps")


def check_several_outputs():
    rows = sample("--method", "morris", "-N", 10)
    table = [["time", "sum", "twice"]] + [["", float(r["x1"]) + float(r["x3"]), 2 * float(r["x1"])] for r in rows]
    table[1][0] = table[2][0] = 1.5
    write_rows(FOLDER / "y.csv", table)
    reply = analyse("morris", "--output-column", "sum", "--output-column", "twice")
    equal([output["name"] for output in reply["outputs"]], ["sum", "twice"], "outputs asked for")
    equal(reply["indices"], reply["outputs"][0]["indices"], "indices at the top are those of the first output")
    check(close(reply["outputs"][1]["indices"][0]["mu"], 4 * PI, 1e-9), "mu of the second output")
    equal([o["name"] for o in analyse("morris", "--output-column", "twice")["outputs"]], ["twice"], "one output")
    said = fails(3, 202, "'sums'", "morris", "--output-column", "sums")
    check("did you mean 'sum'?" in said, f"no proposal for 'sums' in\n{said}")
    # Inputs and outputs in one file: columns of the design are no outputs.
    write_rows(FOLDER / "both.csv", [list(rows[0]) + ["y"]] + [list(r.values()) + [float(r["x2"])] for r in rows])
    reply = analyse("morris", design="both.csv", outputs="both.csv")
    equal([o["name"] for o in reply.get("outputs", [])], ["y"], "outputs of a file that holds the design too")


# ---- failed runs ----

def check_lost_runs():
    rows = sample("--method", "morris", "-N", 20)
    values = [repr(float(r["x1"])) for r in rows]
    for word in ("", "nan", "inf", "-inf", "NaN"):
        gaps = list(values)
        gaps[5] = word or None
        write_column(FOLDER / "y.csv", gaps)
        reply = analyse("morris")
        equal(reply["outputs"][0]["lost"], 1, f"'{word}': runs lost")
        equal(sum(named(reply, "n").values()), 60 - 2, f"'{word}': usable effects")
        check(close(named(reply, "mu").get("x1"), 2 * PI, 1e-9), f"'{word}': mu of x1")
        equal(reply.get("warnings"), [], f"'{word}': warnings")
    write_column(FOLDER / "y.csv", [None if i % 10 == 0 else v for i, v in enumerate(values)])
    reply = analyse("morris")
    check(any("8 of 80" in text for text in reply["warnings"]), f"a tenth of the runs lost: {reply['warnings']}")
    write_column(FOLDER / "y.csv", [None for _ in values])
    fails(3, 314, "none of the 80 runs", "morris")
    rows = sample("--method", "saltelli", "-N", 256)
    values = [None if i % 97 == 3 else ishigami(row) for i, row in enumerate(rows)]
    write_column(FOLDER / "y.csv", values)
    reply = analyse("vbd")
    equal(reply["outputs"][0]["lost"], sum(v is None for v in values), "vbd: runs lost")
    check(all(item["n"] < 256 and math.isfinite(item["ST"]) for item in reply["indices"]), "vbd: with lost runs")


def check_no_variation():
    """An output that never changes has an answer, and a warning."""
    for words, method in ((("morris", "-N", 10), "morris"), (("saltelli", "-N", 32), "vbd"), (("lhs", "-N", 50), "correlation")):
        rows = sample("--method", *words)
        write_column(FOLDER / "y.csv", [4.5 for _ in rows])
        reply = analyse(method)
        check(any("every run" in text for text in reply.get("warnings", [])), f"{method}: {reply.get('warnings')}")
        cells = [item[column] for item in reply["indices"] for column in reply["columns"]]
        check(all(cell is None or cell == 0 for cell in cells), f"{method}: indices of a constant {cells}")


def check_one_level():
    write_space(FOLDER / "level.json", [{"name": "x1", "type": "real", "grid": [1]}, real("x2", 0, 1)])
    fails(3, 314, "'x1' has only one value", "morris", space="level.json")


# ---- wrong input ----

def check_order():
    for words, method in ((("morris", "-N", 8), "morris"), (("morris", "-N", 8, "--radial"), "morris"),
                          (("saltelli", "-N", 16), "vbd"), (("saltelli", "-N", 16, "--second-order"), "vbd")):
        sample("--method", *words)
        rows = read_rows(FOLDER / "design.csv")
        write_column(FOLDER / "y.csv", range(len(rows) - 1))
        shuffled = rows[1:]
        random.Random(1).shuffle(shuffled)
        write_rows(FOLDER / "shuffled.csv", [rows[0], *shuffled])
        said = fails(3, 314, "row", method, design="shuffled.csv")
        check(re.search(r"shuffled\.csv:\d+", said), f"{method}: no place in\n{said}")
        check("order" in said, f"{method}: nothing about the order in\n{said}")
        write_rows(FOLDER / "fewer.csv", rows[:-1])
        write_column(FOLDER / "fewer_y.csv", range(len(rows) - 2))
        fails(3, 314, f"{len(rows) - 2} rows", method, design="fewer.csv", outputs="fewer_y.csv")
        swapped = [rows[0], rows[2], rows[1], *rows[3:]]
        write_rows(FOLDER / "swapped.csv", swapped)
        if method == "vbd":
            fails(3, 314, "row", method, design="swapped.csv")
    sample("--method", "saltelli", "-N", 16)
    write_column(FOLDER / "y.csv", range(80))
    (FOLDER / "design.csv.json").unlink()  # what the rows themselves say; analyse_files.py has the file beside them
    fails(3, 315, "this is not a Saltelli design of second order (its rows are those of a plain Saltelli design)", "vbd",
          "--second-order")
    fails(3, 315, "this is not a Morris design (its rows are those of a Saltelli design)", "morris")
    sample("--method", "lhs", "-N", 80)
    (FOLDER / "design.csv.json").unlink()
    for method, what in (("morris", "Morris"), ("vbd", "Saltelli"), ("sobol", "Saltelli")):
        said = fails(3, 315, f"this is not a {what} design (too few of its 80 rows differ from another in one parameter "
                     "only)", method)
        check("for this design use --method correlation, regression, rbd-fast, pawn, delta, given-data or pce" in said,
              f"{method}: no way out in\n{said}")
        check(re.search(r"design\.csv:\d+", said), f"{method}: no place in\n{said}")
    fails(3, 315, "this is not a Morris design", "morris", "--levels", 4)
    # Values on coarse grids meet by chance; twelve of them do not.
    write_space(FOLDER / "grids.json", [{"name": f"p{i}", "type": "integer", "grid": [1, 2, 3, 4]} for i in range(12)])
    sample("--method", "lhs", "-N", 98, space="grids.json", name="grids.csv")
    (FOLDER / "grids.csv.json").unlink()
    write_column(FOLDER / "y.csv", range(98))
    fails(3, 315, "this is not a Saltelli design (too few of its 98 rows", "vbd", space="grids.json", design="grids.csv")
    sample("--method", "morris", "-N", 20, "--levels", 4)
    fails(3, 314, "--levels", "morris", "--levels", 6)
    fails(3, 314, "levels", "morris", "--levels", 5)


def check_headers():
    sample("--method", "morris", "-N", 4)
    rows = read_rows(FOLDER / "design.csv")
    write_column(FOLDER / "y.csv", range(16))
    write_rows(FOLDER / "wrong.csv", [["x1", "X2", "x3"], *rows[1:]])
    said = fails(3, 202, "'x2'", "morris", design="wrong.csv")
    check("wrong.csv:1" in said, f"a wrong header: no place in\n{said}")
    write_rows(FOLDER / "wrong.csv", [["x1", "x2"], *[row[:2] for row in rows[1:]]])
    said = fails(3, 202, "'x3'", "morris", design="wrong.csv")
    check("did you mean" not in said, f"a column that is another parameter is proposed:\n{said}")
    write_rows(FOLDER / "wrong.csv", [["x1", "x2", "x3", "x1"], *[[*row, "0"] for row in rows[1:]]])
    fails(3, 211, "'x1'", "morris", design="wrong.csv")
    # Another order of the columns is fine.
    write_rows(FOLDER / "turned.csv", [row[::-1] for row in rows])
    equal(analyse("morris", "--levels", 4, design="turned.csv").get("indices"), analyse("morris").get("indices"),
          "columns turned round")


def check_tables():
    sample("--method", "morris", "-N", 4)
    rows = read_rows(FOLDER / "design.csv")
    write_column(FOLDER / "y.csv", range(16))
    for count in (15, 17):
        write_column(FOLDER / "other.csv", range(count))
        said = fails(3, 314, f"{count}", "morris", outputs="other.csv")
        check("16" in said, f"{count} outputs for 16 runs:\n{said}")
    write_column(FOLDER / "other.csv", [*range(7), "abc", *range(8)])
    said = fails(3, 314, "'abc'", "morris", outputs="other.csv")
    check("other.csv:9" in said, f"a word among the outputs: no place in\n{said}")
    (FOLDER / "other.csv").write_text("", encoding="utf-8")
    fails(3, 111, "other.csv", "morris", outputs="other.csv")
    (FOLDER / "other.csv").write_text("y\n1,2\n", encoding="utf-8")
    fails(3, 111, "other.csv:2", "morris", outputs="other.csv")
    (FOLDER / "other.csv").write_text("y\n", encoding="utf-8")
    fails(3, 314, "", "morris", outputs="other.csv")
    broken = [list(row) for row in rows]
    broken[3][1] = "much"
    write_rows(FOLDER / "wrong.csv", broken)
    said = fails(3, 314, "'much'", "morris", design="wrong.csv")
    check("wrong.csv:4" in said, f"a word in the design: no place in\n{said}")
    broken[3][1] = "77"
    write_rows(FOLDER / "wrong.csv", broken)
    fails(3, 310, "77", "morris", design="wrong.csv")
    fails(3, 101, "nothere.csv", "morris", design="nothere.csv")
    fails(3, 101, "nothere.csv", "morris", outputs="nothere.csv")
    # Text as others write it: a mark at the start, CRLF, quotes, no line end at the end.
    text = "\ufeff" + "\r\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)
    (FOLDER / "dos.csv").write_bytes(text.encode("utf-8"))
    equal(analyse("morris", "--levels", 4, design="dos.csv").get("indices"), analyse("morris").get("indices"),
          "CRLF and quotes")


def check_usage():
    fails(2, 901, "did you mean 'morris'?", "moris")
    fails(2, 901, "no space was given", "morris", files=False)
    run = call("analyse", "--space", "space.json", cwd=FOLDER, expect=2)
    check("no method was given" in run.stderr, run.stderr)
    run = call("analyse", "--method", "morris", "--space", "space.json", cwd=FOLDER, expect=2)
    check("--design" in run.stderr, run.stderr)
    run = call("analyse", "--method", "morris", "--space", "space.json", "--design", "d.csv", cwd=FOLDER, expect=2)
    check("--outputs" in run.stderr, run.stderr)
    fails(2, 901, "--confidence", "morris", "--confidence", "1.5")
    fails(2, 901, "--estimator", "vbd", "--estimator", "mean")
    run = call("analyse", "--method", "moris", "--space", "space.json", "--json", cwd=FOLDER, expect=2)
    equal(json.loads(run.stdout)["faults"][0]["code"], 901, "the code of a fault in JSON")


def check_text():
    """What people read: title, runs, ranks, intervals, doubts."""
    rows = sample("--method", "saltelli", "-N", 64)
    write_column(FOLDER / "y.csv", [ishigami(row) for row in rows])
    text = call("analyse", "--method", "vbd", "--space", "space.json", "--design", "design.csv", "--outputs", "y.csv",
                cwd=FOLDER).stdout
    for word in ("320 runs", "3 parameters", "S1", "ST", "95 %", "Interval: ", "Assumes: ", "unsettled"):
        check(word in text, f"the text has no '{word}':\n{text}")
    check(re.search(r"1  x[12] ", text), f"no first rank in\n{text}")
    check("correlation" in call("help", "analyse").stdout, "'tessera help analyse' lists no methods")


def check_document():
    """The worked example of the documents is run as it stands there; what it prints is what it says."""
    text = (support.ROOT / "docs/sensitivity.md").read_text(encoding="utf-8")
    folder = support.scratch()
    for name, body in re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(body, encoding="utf-8")
    blocks = re.findall(r"<!-- run -->\n```\w*\n(.*?)```", text, re.DOTALL)
    check(len(blocks) >= 3, f"docs/sensitivity.md has {len(blocks)} blocks to run")
    environment = support.environment()
    environment["PATH"] = f"{folder}:{environment['PATH']}"
    (folder / "tessera").symlink_to(support.PROGRAM)
    for block in blocks:
        steps = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
        for command, wanted in steps:
            run = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True,
                                 timeout=120)
            equal(run.returncode, 0, f"{command}\n{run.stderr}")
            shown = run.stdout
            if wanted.endswith("...\n"):  # the rest is left out
                wanted = wanted[:-4]
                shown = shown[:len(wanted)]
            equal(shown, wanted, f"what the document says about {command}")


support.need_program()
check_vectors()
check_round_trips()
check_threads()
check_convergence()
check_several_outputs()
check_lost_runs()
check_no_variation()
check_one_level()
check_order()
check_headers()
check_tables()
check_usage()
check_text()
check_document()
support.finish()
