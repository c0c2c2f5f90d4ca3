#!/usr/bin/env python3
"""A study of the engine itself: tile, threads and workers as parameters, what runs cost as outputs.

SPDX-License-Identifier: Apache-2.0
test-timeout: 120
"""
import json
import sqlite3
import struct

import _support as support
from _support import call_json, check, equal, say

COSTS = ["run:seconds", "run:cpu_seconds", "run:core_hours", "run:peak_bytes"]


def project():
    support.need_program()
    folder = support.scratch() / "project"
    support.init_tiles(folder)
    return folder


def study(folder, name, expect=0, **changes):
    """Runs the study twice with one store: what the first one leaves must not make the second one cheaper."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps({"tessera": 1, "name": name, "workflow": "workflow.json",
                                "data": {"manifest": "data.csv", "tile": 512},
                                "method": {"name": "morris", "trajectories": 2}, **changes}), encoding="utf-8")
    call_json("study", "-C", folder, file.name, "-o", f"first-{name}")
    reply = call_json("study", "-C", folder, file.name, "-o", f"out-{name}", expect=expect)
    return reply, support.read_csv(folder / f"out-{name}/results.csv")


def task_rows(folder, run):
    """Of every set: how often its tasks had which outcome, and which threads ran them."""
    with sqlite3.connect(f"file:{folder / '.tessera/store.db'}?mode=ro", uri=True) as store:
        rows = store.execute("SELECT parameter_set, outcome, worker, unit FROM task WHERE run = ?", (run,)).fetchall()
    sets = {}
    for number, outcome, worker, unit in rows:
        entry = sets.setdefault(number, {"outcomes": set(), "workers": set(), "units": set(), "tasks": 0})
        entry["outcomes"].add(outcome)
        entry["workers"].add(worker)
        entry["units"].add(unit)
        entry["tasks"] += 1
    return sets


def check_engine(folder):
    """Tile and threads, Morris: the acceptance of the issue."""
    reply, rows = study(folder, "engine", outputs=COSTS + ["features.table:area"],
                        engine={"threads": {"grid": [1, 2]}, "tile": {"grid": [256, 512, 1024]}})
    say(reply["answer"])
    equal([row["name"] for row in reply["params"]], ["engine:tile", "engine:threads"], "parameters")
    equal([row["name"] for row in reply["indices"]], ["engine:tile", "engine:threads"], "indices")
    equal(list(rows[0]), ["set", "engine:tile", "engine:threads", *COSTS, "features.table:area"], "columns of results.csv")
    equal([row.get("better") for row in reply["outputs"]], ["lower"] * 4 + [None], "better")
    equal(reply["reuse"]["executed"], reply["reuse"]["requested"], "every task is executed")
    equal((reply["reuse"]["store"], reply["reuse"]["cutoff"]), (0, 0), "tasks from the store, or cut off")
    check("engine:tile" in (folder / "out-engine/report.html").read_text(encoding="utf-8"), "the report has no engine:tile")
    sets = task_rows(folder, reply["run"])
    equal(sorted(sets), list(range(len(rows))), "sets with tasks")
    areas, (width, height) = {}, struct.unpack(">II", (folder / "slide.png").read_bytes()[16:24])
    for row in rows:
        number, tile, threads = (int(row[name]) for name in ("set", "engine:tile", "engine:threads"))
        done = sets[number]
        tiles = -(-width // tile) * -(-height // tile)  # nine tasks per tile make the table of features
        equal(done["outcomes"], {"executed"}, f"set {number}: outcomes")
        equal((len(done["units"]), done["tasks"]), (tiles, 9 * tiles), f"set {number}: tiles and tasks")
        check(done["workers"] <= set(range(threads)), f"set {number}: {threads} threads, but {done['workers']} were used")
        seconds, cpu, hours, peak = (float(row[name]) for name in COSTS)
        check(0 < seconds < 60 and cpu > 0 and peak > 0, f"set {number}: {row}")
        check(abs(hours * 3600 / (seconds * threads) - 1) < 1e-9, f"set {number}: core hours {hours}")
        areas.setdefault(tile, set()).add(row["features.table:area"])
    several = [number for number, done in sets.items() if len(done["workers"]) == 2]
    check(several, "no set was run by two threads")
    equal({tile: len(values) for tile, values in areas.items()}, {tile: 1 for tile in areas},
          "values of one tile size: they do not depend on threads")
    check(len(areas) > 1, f"one tile size only: {areas}")


def check_workers(folder):
    """Worker processes, and a parameter of the workflow beside them; an ordinary run has the same values."""
    reply, rows = study(folder, "workers", outputs=["run:seconds", "features.table:area"], parameters=["G1"],
                        method={"name": "mc", "samples": 4, "seed": 3}, engine={"workers": {"grid": [0, 2]}})
    equal(list(rows[0]), ["set", "G1", "engine:workers", "run:seconds", "features.table:area"], "columns of results.csv")
    equal({row["engine:workers"] for row in rows}, {"0", "2"}, "workers that were tried")
    sets = task_rows(folder, reply["run"])
    for row in rows:
        equal(sets[int(row["set"])]["outcomes"], {"executed"}, f"set {row['set']}: outcomes")
    (folder / "design.csv").write_text("G1\n" + "".join(f"{row['G1']}\n" for row in rows), encoding="utf-8")
    plain = {"tessera": 1, "workflow": "workflow.json", "data": {"manifest": "data.csv", "tile": 512},
             "outputs": ["features.table:area"]}
    (folder / "plain.json").write_text(json.dumps(plain), encoding="utf-8")
    call_json("study", "-C", folder, "plain.json", "--design", "design.csv", "-o", "plain")
    equal([row["features.table:area"] for row in support.read_csv(folder / "plain/results.csv")],
          [row["features.table:area"] for row in rows], "values of an ordinary study")


def check_cost_alone(folder):
    """Only costs: all that the workflow makes is run, but nothing that needs the default run."""
    (folder / "alone.csv").write_text("image\nslide.png\n", encoding="utf-8")
    reply, rows = study(folder, "alone", outputs=[{"output": "run:seconds", "better": "higher"}],
                        data={"manifest": "alone.csv", "tile": 512}, parameters=["G1"],
                        method={"name": "mc", "samples": 2})
    equal(len(rows), 2, "sets")
    equal(reply["outputs"][0]["better"], "higher", "better")
    names = {f"{row['stage']}.{row['task']}" for row in reply["by_task"] if row["executed"]}
    check(any(name.startswith("features.") for name in names), f"executed: {names}")
    check(not any(name.startswith("compare.") for name in names), f"executed: {names}")


def main():
    folder = project()
    check_engine(folder)
    check_workers(folder)
    check_cost_alone(folder)
    support.finish()


main()
