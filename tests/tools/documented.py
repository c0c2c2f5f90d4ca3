"""Figures that users read in documents and help texts are those of the constants in the sources.
SPDX-License-Identifier: Apache-2.0

Each entry names a constant and the sentences that quote it; a sentence is found by the words around its figure (NUMBER), blanks
and line breaks count as one blank. A figure that differs, a sentence that is gone and a constant that is defined twice or not
at all are faults."""
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("TESSERA_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
WORDS = {"half": 0.5, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12, "forty": 40}
NUMBER = r"(\d[\d,]*(?:\.\d+)?|" + "|".join(WORDS) + ")"

# Constant, factor from its value to the figure, then (document or "help COMMAND", sentence).
FIGURES = [
    ("TS_DECIDING_SHARE", 100, [
        ("docs/report.md", r"the index is at least NUMBER % of the largest"),
        ("docs/report.md", r"the index itself is below NUMBER % of the largest"),
    ]),
    ("TS_NEGLIGIBLE_SHARE", 100, [
        ("docs/report.md", r"`below_share` \| below NUMBER % of the largest"),
        ("docs/report.md", r"even the upper end of the interval is below NUMBER % of the largest index"),
        ("docs/report.md", r"the upper end of the interval is below NUMBER % of the largest index; for all others"),
        ("docs/report.md", r"the interval of mu\* is below NUMBER % of the largest mu\*"),
        ("docs/methods/README.md", r"\*below NUMBER % of the largest\*"),
    ]),
    ("TS_INTERACTING_RATIO", 1, [("docs/report.md", r"sigma is at least NUMBER of mu\*")]),
    ("TS_MATTER_SHARE", 1, [("docs/report.md", r"whose ST is NUMBER or more")]),
    ("SMALL_GAP", 100, [("docs/report.md", r"the gap is NUMBER % of the variance or more")]),
    ("MAX_STRIPS", 1, [("docs/report.md", r"the pooled index of the NUMBER largest parameters")]),
    ("MAX_HEAT", 1, [("docs/report.md", r"heat map has the NUMBER largest parameters")]),
    ("MAX_BARS", 1, [("docs/report.md", r"the bars at most NUMBER;")]),
    ("MAX_PAIR_ROWS", 1, [("docs/report.md", r"of pairs the NUMBER largest")]),
    ("TS_ROUNDS_BUDGET", 1, [
        ("docs/workflow-file.md", r"by default to NUMBER times the first round"),
        ("help study", r"\(with --until: NUMBER times those of the first round\)"),
    ]),
    ("STUDY_KEEP_SHARE", 1, [("docs/workflow-file.md", r'"keep": \{ "share": NUMBER,')]),
    ("STUDY_SEED", 1, [("docs/workflow-file.md", r"All take `seed` \(NUMBER\)")]),
    ("STUDY_RESAMPLES", 1, [("docs/workflow-file.md", r"`resamples` \(NUMBER\), `confidence`")]),
    ("STUDY_CONFIDENCE", 1, [
        ("docs/workflow-file.md", r"`confidence` \(NUMBER\), `until`"),
        ("help analyse", r"of the intervals \(NUMBER\)"),
    ]),
    ("TS_MORRIS_LEVELS", 1, [
        ("docs/workflow-file.md", r"`trajectories` \(10\), `levels` \(NUMBER\)"),
        ("help sample", r"an even number \(NUMBER\)"),
    ]),
    ("TS_LOSS_TO_NOTE", 100, [
        ("docs/faults.md", r"a warning if more than NUMBER % of the sets"),
        ("docs/sensitivity.md", r"a loss above NUMBER %"),
        ("docs/workflow-file.md", r"a loss above NUMBER %"),
        ("docs/methods/given-data.md", r"a loss above NUMBER %"),
        ("docs/methods/vbd.md", r"a loss above NUMBER %"),
    ]),
    ("POOR_FIT", 100, [("docs/methods/given-data.md", r"when both stay below NUMBER %")]),
    ("MOST_ATTEMPTS", 1, [
        ("docs/faults.md", r"an operation ends NUMBER worker processes with the same bucket"),
        ("docs/faults.md", r"If one bucket kills NUMBER workers"),
    ]),
    ("MOST_STARTS", 1, [
        ("docs/faults.md", r"end before they can work, NUMBER in a row"),
        ("docs/faults.md", r"NUMBER processes in a row that cannot"),
    ]),
    ("SCRATCH_PER_MEMORY", 1, [
        ("docs/faults.md", r"default: NUMBER times the memory"),
        ("help study", r"\(NUMBER times the memory\)"),
    ]),
    ("DEFAULT_BUCKET_SIZE", 1, [
        ("docs/reuse.md", r"`--max-bucket-size` is NUMBER"),
        ("help plan", r"for naive, sca and rtma \(NUMBER\)"),
    ]),
    ("BUCKETS_PER_WORKER", 1, [("docs/reuse.md", r"`--max-buckets` is NUMBER per worker")]),
    ("FRONT_SHARE", 100, [("docs/reuse.md", r"together cost at most NUMBER % of the whole")]),
    ("FENCE", 1, [("docs/store.md", r"within NUMBER interquartile ranges")]),
    ("NEAR_FACTOR", 1, [("docs/store.md", r"more than NUMBER times beyond those seen")]),
]


def value_of(name):
    """The one value that the sources give a constant."""
    define = re.compile(rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+([0-9.eE+-]+)", re.M)
    found = [(path, m.group(1)) for path in sorted((SOURCE / "src").rglob("*.[ch]"))
             for m in define.finditer(path.read_text(encoding="utf-8"))]
    if len(found) != 1:
        raise LookupError(f"{name} is defined {len(found)} times: {', '.join(str(p) for p, _ in found)}")
    return float(found[0][1])


def text_of(place):
    if place.startswith("help "):
        tool = os.environ["TESSERA"]
        text = subprocess.run([tool, *place.split()], capture_output=True, text=True, check=True).stdout
    else:
        text = (SOURCE / place).read_text(encoding="utf-8")
    return " ".join(text.split())


def faults_of(name, factor, sentences):
    value = value_of(name) * factor
    for place, sentence in sentences:
        found = re.findall(sentence.replace("NUMBER", NUMBER), text_of(place), re.I)
        if not found:
            yield f"{place}: no sentence says '{sentence}' ({name} is {value:g})"
        for word in found:
            figure = WORDS[word.lower()] if word.lower() in WORDS else float(word.replace(",", ""))
            if abs(figure - value) > 1e-9 * abs(value):
                yield f"{place}: '{sentence}' says {word}, but {name} is {value:g}"


def main():
    faults = []
    for entry in FIGURES:
        try:
            faults += faults_of(*entry)
        except LookupError as error:
            faults.append(str(error))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
