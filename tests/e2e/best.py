#!/usr/bin/env python3
"""The best set of a study: defaults, the ten best, the shortest change and the choice without each file, against brute force over
boxes whose Dice follows from their areas; the values in use (run --best, --of, --set, --values), what is said about mistakes, a
study that was killed among its further runs, and the cohort of real slides.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo, e2e.decay)
test-timeout: 240
"""
import json
import math
import statistics

import _support as support
from _masks import close, write_png
from _support import call, call_json, check, equal, say

# Per slide: areas of found boxes, and which of them are true. Four limits keep those from `low` up to but not including
# `high`, one after the other.
SLIDES = {"a": [(36, 0), (100, 1), (30, 0), (49, 1), (25, 0), (64, 1)],
          "b": [(169, 1), (144, 0), (121, 0), (49, 0), (64, 1), (81, 1)],
          "c": [(56, 0), (64, 1), (121, 0), (100, 1), (144, 0), (49, 1)],
          "d": [(49, 0), (56, 0), (169, 0), (25, 0), (64, 1), (36, 0)],
          "e": [(169, 0), (49, 0), (81, 0), (144, 1), (25, 1), (64, 1)]}
SIDES = {25: (5, 5), 30: (6, 5), 36: (6, 6), 49: (7, 7), 56: (8, 7), 64: (8, 8), 81: (9, 9), 100: (10, 10), 121: (11, 11),
         144: (12, 12), 169: (13, 13)}
DEFAULTS = {"low1": 0, "high1": 1000, "low2": 0, "high2": 900}
GRIDS = {"low1": [0, 28, 33, 45], "high1": [1000, 140, 115, 90], "low2": [0, 40, 60], "high2": [900, 150, 130]}
DICE = "compare.table:dice"
WIDTH, HEIGHT = 128, 32
COHORT = support.SHARED / "data/histology/dsb2018"


def kept(area, values):
    return values["low1"] <= area < values["high1"] and values["low2"] <= area < values["high2"]


def dice(slide, values):
    found = sum(area for area, _ in SLIDES[slide] if kept(area, values))
    true = sum(area for area, is_true in SLIDES[slide] if is_true)
    both = sum(area for area, is_true in SLIDES[slide] if is_true and kept(area, values))
    return 2 * both / (found + true)


def mean(slides, values):
    return statistics.fmean(dice(slide, values) for slide in slides)


# ---- the project ----

def draw(boxes):
    rows, x = [bytearray(WIDTH) for _ in range(HEIGHT)], 2
    for wide, high in boxes:
        for row in rows[2:2 + high]:
            row[x:x + wide] = b"\xff" * wide
        x += wide + 4
    return b"".join(map(bytes, rows)), x


def write_slide(folder, slide):
    boxes, x, truth = [SIDES[area] for area, _ in SLIDES[slide]], 2, [bytearray(WIDTH) for _ in range(HEIGHT)]
    for (wide, high), (_, is_true) in zip(boxes, SLIDES[slide]):
        for row in truth[2:2 + high]:
            row[x:x + wide] = (b"\xff" if is_true else b"\0") * wide
        x += wide + 4
    assert x <= WIDTH
    write_png(folder / f"{slide}.png", WIDTH, HEIGHT, 1, draw(boxes)[0])
    write_png(folder / f"{slide}-truth.png", WIDTH, HEIGHT, 1, b"".join(map(bytes, truth)))


def stage(name, source, number):
    return {"name": name, "per": "tile", "in": {"mask": source}, "out": {"mask": "size.mask"},
            "tasks": [{"name": "size", "op": "nuclei.final_size", "in": {"split": "mask"},
                       "params": {"minSizeSeg": f"low{number}", "maxSizeSeg": f"high{number}", "FH": {"value": 4}}}]}


def workflow(more=()):
    return {"tessera": 1, "name": "limits", "inputs": {"found": {"type": "mask"}, "reference": {"type": "mask"}},
            "parameters": {name: {"type": "integer", "domain": [0, 200000], "grid": grid, "default": DEFAULTS[name]}
                           for name, grid in GRIDS.items()},
            "stages": [stage("first", "found", 1), stage("second", "first.mask", 2),
                       {"name": "compare", "per": "tile", "in": {"mask": "second.mask", "reference": "reference"},
                        "out": {"table": "scores.table"},
                        "tasks": [{"name": "scores", "op": "nuclei.compare", "in": {"mask": "mask", "reference": "reference"}}]},
                       *more]}


