/* The operation contract: what a plugin (or a built-in operation) tells tessera, and what tessera gives it to run.
 * SPDX-License-Identifier: Apache-2.0
 *
 * This header stands alone: a plugin needs nothing else. An operation is pure: its outputs depend only on its inputs
 * and parameters, and on the pixel size if it declares to read it; it keeps no state between calls, reads no clock,
 * draws no random numbers that are not a parameter.
 *
 * A plugin is a shared library that exports
 *     const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count);
 * It returns its descriptors, or NULL if it cannot work with host_api.
 *
 * How the contract grows: every struct says in struct_bytes how long it is where it was compiled, and lists hold
 * pointers to structs. New fields and functions are added at the end. A struct of a plugin that ends early counts as
 * filled up with zeros, the default of every field that was added; of one that is longer, tessera reads the fields that
 * it knows. In the other direction a plugin asks TS_OP_HAS before it uses what an earlier tessera may not have. The API
 * number changes only if something that exists changes; docs/plugins-from-api-1.md describes the step from 1 to 2. */
#ifndef TESSERA_OP_H
#define TESSERA_OP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TESSERA_OP_API 2

/* Whether the struct behind a pointer reaches to the end of a field: TS_OP_HAS(call->host, recall). */
#define TS_OP_HAS(pointer, field)                                                                                      \
  ((const char *)&(pointer)->field + sizeof(pointer)->field <= (const char *)(pointer) + (pointer)->struct_bytes)

/* A pointer to a new struct with its size: TS_OP_PORT("mask", "mask", "nuclei"), or with names of fields. For C; in C++
 * write {sizeof(struct ts_op_port), "mask", ...} and take its address. Outside functions it lives as long as the
 * program, in a function as long as the block. */
#define TS_OP_NEW(type, ...)  (&(const struct type){.struct_bytes = sizeof(struct type), __VA_ARGS__})
#define TS_OP_PORT(...)       TS_OP_NEW(ts_op_port, __VA_ARGS__)
#define TS_OP_PARAMETER(...)  TS_OP_NEW(ts_op_parameter, __VA_ARGS__)
#define TS_OP_PLACE(...)      TS_OP_NEW(ts_op_place, __VA_ARGS__)
#define TS_OP_COLUMN(...)     TS_OP_NEW(ts_op_column, __VA_ARGS__)
#define TS_OP_TERM(...)       TS_OP_NEW(ts_op_term, __VA_ARGS__)
#define TS_OP_RATIO(...)      TS_OP_NEW(ts_op_ratio, __VA_ARGS__)
#define TS_OP_VARIANT(...)    TS_OP_NEW(ts_op_variant, __VA_ARGS__)
#define TS_OP_NEEDS(...)      TS_OP_NEW(ts_op_needs, __VA_ARGS__)
#define TS_OP_DESCRIPTOR_HEAD .api = TESSERA_OP_API, .struct_bytes = sizeof(struct ts_op_descriptor)

enum ts_op_kind { TS_OP_PIXELS = 1, TS_OP_TABLE = 2, TS_OP_BYTES = 3, TS_OP_FILE = 4 };
enum ts_op_memory { TS_OP_HOST_MEMORY = 0 }; /* where data lies: memory that the processor reads and writes */
enum ts_op_element { TS_OP_U8 = 1, TS_OP_U16 = 2, TS_OP_U32 = 3, TS_OP_F32 = 4, TS_OP_F64 = 5 };

/* How far an output pixel looks: at its own pixel, within a radius, at its connected component, at the whole tile. The
 * first two, and the third with a largest extent, give the same result under any tiling with a sufficient halo; tessera
 * tests that promise. */
enum ts_op_reach { TS_OP_REACH_TILE = 0, TS_OP_REACH_PIXEL = 1, TS_OP_REACH_RADIUS = 2, TS_OP_REACH_COMPONENT = 3 };

enum ts_op_value_type { TS_OP_INTEGER = 1, TS_OP_REAL = 2, TS_OP_BOOLEAN = 3, TS_OP_STRING = 4 };

struct ts_op_value {
  uint32_t struct_bytes;
  enum ts_op_value_type type;
  int64_t integer; /* also booleans, 0 or 1 */
  double real;
  const char *string; /* borrowed for the call */
};

