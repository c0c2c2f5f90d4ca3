#!/usr/bin/env python3
"""'tessera schedule' as a user calls it: the examples of the paper, random graphs against another evaluator, bad files.

SPDX-License-Identifier: Apache-2.0
test-label: threads-elsewhere (e2e.demo)

Every latency and throughput that the program prints is held against _stream_model.py, which knows the model from its
specification alone. 'schedule.py soak' does so on 10 000 random graphs instead of 200.
"""
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

import _stream_model as model
import _support as support
from _support import call, call_json, check, equal, say

FOLDER = support.scratch()
FIG1 = [(1, 2), (1, 3), (2, 5), (2, 7), (3, 4), (3, 6), (4, 7), (5, 7), (6, 7)]
ALGORITHMS = ("mos", "mos", "mos", "expert", "expert-e", "heft")


def graph_of(times, edges, **more):
    return {"name": "g", "tasks": [{"id": i, "time": t} for i, t in times.items()],
            "edges": [{"from": a, "to": b, "time": t} for (a, b), t in edges.items()], **more}


def write(graph, name="graph.json"):
    path = FOLDER / name
    path.write_text(graph if isinstance(graph, str) else json.dumps(graph), encoding="utf-8")
    return path


def schedule(graph, *words, expect=0):
    return call_json("schedule", write(graph), *words, expect=expect)


def evaluate(graph, reply, ports, what):
    for fault in model.faults_of(graph, reply, ports):
        check(False, f"{what}: {fault}")


def examples():
    fig1 = graph_of({i: 10 for i in range(1, 8)}, {edge: 8 for edge in FIG1})
    reply = schedule(fig1, "--processors", 8, "--ports", 2)
    equal(reply["latency"], 48, "Fig. 1, k = 2")
    equal({task for c in reply["clusters"] for task in c["tasks"]}, set(range(1, 8)), "ids are those of the graph")
    evaluate(fig1, reply, 2, "Fig. 1")
    fig3 = graph_of({1: 2, 2: 5, 3: 6, 4: 8}, {(1, 2): 5, (1, 3): 3, (2, 4): 2, (3, 4): 1})
    equal(schedule(fig3, "--processors", 2, "--ports", 2, "--no-duplication")["latency"], 19, "Fig. 3, no duplication")
    equal(schedule(fig3, "--processors", 2, "--ports", 2)["latency"], 17, "Fig. 3 with duplication")
    pair = graph_of({1: 10, 2: 10}, {(1, 2): 50})
    reply = schedule(pair, "--processors", 4, "--throughput", "1/25", "--literal")
    equal((reply["feasible"], reply["throughput"] >= 1 / 25 * (1 - 1e-7)), (True, True), "the replication example")
    fig2 = graph_of({i: 10 for i in range(1, 5)}, {(1, 2): 8, (1, 3): 5, (2, 4): 9, (3, 4): 9})
    levels = model.Levels(fig2)
    alone = {"clusters": [{"id": i, "tasks": [str(i)], "serves": [True], "replicas": 1} for i in range(1, 5)]}
    equal(model.pipelined(levels, alone, 1), (56.0, 1 / 18), "Fig. 2 by the evaluator of the tests")


def random_graph(draw):
    n = draw.randint(1, 16)
    whole = draw.random() < 0.5
    ccr = draw.choice((0.1, 1, 10))

    def number(mean):
        value = draw.uniform(0, 2 * mean)
        return round(value) if whole else value

    times = {i: max(number(30), 0 if draw.random() < 0.1 else 1) for i in range(n)}
    edges = {(i, j): number(30 * ccr) for j in range(n) for i in range(j) if draw.random() < draw.choice((0.1, 0.3, 0.6))}
    names = list(range(n))
    draw.shuffle(names)
    return graph_of({names[i]: t for i, t in times.items()}, {(names[a], names[b]): t for (a, b), t in edges.items()})


def random_graphs(count, seed):
    draw = random.Random(seed)
    for number in range(count):
        graph = random_graph(draw)
        for task in graph["tasks"]:
            if draw.random() < 0.05:
                task["replicable"] = False
        ports = draw.choice((1, 2, 4, 8))
        words = ["--processors", draw.randint(1, 12), "--ports", ports, "--algorithm", draw.choice(ALGORITHMS)]
        if sum(task["time"] for task in graph["tasks"]) > 0:
            words += ["--throughput-fraction", draw.choice((0, 0, 0.25, 0.5, 0.75, 1))]
        words += draw.choice(([], [], ["--literal"], ["--no-duplication"]))
        reply = schedule(graph, *words, expect=None)
        what = f"graph {number} of seed {seed}, {' '.join(map(str, words))}"
        if not check(reply.get("clusters"), f"{what}: no schedule"):
            continue
        evaluate(graph, reply, ports, what)
        rate = reply["throughput"] if reply["throughput"] is not None else float("inf")
        met = rate >= reply["demand"]["throughput"] * (1 - 1e-7) and reply["processors"] <= words[1]
        check(met or not reply["feasible"], f"{what}: called feasible, but it is not")
        if len(support.faults) > 5:
            (FOLDER / "failed.json").write_text(json.dumps(graph), encoding="utf-8")
            say(json.dumps(graph))
            return


