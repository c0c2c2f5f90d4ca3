#!/usr/bin/env python3
"""Studies by other methods than Morris: variance-based indices, free designs, files one by one, failed runs.

SPDX-License-Identifier: Apache-2.0
test-label: long
test-timeout: 180
"""
import json
import math

import _faults as faults
import _support as support
from _support import call, call_json, check, equal, say


def study(folder, name, *words, **options):
    reply = call_json("study", "-C", folder, "--store", f"store-{name}", "-o", f"out-{name}", "-j", 2, *words,
                      **options)
    return reply, support.read_csv(folder / f"out-{name}/results.csv")


def mean(values):
    return sum(values) / len(values)


def close(found, wanted, what):
    check(found is not None and math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12), f"{what}: {found}, not {wanted}")


def saltelli(outputs, k):
    """S1 and ST of rows A, AB_1..AB_k, B, from the formulas."""
    blocks = [outputs[i:i + k + 2] for i in range(0, len(outputs), k + 2)]
    centre = mean(outputs)
    scale = math.sqrt(mean([(y - centre) ** 2 for y in outputs]))
    blocks = [[(y - centre) / scale for y in block] for block in blocks]
    both = [block[0] for block in blocks] + [block[-1] for block in blocks]
    variance = mean([y * y for y in both]) - mean(both) ** 2
    first = [mean([b[-1] * (b[1 + i] - b[0]) for b in blocks]) / variance for i in range(k)]
    total = [mean([(b[0] - b[1 + i]) ** 2 for b in blocks]) / 2 / variance for i in range(k)]
    return first, total


def check_nuclei(project):
    """15 parameters on grids: many points are the same run."""
    support.init_nuclei(project)
    reply, rows = study(project, "vbd", "--method", "vbd", "--count", 16)
    names = [parameter["name"] for parameter in reply["params"]]
    k = len(names)
    equal(len(rows), 16 * (k + 2), "runs")
    distinct = len({tuple(row[name] for name in names) for row in rows})
    say(f"vbd: {len(rows)} runs, {distinct} of them different; {reply['answer']}")
    equal(reply["distinct_runs"], distinct, "distinct runs")
    by_task = {row["task"]: row for row in reply["by_task"]}
    most = distinct * len(reply["tiles"])
    check(by_task["final_size"]["executed"] <= most, f"equal runs were run twice: {by_task['final_size']} > {most}")
    for number, output in enumerate(reply["outputs"]):
        first, total = saltelli([float(row[output["name"]]) for row in rows], k)
        for i, index in enumerate(output["indices"]):
            equal((index["name"], index["n"]), (names[i], 16), "order and count of the indices")
            close(index["S1"], first[i], f"S1 of {names[i]}")
            close(index["ST"], total[i], f"ST of {names[i]}")
        equal([row["method"] for row in reply["analyses"]], ["vbd", "vbd"], "analyses")
        equal(reply["analyses"][number]["indices"], output["indices"], "indices of the analysis")
    equal(reply["indices"], reply["outputs"][0]["indices"], "indices of the first output")
    check([step["n"] for step in reply["analyses"][0]["convergence"]][-1] == 16, "no convergence")
    report = (project / "out-vbd/report.html").read_text(encoding="utf-8")
    check(reply["analyses"][0]["title"] in report or "vbd" in report, "the report does not name the method")
    again, _ = study(project, "vbd", "--method", "sobol", "--count", 16)
    equal(again["reuse"]["executed"], 0, "executed by the second study, under the other name")


def pearson(a, b):
    x, y = mean(a), mean(b)
    return sum((p - x) * (q - y) for p, q in zip(a, b)) / math.sqrt(
        sum((p - x) ** 2 for p in a) * sum((q - y) ** 2 for q in b))