/* Port types: "image/rgb8", "image/gray8", "image/gray16", "mask" (8 bit, 0 or 255), "labels" (32 bit, 0 is
 * background), "field/f32", "table" (named columns of numbers), "objects" (GeoJSON), "shapes" (objects of a whole
 * file), "pieces" (objects of tiles; those of several tiles follow each other), "bytes", "file". Alternatives:
 * "mask|labels". */
struct ts_op_port {
  uint32_t struct_bytes; /* sizeof(struct ts_op_port) */
  const char *name;
  const char *type;
  const char *help;
  int optional; /* inputs only: may be left unconnected; its view then has kind 0 */
  int volumes;  /* inputs only: takes pixels of more than one plane; otherwise they are refused before the call */
};

struct ts_op_parameter {
  uint32_t struct_bytes; /* sizeof(struct ts_op_parameter) */
  const char *name;
  enum ts_op_value_type type;
  double low, high;           /* domain of numbers, both ends included; low > high: unbounded */
  const char *const *choices; /* domain of strings, NULL-terminated; NULL: any string */
  const char *help;
  /* Optional: brings a value to its canonical form, so that values with the same effect get the same key. */
  void (*canonical)(struct ts_op_value *value);
};

/* One input as the operation sees it; all pointers are borrowed for the call and read-only. */
struct ts_op_view {
  uint32_t struct_bytes;
  enum ts_op_kind kind; /* 0: optional input not connected */
  const char *type;     /* the port type of what arrived, never an alternative */
  /* TS_OP_PIXELS and TS_OP_BYTES */
  const void *data;
  size_t size_bytes;
  enum ts_op_memory memory;
  /* TS_OP_PIXELS: frame by frame, in these plane by plane, row by row, channels interleaved. Rows follow each other
   * without padding: row_bytes is width * channels * size of an element, a plane has height * row_bytes. */
  int64_t width, height;
  int32_t depth, frames; /* planes and frames: 1 each, unless the port takes volumes */
  size_t row_bytes;
  int32_t channels;
  enum ts_op_element element;
  /* where the pixels lie in their image: upper left corner in pixels of the level, first plane, first frame, level */
  int64_t x, y;
  int32_t z, t;
  int32_t level;
  /* Micrometres per pixel of that level, as the slide says; 0: not known, or the operation does not declare
   * reads_pixel_size. Of the image that was read: what operations did to the size of pixels since is not in it. */
  double pixel_size_x_um, pixel_size_y_um;
  /* TS_OP_TABLE: cells row by row; NaN is a missing value */
  size_t rows, columns;
  const char *const *names;
  const double *cells;
  /* TS_OP_FILE */
  const char *path;
};

/* Where pixels lie in their image, and for output_region also how many there are. */
struct ts_op_place {
  uint32_t struct_bytes;
  int64_t x, y; /* upper left corner in pixels of the level */
  int32_t level;
  int32_t z, t;          /* first plane and first frame */
  int64_t width, height; /* output_region only, as the next */
  int32_t depth, frames; /* 0 counts as 1 */
};

struct ts_op_call;

#define TS_OP_NOT_KNOWN ((size_t)-1) /* recall: no value of this key */

/* What tessera offers during a call. Every output port must be made exactly once. Memory returned is writable until the
 * operation returns, not initialised, 64-byte aligned, and owned by tessera. NULL: out of memory or a wrong port;
 * return a failure then. */
