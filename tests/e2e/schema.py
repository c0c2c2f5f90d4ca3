#!/usr/bin/env python3
"""Holds the published JSON Schemas against every workflow, study and case folder, and those of requests against requests.

SPDX-License-Identifier: Apache-2.0

A case folder says in its file `schema` whether the schema must accept or reject its workflow.json or study.json: faults of
structure are rejected, faults that need knowledge of operations, files or connections are accepted. Text that is no JSON,
or has a key twice in one object, counts as rejected.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("TESSERA_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
faults = []
checked = 0


def refuse_duplicates(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def load_validator(name):
    import jsonschema
    schema = json.loads((ROOT / "docs/schema" / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def problem_of(validator, text):
    """Why the text is rejected, or None."""
    try:
        document = json.loads(text, object_pairs_hook=refuse_duplicates)
    except ValueError as error:
        return str(error)
    return next((f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)), None)


def expect(validator, label, text, wanted):
    global checked
    checked += 1
    problem = problem_of(validator, text)
    if wanted == "accept" and problem:
        faults.append(f"{label}: rejected, but should be accepted: {problem}")
    elif wanted == "reject" and not problem:
        faults.append(f"{label}: accepted, but should be rejected")
    elif wanted not in ("accept", "reject"):
        faults.append(f"{label}: the file 'schema' says '{wanted}', not 'accept' or 'reject'")


def check_cases(workflow, study):
    for folder in sorted((ROOT / "tests/cases").iterdir()):
        for name, validator in (("workflow.json", workflow), ("study.json", study)):
            if (folder / name).exists() and (folder / "schema").exists():
                wanted = (folder / "schema").read_text(encoding="utf-8").strip()
                expect(validator, f"{folder.name}/{name}", (folder / name).read_text(encoding="utf-8"), wanted)
            elif (folder / name).exists() and name == "workflow.json" and not (folder / "study.json").exists():
                faults.append(f"{folder.name}: no file 'schema' says what the schema makes of it")


def check_workflows(workflow, study):
    for folder in sorted((ROOT / "workflows").iterdir()):
        for name, validator in (("workflow.json", workflow), ("study.json", study)):
            if (folder / name).exists():
                expect(validator, f"{folder.name}/{name}", (folder / name).read_text(encoding="utf-8"), "accept")


def changed(document, path, value):
    """A copy with the value at a path replaced, or removed if value is None."""
    result = copy.deepcopy(document)
    *above, last = path
    target = result
    for key in above:
        target = target[key]
    if value is None:
        del target[last]
    else:
        target[last] = value
    return json.dumps(result)


def check_study_variants(study):
    base = json.loads((ROOT / "workflows/nuclei/study.json").read_text(encoding="utf-8"))
    accept = [
        (("data",), {"manifest": "data.csv"}), (("data",), {"manifest": "data.csv", "groups": ["patient", "site"]}),
        (("reference",), "truth"), (("reference",), {"files": ["truth.png"]}), (("reference",), "default"),
        (("outputs", 0), {"output": "compare.table:diff", "over_tiles": "sum"}), (("parameters",), ["G1", "G2"]),
        (("comment",), "why"), (("method", "seed"), 0), (("outputs", 0, "label"), "the difference"),
        (("method",), {"name": "vbd", "samples": 64, "second_order": True, "estimator": "jansen"}),
        (("method",), {"name": "lhs", "samples": 100, "analyse": ["pce"], "until": "ci(ST) < 0.1", "max_runs": 900}),
        (("method",), {"name": "two-phase", "screen": {"trajectories": 8}, "then": {"samples": 64}, "seed": 4,
                       "keep": {"share": 0.2, "max": 4}}),
        (("method",), {"name": "two-phase", "then": {"name": "lhs", "samples": 64}, "parameters": ["G1"]}),
        (("method",), {"trajectories": 5}), (("correlations",), [{"between": ["G1", "G2"], "rank": 0.5}]),
    ]
    reject = [
        (("tessera",), 2), (("tessera",), None), (("workflow",), None), (("outputs",), None), (("outputs",), []),
        (("outputs", 0), "compare.table"), (("outputs", 0), {"over_tiles": "sum"}), (("method", "levels"), 5),
        (("outputs", 0), {"output": "compare.table:diff", "over_tiles": "max"}), (("reference",), "defaults"),
        (("data",), {"tile": 512}), (("data", "files"), "slide.png"), (("data", "tile"), -1), (("data", "size"), 512),
        (("method", "name"), "moris"), (("method", "trajectories"), "ten"), (("limits",), {"memory_mb": 1}),
        (("parameters",), "G1"), (("colour",), "blue"), (("data", "groups"), "patient"),
        (("data", "groups"), ["site", "site"]), (("data", "groups"), ["split"]), (("reference",), {"run": "0badcafe"}),
        (("method",), {"name": "vbd", "trajectories": 5}), (("method",), {"samples": 5}),
        (("method",), {"name": "two-phase", "screen": {"name": "vbd"}}), (("method",), {"name": "lhs", "base": "mc"}),
        (("correlations",), [{"between": ["G1"], "rank": 0.5}]),
    ]
    for wanted, changes in (("accept", accept), ("reject", reject)):
        for path, value in changes:
            expect(study, f"study with {'.'.join(map(str, path))} = {value!r}", changed(base, path, value), wanted)


def check_requests():
    """The schemas of requests, which are made from the option table: those of every call, held against a few requests."""
    import jsonschema
    program = os.environ.get("TESSERA", str(ROOT / "build/tessera"))
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True).stdout)
    schemas = {command["name"]: command["request"] for command in listed["commands"]}
    shown = subprocess.run([program, "words", "commands"], check=True, capture_output=True, text=True).stdout.split()
    if set(schemas) != set(shown) - {"completion", "help", "version"}:
        faults.append(f"the calls that are listed: {sorted(schemas)}")
    for name, schema in schemas.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        text = subprocess.run([program, name, "--help"], check=True, capture_output=True, text=True).stdout
        own = [f"--{option}" for option in schema["properties"]]
        operands = {"file", "run", "runs", "task", "topic"}
        faults.extend(f"{name}: the help has no {option}" for option in own if option not in text and
                      option[2:] not in operands)
    accept = [("study", {}), ("study", {"jobs": 4, "seed": 7, "no-reuse": True, "data": ["a.png"], "resume": True}),
              ("run", {"parameter": {"G1": "40"}, "memory": "2G", "file": "workflow.json"}),
              ("schedule", {"file": "graph.json", "processors": 8, "refine": 0.5}), ("store", {"topic": "gc", "keep-runs": 2, "yes": True}),
              ("compare", {"runs": ["7f3a91bc", "ea160978"]})]
    reject = [("study", {"jobs": "4"}), ("study", {"jobs": 5000}), ("study", {"parameter": {"G1": "40"}}),
              ("study", {"merge": "all"}), ("run", {"data": "a.png"}), ("schedule", {"processors": 8}),
              ("schedule", {"file": "graph.json", "refine": 0}), ("store", {"topic": "cost"}), ("compare", {"runs": "7f3a91bc"}), ("compare", {}), ("study", {"json": True})]
    for wanted, requests in (("accept", accept), ("reject", reject)):
        for name, request in requests:
            validator = jsonschema.Draft202012Validator(schemas[name])
            expect(validator, f"a request of {name}: {request}", json.dumps(request), wanted)


def main():
    try:
        workflow, study = load_validator("workflow.schema.json"), load_validator("study.schema.json")
    except ImportError:
        print("SKIP: python3-jsonschema is not installed")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    check_workflows(workflow, study)
    check_cases(workflow, study)
    check_study_variants(study)
    check_requests()
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{checked - len(faults)} of {checked} documents as expected")
    sys.exit(1 if faults or checked < 50 else 0)


main()
