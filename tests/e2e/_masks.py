"""Scores of masks without any of the program's arithmetic: own labelling, own sums; and a writer of small PNG files.

SPDX-License-Identifier: Apache-2.0
"""
import math
import re
import struct
import zlib

import _support as support
from _support import check, equal


def close(found, wanted, what):
    check(isinstance(found, (int, float)) and math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12),
          f"{what}: {found!r}, not {wanted!r}")


def named(values, column):
    """A measure by its column; measures against the default run may say so in their name."""
    for name in (column, f"{column}_vs_default"):
        if name in values:
            return values[name]
    return None


def write_png(path, width, height, channels, raw):
    rows = b"".join(b"\0" + raw[y * width * channels:(y + 1) * width * channels] for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def read_masks(folder):
    """Of the folder of one image: (x, y) of a tile -> width, height, rows of bytes 0 and 255."""
    masks = {}
    for path in sorted(folder.glob("segment.mask*.png")):
        place = re.search(r"x(\d+)_y(\d+)\.png$", path.name)
        x, y = map(int, place.groups()) if place else (0, 0)
        width, height, channels, bits, raw = support.read_png(path)
        assert channels == 1 and bits == 8
        masks[x, y] = width, height, [raw[row * width:(row + 1) * width] for row in range(height)]
    return masks


def join(masks):
    """The mask of the whole image, as one string of bytes."""
    width = max(x + tile[0] for (x, _), tile in masks.items())
    height = max(y + tile[1] for (_, y), tile in masks.items())
    image = bytearray(width * height)
    for (x, y), (tile_width, _, rows) in masks.items():
        for i, row in enumerate(rows):
            start = (y + i) * width + x
            image[start:start + tile_width] = row
    return width, height, bytes(image)


def count_bits(number):
    return bin(number).count("1") // 8  # a pixel is 0 or 255


def pixel_counts(found, reference):
    a, b = int.from_bytes(found, "big"), int.from_bytes(reference, "big")
    return {"found_px": count_bits(a), "reference_px": count_bits(b), "both_px": count_bits(a & b), "diff": count_bits(a ^ b)}


def runs_of(rows):
    """Runs of foreground with the number of their 8-connected component: per row (begin, end, label)."""
    parent, lines, before = [], [], []

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for row in rows:
        line = []
        for run in re.finditer(rb"\xff+", row):
            label = len(parent)
            parent.append(label)
            for begin, end, other in before:
                if begin <= run.end() and run.start() <= end:
                    parent[root(label)] = root(other)
                    label = root(label)
            line.append((run.start(), run.end(), label))
        lines.append(line)
        before = line
    return [[(begin, end, root(label)) for begin, end, label in line] for line in lines]


def object_counts(found_rows, reference_rows):
    """Objects of one tile: matched at IoU above 0.5, and the sums of the aggregated Jaccard index and of PQ."""
    found, reference = runs_of(found_rows), runs_of(reference_rows)
    sizes, wanted, common = {}, {}, {}
    for line, others in zip(found, reference):
        for begin, end, label in line:
            sizes[label] = sizes.get(label, 0) + end - begin
        for begin, end, label in others:
            wanted[label] = wanted.get(label, 0) + end - begin
            for other_begin, other_end, other in line:
                px = min(end, other_end) - max(begin, other_begin)
                if px > 0:
                    common[label, other] = common.get((label, other), 0) + px
    partners = {}
    for (label, other), px in common.items():
        partners.setdefault(label, []).append((px / (wanted[label] + sizes[other] - px), -other, px))
    counts = {"found": len(sizes), "reference": len(wanted), "matched": 0, "iou_sum": 0.0, "aji_both_px": 0, "aji_joined_px": 0}
    used = set()
    for label, px in wanted.items():
        iou, other, both = max(partners.get(label, [(0, None, 0)]))
        counts["aji_both_px"] += both
        counts["aji_joined_px"] += px + (sizes[-other] - both if other is not None else 0)
        if other is not None:
            used.add(-other)
        if iou > 0.5:
            counts["matched"] += 1
            counts["iou_sum"] += iou
    counts["aji_joined_px"] += sum(px for label, px in sizes.items() if label not in used)
    return counts


def scores(c):
    """Every score of the slide from its counts."""
    return {"dice": (2 * c["both_px"], c["found_px"] + c["reference_px"]),
            "jaccard": (c["both_px"], c["found_px"] + c["reference_px"] - c["both_px"]),
            "pixel_precision": (c["both_px"], c["found_px"]), "pixel_recall": (c["both_px"], c["reference_px"]),
            "precision": (c["matched"], c["found"]), "recall": (c["matched"], c["reference"]),
            "f1": (2 * c["matched"], c["found"] + c["reference"]), "aji": (c["aji_both_px"], c["aji_joined_px"]),
            "pq": (2 * c["iou_sum"], c["found"] + c["reference"])}


def counts_of(found, reference):
    """Pixels of the joined images; objects added up over tiles."""
    found_image, reference_image = join(found), join(reference)
    equal(found_image[:2], reference_image[:2], "size of the joined images")
    counts = pixel_counts(found_image[2], reference_image[2])
    for place, (_, _, rows) in found.items():
        for name, value in object_counts(rows, reference[place][2]).items():
            counts[name] = counts.get(name, 0) + value
    return counts


def components(mask, width):
    """The number of 8-connected components of a mask, by runs that are joined with those of the row above."""
    parent, above = [], []

    def root(run):
        while parent[run] != run:
            run = parent[run]
        return run

    for start in range(0, len(mask), width):
        row, at = [], mask.find(255, start, start + width)
        while at >= 0:
            end = mask.find(0, at, start + width)
            end = start + width if end < 0 else end
            row.append((at - start, end - start, len(parent)))
            parent.append(len(parent))
            at = mask.find(255, end, start + width)
        for begin, end, run in row:
            for other_begin, other_end, other in above:
                if other_begin <= end and begin <= other_end:
                    parent[root(run)] = root(other)
        above = row
    return sum(1 for run, own in enumerate(parent) if run == own)