def write_project(folder, slides=tuple(SLIDES), outputs=(DICE,), name="limits", more=(), operations=()):
    folder.mkdir(parents=True, exist_ok=True)
    for slide in slides:
        write_slide(folder, slide)
    (folder / "data.csv").write_text("found,reference\n" + "".join(f"{s}.png,{s}-truth.png\n" for s in slides), encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps({**workflow(more), "operations": list(operations)}), encoding="utf-8")
    (folder / "study.json").write_text(json.dumps({
        "tessera": 1, "name": name, "workflow": "workflow.json", "data": {"manifest": "data.csv"}, "outputs": list(outputs),
        "method": {"name": "lhs", "samples": 24, "seed": 3}}), encoding="utf-8")
    return folder


def study(folder, *words, **options):
    return call_json("study", "-C", folder, "study.json", *words, **options)


# ---- brute force ----

def first_best(values, keys):
    """The key of the highest value, the first of equals; values that differ by rounding alone are equal."""
    return min(keys, key=lambda key: (-round(values[key], 9), keys.index(key)))


def shortest(slides, best):
    """Each parameter of the best set alone, then with the one that brought most: the definition, without the program."""
    current, start = dict(DEFAULTS), mean(slides, DEFAULTS)
    gain, steps = mean(slides, best) - start, []
    while len(steps) < 4 and (not steps or steps[-1][3] < 0.9):
        open_names = [name for name in DEFAULTS if current[name] != best[name]]
        if not open_names:
            break
        values = {name: mean(slides, {**current, name: best[name]}) for name in open_names}
        name = first_best(values, open_names)
        current[name] = best[name]
        steps.append((name, best[name], values[name], (values[name] - start) / gain, len(open_names)))
    tried, most = sum(step[4] for step in steps), max(step[3] for step in steps)
    while steps and steps[-1][3] < most - 1e-12:
        steps.pop()
    return steps, tried, current


def check_set(found, number, values, slides, what):
    equal((found["set"], found["params"]), (number, values), what)
    close(found["value"], mean(slides, values), f"{what}: value")
    for row, slide in zip(found["by_file"], slides, strict=True):
        equal(row["file"], slide, f"{what}: file")
        close(row["value"], dice(slide, values), f"{what}: {slide}")


def check_change(reply, best, slides):
    change = reply["shortest_change"]
    steps, tried, _ = shortest(slides, best)
    equal([(step["parameter"], step["value"], step["runs"]) for step in change["steps"]],
          [(name, value, runs) for name, value, _, _, runs in steps], "steps")
    for step, (name, _, value, share, _) in zip(change["steps"], steps):
        close(step["goal"], value, f"goal with {name}")
        close(step["share"], share, f"share with {name}")
    equal((change["runs"], reply["further"]["runs"]), (tried, tried + 1), "further runs")
    values = {**DEFAULTS, **{name: value for name, value, *_ in steps}}
    equal(change["params"], {name: value for name, value in values.items() if value != DEFAULTS[name]}, "the change")
    wanted = [(slide, dice(slide, DEFAULTS), dice(slide, values)) for slide in slides if dice(slide, values) < dice(slide, DEFAULTS) - 1e-12]
    equal([row["file"] for row in change["loses"]], [slide for slide, *_ in wanted], "who loses")
    for row, (slide, before, after) in zip(change["loses"], wanted):
        close(row["default"], before, f"{slide} before")
        close(row["value"], after, f"{slide} after")
        check(f" {slide} ({before:.2g} to {after:.2g})" in change["text"], f"{slide} is not in: {change['text']}")
    check(wanted, "no slide loses: the test shows nothing")
    check("1 of them" not in change["text"] and all(f"{name} = {value}" in change["text"] for name, value, *_ in steps), change["text"])
    words = " ".join(f"-p {name}={value}" for name, value in values.items() if value != DEFAULTS[name])
    equal(change["command"], f"tessera run study.json {words}", "command of the change")


