#!/usr/bin/env python3
"""The first hour of somebody who has images: data in the place of a study, init --data, pages of help; from an installed program.

SPDX-License-Identifier: Apache-2.0
test-label: slow
test-label: threads-elsewhere (e2e.demo)
test-timeout: 180
"""
import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import _support as support
from _support import ROOT, call, call_json, check, equal, say

BUILD = pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", ROOT / "build"))
HISTOLOGY = support.SHARED / "data/histology"
NOTE = "using the built-in workflow 'nuclei', for tissue stained with haematoxylin and eosin;"
ALL_FILES = ["workflow.json", "data.csv", "study.json"]


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def install(folder):
    """The program as a stranger gets it, with documents, schemas and man pages; the tests below use it."""
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr"], capture_output=True, text=True, check=False,
                          env={**os.environ, "DESTDIR": str(folder)})
    equal(done.returncode, 0, f"installing\n{done.stderr[-2000:]}")
    prefix = folder / "usr"
    documents = next(prefix.glob("share/doc/*"))
    for page in (ROOT / "docs").glob("*.md"):
        check((documents / page.name).exists(), f"docs/{page.name} is not installed")
    for schema in (ROOT / "docs/schema").glob("*.json"):
        check((documents / "schema" / schema.name).exists(), f"the schema {schema.name} is not installed")
    support.PROGRAM = str(prefix / "bin/tessera")
    return prefix


def check_one_command(folder):
    """Own slide to overlay in one command, in an empty folder."""
    slide = HISTOLOGY / "aperio/CMU-1-Small-Region.svs"
    folder.mkdir()
    run = call("run", slide, "--progress=none", cwd=folder)
    notes = [line for line in run.stderr.splitlines() if "built-in" in line]
    check(len(notes) == 1 and notes[0].startswith(NOTE), f"the line about the workflow: {notes}")
    equal(sorted(path.name for path in folder.iterdir()), [".tessera", "out"], "what the run leaves in the folder")
    results = folder / "out/nuclei-run/CMU-1-Small-Region"
    for name in ("overlay.png", "segment.mask.png", "features.table.csv", "features.objects.geojson"):
        check((results / name).is_file() and (results / name).stat().st_size > 1000, f"'{name}' is not written")
    equal(struct.unpack(">II", (results / "segment.mask.png").read_bytes()[16:24]), (2220, 2967), "size of the mask")
    objects = len(rows_of(results / "features.table.csv")) - 1
    number = f"{objects // 1000} {objects % 1000:03}"
    equal(run.stdout.splitlines()[:2], ["nuclei ran", f"features.summary: count {number}"], "the first lines of the answer")
    check_records(folder, slide)


def check_records(folder, slide):
    """The run is recorded like any other: its order holds the workflow, it can be looked at, continued and repeated."""
    again = call_json("run", slide, "-p", "G1=40", cwd=folder)
    equal(again["file"], "nuclei (built-in)", "the file of the run")
    status = call_json("status", cwd=folder)
    equal([run["command"] for run in status["runs"]], ["run", "run"], "recorded runs")
    for words in (("explain", "segment.split"), ("log", again["run"]), ("status", again["run"])):
        check("segment" in call(*words, cwd=folder).stdout or words[0] == "log", f"{words} says nothing of the tasks")
    resumed = call_json("run", slide, "--resume", again["run"], cwd=folder)
    equal((resumed["run"], resumed["reuse"]["executed"], resumed["params"]), (again["run"], 0, again["params"]),
          "the run that was continued")
    repeated = call("store", "verify", "--recompute", cwd=folder)
    check("0 runs" not in repeated.stdout, f"verify repeated nothing:\n{repeated.stdout}")
    workers = call_json("run", slide, "--workers", 2, "--no-reuse", "-p", "G1=40", cwd=folder)
    equal((workers["workers"], workers["quality"]), (2, again["quality"]), "the same by worker processes")
    plan = call_json("plan", slide, "--json", cwd=folder)
    equal((plan["files"], plan["runs"], plan["notes"][0].startswith(NOTE)), (1, 160, True), "the plan of a study")


