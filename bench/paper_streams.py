#!/usr/bin/env python3
"""Makes the figures and tables of the paper on stream scheduling again with 'tessera schedule', for docs/papers.md.

SPDX-License-Identifier: Apache-2.0

Prints Markdown; with --write it replaces the part of docs/papers.md between the two marks. Needs the graphs in
../shared/vectors/scheduling: 15 synthetic ones per CCR (the paper drew 30), and applications rebuilt from its prose.
"""
import json
import subprocess
import sys

from _papers import PROGRAM, SHARED, arguments, publish, section, table

GRAPHS = SHARED / "vectors/scheduling"
ALGORITHMS = ("mos", "fcp", "fcp-e", "expert", "expert-e")
HEAD = ("MOS", "FCP", "FCP-e", "EXP", "EXP-e")
FRACTIONS = (1, 0.75, 0.5, 0.25, 0)
P = 32
BIG = 24  # Figure 9 tries dozens of throughputs for each latency: graphs up to this many tasks


def call(graph, *words):
    run = subprocess.run([PROGRAM, "schedule", str(graph), "--processors", str(P), *map(str, words), "--json"],
                         capture_output=True, text=True, check=False)
    return json.loads(run.stdout)


def compare(graph, ports, *words):
    """What each algorithm finds; HEFT, which is fast, is the one whose schedule is not looked at."""
    reply = call(graph, "--ports", ports, "--algorithm", "heft", "--compare", *words)
    return {row["algorithm"]: row for row in reply["compare"]}


def synthetic(ccr):
    return sorted(GRAPHS.glob(f"syn*_ccr{ccr}.json"))


def mean(values):
    return sum(values) / len(values)


def shown(values, total):
    """A mean over the graphs where the throughput was met, and how many these are."""
    if not values:
        return "-"
    return f"{mean(values):.2f}" + ("" if len(values) == total else f" ({len(values)}/{total})")


def label(fraction):
    return {1: "Tmax", 0: "about 0"}.get(fraction, f"{fraction} Tmax")


def rows_of(graphs, ports, fraction, value):
    """One cell per algorithm: the mean of value(row, row of MOS) where the algorithm meets the throughput."""
    found = [compare(graph, ports, "--throughput-fraction", fraction) for graph in graphs]
    return [shown([value(r[name], r["mos"]) for r in found if r[name]["feasible"]], len(graphs)) for name in ALGORITHMS]


def latency_ratio(row, mos):
    return row["latency"] / mos["latency"]


def utilisation(row, _):
    return row["utilisation"]


def command(graph, ports, what="--throughput-fraction F --compare"):
    return f"tessera schedule {graph} --processors {P} --ports {ports} {what}"


def figures_4_to_6(out):
    said = {(0.1, 2): "FCP up to 1.07, EXP 1.16 at 0.25 Tmax; the baselines miss Tmax. Utilisation of MOS 1, 0.96, 0.82, "
                      "0.70, 0.36; FCP -, 0.97, 0.89, 0.79, 0.71; EXP -, 1, 0.72, 0.42, 0.03",
            (1, 4): "at 0.25 Tmax FCP 1.30, EXP 1.37; the baselines miss Tmax and 0.75 Tmax", (1, 8): "slightly more than k = 4",
            (10, 4): "similar to CCR = 1", (10, 8): "similar to CCR = 1"}
    for figure, ccr, ports in ((4, 0.1, 2), (5, 1, 4), (5, 1, 8), (6, 10, 4), (6, 10, 8)):
        section(out, f"Figure {figure}: CCR {ccr}, k = {ports}", command(f"synNN_ccr{ccr}.json", ports), said[ccr, ports])
        table(out, ("T", *(f"{name} latency" for name in HEAD), *(f"{name} used" for name in HEAD)),
              [(label(f), *rows_of(synthetic(ccr), ports, f, latency_ratio), *rows_of(synthetic(ccr), ports, f, utilisation))
               for f in FRACTIONS])


def figure_7(out):
    section(out, "Figure 7: benefit of duplication",
            command("synNN_ccrC.json", "K", "--throughput-fraction F [--no-duplication]"),
            "up to 13 % lower latency at CCR 1, none at Tmax, a peak near 0.5 Tmax, less at CCR 10")
    rows = []
    for ccr, ports in ((1, 4), (1, 8), (10, 4), (10, 8)):
        cells = []
        for fraction in FRACTIONS:
            words = ("--ports", ports, "--throughput-fraction", fraction)
            gains = [1 - call(g, *words)["latency"] / call(g, *words, "--no-duplication")["latency"] for g in synthetic(ccr)]
            cells.append(f"{mean(gains):.1%}")
        rows.append((ccr, ports, *cells))
    table(out, ("CCR", "k", *map(label, FRACTIONS)), rows)


