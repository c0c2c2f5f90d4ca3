#!/usr/bin/env python3
"""Makes the tables and figures of the paper on tuning in-situ workflows again with 'tessera tune --table', for docs/papers.md.

SPDX-License-Identifier: Apache-2.0

Prints Markdown; with --write it replaces the part of docs/papers.md between the two marks. Needs the recorded runs of the
workflows LV and GP in ../shared/data/tuning/tables (the paper also has HS). The settings are fixed, not chosen per case.
"""
import csv
import json
import math
import subprocess
import sys
import tempfile

from _papers import PROGRAM, SHARED, arguments, publish, section, table

TABLES = SHARED.resolve() / "data/tuning/tables"
COMPONENTS = {"lv": ("lmp", "vr"), "gp": ("gs", "pdf", "gplot", "pplot")}
OBJECTIVES = {"exec": ("exec_s", "core_h", "max"), "comp": ("core_h", "exec_s", "sum")}
EXPERT = {("lv", "exec"): 36.8, ("lv", "comp"): 4.15, ("gp", "exec"): 102, ("gp", "comp"): 5.85}  # the paper's Table 2
PLAIN = ("rs", "geist", "al", "alph", "ceal")
CASES = [(w, o, m) for w in ("lv", "gp") for o, ms in (("exec", (50, 100)), ("comp", (25, 50))) for m in ms]
SHORT = "tessera tune --table WORKFLOW.csv --objective COLUMN --component NAME=FILE.csv ... --combine max|sum"


def tune(workflow, objective, budget, seeds, algorithms, *words):
    column, other, combine = OBJECTIVES[objective]
    folder = TABLES / workflow
    command = [PROGRAM, "tune", "--table", folder / "workflow.csv", "--objective", column, "--ignore", other, "--combine", combine,
               "--budget", budget, "--seeds", seeds, "--algorithm", ",".join(algorithms), "--expert", EXPERT[workflow, objective],
               "--json", "--progress", "none", *words]
    for name in COMPONENTS[workflow]:
        command += ["--component", f"{name}={folder / name}.csv"]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def shown(moments):
    return "-" if moments["mean"] is None else f"{moments['mean']:.3f} ± {moments['se']:.3f}"


class Replays:
    """The replays of every case, made once: without recorded runs of components, and with them."""

    def __init__(self, seeds):
        self.found = {}
        self.replies = {}
        for case in CASES:
            for words, names in (((), PLAIN), (("--history",), ("alph", "ceal"))):
                reply = tune(*case, seeds, names, *words)
                self.replies[case, bool(words)] = reply
                for result in reply["results"]:
                    self.found[case, result["algorithm"] + ("+h" if words else "")] = result
            print(f"{' '.join(map(str, case))} done", file=sys.stderr)

    def cells(self, case, names, value):
        return [value(self.found[case, name]) for name in names]


# LV computer time, m = 50: an independent implementation with the same settings, 40 seeds: best measured, cost of the workflow's runs.
# (tuner, with recorded runs of components) -> figures; None: not computed there.
INDEPENDENT = {("rs", False): (1.33, 729), ("geist", False): (1.157, 651), ("al", False): (1.133, 450), ("alph", True): (1.104, 419),
               ("alph", False): None, ("ceal", False): (1.088, 238), ("ceal", True): (1.016, 374)}
INDEPENDENT_SEEDS, CHECKED_SEEDS = 40, 200


def expected_best(path, column, runs):
    """Mean and standard deviation of the best of `runs` rows drawn without repetition, in closed form; the least of the table is 1."""
    with path.open(encoding="utf-8") as file:
        outputs = sorted(float(row[column]) for row in csv.DictReader(file))
    count = len(outputs)
    chances = [math.comb(count - 1 - i, runs - 1) / math.comb(count, runs) for i in range(count - runs + 1)]
    mean, square = (sum(chance * (y / outputs[0]) ** power for chance, y in zip(chances, outputs)) for power in (1, 2))
    return mean, math.sqrt(square - mean * mean)