def demands():
    fig2 = graph_of({i: 10 for i in range(1, 5)}, {(1, 2): 8, (1, 3): 5, (2, 4): 9, (3, 4): 9})
    reply = schedule(fig2, "--processors", 4, "--throughput", "1/5", expect=4)
    equal((reply["feasible"], reply["best"]["throughput"]), (False, 0.1), "more than the processors can do")
    check(reply["processors"] <= 4, "the nearest schedule fits the processors")
    for huge in ("1e12", "1e300"):  # neither replicas that overflow nor copies without end
        reply = schedule(fig2, "--processors", 4, "--throughput", huge, "--compare", expect=4)
        equal((reply["feasible"], reply["throughput"], reply["processors"]), (False, 0.1, 4), f"throughput {huge}")
        check(not any(row["feasible"] for row in reply["compare"]), f"algorithms at {huge}: {reply['compare']}")
    said = call("schedule", write(fig2), "--processors", 4, "--throughput", "1/5", expect=4).stdout
    check("Not met" in said and "cannot exceed 0.1" in said, f"words for an unmet throughput: {said}")
    said = call("schedule", write(fig2), "--processors", 4, "--latency", 20, expect=4).stdout
    check("longest path" in said and "least latency found is 39" in said, f"words for an unmet latency: {said}")
    reply = schedule(fig2, "--processors", 4, "--latency", 40)
    equal((reply["feasible"], reply["throughput"], reply["latency"] <= 40), (True, 0.1, True), "the inverse problem")
    reply = schedule(fig2, "--processors", 4, "--throughput", 0.02, "--latency", 39)
    check(reply["feasible"] and reply["latency"] <= 39, "both demands")
    # Task 4 has 2 and 3 in its own cluster, one after the other (40), or waits for a transfer of 9 (39).
    reply = schedule(fig2, "--processors", 4, "--throughput", 0.02, "--latency", 38, expect=4)
    equal((reply["best"]["latency"], reply["best"]["throughput"]), (39, 0), "the best where both cannot be met")
    reply = schedule(fig2, "--processors", 9, "--throughput", 0.05, "--fewest-processors")
    equal((reply["feasible"], reply["processors"]), (True, 2), "the fewest processors")
    reply = schedule({**fig2, "unit": "s"}, "--processors", 4, "--throughput", "3/min", "--latency", "0.02h")
    equal((reply["demand"], reply["seconds"]), ({"throughput": 0.05, "latency": 72.0}, True), "units")


def schema():
    try:
        import jsonschema
    except ImportError:
        support.skip_part("python3-jsonschema is not installed")
        return
    text = (support.ROOT / "docs/schema/schedule.schema.json").read_text(encoding="utf-8")
    validator = jsonschema.Draft202012Validator(json.loads(text))
    graph = graph_of({1: 3, 2: 4, 3: 5}, {(1, 2): 2, (1, 3): 0})
    for words, expect in ((["--compare"], 0), (["--latency", 1], 4), (["--throughput", 9], 4), (["--algorithm", "fcp-e"], 0),
                          (["--latency", "x"], 2)):
        reply = schedule(graph, "--processors", 3, *words, expect=expect)
        for error in validator.iter_errors(reply):
            check(False, f"the schema refuses the reply with {words}: {error.json_path}: {error.message[:200]}")


def usage():
    path = write(graph_of({1: 1}, {}))
    for words, text in (((path,), "number of processors"), ((path, "--processors", 2, "--throughput", "x"), "items per time"),
                        ((path, "--processors", 2, "--throughput-fraction", 2), "from 0 to 1"),
                        ((path, "--processors", 2, "--latency", "-1"), "not a time"),
                        ((path, "--processors", 2, "--algorithm", "moss"), "mos"),
                        ((path, "--processors", 2, "--throughput", 1, "--throughput-fraction", 1), "leave out")):
        run = call("schedule", *words, expect=2)
        check(text in run.stderr, f"{words}: {run.stderr}")


