#!/usr/bin/env python3
"""Held-out data: a column 'split' and "hold_out" in the study. Indices are those of a study without the held-out files; scores
of the held-out files are those that follow from the areas of drawn boxes; and what is said about mistakes.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.decay)
"""
import json
import shutil
import statistics

import _support as support
from _masks import close
from _sites import DICE, SIZES, SLIDES, dice, write_project
from _support import call, call_json, check, equal, say

TEST = ["b", "c"]
TRAIN = [name for name in SLIDES if name not in TEST]
WORST = [{"output": DICE, "better": "lower"}]  # the defaults have the best Dice: the worst one is another set
FOUND = ("analyses", "by_group", "group_stability", "indices", "answer", "runs", "tiles")


def split(test):
    return {"split": lambda slide: "test" if slide in test else "train" if slide == "a" else ""}


def study(folder, *words, **options):
    return call_json("study", "-C", folder, "study.json", *words, **options)


def mean(slides, values):
    return statistics.fmean(dice(slide, values["minSizeSeg"], values["maxSizeSeg"]) for slide in slides)


def check_sets(reply, test, what):
    """The defaults, and the first set with the lowest Dice over the files of the study."""
    held_out = reply["held_out"]
    equal((held_out["files"], held_out["names"], held_out["goal"]), (len(test), test, DICE), what)
    train = [name for name in SLIDES if name not in test]
    values = [mean(train, run["params"]) for run in reply["runs"]]
    worst = min(range(len(values)), key=lambda number: (round(values[number], 9), number))
    wanted = [("default", None, {"minSizeSeg": SIZES["minSizeSeg"][0], "maxSizeSeg": SIZES["maxSizeSeg"][1]}),
              ("best", worst, reply["runs"][worst]["params"])]
    equal([(row["role"], row.get("set"), row["params"]) for row in held_out["sets"]], wanted, f"{what}: sets")
    for row in held_out["sets"]:
        output, own = row["outputs"][0], sorted(mean([slide], row["params"]) for slide in test)
        equal((output["output"], output["n"]), (DICE, len(test)), what)
        close(output["value"], statistics.fmean(own), f"{what}: {row['role']}")
        if len(own) == 1:
            equal((output["lo"], output["hi"]), (None, None), f"{what}: interval of one file")
        elif len(own) == 2:  # a quarter of all resamples draws either file twice
            close(output["lo"], own[0], f"{what}: lower end of {row['role']}")
            close(output["hi"], own[1], f"{what}: higher end of {row['role']}")
        if row["role"] == "best":
            close(output["studied"], values[worst], f"{what}: over the files of the study")


def check_column(folder):
    """The same study on the files that are left, in a folder of its own."""
    write_project(folder, split(TEST), outputs=WORST)
    reply = study(folder)
    check_sets(reply, TEST, "split")
    rest = write_project(folder.parent / "rest", outputs=WORST)
    lines = (rest / "data.csv").read_text(encoding="utf-8").splitlines()
    (rest / "data.csv").write_text("\n".join([lines[0], *[line for line in lines[1:] if line[0] in TRAIN]]) + "\n", encoding="utf-8")
    alone = study(rest)
    check("held_out" not in alone, "nothing is held out, but the reply says what")
    for key in FOUND:
        equal(reply[key], alone[key], f"{key} with and without the held-out files")
    for name in ("results.csv", "results-by-file.csv", "results-by-group.csv"):
        equal((folder / "out/sites" / name).read_text(), (rest / "out/sites" / name).read_text(), name)
    equal([row["split"] for row in reply["inputs"][::2]], ["test" if name in TEST else "train" for name in SLIDES], "inputs")
    for number, words in enumerate((["--workers", "2"], ["-j", "1"], ["--no-reuse"])):
        again = study(folder, "--store", f"store{number}", *words)
        equal((again["held_out"]["sets"], again["indices"]), (reply["held_out"]["sets"], reply["indices"]), f"with {words}")
    said = call("study", "-C", folder, "study.json", "--progress=none").stdout
    check("Held out: 2 files that no index depends on." in said and "best set, " in said, f"the held-out files are not in\n{said}")
    page = (folder / "out/sites/report.html").read_text(encoding="utf-8")
    check("2 files were held out" in page and "Held-out data" in page, "the held-out files are not in the report")
    return reply


def check_groups(folder, reply):
    """The same files by values of a group: all but the name of the key is the same."""
    write_project(folder, data={"hold_out": {"site": ["south", "east"]}}, outputs=WORST)
    by_group = study(folder)
    check_sets(by_group, ["c", "e"], "hold_out")
    write_project(folder, split(["c", "e"]), outputs=WORST)
    by_column = study(folder)
    for key in (*FOUND, "inputs"):
        equal(by_group[key], by_column[key], f"{key} by group and by column")
    equal(by_group["held_out"]["sets"], by_column["held_out"]["sets"], "held out by group and by column")
    check(by_group["indices"] != reply["indices"], "other files give other indices")
    write_project(folder, data={"hold_out": {"site": ["south"]}}, outputs=[{"output": "compare.table:found_px", "over_files": "mean"}])
    without_goal = study(folder)["held_out"]
    equal(([row["role"] for row in without_goal["sets"]], "goal" in without_goal), (["default"], False), "without a goal")
    equal(without_goal["sets"][0]["outputs"][0]["lo"], None, "interval of one file")


