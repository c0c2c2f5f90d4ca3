/* Every SQL statement of the SQLite backend in one table; connection.c prepares them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_SQLITE_STATEMENTS_INT_H
#define TS_STORE_SQLITE_STATEMENTS_INT_H

/* What the checksum of a row covers: everything but the number of the row, which no answer depends on. */
#define TS_SQL_RECORD_FIELDS                                                                                           \
  "key, content_key, is_alias, operation, parameters, implementation, numeric, seconds, peak_bytes, run, producer, "   \
  "made_unix_ns, inputs, outputs"
#define TS_SQL_RUN_FIELDS                                                                                              \
  "id, command, file, state, started_unix_ns, finished_unix_ns, settings, result, process_id, process"
#define TS_SQL_TASK_FIELDS                                                                                             \
  "run, task, stage, name, parameter_set, unit, key, outcome, start_s, seconds, cpu_seconds, worker, message"
#define TS_SQL_FILE_FIELDS "device, inode, size_bytes, mtime_ns, ctime_ns, digest"
#define TS_SQL_COST_FIELDS                                                                                             \
  "operation, implementation, machine, measure, bin, calls, asked, cut, samples, updated_unix_ns"
#define TS_SQL_CHECKSUM(fields) "row_checksum(" fields ")" /* the function of checksum.c */
#define TS_SQL_IS_SOUND(fields) "(checksum IS " TS_SQL_CHECKSUM(fields) ")"

/* A row that an index leads to is read by its number: in a look-up by an indexed column SQLite would answer with the
 * index's copy of the column, and a damaged index would go unnoticed. */
#define TS_SQL_RECORD_COLUMNS    "id, " TS_SQL_RECORD_FIELDS ", " TS_SQL_IS_SOUND(TS_SQL_RECORD_FIELDS)
#define TS_SQL_PRODUCT_BY_DIGEST "number = (SELECT number FROM product WHERE digest = ?1) AND +digest = ?1"
#define TS_SQL_INSERT(table, fields, places)                                                                           \
  "INTO " table "(" fields ", checksum) VALUES (" places ", " TS_SQL_CHECKSUM(places) ")"
#define TS_SQL_6_PLACES       "?1, ?2, ?3, ?4, ?5, ?6"
#define TS_SQL_10_PLACES      TS_SQL_6_PLACES ", ?7, ?8, ?9, ?10"
#define TS_SQL_13_PLACES      TS_SQL_10_PLACES ", ?11, ?12, ?13"
#define TS_SQL_14_PLACES      TS_SQL_13_PLACES ", ?14"
#define TS_SQL_NEW_RESULT     "coalesce(?3, result)"
#define TS_SQL_NEW_PROCESS_ID "CASE WHEN ?6 IS NULL THEN process_id ELSE ?5 END"
#define TS_SQL_NEW_PROCESS    "coalesce(?6, process)"
#define TS_SQL_NEW_SETTINGS   "coalesce(?7, settings)"