def replication(out):
    section(out, "Gain of replication", command("synNN_ccr1.json", 4, "--throughput T [--no-replication]"),
            "no figure; section 4.1.3: replicas double the rate of a transfer, and Tmax needs them")
    rows = []
    for fraction in FRACTIONS[:-1]:
        met, ratios = 0, []
        for graph in synthetic(1):
            rate = repr(fraction * bounds(graph)[2])
            one = call(graph, "--ports", 4, "--throughput", rate)
            without = call(graph, "--ports", 4, "--throughput", rate, "--no-replication")
            met += without["feasible"]
            ratios += [without["latency"] / one["latency"]] if without["feasible"] else []
        rows.append((label(fraction), f"{met} of {len(synthetic(1))}", shown(ratios, len(ratios))))
    table(out, ("T", "met without replication", "latency without / with, where met"), rows)


def application(out, title, name, ports, fractions, said):
    section(out, title, command(f"{name}.json", "K"), said)
    graph = GRAPHS / f"{name}.json"
    table(out, ("k", "T", *(f"{a} latency" for a in HEAD), *(f"{a} used" for a in HEAD)),
          [(k, label(f), *rows_of([graph], k, f, latency_ratio), *rows_of([graph], k, f, utilisation))
           for k in ports for f in fractions])


def figure_8(out):
    section(out, "Figure 8: MPEG, no replication, T = 1 / largest task, k = 4", command("app_mpeg_like_N.json", 4, "--throughput 1/40 --compare"),
            "latency FCP 1, EXP 1.21, 1.36, 1.35, 1.12; used MOS 0.13, 0.25, 0.5, 1; FCP 0.22, 0.41, 0.78, 1; "
            "EXP 0.09, 0.22, 0.47, 1")
    rows = []
    for divisions in (2, 4, 8, 16):
        graph = GRAPHS / f"app_mpeg_like_{divisions}.json"
        rate = 1 / max(task["time"] for task in json.loads(graph.read_text(encoding="utf-8"))["tasks"])
        found = compare(graph, 4, "--throughput", repr(rate))
        names = ("mos", "fcp", "expert")
        rows.append((divisions,
                     *(shown([latency_ratio(found[n], found["mos"])] if found[n]["feasible"] else [], 1) for n in names),
                     *(shown([found[n]["utilisation"]] if found[n]["feasible"] else [], 1) for n in names)))
    table(out, ("divisions", "MOS latency", "FCP latency", "EXP latency", "MOS used", "FCP used", "EXP used"), rows)


def bounds(graph):
    reply = call(graph, "--algorithm", "heft")
    total = sum(task["time"] for task in json.loads(graph.read_text(encoding="utf-8"))["tasks"])
    return reply["limits"]["latency"], total, reply["limits"]["throughput"]


def figure_9(out):
    section(out, f"Figure 9: highest throughput within a latency (graphs of at most {BIG} tasks)",
            command("synNN_ccrC.json", "K", "--latency L --compare"),
            "up to 60 % higher throughput than the others; at the lower bound of the latency often infeasible for all")
    rows = []
    for ccr, ports in ((0.1, 4), (0.1, 8), (1, 4), (1, 8)):
        graphs = [g for g in synthetic(ccr) if int(g.stem.split("_n")[1].split("_")[0]) <= BIG]
        for share in (0, 0.25, 0.5, 0.75, 1):
            cells = {name: [] for name in ALGORITHMS}
            for graph in graphs:
                low, high, most = bounds(graph)
                for name, row in compare(graph, ports, "--latency", repr(low + share * (high - low))).items():
                    if name in cells and row["feasible"]:
                        cells[name].append(row["throughput"] / most)
            rows.append((ccr, ports, share, *(shown(cells[name], len(graphs)) for name in ALGORITHMS)))
    table(out, ("CCR", "k", "latency between the bounds", *(f"{name} / Tmax" for name in HEAD)), rows)


def main():
    options = arguments(__doc__.splitlines()[0]).parse_args()
    if not GRAPHS.exists():
        sys.exit(f"there is no {GRAPHS}")
    out = []
    figures_4_to_6(out)
    figure_7(out)
    replication(out)
    application(out, "Tables 1 and 2: Darpa Vision Benchmark", "app_dvb_like", (2, 4, 8), (0.25, 0),
                "latency at 0.25 Tmax FCP-e 1.02, 1, 1, others miss; at about 0 FCP 1.04, 1.08, 1.11, EXP 1.14, 1.20, 1.22; "
                "used MOS 0.34, 0.5, 0.41 and 0.09, 0.25, 0.22; FCP 0.47, EXP 0.03")
    application(out, "Tables 3 and 4: video surveillance", "app_surveillance_like", (4,), FRACTIONS,
                "latency FCP 1 from 0.5 Tmax on, EXP-e 1.01 from 0.75 Tmax on, 2 at about 0; used MOS 1, 0.94, 0.78, 0.53, "
                "0.35; FCP -, -, 0.91, 0.66, 0.47")
    figure_8(out)
    application(out, "Tables 5 and 6: placenta workflow", "app_placenta_like", (4,), FRACTIONS,
                "latency FCP 1 from 0.75 Tmax on, EXP 1.69 at about 0; used MOS 1, 0.91, 0.66, 0.41, 0.13; FCP -, 1, 0.75, "
                "0.5, 0.28")
    figure_9(out)
    publish("streams", out, options.write)


main()