def check_run(folder):
    write_project(folder, split(TEST))
    reply = call_json("run", "-C", folder, "study.json", "-p", "minSizeSeg=60", "-p", "maxSizeSeg=100", "-o", "run")
    values = {"minSizeSeg": 60, "maxSizeSeg": 100}
    equal([(row["split"], row["files"], row["against"]) for row in reply["by_split"]], [("train", 3, "truth"), ("test", 2, "truth")],
          "by_split")
    for row, names in zip(reply["by_split"], (TRAIN, TEST)):
        close(row["values"]["dice"], mean(names, values), f"Dice of {row['split']}")
        equal(row["n"]["dice"], len(names), f"files of {row['split']}")
    close(reply["quality_over_files"][0]["values"]["dice"], mean(SLIDES, values), "Dice of all")
    equal({row["file"]: row["split"] for row in reply["quality"]}, {name: "test" if name in TEST else "train" for name in SLIDES},
          "split of each file")
    said = call("run", "-C", folder, "study.json", "-o", "run").stdout
    check([line.split()[:2] for line in said.splitlines() if line.startswith("  test")] == [["test", "2"]], f"no line of test in\n{said}")
    write_project(folder)
    equal(call_json("run", "-C", folder, "study.json", "-o", "run2")["by_split"], [], "by_split of data that is not split")
    write_project(folder, split(list(SLIDES)))
    equal([row["split"] for row in call_json("run", "-C", folder, "study.json", "-o", "run3")["by_split"]], ["test"], "all are test")


def check_resumed(folder):
    """A study that failed is continued where neither its manifest nor its data are any more: the order says what is held out."""
    write_project(folder, split(TEST), outputs=[{"output": "copy.table:dice", "better": "lower", "over_tiles": "mean"}])
    workflow = json.loads((folder / "workflow.json").read_text(encoding="utf-8"))
    workflow["operations"] = ["copy.json"]
    workflow["stages"].append({"name": "copy", "per": "tile", "in": {"x": "compare.table"}, "out": {"table": "copy.y"},
                               "tasks": [{"name": "copy", "op": "test.copy", "in": {"x": "x"}}]})
    (folder / "workflow.json").write_text(json.dumps(workflow), encoding="utf-8")
    gate = folder / "closed"
    (folder / "copy.sh").write_text(f"test ! -e {gate} && cp in.x.csv out.y.csv\n", encoding="utf-8")
    (folder / "copy.json").write_text(json.dumps({
        "tessera_operation": 1, "name": "test.copy", "version": 1, "command": ["sh", "copy.sh"], "complete": True,
        "inputs": {"x": {"type": "table"}}, "outputs": {"y": {"type": "table"}}}), encoding="utf-8")
    whole = study(folder, "--store", "whole")
    gate.touch()
    call("study", "-C", folder, "study.json", "--progress=none", expect=1)
    gate.unlink()
    away = folder.parent / "away"
    away.mkdir()
    for path in folder.glob("*.png"):
        shutil.move(path, away / path.name)
    (folder / "data.csv").unlink()
    resumed = study(folder, "--resume", "--data-root", away)
    equal((resumed.get("held_out", {}).get("sets"), resumed.get("indices")), (whole["held_out"]["sets"], whole["indices"]), "resumed")


def check_mistakes(folder):
    def says(what, text, place, helps, columns=None, data=None):
        write_project(folder, columns, data)
        faults = call_json("study", "-C", folder, "study.json", expect=3)["faults"]
        found = [(fault["text"], fault["file"].split("/")[-1], fault["line"], fault["column"] > 0, fault["help"]) for fault in faults]
        equal(found, [(text, *place, True, helps)], what)

    says("a split of another name", "'valid' is not a split", ("data.csv", 3),
         "a split is 'train' or 'test'; an empty cell means 'train'", {"split": lambda slide: "valid" if slide == "b" else "train"})
    says("a split with a typing error", "'tests' is not a split", ("data.csv", 4), "did you mean 'test'? An empty cell means 'train'",
         {"split": lambda slide: "tests" if slide == "c" else "train"})
    says("all are test", "all items are held out: nothing is left to study", ("data.csv", 2),
         "give at least one item the split 'train', or use: tessera run", split(list(SLIDES)))
    says("all groups are held out", "all items are held out: nothing is left to study", ("study.json", 1),
         "name fewer values in \"hold_out\"", None, {"hold_out": {"site": ["north", "south", "east"]}})
    says("both", "both the column 'split' of the manifest and the study say what is held out", ("study.json", 1),
         "remove \"hold_out\" from the study, or the column from the manifest", split(TEST), {"hold_out": {"site": ["south"]}})
    says("a group that is not declared", "'hold_out' names 'sit', which is not a declared group", ("study.json", 1), "did you mean 'site'?",
         None, {"hold_out": {"sit": ["south"]}})
    says("a value that no item has", "no item has the site 'nort'", ("study.json", 1), "did you mean 'north'?", None,
         {"hold_out": {"site": ["south", "nort"]}})
    warned = call_json("study", "-C", write_project(folder, data={"hold_out": {"site": ["south"]}}), "study.json", "--data",
                       folder / "a.png", expect=None)
    check("nothing is held out: files of the command line have no groups" in warned.get("warnings", []), f"--data: {warned.get('warnings')}")


support.need_program()
scratch = support.scratch()
first = check_column(scratch / "column")
check_groups(scratch / "groups", first)
check_run(scratch / "run")
check_resumed(scratch / "resumed")
check_mistakes(scratch / "mistakes")
say("held-out data")
support.finish()
