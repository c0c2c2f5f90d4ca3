#!/usr/bin/env python3
"""The demo as a newcomer meets it: init, check, study, report, run, looking back, and what errors say.

SPDX-License-Identifier: Apache-2.0
test-timeout: 180
"""
import collections
import html
import json
import re
import shutil
import sqlite3
import struct

import _support as support
from _masks import components
from _support import call, call_json, check, equal, say

TILES = [(0, 0), (512, 0), (0, 512), (512, 512)]
WITH_HALO = 640  # every tile of the slide has its halo of 128 on two sides


def embedded_json(report):
    found = re.search(r'<script type="application/json" id="tessera-result">(.*?)</script>', report, re.S)
    return json.loads(found[1]) if check(found, "the report embeds no result") else {}


def check_study(project):
    """From an empty folder to a report, within a minute; a second time without running anything."""
    made = call("init", "--demo", "nuclei", project)
    check("tessera study" in made.stdout, f"init does not say what to do next:\n{made.stdout}")
    call("check", "-C", project)
    plan = call_json("plan", "-C", project)
    reply = call_json("study", "-C", project, "-j", 2)
    folder = project / "out/nuclei"
    reuse = reply["reuse"]
    say(f"study: {reply['wall_s']:.1f} s, executed {reuse['executed']} of {reuse['requested']}; {reply['answer']}")
    check(support.SANITIZED or reply["wall_s"] <= 60, f"the study took {reply['wall_s']:.1f} s")
    for planned, done in zip(plan["by_task"], reply["by_task"], strict=True):
        equal(done["executed"] + done["cutoff"], planned["executed"], f"{done['task']}: run against plan")
    equal(len(support.read_csv(folder / "results.csv")), reply["method"]["runs"] + 1, "rows of results.csv, with the defaults")
    check(re.search(r" Default 0\.\d+, best run 0\.\d+\.$", reply["answer"]), f"no values in the answer: {reply['answer']}")
    equal([picture["role"] for picture in reply["pictures"]], ["default", "best", "truth"], "pictures")
    report = (folder / "report.html").read_text(encoding="utf-8")
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", report)).replace("\xa0", " "))
    check(reply["answer"].replace("\xa0", " ") in text, "the report does not hold the answer")
    check(reply["question"] in text, "the report does not hold the question")
    in_report, in_file = embedded_json(report), json.loads((folder / "result.json").read_text(encoding="utf-8"))
    equal(reply["faults"], [], "faults")
    for name in sorted(reply.keys() | in_report.keys() | in_file.keys()):
        values = [source.get(name) for source in (reply, in_report, in_file)]
        check(values[0] == values[1] == values[2],
              f"'{name}' of --json, report.html and result.json: {str(values)[:300]}")
    before = (folder / "results.csv").read_bytes()
    again = call_json("study", "-C", project)
    equal((again["further"]["executed"], again["further"]["runs"]), (0, reply["further"]["runs"]), "further runs of the second study")
    equal((again["reuse"]["executed"], again["reuse"]["reads"]), (0, 0), "executed and read by the second study")
    equal(again["answer"], reply["answer"], "answer of the second study")
    check((folder / "results.csv").read_bytes() == before, "results.csv of the second study differ")
    first_line = call("study", "-C", project, "--progress=none").stdout.split("\n\n")[0]
    equal(" ".join(first_line.split()), " ".join(reply["answer"].split()), "the first sentence on standard output")
    return reply


def ring_area(ring):
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:])) / 2


def polygon_area(polygon, name):
    """Area of a polygon in pixels; notes what is not valid about it."""
    for ring in polygon:
        check(len(ring) >= 5 and ring[0] == ring[-1], f"{name}: a ring is not closed")
        check(all((a[0] == b[0]) != (a[1] == b[1]) for a, b in zip(ring, ring[1:])),
              f"{name}: an edge is not along a pixel")
    areas = [ring_area(ring) for ring in polygon]
    check(areas[0] > 0 and all(area < 0 for area in areas[1:]), f"{name}: rings turn the wrong way: {areas}")
    return sum(areas)


