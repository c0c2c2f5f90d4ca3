#!/usr/bin/env python3
"""Draws designs with `tessera sample`: rows, order, seeds, sequences, groups, and every way it can fail.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import resource
import signal
import subprocess
import sys

import _support as support
from _sensitivity import ishigami_space, read_dicts, read_rows, real, write_space
from _support import call, call_json, check, equal

FOLDER = support.scratch()


def sample(*words, space="space.json", name="design.csv", **options):
    """The reply and the rows of a design, header first."""
    reply = call_json("sample", "--space", space, "-o", name, *words, cwd=FOLDER, **options)
    path = FOLDER / name
    return reply, read_rows(path) if path.exists() else []


def fails(code, number, said, *words, **options):
    """The program ends with a code; its message has the number of the error, the text and a line of help."""
    run = call(*words, cwd=FOLDER, expect=code, **options)
    what = " ".join(map(str, words))
    check(f"error[T{number}]" in run.stderr, f"{what}: no T{number} in\n{run.stderr}")
    check(said in run.stderr, f"{what}: '{said}' is not in\n{run.stderr}")
    check("help:" in run.stderr, f"{what}: no help in\n{run.stderr}")
    equal(run.stdout, "", f"{what}: standard output")


def leftovers():
    return sorted(path.name for path in FOLDER.iterdir() if ".tmp" in path.name)


def numbers(rows):
    return [[float(cell) for cell in row] for row in rows[1:]]


def check_counts():
    expected = {"morris": (("-N", 5), 5 * 4), "saltelli": (("-N", 8), 8 * 5), "sobol": (("-N", 8), 8 * 8), "lhs": (("-N", 7), 7),
                "mc": (("-N", 7), 7), "halton": (("-N", 7), 7), "sobol-sequence": (("-N", 8), 8),
                "grid": (("--levels", 4), 64), "fast": (("-N", 65), 65 * 3), "dgsm": (("-N", 5), 5 * 4)}
    listed = [item["name"] for item in call_json("list").get("samplers", [])]
    for method in expected:
        check(method in listed, f"'tessera list' has no sampler {method}")
    for method in [name for name in expected if name in listed]:
        words, runs = expected[method]
        reply, rows = sample("--method", method, *words)
        equal(reply.get("schema"), "tessera.sample/1", f"{method}: schema")
        equal(reply.get("runs"), runs, f"{method}: runs")
        equal(reply.get("parameters"), ["x1", "x2", "x3"], f"{method}: parameters")
        equal(reply.get("output"), "design.csv", f"{method}: output")
        equal(rows[:1], [["x1", "x2", "x3"]], f"{method}: header")
        equal(len(rows) - 1, runs, f"{method}: rows")
        inside = all(-3.1415926535897936 <= value <= 3.1415926535897936 for row in numbers(rows) for value in row)
        check(inside, f"{method}: a value lies outside its range")


def check_seeds():
    for method in ("morris", "saltelli", "lhs", "mc"):
        texts = {}
        for seed in (1, 1, 2):
            text = call("sample", "--method", method, "--space", "space.json", "-N", 4, "--seed", seed, cwd=FOLDER).stdout
            equal(texts.setdefault(seed, text), text, f"{method}: the same seed")
        check(texts[1] != texts[2], f"{method}: seeds 1 and 2 give the same design")
        sample("--method", method, "-N", 4, "--seed", 2)
        equal((FOLDER / "design.csv").read_text(), texts[2], f"{method}: file and standard output")


def check_next_step():
    """The analyses that are named take the design; those that need another order of rows are not named."""
    for method, fitting, other in (("lhs", "correlation", "morris"), ("mc", "given-data", "vbd"),
                                   ("morris", "morris", "correlation"), ("saltelli", "vbd", "fast")):
        named = sample("--method", method, "-N", 8)[0]["analyses"]
        check(fitting in named and other not in named, f"{method}: analyses {named}")


def check_orders():
    """Rows that belong together stand together, in the order that others rely on."""
    for method, words, second in (("saltelli", (), False), ("saltelli", ("--second-order",), True), ("sobol", (), True)):
        _, rows = sample("--method", method, "-N", 4, *words)
        size = 8 if second else 5
        for start in range(1, len(rows), size):
            block = rows[start:start + size]
            a, b = block[0], block[-1]
            wanted = [a, *[[b[c] if c == j else a[c] for c in range(3)] for j in range(3)]]
            wanted += [[a[c] if c == j else b[c] for c in range(3)] for j in range(3)] if second else []
            equal(block, wanted + [b], f"{method} {words}: base sample {start // size}")
    for words, first in (((), False), (("--radial",), True)):
        _, rows = sample("--method", "morris", "-N", 6, *words)
        for start in range(1, len(rows), 4):
            block = rows[start:start + 4]
            moved = [[c for c in range(3) if block[i][c] != block[0 if first else i - 1][c]] for i in range(1, 4)]
            equal(sorted(moved), [[0], [1], [2]], f"morris {words}: steps of trajectory {start // 4}")


def check_unit():
    _, rows = sample("--method", "lhs", "-N", 50, "--unit")
    equal(rows[0], ["x1", "x2", "x3", "u_x1", "u_x2", "u_x3"], "--unit: header")
    for row in numbers(rows):
        for value, unit in zip(row[:3], row[3:]):
            check(abs(value - (-3.141592653589793 + unit * 6.283185307179586)) < 1e-12, f"u {unit} is not at {value}")
    for column in (3, 4, 5):  # one point in every fiftieth
        equal(sorted(int(row[column] * 50) for row in numbers(rows)), list(range(50)), f"lhs: parts of column {column}")


def check_kinds():
    """Integers, grids, words and switches are written as such."""
    write_space(FOLDER / "kinds.json", [
        {"name": "k", "type": "integer", "range": [3, 7]}, {"name": "g", "type": "real", "grid": [0.5, 1, 2]},
        {"name": "mode", "type": "string", "grid": ["fast", "a,b", "exact"]}, real("x", 0, 1)])
    reply, rows = sample("--method", "mc", "-N", 300, space="kinds.json")
    equal(reply.get("runs"), 300, "kinds: runs")
    equal({row[0] for row in rows[1:]}, {"3", "4", "5", "6", "7"}, "kinds: integers")
    equal({row[1] for row in rows[1:]}, {"0.5", "1", "2"}, "kinds: grid")
    equal({row[2] for row in rows[1:]}, {"fast", "a,b", "exact"}, "kinds: words")
    _, rows = sample("--method", "grid", "--levels", 3, space="kinds.json")
    equal(len({tuple(row) for row in rows[1:]}), 3 ** 4, "a full grid: distinct rows")


def check_groups():
    ishigami_space(FOLDER / "groups.json", x1="a", x2="a", x3="b")
    reply, rows = sample("--method", "morris", "-N", 5, space="groups.json")
    equal(reply.get("groups"), ["a", "b"], "groups")
    equal(len(rows) - 1, 5 * 3, "groups: rows of morris")
    for start in range(1, len(rows), 3):
        for i in (start + 1, start + 2):
            moved = [c for c in range(3) if rows[i][c] != rows[i - 1][c]]
            check(moved in ([0, 1], [2]), f"groups: row {i} moves {moved}")
    reply, rows = sample("--method", "saltelli", "-N", 8, space="groups.json")
    equal(len(rows) - 1, 8 * 4, "groups: rows of saltelli")


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0] * len(values)
    for rank, i in enumerate(order):
        found[i] = rank
    return found


def check_correlations():
    parameters = [real(name, 0, 1) for name in ("a", "b", "c")]
    pair = {"between": ["a", "c"], "rank": 0.7}
    write_space(FOLDER / "linked.json", parameters, correlations=[pair])
    for method in ("lhs", "mc"):
        _, rows = sample("--method", method, "-N", 2000, space="linked.json")
        columns = [ranks(column) for column in zip(*numbers(rows))]
        for i, j, wanted in ((0, 2, 0.7), (0, 1, 0), (1, 2, 0)):
            squares = sum((x - y) ** 2 for x, y in zip(columns[i], columns[j]))
            found = 1 - 6 * squares / (2000 * (2000 ** 2 - 1))
            check(abs(found - wanted) < 0.05, f"{method}: rank correlation of columns {i} and {j} is {found}")
    fails(3, 314, "independently", "sample", "--method", "saltelli", "--space", "linked.json")
    for wrong, number in (([{"between": ["a", "x"], "rank": 0.7}], 206), ([{"between": ["a"], "rank": 0.7}], 204),
                          ([{"between": ["a", "b"], "rank": 1}], 310), ([pair, pair], 211), ({"a": 1}, 204),
                          ([{"between": ["a", "a"], "rank": 0.5}], 211)):
        write_space(FOLDER / "wrong.json", parameters, correlations=wrong)
        fails(3, number, "wrong.json:1", "sample", "--method", "lhs", "--space", "wrong.json")
    # Each pair alone is possible, all three are not.
    impossible = [{"between": list(names), "rank": rank} for names, rank in (("ab", 0.9), ("bc", 0.9), ("ac", -0.9))]
    write_space(FOLDER / "wrong.json", parameters, correlations=impossible)
    fails(3, 314, "", "sample", "--method", "lhs", "--space", "wrong.json")


def check_workflow():
    """The varied parameters of a workflow, or of a study, are a space as well."""
    workflow = support.ROOT / "workflows/nuclei/workflow.json"
    reply, rows = sample("--method", "lhs", "-N", 5, space=workflow)
    check("G1" in reply.get("parameters", []), f"a workflow as space: {reply.get('parameters')}")
    study, _ = sample("--method", "lhs", "-N", 5, space=workflow.parent / "study.json")
    check(study.get("runs") == 5, "a study as space")
    check(len(rows) == 6 and len(rows[0]) == len(reply["parameters"]), "a workflow as space: shape")


def check_sequences():
    if not support.vectors("sensitivity").is_dir():
        support.skip_part("there is no ../shared/vectors/sensitivity")
        return
    write_space(FOLDER / "cube.json", [real(f"x{i}", 0, 1) for i in range(8)])
    for method, name in (("sobol-sequence", "sobol_seq_d8_n64.csv"), ("halton", "halton_seq_d8_n64.csv")):
        wanted = numbers(read_rows(support.vectors("sensitivity") / name))
        _, rows = sample("--method", method, "-N", 64, "--scramble", "none", space="cube.json")
        equal(numbers(rows), wanted, f"{method}: points")
        _, rows = sample("--method", method, "-N", 32, "--skip", 32, "--scramble", "none", space="cube.json")
        equal(numbers(rows), wanted[32:], f"{method}: points after --skip 32")


def check_failures():
    space = ("--space", "space.json")
    fails(2, 901, "no method was given", "sample", *space)
    fails(2, 901, "did you mean 'morris'?", "sample", "--method", "moris", *space)
    fails(2, 901, "did you mean 'saltelli' (the design of the analysis 'vbd'), or 'sobol' (the same with pairs)?",
          "sample", "--method", "vbd", *space)
    fails(2, 901, "no space was given", "sample", "--method", "lhs")
    fails(2, 901, "-N", "sample", "--method", "lhs", *space, "-N", 0)
    fails(2, 901, "did you mean 'owen'?", "sample", "--method", "halton", *space, "--scramble", "owens")
    fails(2, 901, "has no effect on 'sample'", "sample", "--method", "lhs", *space, "--scaled")
    fails(3, 101, "nothere.json", "sample", "--method", "lhs", "--space", "nothere.json")
    (FOLDER / "broken.json").write_text('{"parameters": [', encoding="utf-8")
    fails(3, 110, "broken.json", "sample", "--method", "lhs", "--space", "broken.json")
    write_space(FOLDER / "empty.json", [])
    fails(3, 204, "parameters", "sample", "--method", "lhs", "--space", "empty.json")
    write_space(FOLDER / "one.json", [{"name": "x", "type": "integer", "grid": [4]}])
    fails(3, 314, "'x' has only one value", "sample", "--method", "lhs", "--space", "one.json")
    write_space(FOLDER / "twice.json", [real("x", 0, 1), real("x", 0, 1)])
    fails(3, 211, "'x'", "sample", "--method", "lhs", "--space", "twice.json")
    fails(3, 314, "levels", "sample", "--method", "morris", *space, "--levels", 5)
    fails(3, 314, "too many", "sample", "--method", "mc", *space, "-N", 1000000000)
    run = call("sample", "--method", "lhs", *space, "--json", cwd=FOLDER, expect=2)
    check("-o" in run.stderr and '"faults"' in run.stdout, f"--json without -o: {run.stderr}")


def check_writing():
    words = ("sample", "--method", "mc", "--space", "space.json", "-N", 20000)
    fails(3, 316, "No such file or directory", *words, "-o", "nowhere/design.csv")
    (FOLDER / "taken").mkdir()
    fails(3, 316, "Is a directory", *words, "-o", "taken")
    fails(5, 102, "No space left on device", *words, "-o", "/dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        run = subprocess.run([support.PROGRAM, *map(str, words)], cwd=FOLDER, stdout=full, stderr=subprocess.PIPE,
                             env=support.environment(), text=True, timeout=60)
    check(run.returncode == 5 and "standard output" in run.stderr, f"a full disk behind stdout: {run}")
    # A limit on the size of files stands for a disk that fills up; the old file stays.
    sample("--method", "mc", "-N", 3)
    before = (FOLDER / "design.csv").read_text()

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    run = subprocess.run([support.PROGRAM, *map(str, words), "-o", "design.csv"], cwd=FOLDER, capture_output=True,
                         env=support.environment(), text=True, timeout=60, preexec_fn=limit)
    check(run.returncode == 5 and "error[T102]" in run.stderr, f"a file that gets too large: {run}")
    equal((FOLDER / "design.csv").read_text(), before, "the old design after a failure")
    equal(leftovers(), [], "files left after failures")
    # A reader that goes away early is no error to talk about.
    run = subprocess.run(f"'{support.PROGRAM}' {' '.join(map(str, words))} | head -n 2", shell=True, cwd=FOLDER,
                         capture_output=True, text=True, env=support.environment(), timeout=60)
    equal((len(run.stdout.splitlines()), run.stderr), (2, ""), "a reader that goes away")


def writes(process):
    """Whether a process has a file open in the folder."""
    names = []
    try:
        for number in os.listdir(f"/proc/{process}/fd"):
            names.append(os.readlink(f"/proc/{process}/fd/{number}"))
    except OSError:
        pass  # closed meanwhile
    return any(name.startswith(f"{FOLDER}/") for name in names)


def stop_while_it_writes(words):
    """A process that was stopped with its file half written; on a busy machine a few may end before they are seen."""
    for _ in range(50):
        run = subprocess.Popen([support.PROGRAM, *map(str, words)], cwd=FOLDER, stderr=subprocess.PIPE, text=True,
                               env=support.environment())
        while run.poll() is None and not writes(run.pid):
            os.sched_yield()
        run.send_signal(signal.SIGSTOP)
        while run.poll() is None and pathlib.Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            os.sched_yield()
        if run.poll() is None and writes(run.pid) and not (FOLDER / "long.csv").exists():
            return run
        # One that was met between closing its file and naming it would leave that file behind if it were killed: it may end.
        run.send_signal(signal.SIGCONT)
        run.communicate()
        (FOLDER / "long.csv").unlink(missing_ok=True)
    sys.exit("no process was seen while it wrote")


def check_interrupt():
    """Ctrl-C while a long design is written: nothing is left, the code says so."""
    rows = 3000000
    words = ("sample", "--method", "mc", "--space", "space.json", "-N", rows, "-o", "long.csv")
    for _ in range(5):
        run = stop_while_it_writes(words)
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGCONT)
        _, said = run.communicate(timeout=60)
        equal(run.returncode, 130, "exit after Ctrl-C")
        check("stopped" in said, f"after Ctrl-C: {said}")
        equal(leftovers(), [], "files left after Ctrl-C")
        if not (FOLDER / "long.csv").exists():
            return
        # Signals are held back while a finished file gets its name: then the whole design is there.
        with (FOLDER / "long.csv").open(encoding="utf-8") as file:
            equal(sum(1 for _ in file), rows + 1, "lines of a design that Ctrl-C met at its very end")
        (FOLDER / "long.csv").unlink()
    check(False, "Ctrl-C met every process at its very end")


def check_help():
    text = call("help", "sample").stdout
    for word in ("--method", "--space", "-N, --count", "saltelli", "Methods"):
        check(word in text, f"'tessera help sample' has no {word}")
    check("saltelli" in call("man", "sample").stdout, "the man page has no saltelli")
    check("saltelli" in call("words", "sample").stdout.split(), "completion has no saltelli")


support.need_program()
ishigami_space(FOLDER / "space.json")
check_counts()
check_seeds()
check_next_step()
check_orders()
check_unit()
check_kinds()
check_groups()
check_correlations()
check_workflow()
check_sequences()
check_failures()
check_writing()
check_interrupt()
check_help()
support.finish()
