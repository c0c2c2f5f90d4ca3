#!/usr/bin/env python3
"""Numbers over tiles are those of the slide: scores of a real slide against sums over its joined tiles and own labelling.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 300
"""
import json
import re
import shutil

import _support as support
from _masks import close, counts_of, named, read_masks, scores
from _support import ROOT, SHARED, call, call_json, check, equal, say

SLIDE = "data/histology/aperio/CMU-1-Small-Region.svs"
CUT = "objects cut at tile edges"
NAME = "CMU-1-Small-Region"


def check_file(row, counts, what):
    """One file of a reply: values, numerators and denominators."""
    for name, count in counts.items():
        close(named(row["values"], name), count, f"{what}: {name}")
    for name, (numerator, denominator) in scores(counts).items():
        close(named(row["values"], name), numerator / denominator, f"{what}: {name}")
        close(named(row["numerator"], name) / named(row["denominator"], name), numerator / denominator,
              f"{what}: numerator over denominator of {name}")


def check_tables(folder, counts):
    """The tables of the tiles add up to the same."""
    sums = {name: 0.0 for name in counts}
    for path in (folder / NAME).glob("compare.table.x*_y*.csv"):
        row = support.read_csv(path)[0]
        for name in sums:
            sums[name] += float(row[name])
    for name, value in sums.items():
        close(value, counts[name], f"tables of the tiles: {name}")


def tile_mean(folder, column):
    values = [float(support.read_csv(path)[0][column]) for path in (folder / NAME).glob("compare.table.x*_y*.csv")]
    return sum(values) / len(values)


def run(project, name, *words):
    reply = call_json("run", "-C", project, "workflow.json", "--data", SHARED / SLIDE, "--tile", 512, "--per-tile",
                      "-o", name, *words)
    return reply, project / name


def check_run(project, default, name, *words):
    """A run against the default run: what the reply says is what the masks of both say."""
    reply, other = run(project, name, *words)
    counts = counts_of(read_masks(other / NAME), read_masks(default / NAME))
    dice = scores(counts)["dice"]
    say(f"{words}: {counts}; Dice {dice[0] / dice[1]:.6f}, mean over tiles {tile_mean(other, 'dice'):.6f}")
    check(counts["matched"] > 500 and counts["diff"] > 0, "the two runs do not differ as they should")
    rows = reply.get("quality", [])
    if not equal(len(rows), 1, "rows of quality"):
        support.finish()
    check_file(rows[0], counts, name)
    equal(rows[0]["tiles"], 30, "tiles of the slide")
    check(any(note.startswith(CUT) and "pq" in note for note in rows[0]["notes"]), f"run: notes are {rows[0]['notes']}")
    overall = reply["quality_over_files"][0]["values"]
    for measure, value in rows[0]["values"].items():
        equal(overall[measure], value, f"run: {measure} over all files, of which there is one")
    check_tables(other, counts)
    check_warnings(reply, "run")
    return counts


def check_text(project):
    text = call("run", "-C", project, "workflow.json", "--data", SHARED / SLIDE, "--tile", 512, "-o", "other", "-p",
                "R=240", "--progress=none").stdout
    check(f"{CUT}: found" in text and "pooled over 30 tiles" in text, f"the text of the run:\n{text}")


def check_warnings(reply, what):
    warnings = reply.get("warnings", [])
    whole = [text for text in warnings if "look at the whole tile" in text]
    equal(len(whole), 1, f"{what}: warnings about whole tiles")
    check(all('"halo": 128' in text for text in whole), f"{what}: a halo that lowers the effect is not named: {whole}")
    halo = reply["halo"]
    equal((halo["px"], halo["needed_px"], halo["given"], halo["path"]), (0, 0, False, []), f"{what}: the halo")
    check("segment.background" in halo["tile_tasks"], f"{what}: tasks that look at the whole tile: {halo['tile_tasks']}")


def check_study(project, counts):
    """The same as a study of one given set, with all ways to go over tiles."""
    columns = ("dice", "jaccard", "pixel_precision", "pixel_recall", "aji", "pq", "diff", "found")
    outputs = [f"compare.table:{column}" for column in columns]
    study = {"tessera": 1, "name": "pooled", "workflow": "workflow.json", "reference": "default",
             "data": {"files": [str(SHARED / SLIDE)], "tile": 512}, "outputs": outputs}
    (project / "study.json").write_text(json.dumps(study), encoding="utf-8")
    (project / "design.csv").write_text("R\n240\n", encoding="utf-8")
    check_warnings(call_json("check", "-C", project), "check")
    reply = call_json("study", "-C", project, "--design", "design.csv", "-o", "study")
    check_warnings(reply, "study")
    rows = support.read_csv(project / "study/results-by-file.csv")
    equal(len(rows), 1, "rows of results-by-file.csv")
    equal(list(rows[0])[:3], ["set", "file", "tiles"], "first columns of results-by-file.csv")
    equal((rows[0]["set"], rows[0]["file"], rows[0]["tiles"]), ("0", NAME, "30"), "the row")
    whole = support.read_csv(project / "study/results.csv")[0]
    equal(list(whole)[:2], ["set", "R"], "first columns of results.csv")
    for column in columns:
        wanted = scores(counts).get(column)
        value = wanted[0] / wanted[1] if wanted else counts[column]
        for row, name in ((rows[0], "results-by-file.csv"), (whole, "results.csv")):
            close(float(named(row, f"compare.table:{column}")), value, f"{name}: {column}")
        if wanted:
            header = next(name for name in rows[0] if re.fullmatch(rf"compare\.table:{column}(_vs_default)?:numerator", name))
            ratio = float(rows[0][header]) / float(rows[0][header.replace(":numerator", ":denominator")])
            close(ratio, value, f"results-by-file.csv: {column} from its sums")
    notes = {re.sub(r".*:|_vs_default", "", output["name"]): output["notes"] for output in reply["outputs"]}
    equal({name: bool(note) for name, note in notes.items()}, {name: name in ("aji", "pq", "found") for name in columns},
          "outputs that say that objects are cut")


def main():
    support.need_program()
    support.need_shared(SLIDE)
    project = support.scratch() / "project"
    project.mkdir()
    shutil.copy(ROOT / "workflows/nuclei-tiles/workflow.json", project)
    _, default = run(project, "default")
    counts = check_run(project, default, "other", "-p", "R=240")
    check_run(project, default, "far", "-p", "R=240", "-p", "G1=50", "-p", "minSizeSeg=40")
    check_text(project)
    check_study(project, counts)
    support.finish()


main()
