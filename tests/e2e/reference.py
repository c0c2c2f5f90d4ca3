#!/usr/bin/env python3
"""The reference is what the user thinks it is: columns of manifests, what results say they were compared with, and scores
and pictures of workflows whose reference is the truth alone.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.decay)

Expected names and words are those of docs/workflow-file.md; Dice scores are computed here from the mask that a run wrote and
the truth, pixel by pixel.
"""
import json
import re
import struct
import zlib

import _support as support
from _support import call, call_json, check, equal, read_csv, say

EDGE_PX = 320
TRUTH_WORDS = "Dice [0-9.]+ against the truth"
TOTAL = '''import csv, json, sys
call = json.load(open(sys.argv[-1]))
header, *rows = csv.reader(open(call["inputs"]["table"]["path"], newline=""))
with open(call["outputs"]["table"]["path"], "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(header)
    writer.writerow([sum(float(row[i]) for row in rows) for i in range(len(header))])
'''
TOTAL_OPERATION = {"tessera_operation": 1, "name": "test.total", "version": 1, "command": ["python3", "-I", "total.py"],
                   "files": ["total.py"], "complete": True, "inputs": {"table": {"type": "table"}},
                   "outputs": {"table": {"type": "table"}}}


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def cut(path):
    """Leaves the upper left of an image."""
    width, _, channels, bits, data = support.read_png(path)
    step = width * channels * bits // 8
    rows = [b"\0" + data[y * step:y * step + EDGE_PX * channels * bits // 8] for y in range(EDGE_PX)]
    head = struct.pack(">IIBBBBB", EDGE_PX, EDGE_PX, bits, {1: 0, 3: 2}[channels], 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks))


def make_project():
    """The demo with a part of its slide as one tile, so that a study takes a moment only."""
    project = support.scratch() / "project"
    call("init", "--demo", "nuclei", project)
    for name in ("slide.png", "truth.png"):
        cut(project / name)
    base = json.loads((project / "study.json").read_text(encoding="utf-8"))
    base["data"]["tile"] = 0
    base["method"] = {"name": "morris", "trajectories": 2, "levels": 4, "seed": 1}
    base["parameters"] = ["G1", "G2"]
    base["outputs"] = [{"output": "compare.table:dice", "label": "the Dice overlap"}, "features.summary:objects"]
    base.pop("reference", None)
    columns = read_columns(project)
    base["outputs"][1] = f"features.summary:{columns[1]}"
    return project, base


def read_columns(project):
    call("run", "-C", project, "--data", "slide.png", "--tile", 0, "--per-tile", "-o", "columns",
         "--progress=none")
    text = (project / "columns/slide/features.summary.csv").read_text(encoding="utf-8")
    return text.splitlines()[0].split(",")  # the first is the file


def write_study(project, name, base, manifest, **more):
    (project / f"{name}.csv").write_text(manifest, encoding="utf-8")
    data = {**base["data"], "manifest": f"{name}.csv", **more.pop("data", {})}
    write_json(project / f"{name}.json", {**base, "data": data, **more})
    return f"{name}.json"


def refused(project, words, *parts):
    """Exit 3 with every part in the message, and no result."""
    run = call("-C", project, *words, expect=3)
    said = re.sub(r"\s+", " ", run.stderr)
    for part in parts:
        check(part in said, f"tessera {' '.join(words)} does not say {part!r}:\n{run.stderr}")
    equal(run.stdout, "", f"standard output of tessera {' '.join(words)}")


def check_columns(project, base):
    """A column that nobody reads is refused by every command."""
    typo = write_study(project, "typo", base, "image,refrence\nslide.png,truth.png\n")
    group = write_study(project, "group", base, "image,reference,patient\nslide.png,truth.png,p1\n")
    excel = write_study(project, "excel", base, "image;reference\nslide.png;truth.png\n")
    split = write_study(project, "split", base, "image,split\nslide.png,1\n")
    level = write_study(project, "level", base, "image,level\nslide.png,1\n")
    lacks = write_study(project, "lacks", base, "image,reference\nslide.png,truth.png\n", data={"groups": ["patient"]})
    before = call_json("status", "-C", project)["runs"]
    for command in ("check", "run", "study", "plan"):
        refused(project, (command, typo), "error[T213]", "typo.csv:1:7", "did you mean 'reference'?", "groups")
        refused(project, (command, group), "error[T213]", "group.csv:1:17", "'patient'", '"groups": ["patient"]')
        refused(project, (command, excel), "error[T213]", "excel.csv:1:1", "semicolons (';')")
        refused(project, (command, split), "error[T314]", "split.csv:2:11", "'1' is not a split",
                "a split is 'train' or 'test'; an empty cell means 'train'")
        refused(project, (command, level), "error[T402]", "level.csv:2:11", "has 1 resolution level, not level 1")
        refused(project, (command, lacks), "error[T213]", "no column for the group 'patient'", "lacks.json:")
    equal(call_json("status", "-C", project)["runs"], before, "runs after refused commands")


def check_groups(project, base):
    """Declared groups are read, and stand beside each file in replies."""
    name = write_study(project, "grouped", base,
                       "site,image,reference,patient\nnorth,slide.png,truth.png,p1\nsouth,slide2.png,truth.png,p2\n",
                       data={"groups": ["patient", "site"]})
    (project / "slide2.png").write_bytes((project / "slide.png").read_bytes())
    call("-C", project, "check", name)
    run = call_json("run", "-C", project, name, "-o", "grouped")
    wanted = {"slide": {"patient": "p1", "site": "north"}, "slide2": {"patient": "p2", "site": "south"}}
    equal({row["file"]: row["groups"] for row in run["quality"]}, wanted, "groups of the files of a run")
    study = call_json("study", "-C", project, name)
    found = {entry["path"].split("/")[-1]: entry["groups"] for entry in study["inputs"] if entry["input"] == "image"}
    equal(found, {f"{key}.png": value for key, value in wanted.items()}, "groups of the files of a study")


def true_dice(project, folder):
    """2 |A and B| / (|A| + |B|) of the mask that a run wrote and the truth."""
    masks = []
    for path in (folder / "slide/segment.mask.png", project / "truth.png"):
        width, height, channels, bits, data = support.read_png(path)
        step = channels * bits // 8
        masks.append([any(data[i:i + step]) for i in range(0, width * height * step, step)])
    both = sum(a and b for a, b in zip(*masks))
    return 2 * both / (sum(masks[0]) + sum(masks[1]))


def check_truth(project, base):
    """Against the truth: plain names, and every place says so."""
    for asked in ({}, {"reference": "truth"}):
        name = write_study(project, "truth", base, "image,reference\nslide.png,truth.png\n", **asked)
        reply = call_json("study", "-C", project, name)
        equal(reply.get("schema"), "tessera.study/2", "schema of a study")
        equal([(o["name"], o.get("against")) for o in reply["outputs"]],
              [("compare.table:dice", "truth"), (base["outputs"][1], None)], f"outputs of a study with {asked}")
    header = (project / reply["results"]).read_text(encoding="utf-8").splitlines()[0]
    check(header.endswith(f",compare.table:dice,{base['outputs'][1]}"), f"header of results.csv: {header}")
    equal({a["output"]: a.get("against") for a in reply["analyses"]},
          {"compare.table:dice": "truth", base["outputs"][1]: None}, "analyses of the study")
    report = (project / reply["report"]).read_text(encoding="utf-8")
    check("compare.table:dice: the truth</dd>" in report, "the method section does not say what was compared")
    check("<b>the truth</b>" in report, "no card says what was compared")
    text = call("study", "-C", project, name, "--progress=none").stdout
    check("compare.table:dice against the truth" in text, f"the table of a study does not name the truth:\n{text}")
    run = call_json("run", "-C", project, name, "-o", "truth")
    equal((run["schema"], run["skipped"]), ("tessera.run/2", []), "schema and skipped products of a run")
    equal([row["against"] for row in run["quality"]], ["truth"], "what the scores of a run are against")
    dice = run["quality"][0]["values"]["dice"]
    check(abs(dice - true_dice(project, project / "truth")) < 1e-12, f"Dice of the run is {dice}")
    row = read_csv(project / "truth/slide/compare.table.csv")[0]
    equal((list(row)[-1], row["against"], float(row["dice"])), ("against", "truth", dice), "the table of scores")
    check("against" not in read_csv(project / "truth/slide/features.summary.csv")[0], "a table that compares nothing")
    text = call("run", "-C", project, name, "--progress=none").stdout
    check(re.match(TRUTH_WORDS, text), f"the first line of a run does not name the truth:\n{text[:200]}")


def check_default(project, base):
    """Against the default run: other names; the defaults are never compared with themselves in a run."""
    absent = write_study(project, "absent", base, "image\nslide.png\n")
    asked = write_study(project, "asked", base, "image,reference\nslide.png,truth.png\n", reference="default")
    for name in (absent, asked):
        reply = call_json("study", "-C", project, name)
        equal([(o["name"], o.get("against")) for o in reply["outputs"]],
              [("compare.table:dice_vs_default", "default"), (base["outputs"][1], None)], f"outputs of {name}")
        header = (project / reply["results"]).read_text(encoding="utf-8").splitlines()[0]
        check(header.endswith(f",compare.table:dice_vs_default,{base['outputs'][1]}"), f"results.csv of {name}: {header}")
        equal(sorted(reply["runs"][0]["outputs"]), sorted(["compare.table:dice_vs_default", base["outputs"][1]]),
              f"outputs of the runs of {name}")
        report = (project / reply["report"]).read_text(encoding="utf-8")
        check("<b>the run at default parameters</b>" in report, f"no card of {name} says what was compared")
    for words in ((absent,), ("workflow.json", "--data", "slide.png", "--tile", "0"), (absent, "-p", "G1=80"),
                  (absent, "--no-reuse"), (absent, "-p", "FH=5")):  # FH: anything but 8 acts as 4, the default
        run = call_json("run", "-C", project, *words, "-o", "/".join(["none", *words]).replace(".json", ""))
        equal([entry["output"] for entry in run["skipped"]], ["compare.table"], f"what run {words} does not write")
        check("always agree" in run["skipped"][0]["reason"], f"why run {words} does not write it")
        equal(run["quality"], [], f"scores of run {words}")
        check(run["outputs"] and not any("compare" in path for path in run["outputs"]), f"files of run {words}")
        check("compare.scores" not in support.executed(run), f"run {words} compares")
    text = call("run", "-C", project, absent, "--progress=none").stdout
    equal(len(re.findall(r"^compare\.table was not written: there is no truth", text, re.M)), 1, "the line that says why")
    plan = call_json("plan", "-C", project, absent, "-p", "G1=80", "--store", "other")
    equal(sum(row["task"] == "scores" for row in plan["by_task"]), 0, "comparisons that plan predicts")
    run = call_json("run", "-C", project, absent, "-p", "G2=30", "-o", "other")
    equal((run["skipped"], [row["against"] for row in run["quality"]]), ([], ["default"]), "a run with another G2")
    check(0 < run["quality"][0]["values"]["dice_vs_default"] < 1, "its Dice against the default run")
    row = read_csv(project / "other/slide/compare.table.csv")[0]
    equal((list(row)[-1], row["against"]), ("against", "default"), "its table of scores")
    call_json("run", "-C", project, absent, "-o", "other")
    check(not (project / "other/slide/compare.table.csv").exists(), "the score of an earlier run beside masks of a later one")
    check((project / "other/slide/segment.mask.png").exists(), "no mask of the later run")
    text = call("run", "-C", project, absent, "-p", "G2=30", "--progress=none").stdout
    check(re.match("Dice 0[0-9.]+ against the run at default parameters", text), f"its first line:\n{text[:200]}")


def check_files(project, base):
    """Files that the study names; what is asked for and not there is refused."""
    data = {"files": ["slide.png"], "tile": 0}
    write_json(project / "files.json", {**base, "data": data, "reference": {"files": ["truth.png"]}})
    reply = call_json("study", "-C", project, "files.json")
    equal([(o["name"], o.get("against")) for o in reply["outputs"]][0], ("compare.table:dice", "files"), "outputs")
    run = call_json("run", "-C", project, "files.json", "-o", "files")
    equal([row["against"] for row in run["quality"]], ["files"], "scores against files of the study")
    for command in ("check", "study"):
        refused(project, (command, "files.json", "--data", "slide.png"), "belongs to its own data", "files.json:")
    write_json(project / "ask.json", {**base, "data": data, "reference": "truth"})
    both = write_study(project, "both", base, "image,reference\nslide.png,truth.png\n",
                       reference={"files": ["truth.png"]})
    for command in ("check", "study"):
        refused(project, (command, "ask.json"), "error[T213]", "no files for 'reference'", "ask.json:")
        refused(project, (command, both), "error[T213]", "both name files for 'reference'", "both.json:")


def own_workflow(project, by_default):
    """The nuclei workflow with its inputs in another order, a total over the dataset, and a default run or none."""
    workflow = json.loads((project / "workflow.json").read_text(encoding="utf-8"))
    reference = {"type": "mask|labels", **({"default_run": "segment.mask"} if by_default else {})}
    workflow["inputs"] = {"reference": reference, "image": {"type": "image/rgb8"}}
    workflow["operations"] = ["total.json"]
    workflow["stages"].append({"name": "total", "per": "dataset", "in": {"table": "compare.table"},
                               "out": {"table": "sum.table"},
                               "tasks": [{"name": "sum", "op": "test.total", "in": {"table": "table"}}]})
    write_json(project / "total.json", TOTAL_OPERATION)
    (project / "total.py").write_text(TOTAL, encoding="utf-8")
    name = "with" if by_default else "without"
    write_json(project / f"{name}-default.json", workflow)
    return f"{name}-default.json"


def check_own(project, base):
    """The truth is enough: scores and pictures do not need a default run."""
    found = {}
    for by_default in (True, False):
        workflow = own_workflow(project, by_default)
        name = write_study(project, f"own{int(by_default)}", base, "image,reference\nslide.png,truth.png\n",
                           workflow=workflow, outputs=["compare.table:dice", "total.table:dice"])
        run = call_json("run", "-C", project, name, "-o", name[:-5])
        study = call_json("study", "-C", project, name)
        equal([o.get("against") for o in study["outputs"]], ["truth", "truth"], f"outputs of {workflow}")
        equal([p["role"] for p in study["pictures"]], ["default", "best", "truth"], f"pictures of {workflow}")
        pictures = [(project / study["report"]).parent.joinpath(p["file"]).read_bytes() for p in study["pictures"]]
        equal((project / study["report"]).read_text(encoding="utf-8").count("<img "), 3, f"pictures in the report of {name}")
        text = call("run", "-C", project, name, "--progress=none").stdout
        check(re.match(TRUTH_WORDS, text), f"the first line of a run of {workflow}:\n{text[:200]}")
        total = (project / name[:-5] / "total.table.csv").read_text(encoding="utf-8")
        found[by_default] = (run["quality"], study["runs"], pictures, total)
        check(total.splitlines()[0].endswith(",against") and total.splitlines()[1].endswith(",truth"), f"total: {total}")
    check(found[True] == found[False] and found[True][0], "scores and pictures with and without a default run differ")
    check_own_without_truth(project, base)


def check_own_without_truth(project, base):
    outputs = ["total.table:dice"]
    absent = write_study(project, "own-absent", base, "image\nslide.png\n", workflow="without-default.json",
                         outputs=outputs)
    for command in ("check", "study"):
        refused(project, (command, absent), "error[T210]", "needs the input 'reference'", "column 'reference'",
                "default_run", "own-absent.json:")
    run = call_json("run", "-C", project, absent, "-o", "own-absent")
    equal([entry["output"] for entry in run["skipped"]], ["compare.table", "total.table"], "what cannot be made")
    check("no files for the input 'reference'" in run["skipped"][0]["reason"], f"why: {run['skipped'][0]}")
    text = call("run", "-C", project, absent, "--progress=none").stdout
    check("compare.table, total.table were not written: the data has no files for the input 'reference'" in text,
          f"the text does not say what is missing:\n{text}")
    # With a default run, what is reached through tasks is a comparison too, and as idle as what it is made from.
    wrong = write_study(project, "own-default", base, "image\nslide.png\n", workflow="without-default.json",
                        outputs=outputs, reference="default")
    refused(project, ("check", wrong), "error[T213]", "has no default run", "own-default.json:")
    right = write_study(project, "own-default", base, "image\nslide.png\n", workflow="with-default.json", outputs=outputs)
    study = call_json("study", "-C", project, right)
    equal([(o["name"], o["against"]) for o in study["outputs"]], [("total.table:dice_vs_default", "default")], "outputs")
    run = call_json("run", "-C", project, right, "-o", "own-default")
    equal([entry["output"] for entry in run["skipped"]], ["compare.table", "total.table"], "what is not compared")
    run = call_json("run", "-C", project, right, "-p", "G2=30", "-o", "own-default")
    total = (project / "own-default/total.table.csv").read_text(encoding="utf-8").splitlines()
    check(run["skipped"] == [] and total[0].endswith(",against") and total[1].endswith(",default"), f"total: {total}")


def check_workers(project):
    """Worker processes compare with the same reference."""
    wanted = call_json("study", "-C", project, "asked.json", "--store", "memory")
    found = call_json("study", "-C", project, "asked.json", "--store", "workers", "--workers", 2, "-o", "workers")
    equal(found.get("runs"), wanted["runs"], "runs with two workers")


def main():
    support.need_program()
    project, base = make_project()
    check_columns(project, base)
    check_groups(project, base)
    check_truth(project, base)
    check_default(project, base)
    check_files(project, base)
    check_own(project, base)
    check_workers(project)
    say("columns, groups, truth, default run, files, own workflows, workers")
    support.finish()


main()