def check_choices(reply, sets, best, slides):
    """Which set would be chosen without each slide: from all values, without the program."""
    files = reply["choice_stability"]["files"]
    for row, left_out in zip(files, slides, strict=True):
        rest = [slide for slide in slides if slide != left_out]
        values = {number: mean(rest, values) for number, values in sets.items()}
        chosen = first_best(values, list(sets))
        equal((row["file"], row["set"], row["same"]), (left_out, chosen, sets[chosen] == sets[best]), f"choice without {left_out}")
        for key, wanted in (("rest", values[chosen]), ("left_out", dice(left_out, sets[chosen])), ("best", dice(left_out, sets[best])),
                            ("default", dice(left_out, DEFAULTS))):
            close(row[key], wanted, f"{key} without {left_out}")
    equal(reply["choice_stability"]["changes"], sum(not row["same"] for row in files), "changes of the choice")
    check(0 < reply["choice_stability"]["changes"] < len(slides), "no choice changes, or all do: the test shows nothing")


def check_files(folder, reply, sets, best):
    rows = support.read_csv(folder / "out/limits/results.csv")
    equal([row["set"] for row in rows], [*map(str, sets), "default"], "sets of results.csv")
    equal({name: int(rows[-1][name]) for name in DEFAULTS}, DEFAULTS, "the defaults in results.csv")
    close(float(rows[-1][DICE]), reply["default"]["value"], "value of the defaults in results.csv")
    by_file = [row for row in support.read_csv(folder / "out/limits/results-by-file.csv") if row["set"] == "default"]
    equal([row["file"] for row in by_file], list(SLIDES), "files of the defaults")
    for row in by_file:
        close(float(row[DICE]), dice(row["file"], DEFAULTS), f"{row['file']} in results-by-file.csv")
    equal(json.loads((folder / reply["values_file"]).read_text(encoding="utf-8")),
          {"schema": "tessera.values/1", "workflow": "limits", "values": sets[best],
           "from": {"run": reply["run"], "set": best, "output": DICE, "value": reply["best"]["value"]}}, "best-values.json")