def check_objects(folder, mask, width):
    """Outlines, table and mask of the slide tell of the same pixels and objects, those at the edges of tiles included."""
    objects = json.loads((folder / "features.objects.geojson").read_text(encoding="utf-8"))
    rows = support.read_csv(folder / "features.table.csv")
    equal(objects["type"], "FeatureCollection", "type of the GeoJSON")
    equal([feature["id"] for feature in objects["features"]], [row["id"] for row in rows], "ids of outlines and rows")
    equal(len({row["id"] for row in rows}), len(rows), "different ids")
    equal(len(rows), components(mask, width), "nuclei, against the components of the mask")
    for number, (feature, row) in enumerate(zip(objects["features"], rows)):
        geometry = feature["geometry"]
        polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
        name = f"outline {number}"
        equal((feature["type"], feature["properties"]["objectType"]), ("Feature", "detection"), name)
        equal(feature["properties"]["classification"], {"name": "nuclei"}, f"{name}: class")
        equal(sum(polygon_area(polygon, name) for polygon in polygons), float(row["area"]), f"{name}: area")
    crossing = sum(1 for row in rows if float(row["box_x"]) < 512 < float(row["box_x"]) + float(row["box_width"]))
    check(crossing > 0, "no nucleus lies across the edge of two tiles: nothing was joined")
    equal(sum(float(row["area"]) for row in rows), mask.count(255), "area of all nuclei, against the mask")
    return len(rows)


def part(picture, x, y, width, height, step):
    """The bytes of a rectangle."""
    stride = picture[0] * step
    return b"".join(picture[4][row * stride + x * step:row * stride + (x + width) * step]
                    for row in range(y, y + height))