def outputs():
    graph = graph_of({i: 10 for i in range(1, 8)}, {edge: 8 for edge in FIG1})
    base = ("schedule", write(graph), "--processors", 8, "--ports", 2)
    reply = call_json(*base, "--compare", "--svg", FOLDER / "s.svg", "-o", FOLDER / "s.json", "--wfformat", FOLDER / "w.json")
    equal([row["algorithm"] for row in reply["compare"]], ["mos", "fcp", "fcp-e", "expert", "expert-e", "heft"], "--compare")
    equal(json.loads((FOLDER / "s.json").read_text(encoding="utf-8"))["clusters"], reply["clusters"], "-o")
    svg = (FOLDER / "s.svg").read_text(encoding="utf-8")
    titles = [title.text for title in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]
    copies = sum(len(cluster["tasks"]) for cluster in reply["clusters"])
    wanted = 2 * copies + 3 * len(reply["transfers"]) + len(graph["tasks"])  # item, period with both ports, graph
    equal(len(titles), wanted, "the boxes and dots of --svg")
    again = call_json("schedule", FOLDER / "w.json", "--processors", 8, "--ports", 2)
    equal(again["latency"], reply["latency"], "a graph that was written as WfFormat")
    text = call(*base, "--compare").stdout
    check(text.startswith("Latency 48, throughput") and "expert-e" in text and "duplicate" in text, f"the text: {text}")
    first = call_json(*base, "--refine", 0.2, "--throughput-fraction", 0.25)
    plain = call_json(*base, "--throughput-fraction", 0.25)
    check(first["latency"] <= plain["latency"] and first["feasible"], "--refine made it worse")
    evaluate(graph, first, 2, "--refine")


BAD = {
    "truncated.json": ('{"tasks": [{"id": 1, "time": 1},', 3, ":1:"),
    "circle.json": ('{"tasks": [{"id": "a", "time": 1},\n{"id": "b", "time": 1}],\n"edges": [{"from": "a", "to": "b", '
                    '"time": 1},\n{"from": "b", "to": "a", "time": 1}]}', 3, "circle"),
    "negative.json": ('{"tasks": [{"id": 1, "time": 1},\n {"id": 2, "time": -3}], "edges": []}', 3, ":2:"),
    "nested.json": ("[" * 200000, 3, ":1:"),
    "edge.json": ('{"tasks": [{"id": 1, "time": 1}], "edges": [\n{"from": 1, "to": 7, "time": 1}]}', 3, "no task '7'"),
    "key.json": ('{"tasks": [{"id": 1, "tiem": 1}], "edges": []}', 3, "tiem"),
    "none.json": ('{"tasks": [], "edges": []}', 3, "no tasks"),
    "itself.stg": ("1\n0 0 0\n1 5 1 1\n2 0 1 1\n", 3, ":3:"),
    "circle.stg": ("2\n0 0 0\n1 5 1 2\n2 4 1 1\n3 0 1 2\n", 3, "circle"),
    "truncated.stg": ("3\n0 0 0\n1 5 1", 3, "ends before"),
    "negative.stg": ("1\n0 0 0\n1 -5 1 0\n2 0 1 1\n", 3, ":3:3"),
    "count.stg": ("1000000\n0 0 0\n", 3, ":1:1"),
    "bomb.xml": ('<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>\n<adag>&b;</adag>',
                 3, "document type"),
    "truncated.xml": ('<adag><job id="1" runtime="3">', 3, "not XML"),
    "negative.xml": ('<adag>\n<job id="1" runtime="-3"/></adag>', 3, ":2:1"),
    "nested.xml": ("<adag>" + "<a>" * 100000, 3, "nested deeper"),
    "circle.xml": ('<adag><job id="1" runtime="3"/>\n<job id="2" runtime="3"/><child ref="1"><parent ref="2"/></child>'
                   '<child ref="2"><parent ref="1"/></child></adag>', 3, "circle"),
    "circle.wf.json": ('{"workflow": {"tasks": [{"name": "a", "runtime": 1, "parents": ["b"]},\n'
                       '{"name": "b", "runtime": 1, "parents": ["a"]}]}}', 3, "circle"),
    "runtime.wf.json": ('{"workflow": {"tasks": [\n{"name": "a"}]}}', 3, "no runtime"),
    "words.txt": ("hello", 3, ":1:1"),
    "empty.json": ("", 3, "empty"),
}


def million_tasks(kind):
    if kind == "json":
        tasks = ",\n".join(f'{{"id":{i},"time":1}}' for i in range(1000000))
        return '{"tasks":[' + tasks + '],"edges":[]}'
    if kind == "xml":
        return "<adag>" + "\n".join(f'<job id="{i}" runtime="1"/>' for i in range(1000000)) + "</adag>"
    return "1000000\n" + "\n".join(f"{i} 1 0" for i in range(1000002))