def against_independent(out):
    """Every figure within 3 %, or within two standard errors of the difference of the two means."""
    found = {}
    for words, names in (((), PLAIN), (("--history",), ("alph", "ceal"))):
        for result in tune("lv", "comp", 50, CHECKED_SEEDS, names, "--no-confirmation", *words)["results"]:
            found[result["algorithm"], bool(words)] = result
    mean, deviation = expected_best(TABLES / "lv/workflow.csv", "core_h", 50)
    section(out, "Best measured against an independent implementation, LV computer time, m = 50",
            f"{SHORT} --budget 50 --seeds {CHECKED_SEEDS} --no-confirmation [--history]",
            f"no such figure; the authors' own program is not comparable (it does not charge runs of components). The other implementation "
            f"has {INDEPENDENT_SEEDS} seeds, ours {CHECKED_SEEDS}; the standard error of a difference takes the deviation of ours for both. "
            f"Random search has a closed form, the expected least of 50 rows drawn without repetition: {mean:.4f}, with a deviation of "
            f"{deviation:.3f}; a mean of {INDEPENDENT_SEEDS} seeds has a standard error of {deviation / math.sqrt(INDEPENDENT_SEEDS):.3f}, so "
            f"1.33 is one such mean, {(mean - 1.33) * math.sqrt(INDEPENDENT_SEEDS) / deviation:.1f} standard errors low. The costs show that "
            "its ALpH has recorded runs of components")
    rows = []
    for (name, recorded), theirs in INDEPENDENT.items():
        best, cost = found[name, recorded]["normalised_best"]["measured"], found[name, recorded]["cost"]["workflow"]
        cells = ("-", "-", "-")
        if theirs:
            error = best["se"] * math.sqrt(1 + CHECKED_SEEDS / INDEPENDENT_SEEDS)
            share, errors = best["mean"] / theirs[0] - 1, (best["mean"] - theirs[0]) / error
            cells = (f"{100 * share:+.1f} %", f"{errors:+.1f}", "yes" if abs(share) <= 0.03 or abs(errors) <= 2 else "no")
        rows.append((name.upper() + ("+h" if recorded else ""), theirs[0] if theirs else "-", shown(best), *cells,
                     theirs[1] if theirs else "-", f"{cost:.0f}"))
    table(out, ("tuner", "theirs", "ours", "difference", "in standard errors", "within", "their cost", "our cost"), rows)


def names_of(case):
    return f"{case[0].upper()} {case[1]} {case[2]}"


def bests(out, replays):
    section(out, "Table 2: the best of the recorded configurations", f"{SHORT} --json: pool, best",
            "best LV 27.2 s and 3.36 core-h, GP 98.7 s and 6.95 core-h; expert LV 36.8 s and 4.15, GP 102 s and 5.85. LV has 7 "
            "parameters in the paper and 6 in the recorded runs")
    rows = []
    for workflow in ("lv", "gp"):
        for objective, budget in (("exec", 50), ("comp", 50)):
            reply = replays.replies[(workflow, objective, budget), False]
            rows.append((workflow.upper(), objective, reply["pool"], f"{reply['best']:.4g}", EXPERT[workflow, objective]))
    table(out, ("workflow", "objective", "configurations", "best", "expert, by the paper"), rows)


def figure_4(out, replays):
    section(out, "Figure 4: what component models alone find", f"{SHORT} --history --json: component_recall",
            "recall above 30 % for the top 5 to 25 of 500 configurations of LV. Here: of all configurations")
    rows = []
    for case in CASES:
        if case[2] == 50:
            recall = replays.replies[case, True]["component_recall"]
            rows.append((f"{case[0].upper()} {case[1]}", *(f"{recall[n - 1]:.0f}" for n in (1, 5, 10, 15, 20, 25))))
    table(out, ("case", *(f"top {n}, %" for n in (1, 5, 10, 15, 20, 25))), rows)


def figures_5_9_10(out, replays):
    names = (*PLAIN, "alph+h", "ceal+h")
    section(out, "Figures 5, 9 and 10: how near to the best", f"{SHORT} --budget M --algorithm {','.join(PLAIN)} [--history]",
            "the predicted best of CEAL is within 5 % of the best (LV, m = 50) and better than that of RS, GEIST and AL in every case; "
            "recorded runs of components improve it in every case; CEAL is better than ALpH in every case. Settings were chosen "
            "per case; the published code does not charge the runs of components. +h: with recorded runs of components")
    for key, what in (("predicted", "Predicted best"), ("measured", "Best measured"), ("recommended", "Recommended")):
        table(out, (what, *(n.upper() if n[-1] != "h" or n == "alph" else n.replace("+h", "").upper() + "+h" for n in names)),
              [(names_of(c), *replays.cells(c, names, lambda r, k=key: shown(r["normalised_best"][k]))) for c in CASES])


def figure_6(out, replays):
    section(out, "Figure 6: median error of the models, all configurations / best 2 %", f"{SHORT} --budget M --json: mdape",
            "CEAL has by far the least error on the best 2 %, and a similar or slightly larger one over all. In parentheses: without "
            "the configurations that were measured, which a model has seen")
    names = (*PLAIN, "alph+h", "ceal+h")

    def cell(result):
        m = result["mdape"]
        return f"{m['all']:.0f} / {m['top2']:.0f} ({m['all_unseen']:.0f} / {m['top2_unseen']:.0f})"
    table(out, ("%", *map(str.upper, PLAIN), "ALPH+h", "CEAL+h"), [(names_of(c), *replays.cells(c, names, cell)) for c in CASES])


def figures_7_11(out, replays):
    section(out, "Figures 7 and 11: recall of the best 1, 3 and 10", f"{SHORT} --budget M --json: recall",
            "LV, m = 50, recall of 1: CEAL 76 % (computer time) and 79 % (execution time), RS 4 and 5, GEIST 12 and 6, AL 51 and 32; "
            "with recorded runs of components CEAL above 99 % for 1 and 2")
    names = (*PLAIN, "alph+h", "ceal+h")
    table(out, ("%", *map(str.upper, PLAIN), "ALPH+h", "CEAL+h"),
          [(names_of(c), *replays.cells(c, names, lambda r: " / ".join(f"{r['recall'][n - 1]:.0f}" for n in (1, 3, 10)))) for c in CASES])