def check_schema(folder, reply):
    """best-values.json against the schema of values files, and one that it refuses."""
    try:
        import jsonschema
    except ImportError:
        support.skip_part("there is no python3-jsonschema")
        return
    schema = json.loads((support.ROOT / "docs/schema/values.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    written = json.loads((folder / reply["values_file"]).read_text(encoding="utf-8"))
    equal([error.message for error in validator.iter_errors(written)], [], "best-values.json")
    check(not validator.is_valid({**written, "valeus": {}}), "the schema takes any key")


def check_words(folder, reply, best):
    low, high = f"{reply['default']['value']:.2g}", f"{reply['best']['value']:.2g}"
    check(reply["answer"].endswith(f" Default {low}, best run {high}."), f"answer: {reply['answer']}")
    said = call("study", "-C", folder, "study.json", "--progress=none").stdout
    for text in (f"best run, {best} ", "shortest change ", "Use the best values: tessera -C ", f" --set {best}\n",
                 f"{reply['further']['runs']} further runs for this: 0 of "):
        check(text in said, f"no '{text}' in\n{said}")
    page = (folder / "out/limits/report.html").read_text(encoding="utf-8")
    for text in ("Best values", "best run", f"--set {reply['top'][9]['set']}</code>", "hortest change", "The choice without each file"):
        check(text in page, f"no '{text}' in the report")


def check_study(folder):
    write_project(folder)
    plan = call_json("plan", "-C", folder, "study.json")
    reply = study(folder)
    slides, sets = list(SLIDES), {row["set"]: row["params"] for row in reply["runs"]}
    equal(reply["goal"], {"name": DICE, "label": "", "better": "higher", "against": "truth"}, "a score against the truth is a goal")
    values = {number: mean(slides, values) for number, values in sets.items()}
    order = sorted(sets, key=lambda number: (-round(values[number], 9), number))
    best = order[0]
    check(values[best] > mean(slides, DEFAULTS) + 0.05, "the best set is hardly better: the test shows nothing")
    check_set(reply["default"], "default", DEFAULTS, slides, "default")
    check_set(reply["best"], best, sets[best], slides, "best")
    equal([row["set"] for row in reply["top"]], order[:10], "the ten best")
    for row in reply["top"]:
        equal(row["params"], {name: value for name, value in sets[row["set"]].items() if value != DEFAULTS[name]}, f"changes of {row['set']}")
        close(row["value"], values[row["set"]], f"value of {row['set']}")
        files = [dice(slide, sets[row["set"]]) for slide in slides]
        check(min(files) <= row["lo"] <= row["value"] <= row["hi"] <= max(files), f"interval of {row['set']}: {row}")
        equal(row["command"], f"tessera run study.json --of {reply['run']} --set {row['set']}", "command of a set")
    check_change(reply, sets[best], slides)
    check_choices(reply, sets, best, slides)
    check_files(folder, reply, sets, best)
    check_schema(folder, reply)
    check_words(folder, reply, best)
    equal(plan["further_most"], 1 + 4 + 3 + 2 + 1, "most further runs of four parameters")
    check("at most 11 runs that share tasks" in call("plan", "-C", folder, "study.json").stdout, "plan says nothing of further runs")
    # The further runs are counted apart: what is planned is what the sets of the strategy execute.
    for planned, done in zip(plan["by_task"], reply["by_task"], strict=True):
        equal(done["executed"] + done["cutoff"], planned["executed"], f"{done['task']}: run against plan")
    equal((reply["method"]["runs"], len(reply["runs"])), (24, 24), "sets of the strategy")
    check(0 < reply["further"]["executed"] < reply["further"]["requested"], f"further runs: {reply['further']}")
    say(f"default {reply['default']['value']:.3f}, best {values[best]:.3f}; {reply['shortest_change']['text']}")
    for number, words in enumerate((["--workers", "2"], ["--no-reuse"])):
        again = study(folder, "--store", f"store{number}", *words)
        for key in ("default", "best", "top", "shortest_change", "choice_stability"):
            equal(strip(again[key]), strip(reply[key]), f"{key} with {words}")
    reply["run"] = call_json("status", "-C", folder)["runs"][0]["id"]  # the last of them
    verified = call_json("store", "verify", "-C", folder, "--recompute", "study.json")
    equal((verified.get("faults"), verified.get("warnings")), ([], []), "the store with its further sets, computed again")
    return reply


def strip(value):
    """Without commands, which name the run."""
    if isinstance(value, dict):
        return {key: strip(item) for key, item in value.items() if key != "command"}
    return [strip(item) for item in value] if isinstance(value, list) else value


def check_lower(folder):
    """A goal that should be low, not the first output, over two slides: the interval ends at them."""
    folder = write_project(folder, ("a", "c"), ["compare.table:found_px", {"output": "compare.table:diff", "better": "lower", "label": "the wrong pixels",
                                                                               "over_files": "mean"}])
    reply = study(folder)

    def wrong(slide, values):
        return sum(area for area, is_true in SLIDES[slide] if kept(area, values) != bool(is_true))

    values = {row["set"]: statistics.fmean(wrong(slide, row["params"]) for slide in "ac") for row in reply["runs"]}
    best = first_best({number: -value for number, value in values.items()}, list(values))
    equal((reply["best"]["set"], reply["best"]["value"]), (best, values[best]), "the lowest")
    equal(reply["default"]["value"], statistics.fmean(wrong(slide, DEFAULTS) for slide in "ac"), "the defaults")
    own = sorted(wrong(slide, reply["best"]["params"]) for slide in "ac")
    equal([reply["best"]["lo"], reply["best"]["hi"]], own, "the interval over two files")
    check(reply["answer"].endswith(f" The wrong pixels against the truth: default {reply['default']['value']:g}, best run {values[best]:g}."),
          reply["answer"])


def check_none(folder):
    """Without a goal nothing of it runs; where no set is better the defaults are the best."""
    folder = write_project(folder, outputs=["compare.table:found_px"])
    reply = study(folder)
    found = sorted({"goal", "default", "best", "top", "shortest_change", "choice_stability", "further", "values_file"} & reply.keys())
    equal(found, [], "a study without a goal")
    check("default" not in (folder / "out/limits/results.csv").read_text(encoding="utf-8"), "the defaults were run without a goal")
    call("run", "-C", folder, "study.json", "--set", "3", "-o", "third")
    folder = write_project(folder, outputs=[{"output": "compare.table:found_px", "better": "higher"}], name="most")
    reply = study(folder)
    equal((reply["best"]["set"], "shortest_change" in reply), ("default", False), "no set finds more than the defaults")
    check(f"No run is better than the default, {reply['default']['value']:g}." in reply["answer"].replace("\xa0", ""), reply["answer"])
    equal(json.loads((folder / reply["values_file"]).read_text(encoding="utf-8"))["from"]["set"], "default", "values of the defaults")


# ---- the values in use ----

def run(folder, *words, **options):
    return call_json("run", "-C", folder, "study.json", *words, **options)


def values_of(reply):
    return {row["name"]: row["value"] for row in reply["params"]}


def check_use(folder, reply):
    best, number = reply["best"], reply["best"]["set"]
    sets = {row["set"]: row["params"] for row in reply["runs"]}
    (folder / "own.csv").write_text("high1,low1\n115,33\n", encoding="utf-8")
    for words, wanted in ((["--best"], best["params"]), (["--best", "--of", reply["run"]], best["params"]),
                          (["--set", "best"], best["params"]), (["--of", reply["run"][:5], "--set", "7"], sets[7]),
                          (["--set", "default"], DEFAULTS), (["--values", reply["values_file"]], best["params"]),
                          (["--values", "own.csv"], {**DEFAULTS, "high1": 115, "low1": 33}),
                          (["--best", "-p", "low1=44"], {**best["params"], "low1": 44})):
        done = run(folder, *words, "-o", f"use-{'-'.join(words).replace('/', '_')}")
        equal(values_of(done), wanted, f"values of {words}")
        close(done["quality_over_files"][0]["values"]["dice"], mean(SLIDES, wanted), f"Dice of {words}")
    equal(run(folder, "--best", "-o", "from")["values_from"], f"set {number} of study {reply['run']}, its best", "where values are from")
    said = call("run", "-C", folder, "study.json", "--best", "-o", "said").stdout
    check(f"Values: set {number} of study {reply['run']}, its best\n" in said, f"where the values are from is not in\n{said}")
    call("run", "-C", folder, "workflow.json", "--data", "a.png", "--best", "-o", "other", "-n")  # another file of the project
    plan = run(folder, "--best", "-n")
    equal((plan["schema"], plan["runs"]), ("tessera.plan/1", 1), "a plan of the best values")


def check_mistakes(folder, reply):
    id, count = reply["run"], len(reply["runs"])
    (folder / "bad.json").write_text('{"schema": "tessera.values/1",\n "values": {"low1": 10,\n "hihg1": 5, "low2": "x",\n "high2": -1}}',
                                     encoding="utf-8")
    (folder / "other.json").write_text('{"schema": "tessera.study/2", "values": {}}', encoding="utf-8")
    (folder / "key.json").write_text('{"value": {"low1": 10}}', encoding="utf-8")
    (folder / "two.csv").write_text("low1\n1\n2\n", encoding="utf-8")
    (folder / "unknown.csv").write_text("low1,hihg1\n1,2\n", encoding="utf-8")
    plain = run(folder, "-o", "plain")["run"]
    for words, wanted in (
            (["--set", str(count)], (f"study {id} has no set '{count}'", f"it has {count} sets, 0 to {count - 1}, and default and best")),
            (["--set", "third"], (f"study {id} has no set 'third'", f"it has {count} sets, 0 to {count - 1}, and default and best")),
            (["--of", id], (f"--of {id} names a study, but none of its sets", "add --best, --set default or --set with a number of results.csv")),
            (["--of", "00000000", "--best"], ("there is no run '00000000' in the store", "see the runs with: tessera status")),
            (["--of", plain, "--best"], (f"run {plain} is not a study: it has no sets to choose from",
                                         "see which runs are studies with: tessera status")),
            (["--best", "--set", "3"], ("--best and --set 3 name two sets", "give one of the two")),
            (["--values", "own.csv", "--best"], ("--values and --best name two sources of values", "give a file, or a set of a study")),
            (["--values", "none.json"], (f"there is no file '{folder}/none.json'", "check the spelling; relative paths start at the current folder")),
            (["--best", "--store", "empty"], ("this project has no finished study whose values could be used", "run one with: tessera study"))):
        faults = run(folder, *words, expect=None)["faults"]
        equal([(fault["text"], fault["help"]) for fault in faults], [wanted], " ".join(words))
    for file, wanted in (
            ("bad.json", [("workflow 'limits' has no parameter 'hihg1'", 3, 2, "did you mean 'high1'?"),
                          ("while reading parameter 'low2': expected an integer, found a string", 3, 22, "give a value of this type"),
                          ("while reading parameter 'high2': parameter 'high2' = -1 is outside 0..200000", 4, 11, "give a value from 0 to 200000")]),
            ("other.json", [("this is a file of the format 'tessera.study/2', not of values", 1, 12, 'a values file has "schema": "tessera.values/1"')]),
            ("key.json", [("a values file has no key 'value'", 1, 2, "did you mean 'values'?")]),
            ("two.csv", [(f"'{folder}/two.csv' has 2 rows of values", 1, 1, "leave one row below the header; many sets are a design: tessera study "
                          f"--design {folder}/two.csv")]),
            ("unknown.csv", [("workflow 'limits' has no parameter 'hihg1'", 1, 6, "did you mean 'high1'?")])):
        faults = run(folder, "--values", file, expect=3)["faults"]
        found = [(fault["text"], fault["line"], fault["column"]) for fault in faults]
        equal(sorted(found), sorted(row[:3] for row in wanted), file)
        helps = {fault["text"]: fault["help"] for fault in faults}
        for text, _, _, help_text in wanted:
            check(help_text is None or helps.get(text) == help_text, f"{file}: help of '{text}': {helps.get(text)!r}")


def check_without_goal(folder):
    write_project(folder, outputs=["compare.table:found_px"], name="none")
    id = study(folder)["run"]
    goal = ('say which output should be high or low, such as {"output": "compare.table:dice", "better": "higher"}, and run the study '
            'again: what it computed is reused')
    for words, text in ((["--best"], "no finished study of this project has a goal"),
                        (["--of", id, "--best"], f"study {id} has no goal, and so no best set")):
        faults = run(folder, *words, expect=3)["faults"]
        equal([(fault["text"], fault["help"]) for fault in faults], [(text, goal)], f"{words} without a goal")


# ---- stopped and continued ----

def check_killed(folder):
    """An operation kills the program among the further runs; the study goes on, and so does a run whose values file is gone."""
    more = [{"name": "copy", "per": "tile", "in": {"x": "compare.table"}, "out": {"table": "copy.y"},
             "tasks": [{"name": "copy", "op": "test.copy", "in": {"x": "x"}}]}]
    write_project(folder, outputs=[{"output": "copy.table:dice", "better": "higher", "over_tiles": "mean"}], more=more,
                  operations=["copy.json"])
    calls, last = folder / "calls", folder / "last"
    (folder / "copy.sh").write_text(
        f'echo >> {calls}\ntest ! -e {last} || test $(wc -l < {calls}) -le $(cat {last}) || kill -9 $PPID\ncp in.x.csv out.y.csv\n',
        encoding="utf-8")
    (folder / "copy.json").write_text(json.dumps({
        "tessera_operation": 1, "name": "test.copy", "version": 1, "command": ["sh", "copy.sh"], "complete": True,
        "inputs": {"x": {"type": "table"}}, "outputs": {"y": {"type": "table"}}}), encoding="utf-8")
    whole = study(folder, "--store", "whole", "-j1")
    count, own = len(calls.read_text()), support.executed(whole)["copy.copy"]
    check(own + 2 < count, f"the further runs call the operation {count - own} times: too few to stop among them")
    last.write_text(str(own + 2))
    calls.unlink()
    killed = call("study", "-C", folder, "study.json", "-j1", "--progress=none", expect=None)
    check(killed.returncode != 0, "the study was not killed")
    last.unlink()
    id = call_json("status", "-C", folder)["runs"][0]["id"]
    known = call_json("status", "-C", folder, id)["detail"]
    check(known["rounds"], "no round of further sets was recorded before it was run")
    resumed = study(folder, "--resume", "-j1")
    equal(resumed["run"], id, "the study that is continued")
    for key in ("default", "best", "top", "shortest_change", "choice_stability"):
        equal(strip(resumed[key]), strip(whole[key]), f"{key} of the study that was continued")
    equal(resumed["further"]["runs"], whole["further"]["runs"], "further runs of the study that was continued")
    values = {"low1": 50, "high1": 60}
    (folder / "gone.json").write_text(json.dumps({"values": values}), encoding="utf-8")
    last.write_text("0")
    killed = call("run", "-C", folder, "study.json", "--values", "gone.json", "-o", "run", "-j1", expect=None)
    check(killed.returncode != 0, "the run was not killed")
    last.unlink()
    (folder / "gone.json").unlink()
    equal(values_of(run(folder, "--resume", "-o", "run2")), {**DEFAULTS, **values}, "values of a run that is continued without its file")


# ---- real slides ----

def check_cohort(folder):
    """Six slides of the cohort: from 0.27 to 0.68, and two of fifteen parameters bring 96 % of it."""
    folder.mkdir()
    names = ["he01", "he02", "purple01", "purple02", "purple03", "purple04"]
    (folder / "data.csv").write_text("image,reference\n" + "".join(f"{COHORT}/{n}.png,{COHORT}/{n}_labels.png\n" for n in names),
                                     encoding="utf-8")
    (folder / "workflow.json").write_bytes((support.ROOT / "workflows/nuclei/workflow.json").read_bytes())
    (folder / "study.json").write_text(json.dumps({
        "tessera": 1, "name": "cohort", "workflow": "workflow.json", "data": {"manifest": "data.csv", "tile": 0}, "outputs": [DICE],
        "method": {"name": "morris", "trajectories": 10, "levels": 20, "seed": 1}}), encoding="utf-8")
    reply = study(folder)
    change = reply["shortest_change"]
    say(f"cohort: {change['text']} {reply['choice_stability']['text']} {reply['further']}, {reply['wall_s']:.1f} s")
    equal((round(reply["default"]["value"], 2), round(reply["best"]["value"], 2)), (0.27, 0.68), "defaults and best of the cohort")
    equal([step["parameter"] for step in change["steps"]], ["G1", "G2"], "the shortest change of the cohort")
    check(change["share"] > 0.95, f"share of the shortest change: {change['share']}")
    rows = support.read_csv(folder / "out/cohort/results-by-file.csv")
    by_set = {}
    for row in rows:
        by_set.setdefault(row["set"], {})[row["file"]] = float(row[DICE])
    for entry in reply["choice_stability"]["files"]:
        rest = {name: statistics.fmean(value for file, value in files.items() if file != entry["file"]) for name, files in by_set.items()}
        equal(str(entry["set"]), first_best(rest, list(rest)), f"choice without {entry['file']}")
    for words, wanted in ((["--best"], reply["best"]), (["--set", "default"], reply["default"]),
                          ([word for name, value in change["params"].items() for word in ("-p", f"{name}={value}")], change)):
        done = run(folder, *words, "-o", f"use{len(words)}")
        close(done["quality_over_files"][0]["values"]["dice"], wanted["value"], f"Dice of a run with {words}")
        close(done["quality_over_files"][0]["lo"]["dice"], wanted["lo"], f"lower end with {words}")
    equal([(p["role"], p["file"]) for p in reply["pictures"]], [("default", "default.png"), ("best", "best.png"), ("truth", "truth.png")],
          "pictures")
    check_truth(folder / "out/cohort", reply["pictures"][2]["caption"].split(":")[0])


def check_truth(folder, slide):
    """The picture of the truth has outlines where the labels end, seen from inside: their own pixels, drawn on those of the slide."""
    labels, truth, image = (support.read_png(path) for path in (COHORT / f"{slide}_labels.png", folder / "truth.png", folder / "default.png"))
    yellow = sum(truth[4][i:i + 3] == b"\xf0\xe4\x42" for i in range(0, len(truth[4]), 3))
    equal(truth[:2], image[:2], "size of the pictures")
    check(labels[0] >= truth[0] and yellow > 200, f"{yellow} pixels of outlines of the truth")
    check(math.isfinite(yellow) and truth[4] != image[4], "the truth is drawn as the defaults are")


def main():
    support.need_program()
    folder = support.scratch()
    reply = check_study(folder / "study")
    check_use(folder / "study", reply)
    check_mistakes(folder / "study", reply)
    check_lower(folder / "lower")
    check_none(folder / "none")
    check_without_goal(folder / "goalless")
    check_killed(folder / "killed")
    if COHORT.exists():
        check_cohort(folder / "cohort")
    else:
        support.skip_part("there is no ../shared/data/histology/dsb2018")
    support.finish()


main()