struct ts_op_host {
  uint32_t struct_bytes;
  /* One plane, at the place of the first pixel input. */
  void *(*output_pixels)(struct ts_op_call *call, size_t port, int64_t width, int64_t height, int32_t channels,
                         enum ts_op_element element);
  /* The same at a place, with any number of planes and frames; they lie in memory as those of a view do. */
  void *(*output_region)(struct ts_op_call *call, size_t port, const struct ts_op_place *place, int32_t channels,
                         enum ts_op_element element);
  double *(*output_table)(struct ts_op_call *call, size_t port, size_t rows, size_t columns, const char *const *names);
  void *(*output_bytes)(struct ts_op_call *call, size_t port, size_t size_bytes);
  /* Where the pixels of an output lie, if not where they would otherwise; extents stay as they are. */
  void (*output_place)(struct ts_op_call *call, size_t port, const struct ts_op_place *place);
  /* For ports with alternatives: which type this output has. */
  void (*output_type)(struct ts_op_call *call, size_t port, const char *type);
  /* Says why the operation fails (lower case, no full stop) and returns -1, to be returned by run(). */
  int (*fail)(struct ts_op_call *call, const char *format, ...);
  /* Non-zero when the user wants to stop; long operations look now and then and return host->fail(...). */
  int (*cancelled)(const struct ts_op_call *call);
  /* Calls body(argument, index) once for each index below count, in any order and perhaps in several threads at the
   * same time, and returns when all are done. The result may not depend on the order; body calls no host function but
   * recall and remember. */
  void (*parallel_for)(struct ts_op_call *call, size_t count, void (*body)(void *argument, size_t index),
                       void *argument);
  /* How many threads parallel_for has now, this one included: 1 as long as other tasks keep them busy. */
  size_t (*thread_count)(const struct ts_op_call *call);
  /* Parts: an operation whose work falls into parts that come back from call to call (the objects of an image, the rows
   * of a table) asks for each whether its value is known, and tells it after computing it. The key must hold EVERYTHING
   * that the value depends on: parameters, place, pixel size, and the content of what is read, itself or by
   * input_digest. tessera adds the operation, no more. A value that is not a function of its key alone makes wrong
   * results. What was told may be forgotten at any time; nothing is known where the user wants no reuse. Cheap (well
   * below a microsecond for a few hundred bytes), and allowed in the body of parallel_for.
   * recall copies the value and gives its size, or TS_OP_NOT_KNOWN: also if it is larger than value_bytes. */
  size_t (*recall)(struct ts_op_call *call, const void *key, size_t key_bytes, void *value, size_t value_bytes);
  void (*remember)(struct ts_op_call *call, const void *key, size_t key_bytes, const void *value, size_t value_bytes);
  /* Sixteen bytes that stand for the whole content of an input, its size and place included, within this run. 1: here
   * they are; 0: the input is not connected, or nothing is remembered in this run: compute without recall and remember.
   * Not in the body of parallel_for. */
  int (*input_digest)(struct ts_op_call *call, size_t port, uint8_t digest[16]);
};

struct ts_op_call {
  uint32_t struct_bytes;
  const struct ts_op_host *host;
  const struct ts_op_view *const *inputs;      /* in the order of the descriptor */
  const struct ts_op_value *const *parameters; /* canonical, in the order of the descriptor */
  void *user;                                  /* the descriptor's user pointer */
  void *state;                                 /* what open has made; NULL without open */
  void *private_data;                          /* tessera's own */
};

/* What open is given. */
struct ts_op_open {
  uint32_t struct_bytes;
  void *user; /* the descriptor's user pointer */
  /* Says why it cannot be opened (lower case, no full stop) and returns -1, to be returned by open(). */
  int (*fail)(const struct ts_op_open *open, const char *format, ...);
  void *private_data; /* tessera's own */
};

/* What a call needs of the machine that it runs on. Zero everywhere: one thread, and memory as it comes. */
struct ts_op_needs {
  uint32_t struct_bytes;
  uint32_t cores;        /* threads of its own that it keeps busy; 0: one, and those that parallel_for lends */
  uint64_t memory_bytes; /* it does not start unless so much is free, its outputs included */
  uint32_t gpus;
  int exclusive;    /* non-zero: no other task on the same machine meanwhile */
  const char *site; /* only on workers of this site: letters, digits, '.', '_' and '-'; NULL: anywhere */
  uint32_t gang;    /* workers that begin it together; 0 counts as 1 */
};

/* A column of a table output. */
struct ts_op_column {
  uint32_t struct_bytes;
  const char *output; /* name of the port */
  const char *name;
};

/* A ratio of sums: over the tiles of a slide its value is the sum of the numerators over the sum of the denominators,
 * never a mean of ratios. Terms are columns of the same table, each with a factor (Dice: 2 both_px over found_px +
 * reference_px). The cell itself is what the operation says of one table; where a denominator is 0 over all tiles, the
 * lowest of these cells is the value. */