def check_folder(folder):
    """A folder of images: files that are named after an image are its truth, never an image."""
    folder.mkdir()
    checked = call_json("check", HISTOLOGY / "dsb2018", cwd=folder)
    images = [path for path in (HISTOLOGY / "dsb2018").glob("*.png") if not path.stem.endswith("_labels")]
    equal((checked["ok"], checked["summary"]["files"]), (True, len(images)), "images of the folder")
    check(any("_labels.png" in note for note in checked["notes"]), f"the truths are not named: {checked['notes']}")
    several = call_json("check", images[0], images[1], images[2], cwd=folder)
    equal((several["ok"], several["summary"]["files"]), (True, 3), "several images")
    refused = call("run", HISTOLOGY / "dsb2018/he01_labels.png", cwd=folder, expect=3).stderr
    check("is a grey image with 16 bits per pixel, but the built-in workflow needs an RGB image with 8 bits per channel"
          in refused and "help: convert it" in refused, f"a label image alone:\n{refused}")


def check_cohort(folder):
    """A cohort with truth: two commands to values that one can use, one more to use them. The manifest is that of an own pairing,
    the scores those of an own count."""
    folder.mkdir()
    data = HISTOLOGY / "dsb2018"
    made = call("init", "cohort", "--data", data, "--truth", "*_labels.png", cwd=folder)
    project = folder / "cohort"
    images = sorted(path for path in data.glob("*.png") if not path.stem.endswith("_labels"))
    wanted = [["image", "reference"]] + [[str(path), str(path.with_name(f"{path.stem}_labels.png"))] for path in images]
    equal(rows_of(project / "data.csv"), wanted, "data.csv")
    for text in (f"{len(images)} files, each with its truth", "he01.png", "whole images", "morris", "Goal: the Dice"):
        check(text in made.stdout, f"init does not say '{text}':\n{made.stdout}")
    study = json.loads((project / "study.json").read_text(encoding="utf-8"))
    for part in (study, study["data"], study["method"], study["outputs"][0]):
        check(part.get("comment"), f"no comment in {part}")
    equal(study["outputs"][0]["better"], "higher", "direction of the goal")
    found = call_json("study", cwd=project)
    equal((found["state"], found["outputs"][0]["against"]), ("done", "truth"), "the study")
    say(f"cohort: {found['answer']}")
    truths = {path.stem: pixels_of(path.with_name(f"{path.stem}_labels.png")) for path in images}
    change = [word for name, value in found["shortest_change"]["params"].items() for word in ("-p", f"{name}={value}")]
    dice = {words: check_values_in_use(project, truths, words, found[what])
            for words, what in (((), "default"), (("--best",), "best"), (tuple(change), "shortest_change"))}
    equal([file["file"] for file in found["shortest_change"]["loses"]],
          [name for name in truths if dice[tuple(change)][name] < dice[()][name]], "slides that lose by the shortest change")


def check_values_in_use(project, truths, words, told):
    """One command: what a study says of some values is what a run with them gives, slide by slide, counted here."""
    call("run", "--progress=none", *words, cwd=project)
    dice = {name: dice_of(pixels_of(project / f"out/nuclei-run/{name}/segment.mask.png"), truth) for name, truth in truths.items()}
    row = dict(zip(*rows_of(project / "out/nuclei-run/he02/compare.table.csv")[:2], strict=True))
    check(abs(float(row["dice"]) - dice["he02"]) < 1e-12, f"Dice of he02: {row['dice']}, counted {dice['he02']}")
    for file in told["by_file"]:
        check(abs(file["value"] - dice[file["file"]]) < 1e-12, f"{words}: {file}, counted {dice[file['file']]}")
    mean = sum(dice.values()) / len(dice)
    check(abs(told["value"] - mean) < 1e-12, f"{words}: {told['value']}, counted {mean}")
    say(f"tessera run {' '.join(words)}: Dice {mean:.3f} over {len(dice)} slides")
    return dice


def pixels_of(path):
    """Where a mask or label image is not 0."""
    _, _, _, bits, raw = support.read_png(path)
    pixels = raw if bits == 8 else struct.unpack(f">{len(raw) // 2}H", raw)
    return {at for at, value in enumerate(pixels) if value}


def dice_of(found, truth):
    return 2 * len(found & truth) / (len(found) + len(truth))