def check_files(folder):
    """Two files: indices of both together, and of each; the output of a file is that file's alone."""
    study_file = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    study_file["outputs"] = [{"output": "sum.table:score", "over_tiles": "sum", "label": "the score"}]
    study_file["method"] = {"name": "lhs", "samples": 64, "seed": 3, "analyse": ["correlation", "pce"]}
    (folder / "files.json").write_text(json.dumps(study_file), encoding="utf-8")
    reply, rows = study(folder, "files", "files.json")
    items = [(item["method"], item["scope"], item["file"]) for item in reply["analyses"]]
    files = [item["file"] for item in reply["analyses"] if item["method"] == "pce" and item["scope"] == "file"]
    equal(len(files), 2, "files with indices of their own")
    equal(items, [(method, *scope) for method in ("correlation", "pce")
                  for scope in (("pooled", ""), ("file", files[0]), ("file", files[1]))], "analyses")
    for name in ("factor", "weight"):
        found = next(row for row in reply["indices"] if row["name"] == name)
        close(found["pearson"], pearson([float(row[name]) for row in rows], [float(row["sum.table:score"]) for row in rows]),
              f"correlation of {name}")
    single = {}
    for position, file in enumerate(files):
        study_file["data"] = {"files": [f"data/{'north' if 'north' in file else 'south'}.csv"]}
        (folder / f"one{position}.json").write_text(json.dumps(study_file), encoding="utf-8")
        single[file], _ = study(folder, f"one{position}", f"one{position}.json")
        alone = single[file]["analyses"][0]
        inside = next(item for item in reply["analyses"] if item["file"] == file and item["method"] == "correlation")
        equal(inside["indices"], alone["indices"], f"indices of {file} within the study of both, and alone")
    spread = {row["name"]: (row["lowest"], row["highest"]) for row in reply["analyses"][0]["spread"]}
    for name in ("factor", "weight"):
        values = [next(row for row in one["indices"] if row["name"] == name)["prcc"] for one in single.values()]
        known = [value for value in values if value is not None] or [None]
        equal(spread[name], (min(known), max(known)), f"spread of {name}")


def check_lost(folder):
    """Runs without a value cost what touches them, and are told. Of two files the other one would give a value."""
    env = support.environment(FAULTY="nan@7")
    for name, words in (("vbd", ("--method", "vbd", "--count", 16)), ("lhs", ("--method", "lhs", "--count", 40)),
                        ("morris", ())):
        reply, rows = study(folder, f"lost-{name}", *words, "--data", "data/north.csv", env=env)
        lost = sum(1 for row in rows if row["sum.table:score"] in ("", "nan"))
        analysis = reply["analyses"][0]
        say(f"{name}: {lost} of {len(rows)} runs lost")
        equal((analysis["lost"], analysis["runs"]), (lost, len(rows)), f"{name}: lost runs")
        check(lost > 0 and (lost * 20 <= len(rows) or any("gave no value" in text for text in reply["warnings"])),
              f"{name}: {lost} lost, warnings {reply['warnings']}")
        check(lost * 20 <= len(rows) or any("no usable output" in note for note in analysis["notes"]),
              f"{name}: notes {analysis['notes']}")
        column = "pearson" if name == "lhs" else analysis["rank_by"]
        value = [row[column] for row in analysis["indices"]]
        check(all(isinstance(number, float) for number in value), f"{name}: indices {value}")


def check_methods(folder):
    """Every method that 'list' names runs; slips are told with the nearest word."""
    for method in [item["name"] for item in call_json("list")["methods"]]:
        words = () if method in ("grid", "morris", "fast") else ("--count", 16)
        reply, rows = study(folder, "methods", "--method", method, *words, "--keep", "factor,weight") \
            if method == "two-phase" else study(folder, "methods", "--method", method, *words)
        say(f"{method}: {len(rows)} runs; {reply['answer']}")
        check(len(reply["indices"]) == 2 and reply["answer"], f"{method}: {reply.get('indices')}")
        equal(call_json("plan", "-C", folder, "--method", method, *words)["runs"] if method != "two-phase" else len(rows),
              len(rows), f"{method}: runs of the plan")
    run = call("study", "-C", folder, "--method", "moriss", expect=2)
    check("did you mean 'morris'?" in run.stderr, run.stderr)
    plain, _ = study(folder, "pairs", "--method", "vbd", "--count", 16, "--second-order")
    equal([(pair["a"], pair["b"]) for pair in plain["analyses"][0]["pairs"]], [("factor", "weight")], "pairs")
    equal(len(plain["runs"]), 16 * 6, "runs with pairs")


def check_groups(folder):
    """Parameters of one group move together, and have one index."""
    workflow = json.loads((folder / "workflow.json").read_text(encoding="utf-8"))
    for parameter in workflow["parameters"].values():
        parameter["group"] = "all"
    (folder / "grouped.json").write_text(json.dumps(workflow), encoding="utf-8")
    study_file = {**json.loads((folder / "study.json").read_text(encoding="utf-8")), "workflow": "grouped.json"}
    (folder / "groups.json").write_text(json.dumps(study_file), encoding="utf-8")
    for words, runs in (((), 8 * 2), (("--method", "vbd", "--count", 16), 16 * 3)):
        reply, rows = study(folder, "groups", "groups.json", *words)
        equal(([row["name"] for row in reply["indices"]], len(rows)), (["all"], runs), f"groups {words}")


def main():
    support.need_program()
    check_nuclei(support.scratch() / "demo")
    folder = faults.project()
    check_files(folder)
    check_lost(folder)
    check_methods(folder)
    check_groups(folder)
    support.finish()


main()
