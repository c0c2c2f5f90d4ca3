"""Writes tiled TIFF files with levels, row by row, so that tests can draw slides of their own.

SPDX-License-Identifier: Apache-2.0
"""
import struct
import zlib

SIDE = 256  # of a tile


def packed_tiles(width, height, row):
    """The tiles of a level, row by row; row(y): its pixels, three bytes each."""
    packed = []
    for top in range(0, height, SIDE):
        rows = [row(y) for y in range(top, min(top + SIDE, height))]
        rows += [bytes(3 * width)] * (SIDE - len(rows))
        for left in range(0, width, SIDE):
            cut = [pixels[3 * left:3 * (left + SIDE)].ljust(3 * SIDE, b"\0") for pixels in rows]
            packed.append(zlib.compress(b"".join(cut), 1))
    return packed


def write_slide(path, levels):
    """levels: (width, height, function that makes a row), the finest first."""
    data = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for number, (width, height, row) in enumerate(levels):
        packed = packed_tiles(width, height, row)
        offsets = []
        for tile in packed:
            offsets.append(len(data))
            data += tile
        lists = len(data)
        data += struct.pack(f"<{len(packed)}I", *offsets) + struct.pack(f"<{len(packed)}I", *map(len, packed))
        bits = len(data)
        data += struct.pack("<3H", 8, 8, 8) + b"\0\0"
        struct.pack_into("<I", data, link, len(data))
        entries = [(254, 4, 1, 1 if number else 0), (256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, bits),
                   (259, 3, 1, 8), (262, 3, 1, 2), (277, 3, 1, 3), (284, 3, 1, 1), (322, 4, 1, SIDE), (323, 4, 1, SIDE),
                   (324, 4, len(packed), lists), (325, 4, len(packed), lists + 4 * len(packed))]
        data += struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries)
        link = len(data)
        data += struct.pack("<I", 0)
    path.write_bytes(bytes(data))
