#!/usr/bin/env python3
"""Slips of newcomers: what is typed, how it ends, and every word that is printed (slips.txt); then what must not be lost.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)

Each case of slips.txt begins with "# " and what went wrong (a number is that of the list of slips that users made, "new"
stands before others), then the command after "$ tessera", "exit N", and all of standard error. RUN, KEY and TIME stand
for what differs. `slips.py --show` prints the cases as the program answers them now: to be read and judged, each by
itself, before they are taken over.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import sys

import _support as support
from _masks import write_png
from _support import call, call_json, check, equal, say

TABLE = pathlib.Path(__file__).with_suffix(".txt")
FOLDER = support.scratch()
PROJECT = FOLDER / "project"
WIDTH, HEIGHT = 96, 64
COMMAND = """import sys, warnings
print("on its way")
{body}
"""
BODIES = {
    "fails": "raise ValueError('no seeds above 0.5')",
    "module": "import skimaje",
    "exits": "sys.exit('the weights are missing')",
    "quiet": "sys.exit(3)",
    "empty": "pass",
    "warns": "warnings.warn('Lossy conversion from uint32 to uint8')",
}


def image(path, width=WIDTH, height=HEIGHT, channels=3):
    """Dark squares on a light ground."""
    rows = bytearray()
    for y in range(height):
        for x in range(width):
            dark = x % 24 < 9 and y % 24 < 9
            rows += bytes([90, 40, 110] if dark else [230, 220, 235])[:channels]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_png(path, width, height, channels, bytes(rows))


def draw():
    image(PROJECT / "slide.png")
    image(PROJECT / "truth.png", channels=1)
    image(PROJECT / "small.png", 40, 30, 1)
    image(PROJECT / "wide.png", 330, 330)
    image(PROJECT / "grey.png", channels=1)
    image(PROJECT / "a/s.png")
    image(PROJECT / "b/s.png")
    (PROJECT / "nothing").mkdir()
    whole = (PROJECT / "slide.png").read_bytes()
    (PROJECT / "trunc.png").write_bytes(whole[:len(whole) - 40])
    (PROJECT / "fake.png").write_text("I am a text\n", encoding="utf-8")
    (PROJECT / "zero.png").write_bytes(b"")
    (PROJECT / "notes.txt").write_text("notes\n", encoding="utf-8")


def write_json(name, value):
    (PROJECT / name).write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")


def write_studies(study):
    changes = {
        "column": {"outputs": ["compare.table:Dice"]}, "output": {"outputs": ["comparison.table:dice"]},
        "none": {"outputs": []}, "text": {"outputs": "compare.table:dice"}, "nowhere": {"workflow": "workflw.json"},
        "quoted-tile": {"data": {"files": ["slide.png"], "tile": "512"}}, "method-word": {"method": "morris"},
        "method-typo": {"method": {"name": "moris"}}, "negative": {"data": {"files": ["slide.png"], "tile": -1}},
        "glob": {"data": {"files": ["slides/*.svs"]}}, "levels": {"method": {"name": "morris", "levels": 1}},
    }
    for name, change in changes.items():
        write_json(f"{name}.json", {**study, **change})
    write_json("no-data.json", {key: value for key, value in study.items() if key != "data"})
    write_json("key.json", {("methods" if key == "method" else key): value for key, value in study.items()})
    write_json("list.json", [study])
    text = json.dumps(study, indent=1)
    (PROJECT / "comma.json").write_text(text[:-2] + ",\n}\n", encoding="utf-8")
    (PROJECT / "quotes.json").write_text(text.replace('"', "'"), encoding="utf-8")
    (PROJECT / "remark.json").write_text("// my study\n" + text, encoding="utf-8")
    (PROJECT / "cut.json").write_text(text[:90], encoding="utf-8")


def write_manifests(study):
    rows = {"missing": "image,reference\nslide.png,thruth.png\n", "header": "image,refrence\nslide.png,truth.png\n",
            "swapped": "reference,image\nslide.png,truth.png\n", "size": "image,reference\nslide.png,small.png\n",
            "short": "image,reference\nslide.png\n", "bare": "image,reference\n", "patient":
            "image,patient\nslide.png,P1\n", "excel": "\ufeffimage,reference\r\nslide.png,truth.png\r\n"}
    for name, text in rows.items():
        (PROJECT / f"{name}.csv").write_bytes(text.encode("utf-8"))
        write_json(f"{name}-manifest.json", {**study, "data": {"manifest": f"{name}.csv"}})


def write_workflows(workflow):
    def changed(name, change):
        copy = json.loads(json.dumps(workflow))
        change(copy)
        write_json(name, copy)

    tasks = workflow["stages"][2]["tasks"]
    split = next(i for i, task in enumerate(tasks) if task["name"] == "split")
    changed("op.json", lambda w: w["stages"][2]["tasks"][split].update(op="nuclei.splt"))
    changed("grid.json", lambda w: w["parameters"]["G1"].update(grid=[40, 260]))
    changed("twice.json", lambda w: w["stages"].append(w["stages"][2]))
    changed("unused.json", lambda w: w["parameters"].update(extra={"type": "integer", "domain": [0, 9], "default": 1}))
    changed("plugin.json", lambda w: w.update(operations=["libmine.so"]))
    changed("no-elf.json", lambda w: w.update(operations=["notes.txt"]))
    changed("default.json", lambda w: w["parameters"]["G1"].update(default=999))
    for name, body in BODIES.items():
        (PROJECT / f"{name}.py").write_text(COMMAND.format(body=body), encoding="utf-8")
        write_json(f"{name}-op.json", {
            "tessera_operation": 1, "name": f"my.{name}", "version": 1, "numeric": "exact", "files": [f"{name}.py"],
            "command": ["python3", f"{name}.py"], "inputs": {"image": {"type": "image/rgb8"}},
            "outputs": {"found": {"type": "table"}}, "parameters": {"t": {"type": "real", "domain": [0, 1]}}})
        write_json(f"{name}-workflow.json", {
            "tessera": 1, "name": name, "operations": [f"{name}-op.json"], "inputs": {"image": {"type": "image/rgb8"}},
            "parameters": {"level": {"type": "real", "domain": [0, 1], "default": 0.5}},
            "stages": [{"name": "post", "per": "tile", "in": {"image": "image"}, "out": {"found": "find.found"},
                        "tasks": [{"name": "find", "op": f"my.{name}", "in": {"image": "image"},
                                   "params": {"t": "level"}}]}]})
    write_json("program-op.json", {
        "tessera_operation": 1, "name": "my.program", "version": 1, "numeric": "exact", "command": ["pyhton3", "quiet.py"],
        "inputs": {"image": {"type": "image/rgb8"}}, "outputs": {"found": {"type": "table"}}})
    changed("program.json", lambda w: w.update(operations=["program-op.json"]))


def set_up():
    call("init", "--demo", "nuclei", PROJECT, "-q")
    study = json.loads((PROJECT / "study.json").read_text(encoding="utf-8"))
    workflow = json.loads((PROJECT / "workflow.json").read_text(encoding="utf-8"))
    study["data"] = {"manifest": "data.csv", "tile": 48}
    draw()
    write_json("study.json", study)
    write_studies(study)
    write_manifests(study)
    write_workflows(workflow)


# ---- The table ----

def plain(text):
    """Without what differs from run to run and from machine to machine."""
    text = text.replace(str(PROJECT), "PROJECT").replace("Operation not permitted", "Permission denied")
    text = re.sub(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*)[0-9a-f]{8}\b", "RUN", text)
    text = re.sub(r"/[0-9a-f]{6}\b", "/KEY", text)
    return re.sub(r"\b[0-9.]+ m?s\b", "TIME", text).rstrip("\n")


def read_table():
    """(title, command, exit status or None, text) of every case."""
    cases = []
    for part in re.split(r"^# ", TABLE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        title, command, *rest = part.rstrip("\n").split("\n")
        code = int(rest[0][len("exit "):]) if rest else None
        cases.append((title, command[len("$ tessera"):].strip(), code, "\n".join(rest[1:])))
    return cases


def check_table():
    for title, command, code, wanted in read_table():
        words = shlex.split(command)
        quiet = ["--progress=none"] if words and words[0] in ("run", "study") else []
        run = call(*words, *quiet, cwd=PROJECT, expect=None)
        said = plain(run.stderr)
        if "--show" in sys.argv:
            print(f"# {title}\n$ tessera {command}\nexit {run.returncode}\n{said}\n")
            continue
        equal(run.returncode, code, f"{title}: exit status of tessera {command}")
        check(said == wanted, f"{title}: tessera {command} says\n{said}\n--- instead of\n{wanted}")
        check(code == 0 or "help:" in said, f"{title}: it does not say what to do")


# ---- What must not be lost, and what needs more than one command ----

def check_success_is_quiet():
    """A table from Excel, folders of any name, a project that was moved, products that were removed: all work."""
    call("check", "excel-manifest.json", cwd=PROJECT)
    moved = FOLDER / "Präparat é 1"
    shutil.copytree(PROJECT, moved)
    first = call_json("run", cwd=moved)
    again = call_json("run", "-C", str(moved), cwd=FOLDER)
    equal((first["reuse"]["executed"] > 0, again["reuse"]["executed"]), (True, 0), "a run of the same data")
    shutil.rmtree(moved / ".tessera/objects")
    equal(call_json("run", cwd=moved)["state"], "done", "a run after the products were removed")
    two = call_json("run", "--data", "a/s.png", "--data", "b/s.png", cwd=PROJECT)
    folders = {pathlib.Path(path).parts[2] for path in two["outputs"] if len(pathlib.Path(path).parts) > 3}
    equal(folders, {"a-s", "b-s"}, "folders of two files of one name")


def check_explained():
    """explain names what the user did: a parameter, a file, code; never a digest."""
    project = FOLDER / "explained"
    call("init", "--demo", "nuclei", project, "-q")
    for path in PROJECT.glob("*-op.json"):
        for name in (path.name, path.name.replace("-op.json", ".py"), path.name.replace("-op", "-workflow")):
            if (PROJECT / name).exists():
                shutil.copy(PROJECT / name, project)

    def why(task):
        text = call("explain", task, cwd=project).stdout
        check(not re.search(r"[0-9a-f]{16}", text), f"a digest in\n{text}")
        return text.splitlines()[0]

    call("run", cwd=project)
    equal(why("segment.split"), "segment.split ran because it had not been run before", "the first run")
    first = call_json("status", cwd=project)["runs"][0]["id"]
    call("run", "-p", "G1=40", cwd=project)
    equal(why("segment.split"), "segment.split ran because G1 = 40 (was 80)", "another value")
    reply = call_json("explain", "segment.split", cwd=project)
    equal((reply["causes"], reply["compared_with"]),
          ([{"kind": "parameter", "name": "G1", "here": 40, "there": 80}], first), "causes")
    kept = why("segment.red_cells")
    check(re.fullmatch(rf"segment\.red_cells ran because run {first} computed it but did not keep it: computing takes "
                       r"[\d.e-]+ m?s, loading [\d.e-]+ m?s", kept) or kept.startswith("segment.red_cells was"), kept)
    image(project / "slide.png")
    image(project / "truth.png", channels=1)
    call("run", "-p", "G1=40", cwd=project)
    equal(why("normalise.colours"), "normalise.colours ran because slide.png changed", "another image")
    stage = call_json("explain", "segment", cwd=project)
    equal((stage["stage"], len(stage["tasks"])), ("segment", 7), "a stage")
    script = project / "warns.py"
    body = "import json\njson_path = sys.argv[-1]\nopen(json.load(open(json_path))['outputs']['found']['path'], 'w')" \
           ".write('n\\n1\\n')\n"
    script.write_text(script.read_text(encoding="utf-8") + body, encoding="utf-8")
    call("run", "warns-workflow.json", "--data", "slide.png", cwd=project)
    script.write_text(script.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    call("run", "warns-workflow.json", "--data", "slide.png", cwd=project)
    equal(why("post.find"), "post.find ran because the code of the operation 'my.warns' changed", "another script")
    return project


def check_commands(project):
    """What a command prints is kept, with and without workers, and its warning is said once."""
    for number, words in enumerate(((), ("--workers", "2"))):
        reply = call_json("run", "warns-workflow.json", "--data", "slide.png", "-p", f"level=0.{number + 1}", "--tile", 32,
                          *words, cwd=project)
        said = [text for text in reply["warnings"] if "said" in text]
        equal(len(said), 1, f"warnings of the command: {reply['warnings']}")
        tiles = -(-WIDTH // 32) * -(-HEIGHT // 32)
        check("UserWarning: Lossy conversion from uint32 to uint8, or like it in "
              f"{tiles} calls; see all with: tessera log {reply['run']} post.find" in said[0], said[0])
        log = call_json("log", cwd=project)
        equal(log["run"], reply["run"], "the run whose log is shown unasked")
        executed = [task for task in log["tasks"] if task["outcome"] == "executed"]
        check(executed and all("on its way\n" in task["log"] and "Lossy" in task["log"] for task in executed),
              f"what the commands wrote: {executed[:1]}")
    text = call("log", "post.find", cwd=project).stdout
    check("on its way" in text and "with level = 0.2" in text, f"the log in text:\n{text}")
    reply = call_json("run", "fails-workflow.json", "--data", "slide.png", "--tile", 32, cwd=project, expect=1)
    equal((len(reply["failed"]), len(reply["failures"])), (tiles, 1), "failures one by one, and by kind")
    equal({name: reply["failures"][0][name] for name in ("count", "units", "per", "params")},
          {"count": tiles, "units": tiles, "per": "tile", "params": {"level": 0.5}}, "equal failures")
    log = call("log", cwd=project).stdout
    equal((log.count("Traceback"), f"and {tiles - 1} more tasks that said the same" in log), (1, True), f"log:\n{log}")


def check_full_disk():
    """A fault is said once, and the scores are printed although they cannot be written."""
    if os.geteuid() != 0:
        support.skip_part("only root can mount a small disk")
        return
    disk = FOLDER / "disk"
    disk.mkdir()
    script = (f"mount -t tmpfs -o size=64k tmpfs {disk} && {support.PROGRAM} run -C {PROJECT} -o {disk}/out --tile 8 "
              "--per-tile --progress=none")
    run = support.subprocess.run(["unshare", "-m", "bash", "-c", script], capture_output=True, text=True, check=False,
                                 env=support.environment())
    if "mount:" in run.stderr or "unshare:" in run.stderr:
        support.skip_part("cannot mount a small disk")
        return
    equal((run.returncode, run.stderr.count("error[")), (5, 1), f"a full disk:\n{run.stderr[-1500:]}")
    check("No space left on device" in run.stderr and "free some space" in run.stderr, f"a full disk:\n{run.stderr}")
    check("Dice" in run.stdout, f"the scores of a run that cannot be written:\n{run.stdout}")


support.need_program()
set_up()
check_table()
if "--show" not in sys.argv:
    check_success_is_quiet()
    check_commands(check_explained())
    check_full_disk()
say(f"{len(read_table())} slips")
support.finish()
