#!/usr/bin/env python3
"""Indices of a study by group of the data and without each group, and what leaving a group out changes, against the formula of
Morris over means that this test computes from the areas of drawn boxes.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.decay)

With 4 levels a step is 2/3 of the range, from either of the two lower levels to one of the two upper ones: with two values in
the grid every step changes the value.
"""
import json
import statistics

import _support as support
from _masks import close
from _sites import DICE, SIZES, SLIDES, dice, write_project
from _support import call, call_json, check, equal, say

STEP = 2 / 3
GROUPS = {"north": ["a", "b", "d"], "south": ["c"], "east": ["e"]}


def mean_effects(rows, slides):
    """mu* of each parameter: trajectories of three sets, in which two neighbours differ in one parameter."""
    value = [statistics.fmean(dice(slide, int(row["minSizeSeg"]), int(row["maxSizeSeg"])) for slide in slides) for row in rows]
    effects = {name: [] for name in SIZES}
    for first in range(0, len(rows), 3):
        for one, other in ((first, first + 1), (first + 1, first + 2)):
            changed = [name for name in SIZES if rows[one][name] != rows[other][name]]
            equal(len(changed), 1, f"parameters that sets {one} and {other} differ in")
            effects[changed[0]].append(abs(value[other] - value[one]) / STEP)
    return {name: statistics.fmean(own) for name, own in effects.items()}


def order_of(effects):
    return sorted(effects, key=lambda name: -effects[name])


def check_indices(entry, wanted, what):
    equal({index["name"] for index in entry["indices"]}, set(wanted), f"{what}: names")
    for index in entry["indices"]:
        close(index["mu_star"], wanted[index["name"]], f"{what}: mu* of {index['name']}")
        check(index["mu_star_lo"] <= index["mu_star"] + 1e-12, f"{what}: interval of {index['name']}")
    equal(entry["order"], order_of(wanted), f"{what}: order")


def check_groups(reply, rows):
    equal([(row["group"], row["value"], row["files"]) for row in reply["by_group"]],
          [("site", name, len(slides)) for name, slides in GROUPS.items()], "groups")
    for row in reply["by_group"]:
        own = GROUPS[row["value"]]
        rest = [slide for slide in SLIDES if slide not in own]
        equal((row["phase"], row["method"], row["output"], row["rank_by"]), (1, "morris", DICE, "mu_star"), row["value"])
        check_indices(row, mean_effects(rows, own), row["value"])
        equal(row["without"]["files"], len(rest), f"files without {row['value']}")
        check_indices(row["without"], mean_effects(rows, rest), f"without {row['value']}")
    check(all(row["scope"] in ("pooled", "file") for row in reply["analyses"]), "scopes of the analyses")
    equal(len(reply["analyses"]), 1 + len(SLIDES), "analyses")


def check_stability(reply, rows):
    whole = order_of(mean_effects(rows, SLIDES))
    wanted = []
    for name, own in GROUPS.items():
        first = order_of(mean_effects(rows, [slide for slide in SLIDES if slide not in own]))
        wanted += [] if first == whole else [{"without": name, "first": first}]
    found = reply["group_stability"][0]
    equal((found["group"], found["first"], found["values"]), ("site", whole, 3), "what comes first")
    equal(found["changes"], wanted, "changes")
    equal(found["stable"], not wanted, "stable")
    check(wanted, "the sites of this test differ")
    return found["text"]


def check_tables(folder, rows):
    sets = {row["set"]: row for row in rows}
    table = support.read_csv(folder / "out/sites/results-by-group.csv")
    equal([(row["set"], row["group"], row["value"], row["files"]) for row in table],
          [(number, "site", name, str(len(slides))) for number in sets for name, slides in GROUPS.items()], "results-by-group.csv")
    for row in table:
        own, values = GROUPS[row["value"]], sets[row["set"]]
        wanted = statistics.fmean(dice(slide, int(values["minSizeSeg"]), int(values["maxSizeSeg"])) for slide in own)
        close(float(row[DICE]), wanted, f"set {row['set']}, {row['value']}")


def check_study():
    folder = write_project(support.scratch() / "sites")
    reply = call_json("study", "-C", folder, "study.json")
    rows = support.read_csv(folder / "out/sites/results.csv")
    equal(rows[-1]["set"], "default", "the last row")
    check_groups(reply, rows[:-1])
    text = check_stability(reply, rows[:-1])
    check_tables(folder, rows)
    equal(reply["results_by_group"], str(folder / "out/sites/results-by-group.csv"), "its path")
    said = call("study", "-C", folder, "study.json", "--progress=none").stdout
    check(text in said and "mu_star by group" in said, f"the sentence or the table is not in\n{said}")
    page = (folder / "out/sites/report.html").read_text(encoding="utf-8")
    check(text in page and "one group of slides" in page and "without site north" in page, "groups are not in the report")
    for number, words in enumerate((["--workers", "2"], ["-j", "1"], ["--no-reuse"])):
        again = call_json("study", "-C", folder, "study.json", "--store", f"store{number}", *words)
        for key in ("by_group", "group_stability", "analyses"):
            equal(again[key], reply[key], f"{key} with {words}")
    return folder


def check_stable(folder):
    """All slides in two halves of one kind: nothing changes."""
    write_project(folder, {"half": lambda slide: "first" if slide in "ab" else "second"}, {"groups": ["site", "half"]})
    manifest = (folder / "data.csv").read_text(encoding="utf-8").splitlines()
    (folder / "data.csv").write_text("\n".join([manifest[0], *[line for line in manifest[1:] if "north" in line]]) + "\n",
                                     encoding="utf-8")
    reply = call_json("study", "-C", folder, "study.json")
    equal([("without" in row) for row in reply["by_group"]], [False, True, True], "a group of all files cannot be left out")
    equal([(row["group"], row["stable"], row["changes"]) for row in reply["group_stability"]], [("half", True, [])], "stable")
    equal(reply["group_stability"][0]["text"],
          "Whichever half is left out, the first parameters stay the same (minSizeSeg, maxSizeSeg, in this order).", "its text")


def check_many(folder):
    write_project(folder)
    rows = [f"a.png,a-truth.png,s{number}" for number in range(35)]
    (folder / "data.csv").write_text("\n".join(["found,reference,site", *rows]) + "\n", encoding="utf-8")
    reply = call_json("study", "-C", folder, "study.json")
    equal([row["value"] for row in reply["by_group"]], [f"s{number}" for number in range(32)], "values with indices")
    equal(reply["warnings"][:1], ["the group 'site' has 35 values: indices by group are computed for the first 32 of them; "
                                  "results-by-group.csv has the outputs of all"], "warning")
    table = support.read_csv(folder / "out/sites/results-by-group.csv")
    equal(len({row["value"] for row in table}), 35, "values in results-by-group.csv")


def check_without_groups(folder):
    write_project(folder)
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study["data"] = {"files": ["a.png", "c.png"]}
    study["reference"] = {"files": ["a-truth.png", "c-truth.png"]}
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    reply = call_json("study", "-C", folder, "study.json")
    equal((reply["by_group"], reply["group_stability"], "results_by_group" in reply), ([], [], False), "without groups")
    check(not (folder / "out/sites/results-by-group.csv").exists(), "a table of no groups")


support.need_program()
made = check_study()
check_stable(made.parent / "stable")
check_many(made.parent / "many")
check_without_groups(made.parent / "none")
say("groups of a study")
support.finish()