def make_layout(folder, slide, truth, names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(truth if re.search(r"label|mask|truth|gt", name) else slide, path)


LAYOUTS = [  # files, --data, --truth, rows of data.csv relative to the folder
    (["d/a.png", "d/a_labels.png", "d/b.png", "d/b_labels.png"], "d", None, [("d/a.png", "d/a_labels.png"), ("d/b.png", "d/b_labels.png")]),
    (["d/a.png", "d/a_mask.png"], "d", None, [("d/a.png", "d/a_mask.png")]),
    (["d/a.png", "d/a-truth.png"], "d", None, [("d/a.png", "d/a-truth.png")]),
    (["d/a.png", "d/masks/a.png"], "d", None, [("d/a.png", "d/masks/a.png")]),
    (["d/images/a.png", "d/labels/a.png"], "d", None, [("d/images/a.png", "d/labels/a.png")]),
    (["d/images/a.png", "d/labels/a_gt.png"], "d/images", None, [("d/images/a.png", "d/labels/a_gt.png")]),
    (["d/a.png", "d/b.png", "d/b_mask.png"], "d", None, [("d/b.png", "d/b_mask.png")]),
    (["d/a.png", "d/my_mask.png"], "d", None, [("d/a.png",)]),
    (["d/a.png", "t/a_mask.png"], "d", "t/*_mask.png", [("d/a.png", "t/a_mask.png")]),
    (["d/a.png", "t/a_mask.png"], "d", "t", [("d/a.png", "t/a_mask.png")]),
    (["d/a.png", "d/a_mask.png", "d/a_labels.png"], "d", "*_labels.png", [("d/a.png", "d/a_labels.png"), ]),
    (["d/a.png", "d/b.png"], "d/b.png", None, [("d/b.png",)]),
]


def check_layouts(folder, slide, truth):
    """How images and truths lie in folders, against rows that are written down here."""
    for number, (names, data, pattern, wanted) in enumerate(LAYOUTS):
        place = folder / f"layout{number}"
        make_layout(place, slide, truth, names)
        words = ["--truth", pattern] if pattern else []
        reply = call_json("init", "new", "--data", data, *words, cwd=place)
        header = ["image", "reference"][:len(wanted[0])]
        rows = rows_of(place / "new/data.csv") if (place / "new/data.csv").exists() else []
        if "d/a_mask.png" in names and pattern == "*_labels.png":  # what is named like neither is an image, here a grey one
            check(any("a_mask.png" in out["file"] for out in reply["left_out"]), f"{names}: {reply['left_out']}")
        equal(rows, [header] + [[f"../{name}" for name in row] for row in wanted], f"data.csv of {names} with {pattern}")
        equal(call_json("check", "-C", "new", cwd=place)["ok"], True, f"check of {names}")


def files_of_user(folder):
    """Digests, without what is in the store."""
    return {name: support.sha256(data) for name, data in support.files_below(folder).items() if not name.startswith(".")}


def check_left_out(folder, slide, truth):
    place = folder / "left"
    make_layout(place, slide, truth, ["d/a.png", "d/a_mask.png", "d/b.png", "d/c.png", "d/c_mask.png", "d/c_gt.png"])
    shutil.copy(truth, place / "d/grey.png")
    (place / "d/text.png").write_text("no image", encoding="utf-8")
    reply = call_json("init", "new", "--data", "d", cwd=place)
    reasons = {pathlib.Path(out["file"]).name: out["reason"] for out in reply["left_out"]}
    equal(sorted(reasons), ["b.png", "c.png", "grey.png", "text.png"], "what is left out")
    said = call("init", "said", "--data", "d", cwd=place).stdout
    check(re.search(r"^  image +truth\n  a\.png +a_mask\.png\nLeft out: 4 files\n  file +reason\n  \S", said, re.MULTILINE),
          f"what init says:\n{said}")
    for name, reason in (("b.png", "it has no truth, and others have"), ("c.png", "several files could be its truth"),
                         ("grey.png", "a grey image with 16 bits per pixel, but 'nuclei' needs an RGB image"),
                         ("text.png", "is not an image that can be read")):
        check(reason in reasons.get(name, ""), f"why {name} is left out: {reasons.get(name)}")
    before = files_of_user(place)
    refused = call("init", "new", "--data", "d", cwd=place, expect=2).stderr
    check("'new/workflow.json' exists already" in refused, f"a second time:\n{refused}")
    equal(files_of_user(place), before, "files after an init that is refused")


SLIPS = [  # words, exit status, parts of the message
    (("run", "notes.txt"), 3, ["'notes.txt' is not an image that can be read"]),
    (("run", "empty"), 3, ["folder 'empty' contains no image files"]),
    (("run", "nope.svs"), 3, ["there is no file 'nope.svs'"]),
    (("run", "*.nope"), 3, ["no file matches '*.nope'"]),
    (("study", "project"), 2, ["is the folder of a project, not a folder of images: it has a study.json", "-C project"]),
    (("check", "number.json"), 3, ["'number.json' is neither a workflow nor a study", "tessera help study"]),
    (("study", "other.csv"), 3, ["no column of the manifest 'other.csv' is an input", "call the column that names the images 'image'"]),
    (("run", "data.csv", "--data", "slide.png"), 3, ["'data.csv' is a manifest, and names all of the data", "give it alone"]),
    (("list", "slide.png"), 3, ["'slide.png' is an image, not a workflow or study (JSON)", "are data"]),
    (("sample", "--method", "lhs", "-N", 3, "--space", "data.csv"), 3, ["'data.csv' is a table (CSV), not a space"]),
    (("run",), 3, ["there is no study.json or workflow.json in '.'", "an image, a folder of images or a manifest"]),
    (("init", "--truth", "x"), 2, ["there is no --data"]),
    (("init", "--demo", "--data", "slide.png"), 2, ["--demo and --data do not go together"]),
    (("init", "new", "--data", "nope"), 3, ["there is no file or folder 'nope'"]),
    (("init", "new", "--data", "data.csv"), 2, ["is a manifest, which init writes itself"]),
    (("init", "new", "--data", "empty"), 3, ["folder 'empty' contains no image files"]),
    (("init", "new", "--data", "slide.png", "--truth", "*_x.png"), 3, ["no file named like '*_x.png' belongs to an image"]),
    (("init",), 2, ["'.' is not empty", "tessera init NEW --data"]),
]


def check_slips(folder, slide, truth):
    """Data in the wrong place gets a sentence about data."""
    place = folder / "slips"
    (place / "empty").mkdir(parents=True)
    shutil.copy(slide, place / "slide.png")
    shutil.copy(truth, place / "truth.png")
    (place / "notes.txt").write_text("nothing\n", encoding="utf-8")
    (place / "number.json").write_text('{"tessera": 1}', encoding="utf-8")
    (place / "other.csv").write_text("picture\nslide.png\n", encoding="utf-8")
    (place / "data.csv").write_text("image,reference\nslide.png,truth.png\n", encoding="utf-8")
    call("init", "project", cwd=place)
    before = files_of_user(place)
    for words, code, texts in SLIPS:
        said = call(*words, cwd=place, expect=code).stderr
        for text in texts:
            check(" ".join(text.split()) in " ".join(said.split()), f"{words} does not say '{text}':\n{said}")
        check("token" not in said and "decode" not in said, f"{words} speaks of JSON:\n{said}")
    equal(files_of_user(place), before, "files after slips")
    for words in (("check", "data.csv"), ("plan", "data.csv"), ("run", "--data", "data.csv"), ("run", "slide.png"), ("study", "data.csv")):
        reply = call_json(*words, cwd=place)
        equal(reply["faults"], [], f"faults of {words}")
    equal(call_json("run", "data.csv", cwd=place)["quality"][0]["against"], "truth", "reference of a manifest")


def check_smallest(folder):
    """'tessera init' makes a study that runs; with a study in the folder, that one takes the data."""
    call("init", "small", cwd=folder)
    project = folder / "small"
    found = call_json("study", cwd=project)
    equal((found["state"], found["faults"], found["outputs"][0]["against"]), ("done", [], "truth"), "the first study")
    shutil.copy(project / "slide.png", folder / "other.png")
    run = call_json("run", "../other.png", cwd=project)
    equal((run["name"], run["file"]), ("dark", "study.json"), "a slide in a project")
    check("using 'study.json'" in run["notes"][0], f"what is used: {run['notes']}")


def literal_of(page):
    """The example of a page of help: its lines are indented by two, the rest of its section."""
    section = re.search(r"^Example\n((?:  .*\n|\n)+?)\n", page, re.MULTILINE)
    return "\n".join(line[2:] for line in section[1].splitlines()) if section else ""


def entries_of(page, heading):
    section = re.search(rf"^{heading}\n(.*?)(?:\n\n|\Z)", page, re.MULTILINE | re.DOTALL)
    names = re.findall(r"^  (\S.*?)(?:  .*)?$", section[1], re.MULTILINE) if section else []
    return {name.strip() for entry in names for name in entry.split(",")}


TEXTS = {"help", "comment"}


def check_pipe(folder):
    """A study may come through a pipe, which can be read only once."""
    text = (folder / "small/study.json").read_text(encoding="utf-8").replace("workflow.json", str(folder / "small/workflow.json"))
    text = text.replace("data.csv", str(folder / "small/data.csv"))
    done = subprocess.run([support.PROGRAM, "check", "/dev/stdin"], input=text, capture_output=True, text=True, check=False,
                          env=support.environment(), cwd=folder)
    equal((done.returncode, done.stderr), (0, ""), "a study through a pipe")


def check_help(folder, prefix):
    """Pages of help: their examples are right, and they have every key of the schemas; man pages and completion have every page."""
    pages = {name: call("help", name).stdout for name in ("workflow", "study", "manifest", "operations", "methods")}
    place = folder / "help"
    call("init", place)
    (place / "workflow2.json").write_text(literal_of(pages["workflow"]), encoding="utf-8")
    call("check", "workflow2.json", cwd=place)
    check(pages["study"].startswith(call("study", "--help").stdout), "'help study' does not begin with the command")
    call("init", "--demo", "nuclei", folder / "demo")
    (folder / "demo/data.csv").write_text("image,reference,patient\nslide.png,truth.png,p1\n", encoding="utf-8")
    (folder / "demo/page.json").write_text(literal_of(pages["study"]), encoding="utf-8")
    call("check", "page.json", cwd=folder / "demo")
    schemas = {name: json.loads((ROOT / f"docs/schema/{name}.schema.json").read_text(encoding="utf-8")) for name in ("workflow", "study")}
    parts = schemas["workflow"]["$defs"]
    for heading, wanted in (("The file", schemas["workflow"]), ("An input", parts["input"]), ("A stage", parts["stage"]), ("A task", parts["task"])):
        equal(entries_of(pages["workflow"], heading), set(wanted["properties"]) - TEXTS, f"keys of '{heading}' in 'help workflow'")
    equal(entries_of(pages["workflow"], "A parameter"), set(parts["parameter"]["properties"]) - TEXTS - {"choices"}, "keys of a parameter")
    equal(entries_of(pages["study"], "The file"), set(schemas["study"]["properties"]) - TEXTS, "keys of a study in 'help study'")
    equal(entries_of(pages["study"], "data"), set(schemas["study"]["$defs"]["data"]["properties"]) - TEXTS, "keys of 'data'")
    listed = call_json("list")
    for operation in listed["operations"]:
        check(f"\n  {operation['name']}" in pages["operations"], f"'help operations' has no {operation['name']}")
    for kind in ("methods", "samplers", "analyses", "schedulers", "tuners"):
        for method in listed[kind]:
            check(f"\n  {method['name']}" in pages["methods"], f"'help methods' has no {method['name']}")
    words = call("words", "topics").stdout.split()
    check(set(pages) <= set(words), f"completion lacks a page: {words}")
    equal({page.split(".")[0] for page in call("words", "pages").stdout.split()}, set(pages), "man pages beside commands")
    for page in call("words", "pages").stdout.split():
        text = (prefix / f"share/man/man{page[-1]}/tessera-{page}")
        check(text.exists() and f".TH TESSERA-{page[:-2].upper()} {page[-1]} " in text.read_text(encoding="utf-8"),
              f"tessera-{page} is not installed")
    check("no command or page of help 'manfest'" in call("help", "manfest", expect=2).stderr, "a misspelt page")


def check_comments(folder):
    """A comment may be in every object with fixed keys of a workflow and a study."""
    project = folder / "demo"
    for name, free in (("workflow.json", {"inputs", "parameters", "in", "out", "params", "region"}), ("study.json", {"hold_out"})):
        document = json.loads((project / name).read_text(encoding="utf-8"))
        add_comments(document, None, free)
        (project / name).write_text(json.dumps(document), encoding="utf-8")
    (project / "data.csv").write_text("image,reference\nslide.png,truth.png\n", encoding="utf-8")
    call("check", cwd=project)


def add_comments(value, key, free):
    if isinstance(value, dict):
        for name, item in value.items():
            add_comments(item, name, free)
        if key not in free:
            value["comment"] = "why"
    for item in value if isinstance(value, list) else []:
        add_comments(item, None, free)


def main():
    support.need_program()
    folder = support.scratch()
    prefix = install(folder / "root")
    call("init", "drawn", cwd=folder)
    slide, truth = folder / "drawn/slide.png", folder / "drawn/truth.png"
    check_smallest(folder)
    check_pipe(folder)
    check_layouts(folder, slide, truth)
    check_left_out(folder, slide, truth)
    check_slips(folder, slide, truth)
    check_help(folder, prefix)
    check_comments(folder)
    if HISTOLOGY.exists():
        check_one_command(folder / "one")
        check_folder(folder / "folder")
        check_cohort(folder / "cohort")
    else:
        support.skip_part("there is no ../shared/data/histology")
    support.finish()


main()