struct ts_op_term {
  uint32_t struct_bytes;
  const char *column;
  double factor; /* finite, not 0 */
};
struct ts_op_ratio {
  uint32_t struct_bytes;
  const struct ts_op_column *column;
  const struct ts_op_term *const *numerator;
  size_t numerator_count; /* at least 1 */
  const struct ts_op_term *const *denominator;
  size_t denominator_count; /* at least 1 */
};

/* The same computation on another device. It gives the same bits as run() of the operation, whose key its results have,
 * and is called under the same rules; data lies where the views say. */
struct ts_op_variant {
  uint32_t struct_bytes;
  const char *device;  /* "cuda"; one that tessera does not know is never chosen. "cpu" is the operation's own run */
  const char *numeric; /* NULL: the same bits. Others are refused: make them operations of their own */
  int (*run)(struct ts_op_call *call);
  double scratch_per_input_byte; /* 0: not known */
};

struct ts_op_descriptor {
  uint32_t api;          /* TESSERA_OP_API; comes before the size, so that tessera can refuse any other */
  uint32_t struct_bytes; /* sizeof(struct ts_op_descriptor) */
  const char *name;      /* "library.operation" */
  uint32_t version;      /* raise it when results change */
  const char *numeric;   /* NULL or "exact", "tolerance:CLASS", "nondeterministic" */
  const char *help;
  const struct ts_op_port *const *inputs;
  size_t input_count;
  const struct ts_op_port *const *outputs;
  size_t output_count;
  const struct ts_op_parameter *const *parameters;
  size_t parameter_count;
  /* 0: done. Anything else: failed, with the reason given to host->fail. Begins with rounding to nearest, no
   * floating-point traps and the locale "C"; what it leaves of these in its thread is put back. It may not change
   * current folder, environment or locale of the process (the task fails), nor end the process or its thread (the run
   * ends). */
  int (*run)(struct ts_op_call *call);
  /* What follows is optional. */
  void *user; /* given to every call */
  /* For what is expensive to make and the same for all calls: a model, a table, a connection. open is called once in a
   * process, before the first call of the operation, whichever thread makes it; *state is given to every call, and to
   * close when tessera is done with the operation, before the library is unloaded. 0: done. Anything else: failed, with
   * the reason given to open->fail; every call of the operation in this process then fails with it, and open is not
   * tried again. What is said about run holds for open: time limit, state of the process, no end of the process. The
   * state may not change results: a call gives the same outputs whatever calls came before it, and in a process that
   * was opened anew. Calls of several threads use it at once, unless the operation is not thread-safe. */
  int (*open)(const struct ts_op_open *open, void **state);
  void (*close)(void *state); /* only together with open */
  enum ts_op_reach reach;
  /* Radius: how far. Component: the largest extent, in x or y, of a component that is kept; whatever is larger does not
   * appear in the output, however little of it the tile shows. 0 and no radius_parameter: the extent has no limit. */
  int64_t radius_px;
  /* Non-zero: results depend on the pixel size in views. It is then a part of the keys of calls, so equal pixels of
   * slides with other pixel sizes are computed anew. Operations without it see 0. */
  int reads_pixel_size;
  int not_thread_safe; /* non-zero: calls of this operation never overlap */
  /* Memory it takes beside its outputs, in bytes per byte of input; 0: not known. */
  double scratch_per_input_byte;
  const struct ts_op_needs *needs; /* NULL: nothing special */
  const struct ts_op_variant *const *variants;
  size_t variant_count;
  /* What tessera needs to know about the columns of table outputs, so that a typing error is found before a run and
   * numbers of tiles become numbers of a slide. */
  const struct ts_op_column *const *columns; /* of a port either none or all of its columns, in any order */
  size_t column_count;
  const struct ts_op_ratio *const *ratios;
  size_t ratio_count;
  const struct ts_op_column *const *counts; /* columns that add up over tiles; terms of ratios are known to */
  size_t counts_count;
  const struct ts_op_column *const *objects; /* columns that count or score objects: they depend on tile edges */
  size_t objects_count;
  /* Name of an integer parameter whose value is added to radius_px; NULL: none. */
  const char *radius_parameter;
};

typedef const struct ts_op_descriptor *const *(*tessera_operations_function)(uint32_t host_api, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