def figures_8_12(out, replays):
    section(out, "Figures 8 and 12: cost, and uses until it has paid off", f"{SHORT} --budget M --expert VALUE --json: cost, least_uses",
            "LV computer time, m = 50: CEAL 864 uses, AL 1444; with recorded runs CEAL 219 (LV execution time, m = 50) and 269 (LV "
            "computer time, m = 25). Cost here: runs of the workflow + of components, in s or core-h; uses: median over the seeds, "
            "both costs charged; -: the recommendation does not beat the expert in half of the seeds")
    names = (*PLAIN, "alph+h", "ceal+h")

    def cell(result):
        cost, uses = result["cost"], result["least_uses"]
        total = f"{cost['workflow']:.0f}" + (f" + {cost['components']:.0f}" if cost["components"] else "")
        return f"{total}; {'-' if uses is None else f'{uses:.0f}'}"
    table(out, ("cost; uses", *map(str.upper, PLAIN), "ALPH+h", "CEAL+h"), [(names_of(c), *replays.cells(c, names, cell)) for c in CASES])


def figure_13(out, seeds):
    section(out, "Figure 13: the settings of CEAL, LV computer time, m = 50",
            f"{SHORT} --budget 50 --algorithm ceal --batches I | --component-share R | --random-share Z",
            "converged after I = 3; stable for component runs of 20 to 65 % of m, and for random runs of 5 to 75 % (with recorded "
            "runs 5 to 35 %)")
    rows = []
    for option, label, values in (("--batches", "I", (1, 2, 3, 5, 8, 10)), ("--component-share", "m_R / m", (0.05, 0.2, 0.35, 0.5, 0.65, 0.8)),
                                  ("--random-share", "m_0 / m", (0.05, 0.15, 0.25, 0.35, 0.45, 0.55))):
        for value in values:
            best = tune("lv", "comp", 50, seeds, ("ceal",), option, value)["results"][0]["normalised_best"]
            cells = [shown(best[key]) for key in ("predicted", "recommended")]
            with_history = "-" if option == "--component-share" else shown(
                tune("lv", "comp", 50, seeds, ("ceal",), option, value, "--history")["results"][0]["normalised_best"]["recommended"])
            rows.append((label, value, *cells, with_history))
    table(out, ("setting", "value", "predicted best", "recommended", "recommended, with recorded runs"), rows)


def sensitivity(out):
    section(out, "Which parameters matter, by our own analysis",
            "tessera analyse --method given-data --space space.json --design workflow.csv --outputs workflow.csv --output-column COLUMN",
            "no such figure; first-order indices S1 with their intervals from the recorded runs")
    rows = []
    for workflow in ("lv", "gp"):
        path = TABLES / workflow / "workflow.csv"
        with path.open(encoding="utf-8") as file:
            records = list(csv.DictReader(file))
        names = [name for name in records[0] if name not in ("exec_s", "core_h")]
        space = {"parameters": [{"name": name, "type": "integer", "range": [min(int(float(r[name])) for r in records),
                                                                           max(int(float(r[name])) for r in records)]}
                                for name in names]}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(space, file)
            file.flush()
            run = subprocess.run([PROGRAM, "analyse", "--method", "given-data", "--space", file.name, "--design", str(path),
                                  "--outputs", str(path), "--output-column", "exec_s", "--output-column", "core_h", "--json", "--progress", "none"],
                                 capture_output=True, text=True, check=True)
        outputs = {output["name"]: {row["name"]: row for row in output["indices"]} for output in json.loads(run.stdout)["outputs"]}
        for name in names:
            cells = [outputs[column][name] for column in ("exec_s", "core_h")]
            rows.append((workflow.upper(), name, *(f"{c['S1']:.2f} ({c['S1_lo']:.2f} to {c['S1_hi']:.2f})" for c in cells)))
    table(out, ("workflow", "parameter", "S1 of execution time", "S1 of computer time"), rows)


def main():
    words = arguments(__doc__.splitlines()[0])
    words.add_argument("--seeds", type=int, default=100, help="of each case (the paper has 100)")
    options = words.parse_args()
    if not TABLES.exists():
        sys.exit(f"there is no {TABLES}")
    out = [f"Means over {options.seeds} seeds with standard errors (Figure 13: {max(2, options.seeds // 2)} seeds).", ""]
    sensitivity(out)
    replays = Replays(options.seeds)
    bests(out, replays)
    against_independent(out)
    figure_4(out, replays)
    figures_5_9_10(out, replays)
    figure_6(out, replays)
    figures_7_11(out, replays)
    figures_8_12(out, replays)
    figure_13(out, max(2, options.seeds // 2))
    publish("tuning", out, options.write)


main()