#define TS_SQL_MAP(X)                                                                                                  \
  X(BEGIN_WRITE, "BEGIN IMMEDIATE")                                                                                    \
  X(COMMIT, "COMMIT")                                                                                                  \
  X(INSERT_RECORD,                                                                                                     \
    "INSERT " TS_SQL_INSERT("record", TS_SQL_RECORD_FIELDS, TS_SQL_14_PLACES) " ON CONFLICT(key) DO NOTHING")          \
  X(DELETE_RECORD, "DELETE FROM record WHERE id = ?1")                                                                 \
  X(FIND_KEY, "SELECT " TS_SQL_RECORD_COLUMNS " FROM record WHERE id = (SELECT id FROM record WHERE key = ?1)")        \
  X(FIND_CONTENT, "SELECT " TS_SQL_RECORD_COLUMNS " FROM record WHERE id = (SELECT id FROM record WHERE "              \
                  "content_key = ?1 ORDER BY is_alias LIMIT 1)")                                                       \
  X(ALL_KEYS, "SELECT key, content_key FROM record")                                                                   \
  X(LAST_RECORD, "SELECT coalesce(max(id), 0) FROM record")                                                            \
  X(RECORDS_OF, "SELECT " TS_SQL_RECORD_COLUMNS " FROM record WHERE operation = ?1 ORDER BY id DESC LIMIT ?2")         \
  X(INSERT_PRODUCT,                                                                                                    \
    "INSERT INTO product(digest, size_bytes, packed_bytes, packed, is_there) VALUES (?1, ?2, ?3, ?4, 1) "              \
    "ON CONFLICT(digest) DO UPDATE SET size_bytes = ?2, packed_bytes = ?3, packed = ?4, is_there = 1 "                 \
    "WHERE is_there = 0 AND +digest = ?1")                                                                             \
  X(HAS_PRODUCT, "SELECT 1 FROM product WHERE " TS_SQL_PRODUCT_BY_DIGEST " AND is_there = 1")                          \
  X(FETCH_PRODUCT, "SELECT packed_bytes, packed FROM product WHERE " TS_SQL_PRODUCT_BY_DIGEST " AND is_there = 1")     \
  X(FORGET_PRODUCT,                                                                                                    \
    "UPDATE product SET is_there = 0, packed = NULL WHERE " TS_SQL_PRODUCT_BY_DIGEST " AND is_there = 1")              \
  X(LIST_PRODUCTS,                                                                                                     \
    "SELECT digest, size_bytes, packed_bytes, packed IS NULL FROM product NOT INDEXED WHERE is_there = 1")             \
  X(COUNT_PAGES, "SELECT page_count * page_size, freelist_count * page_size "                                          \
                 "FROM pragma_page_count, pragma_page_size, pragma_freelist_count")                                    \
  X(HAS_FILE, "SELECT 1 FROM product WHERE " TS_SQL_PRODUCT_BY_DIGEST " AND is_there = 1 AND packed IS NULL")          \
  X(DROP_RECORD, "DELETE FROM record WHERE id = (SELECT id FROM record WHERE key = ?1) AND +key = ?1")                 \
  X(COUNT_RECORDS, "SELECT count(*) FROM record")                                                                      \
  X(COUNT_PRODUCTS, "SELECT count(*), coalesce(sum(size_bytes), 0), coalesce(sum(packed_bytes), 0) FROM product "      \
                    "WHERE is_there = 1")                                                                              \
  X(INSERT_RUN, "INSERT " TS_SQL_INSERT("run", TS_SQL_RUN_FIELDS, TS_SQL_10_PLACES) " ON CONFLICT(id) DO NOTHING")     \
  X(UPDATE_RUN,                                                                                                        \
    "UPDATE run SET state = ?2, settings = " TS_SQL_NEW_SETTINGS ", result = " TS_SQL_NEW_RESULT                       \
    ", finished_unix_ns = ?4, process_id = " TS_SQL_NEW_PROCESS_ID ", process = " TS_SQL_NEW_PROCESS                   \
    ", checksum = " TS_SQL_CHECKSUM("id, command, file, ?2, started_unix_ns, ?4, " TS_SQL_NEW_SETTINGS                 \
                                    ", " TS_SQL_NEW_RESULT ", " TS_SQL_NEW_PROCESS_ID                                  \
                                    ", " TS_SQL_NEW_PROCESS) " WHERE number = (SELECT number FROM run WHERE id = ?1) " \
                                                             "AND +id = ?1 AND " TS_SQL_IS_SOUND(TS_SQL_RUN_FIELDS))   \
  X(LIST_RUNS, "SELECT " TS_SQL_RUN_FIELDS ", " TS_SQL_IS_SOUND(TS_SQL_RUN_FIELDS) " FROM run ORDER BY number DESC")   \
  X(INSERT_TASK, "INSERT OR REPLACE " TS_SQL_INSERT("task", TS_SQL_TASK_FIELDS, TS_SQL_13_PLACES))                     \
  X(LIST_TASKS, "SELECT " TS_SQL_TASK_FIELDS ", " TS_SQL_IS_SOUND(TS_SQL_TASK_FIELDS) " FROM task WHERE run = ?1 "     \
                                                                                      "AND task >= ?2 ORDER BY task")  \
  X(LAST_TASKS, "SELECT task, " TS_SQL_IS_SOUND(TS_SQL_TASK_FIELDS) " FROM task WHERE run = ?1 ORDER BY task DESC")    \
  X(FIND_FILE, "SELECT digest, " TS_SQL_IS_SOUND(                                                                      \
                   TS_SQL_FILE_FIELDS) " FROM file_digest WHERE device = ?1 AND "                                      \
                                       "inode = ?2 AND size_bytes = ?3 AND mtime_ns = ?4 AND ctime_ns = ?5")           \
  X(PUT_FILE, "INSERT OR REPLACE " TS_SQL_INSERT("file_digest", TS_SQL_FILE_FIELDS, TS_SQL_6_PLACES))                  \
  X(LIST_COSTS, "SELECT " TS_SQL_COST_FIELDS                                                                           \
                ", " TS_SQL_IS_SOUND(TS_SQL_COST_FIELDS) " FROM cost "                                                 \
                                                         "ORDER BY operation, implementation, machine, measure, bin")  \
  X(FIND_COST,                                                                                                         \
    "SELECT calls, asked, " TS_SQL_IS_SOUND(TS_SQL_COST_FIELDS) " FROM cost WHERE operation = ?1 AND implementation "  \
                                                                "= ?2 AND machine = ?3 AND measure = ?4 AND bin = ?5") \
  X(PUT_COST, "INSERT OR REPLACE " TS_SQL_INSERT("cost", TS_SQL_COST_FIELDS, TS_SQL_10_PLACES))                        \
  X(KEYS_FROM, "SELECT id, key, content_key FROM record WHERE id >= ?1 ORDER BY id")

enum ts_sql {
#define X(name, sql) TS_SQL_##name,
  TS_SQL_MAP(X)
#undef X
      TS_SQL_COUNT
};

#endif