def check_tile(folder, slide, truth, quality, x, y):
    """Mask, overlay and scores of one tile; gives its mask and how many of its pixels are found, real and both."""
    width, height = min(512, slide[0] - x), min(512, slide[1] - y)
    found = support.read_png(folder / f"segment.mask.x{x}_y{y}.png")
    equal(found[:4], (width, height, 1, 8), f"size of the mask of tile {x},{y}")
    mask = found[4]
    step = truth[3] // 8
    labels = part(truth, x, y, width, height, step)
    real = [value != 0 for value in (struct.unpack(f">{width * height}H", labels) if step == 2 else labels)]
    both = sum(1 for a, b in zip(mask, real) if a and b)
    dice = 2 * both / (mask.count(255) + sum(real))
    check(abs(dice - quality["dice"]) < 1e-12, f"Dice of tile {x},{y}: {quality['dice']}, not {dice}")
    check(dice > 0.5, f"Dice of tile {x},{y} is {dice:.2f} only")
    overlay = support.read_png(folder / f"segment.mask.x{x}_y{y}.overlay.png")
    equal(overlay[:4], (width, height, 3, 8), f"size of the overlay of tile {x},{y}")
    before, after = part(slide, x, y, width, height, 3), overlay[4]
    changed = [i for i in range(0, len(after), 3) if after[i:i + 3] != before[i:i + 3]]
    equal(len({after[i:i + 3] for i in changed}), 1, f"overlay of tile {x},{y}: colours of its outlines")
    check(all(mask[i // 3] for i in changed) and len(changed) < mask.count(255),
          f"overlay of tile {x},{y}: not only outlines of nuclei changed")
    return mask, mask.count(255), sum(real), both


def assembled(masks, width, height):
    """One mask of the masks of its tiles."""
    whole = bytearray(width * height)
    for (x, y), mask in masks.items():
        own = min(512, width - x)
        for row in range(len(mask) // own):
            whole[(y + row) * width + x:(y + row) * width + x + own] = mask[row * own:(row + 1) * own]
    return bytes(whole)


class Kept:
    """What the store has kept of the tasks of a run, and what the rules of docs/reuse.md make of it."""

    def __init__(self, project, run):
        # Of the product, whatever its record: loading all of them is one speed.
        cost = call_json("explain", "-C", project, "segment.split")["cost"]
        self.load_s_per_byte = cost["load_s"] / cost["bytes"]
        with sqlite3.connect(f"file:{project / '.tessera/store.db'}?mode=ro", uri=True) as database:
            self.tasks = {key: f"{stage}.{name}" for key, stage, name in database.execute(
                "SELECT key, stage, name FROM task WHERE run = ?", (run,))}
            self.records = {row[0]: row[1:] for row in database.execute(
                "SELECT key, content_key, seconds, inputs, outputs FROM record")}
            self.originals = {row[0]: row[1] for row in database.execute(
                "SELECT content_key, max(seconds) FROM record WHERE is_alias = 0 GROUP BY content_key")}
            self.products = {digest for digest, in database.execute("SELECT digest FROM product WHERE is_there = 1")}
        database.close()

    @staticmethod
    def among(blob, known):
        """The digests of 32 bytes that occur in a text of bytes."""
        return [blob[at:at + 32] for at in range(len(blob) - 31) if blob[at:at + 32] in known]

    def check_rule(self, key, name, is_there):
        """Masks of a byte per pixel that took longer than writing them are kept: 2 ms, and 200 MB/s."""
        content, _, _, outputs = self.records[key]
        seconds, size = self.originals.get(content, 0), WITH_HALO * WITH_HALO
        if b"mask" in outputs and not is_there:
            check(seconds <= 0.002 + size / 200e6, f"{name} took {1000 * seconds:.2f} ms, but its mask was not kept")

    def to_have(self, key):
        """The tasks that must be executed to have a task's products, and those that may be."""
        content, _, inputs, outputs = self.records[key]
        name = self.tasks.get(key)
        if name is None or name.startswith(("normalise.", "stain.")):
            return [], []  # images, and products of stages, which are always kept
        is_there = bool(self.among(outputs, self.products))
        self.check_rule(key, name, is_there)
        must, may = [name], [name]
        for other in self.among(inputs, self.records):
            for into, more in zip((must, may), self.to_have(other)):
                into.extend(more)
        loading_s = WITH_HALO * WITH_HALO * self.load_s_per_byte
        if is_there and loading_s <= 2 * self.originals.get(content, 0):
            return [], []
        return ([] if is_there else must), may


def check_changed_parameter(project, run):
    """Another value of the last task's parameter: what is before it is loaded where it was kept, and not computed."""
    kept = Kept(project, run)
    last = [key for key, name in kept.tasks.items() if name == "segment.final_size"]
    equal(len(last), len(TILES), "tiles of the last task of the segmentation")
    least, most = collections.Counter(["segment.final_size"] * 4), collections.Counter(["segment.final_size"] * 4)
    for key in last:
        for other in kept.among(kept.records[key][2], kept.records):
            must, may = kept.to_have(other)
            least.update(set(must))
            most.update(set(may))
    other = call_json("run", "-C", project, "-p", "minSizeSeg=100", "-o", "other")
    upstream = collections.Counter({task: count for task, count in support.executed(other).items()
                                    if count and task.startswith("segment.")})
    say(f"executed before the comparison for another minSizeSeg: {dict(upstream)}, by the rule {dict(least)}")
    check(least <= upstream <= most, f"executed for another minSizeSeg: {upstream}, not {least} to {most}")


def check_run(project):
    """One run with default values: files, and quality against the true nuclei."""
    reply = call_json("run", "-C", project, "--per-tile", "--all-outputs", "--overlay", "-o", "result")
    folder = project / "result/slide"
    wanted = [f"{name}.x{x}_y{y}.{ending}" for x, y in TILES for name, ending in (
        ("normalise.image", "png"), ("segment.mask", "png"), ("segment.mask", "overlay.png"), ("overlap.table", "csv"),
        ("measure.summary", "csv"))]
    wanted += ["stain.colours.csv", "compare.table.csv", "features.table.csv", "features.summary.csv",
               "features.objects.geojson"]
    equal(sorted(path.name for path in folder.iterdir()), sorted(wanted), "files of the run")
    slide, truth = support.read_png(project / "slide.png"), support.read_png(project / "truth.png")
    tables = {(x, y): support.read_csv(folder / f"overlap.table.x{x}_y{y}.csv")[0] for x, y in TILES}
    equal({table.pop("against") for table in tables.values()}, {"truth"}, "what the tables say they compare with")
    masks, sums = {}, [0, 0, 0]
    for tile in TILES:
        scores = {name: float(value) for name, value in tables[tile].items()}
        masks[tile], *counts = check_tile(folder, slide, truth, scores, *tile)
        sums = [a + b for a, b in zip(sums, counts)]
    count = check_objects(folder, assembled(masks, slide[0], slide[1]), slide[0])
    quality, = support.read_csv(folder / "compare.table.csv")
    equal([row["file"] for row in reply["quality"]], ["slide"], "files with a quality")
    equal((quality["against"], float(quality["found"])), ("truth", count), "what is compared, and the nuclei found")
    dice = 2 * sums[2] / (sums[0] + sums[1])
    for source, value in (("table", float(quality["dice"])), ("reply", reply["quality"][0]["values"]["dice"])):
        check(abs(value - dice) < 1e-12, f"Dice of the slide in the {source}: {value}, not {dice}")
    say(f"run: Dice {dice:.3f} against the true nuclei, {count} nuclei")
    equal(reply["reuse"]["executed"], len(TILES) + 1,
          "executed after the study, which compared the defaults with the truth: features, in tiles and joined")
    check_changed_parameter(project, reply["run"])
    text = call("run", "-C", project, "--progress=none").stdout
    check(re.search(r"Dice 0\.[5-9]", text), f"the text of a run does not begin with its quality:\n{text[:300]}")


def check_looking_back(project, study):
    runs = call_json("status", "-C", project)["runs"]
    equal({run["state"] for run in runs}, {"done"}, "states of the runs")
    equal(runs[-1]["id"], study["run"], "the first run in the store")
    check(study["run"] in call("status", "-C", project).stdout, "status does not list the study")
    check("split" in call("status", "-C", project, study["run"]).stdout, "status of a run does not list its tasks")
    why = call_json("explain", "-C", project, "segment.split", "--run", study["run"])
    check(why["outcome"] == "executed" and why["reason"].startswith("it ran"), f"explain: {why}")
    later = call("explain", "-C", project, "segment.split").stdout
    check("store" in later.splitlines()[0] and "the store" in later, f"explain of a task that was not needed:\n{later}")
    changed = call_json("run", "-C", project, "-p", "G2=44", "-o", "changed")
    why = call_json("explain", "-C", project, "segment.refine")
    fields = [field["field"] for field in why.get("nearest", {}).get("differs", [])]
    check(changed["run"] == why["run"] and any("G2" in field for field in fields),
          f"explain does not name G2: {why.get('reason')}")
    call("log", "-C", project, study["run"])
    log = call_json("log", "-C", project, study["run"], "segment.split")
    check(log["tasks"] and {task["task"] for task in log["tasks"]} == {"segment.split"}, "log of a task")
    call("report", "-C", project, "-o", "again.html")
    equal(embedded_json((project / "again.html").read_text(encoding="utf-8"))["answer"], study["answer"],
          "answer of the report made again")
    call("list")


def check_errors(project):
    """What, where, why and what to do, with the promised exit status and nothing on standard output."""
    study = json.loads((project / "study.json").read_text(encoding="utf-8"))
    (project / "gone.csv").write_text("image,reference\nslide.png,truth.png\nno-slide.png,truth.png\n",
                                      encoding="utf-8")
    (project / "gone.json").write_text(json.dumps({**study, "data": {"manifest": "gone.csv"}}, indent=1),
                                       encoding="utf-8")
    (project / "column.json").write_text(json.dumps({**study, "outputs": ["compare.table:dicee"]}, indent=1),
                                         encoding="utf-8")
    (project / "broken.json").write_text('{ "tessera": 1,\n  "name" "nuclei" }\n', encoding="utf-8")
    cases = [
        (("run", "-p", "minSizeSegg=4"), 3, "no parameter 'minSizeSegg'", "did you mean 'minSizeSeg'"),
        (("run", "-p", "G1=300"), 3, "'G1' = 300 is outside 0..255", "help: "),
        (("run", "-p", "G1=abc"), 3, "'abc' is not an integer", "help: "),
        (("run", "-p", "G1"), 2, "'G1' is not a setting", "-p NAME=VALUE"),
        (("run", "-p", "minSize=50", "-p", "maxSize=40"), 3, "minSize = 50, maxSize = 40", "minSize < maxSize"),
        (("run", "--data", "nothing.png"), 3, "there is no file", "nothing.png"),
        (("run", "--only", "sgment"), 2, "no stage 'sgment'", "did you mean 'segment'"),
        (("study", "gone.json"), 3, "no-slide.png", "gone.csv:3:1"),
        (("check", "gone.json"), 3, "no-slide.png", "gone.csv:3:1"),
        (("study", "column.json"), 3, "no column 'dicee'", "column.json:"),
        (("check", "broken.json"), 3, "broken.json:2:", "error[T"),
        (("study", "nothing.json"), 3, "there is no file", "nothing.json"),
        (("study", "workflow.json"), 3, "is a workflow, not a study", "or use: tessera run "),
        (("init", "--demo", "nuclei", "."), 2, "is not empty", "name a new folder"),
        (("init", "--demo", "nuclie", "new"), 2, "no demo 'nuclie'", "did you mean 'nuclei'"),
        (("status", "0badf00d"), 3, "no run '0badf00d'", "tessera status"),
        (("log", "0badf00d"), 3, "no run '0badf00d'", "tessera status"),
        (("report", "0badf00d"), 3, "no run '0badf00d'", "tessera status"),
        (("explain", "segment.splitt"), 3, "no task 'segment.splitt'", "help: "),
        (("study", "--resume", "0badf00d"), 3, "no run '0badf00d'", "tessera status"),
        (("stduy",), 2, "unknown command 'stduy'", "did you mean"),
        (("run", "--tiel", "3"), 2, "unknown option '--tiel'", "did you mean '--tile'"),
    ]
    for words, status, what, fix in cases:
        before = call_json("status", "-C", project)["runs"]
        run = call("-C", project, *words, expect=status)
        said = re.sub(r"\s+", " ", run.stderr)
        check(what in said and fix in said and "error[T" in said,
              f"tessera {' '.join(words)} should say '{what}' and '{fix}':\n{run.stderr}")
        equal(run.stdout, "", f"standard output of tessera {' '.join(words)}")
        equal(said.count(what), 1, f"how often tessera {' '.join(words)} says '{what}'")
        after = call_json("status", "-C", project)["runs"]
        check(len(after) == len(before) or words[-1] == "column.json",
              f"tessera {' '.join(words)} left a run in the store")
    say(f"errors: {len(cases)} cases")
    empty = project / "empty"
    empty.mkdir()
    for command in (("status",), ("study",), ("check",)):
        run = call("-C", empty, *command, expect=3)
        check("error[T" in run.stderr and "help: " in run.stderr, f"{command} in an empty folder:\n{run.stderr}")
    equal(list(empty.iterdir()), [], "what is left in an empty folder")
    reply = call_json("run", "-C", project, "-p", "G1=300", expect=3)
    equal([(fault["code"], fault["help"] != "") for fault in reply["faults"]], [(310, True)], "faults with --json")


def main():
    support.need_program()
    project = support.scratch() / "nuclei"
    study = check_study(project)
    check_run(project)
    check_looking_back(project, study)
    check_errors(project)
    copy = project.parent / "copy"
    call("init", "--demo", "nuclei", copy)
    second, first = support.files_below(copy), support.files_below(project)
    equal({name for name in second if second[name] != first.get(name)}, set(), "files that differ in a second demo")
    shutil.rmtree(copy)
    support.finish()


main()