def bad_files():
    for name, (text, code, said) in BAD.items():
        start = time.monotonic()
        run = call("schedule", write(text, name), "--processors", 4, expect=code)
        check(said in run.stderr and f"{name}:" in run.stderr, f"{name}: '{said}' is not in {run.stderr[:600]}")
        check(time.monotonic() - start < 2 or support.SANITIZED, f"{name} took {time.monotonic() - start:.1f} s")
    for kind in () if support.SANITIZED else ("json", "xml", "stg"):
        path = write(million_tasks(kind), f"million.{kind}")
        start = os.times()
        run = call("schedule", path, "--processors", 4, expect=3)
        cpu = os.times().children_user + os.times().children_system - start.children_user - start.children_system
        check(cpu < 2 and f"million.{kind}:" in run.stderr, f"a million tasks, {kind}: {cpu:.2f} s, {run.stderr[:300]}")


def real_graphs():
    folder = support.SHARED / "data/graphs"
    if not folder.exists():
        support.skip_part("there is no ../shared/data/graphs")
        return
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".json", ".xml", ".stg"))
    for path in files[::8] if support.SANITIZED else files:
        reply = call_json("schedule", path, "--bandwidth", "125e6", "--processors", 16, "--ports", 2,
                          "--throughput-fraction", 0.5)
        check(reply.get("feasible"), f"{path.name}: not scheduled")
    say(f"{len(files)} files of ../shared/data/graphs")


def dense_graph(edge_count, seed):
    draw = random.Random(seed)
    pairs = draw.sample([(i, j) for j in range(50) for i in range(j)], edge_count)
    return graph_of({i: draw.uniform(1, 60) for i in range(50)}, {pair: draw.uniform(0.1, 60) for pair in pairs})


TIMED = (  # edges, processors, ports, share of the largest throughput: settings that were slow on other random graphs
    (200, 32, 1, 0.5), (400, 32, 4, 0.5), (500, 32, 4, 0.5), (800, 8, 4, 0.25), (800, 8, 2, 0.5), (1100, 8, 2, 0.25),
    (1100, 8, 4, 0.25), (1225, 32, 4, 0.5))


def times():
    """MOS of 50 tasks within 0.1 s of CPU; the least of ten runs at most, because others may use the machine."""
    if support.SANITIZED:  # which make everything slower
        return
    slowest = 0
    for edges, processors, ports, fraction in TIMED:
        graph = dense_graph(edges, edges)
        words = ("--processors", processors, "--ports", ports, "--throughput-fraction", fraction)
        cpu = math.inf
        for _ in range(10):
            cpu = min(cpu, schedule(graph, *words)["cpu_s"])
            if cpu <= 0.1:
                break
        check(cpu <= 0.1, f"50 tasks, {edges} edges, P {processors}, k {ports}, {fraction}: {cpu:.3f} s")
        slowest = max(slowest, cpu)
    reply = schedule(dense_graph(1225, 1), "--processors", 8, "--ports", 2)
    total = sum(task["time"] for task in dense_graph(1225, 1)["tasks"])
    check(model.close(reply["latency"], total, 1e-9), "a complete graph is one chain: nothing beats one processor")
    say(f"dense graphs of 50 tasks: at most {slowest:.3f} s CPU")


def start(*words):
    return subprocess.Popen([support.PROGRAM, "schedule", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=support.environment())


def interrupt():
    """Ctrl-C ends a long search soon, without a schedule; a refinement ends with the best one so far."""
    draw = random.Random(3)
    edges = {(i, j): draw.uniform(1, 60) for j in range(1200) for i in draw.sample(range(j), min(j, 8))}
    path = write(graph_of({i: draw.uniform(1, 60) for i in range(1200)}, edges), "large.json")
    run = start(path, "--processors", 64, "--ports", 2, "--throughput-fraction", 0.5, "-o", FOLDER / "never.json")
    time.sleep(1)
    check(run.poll() is None, "the graph is too small for this test")
    run.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, said = run.communicate(timeout=120)
    check(time.monotonic() - begin < 3 or support.SANITIZED, f"Ctrl-C took {time.monotonic() - begin:.1f} s")
    equal((run.returncode, "stopped on request" in said), (130, True), f"after Ctrl-C: {said}")
    check(not (FOLDER / "never.json").exists(), "a schedule was written after Ctrl-C")
    run = start(write(dense_graph(60, 1)), "--processors", 8, "--refine", 300, "--json")
    time.sleep(1.5)
    run.send_signal(signal.SIGINT)
    text, said = run.communicate(timeout=60)
    equal(run.returncode, 0, f"a refinement after Ctrl-C: {said}")
    evaluate(dense_graph(60, 1), json.loads(text), 1, "a refinement that was stopped")


def main():
    support.need_program()
    if sys.argv[1:] == ["soak"]:
        random_graphs(10000, 20)
        support.finish()
    examples()
    random_graphs(25 if support.SANITIZED else 200, 7)
    demands()
    schema()
    usage()
    outputs()
    bad_files()
    real_graphs()
    times()
    interrupt()
    support.finish()


main()
