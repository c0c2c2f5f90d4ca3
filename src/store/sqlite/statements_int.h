/* Every SQL statement of the SQLite backend in one table; connection.c prepares them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_SQLITE_STATEMENTS_INT_H
#define TS_STORE_SQLITE_STATEMENTS_INT_H

#define TS_SQL_RECORD_COLUMNS                                                                                          \
  "id, key, content_key, is_alias, operation, parameters, implementation, numeric, seconds, peak_bytes, run, "         \
  "producer, made_unix_ns, inputs, outputs"

/* States of buckets: 0 ready, 1 held, 2 blocked by a lower phase of its group (the column "part"), 3 done. The index is
 * named where the planner, which knows nothing of how many there are, might take the one by state. */
#define TS_SQL_UNFINISHED "FROM bucket INDEXED BY bucket_part WHERE run = ?1 AND state < 3 AND part = "
#define TS_SQL_BUCKET_MAP(X)                                                                                           \
  X(INSERT_BUCKET,                                                                                                     \
    "INSERT INTO bucket(run, number, part, phase, body, attempts, worker, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, "  \
    "CASE WHEN EXISTS (SELECT 1 " TS_SQL_UNFINISHED "?3 AND phase < ?4) THEN 2 ELSE 0 END)")                           \
  X(BLOCK_BUCKETS,                                                                                                     \
    "UPDATE bucket INDEXED BY bucket_part SET state = 2 WHERE run = ?1 AND part = ?2 AND state < 3 AND state = 0 "     \
    "AND phase = (SELECT min(phase) " TS_SQL_UNFINISHED "?2 AND phase > ?3)")                                          \
  X(TAKE_BUCKET,                                                                                                       \
    "UPDATE bucket SET state = 1, worker = ?2, attempts = attempts + 1 WHERE run = ?1 AND number = "                   \
    "(SELECT number FROM bucket INDEXED BY bucket_state WHERE run = ?1 AND state = 0 ORDER BY number LIMIT 1) "        \
    "RETURNING number, part, phase, body, attempts")                                                                   \
  X(UNFINISHED_BUCKET, "SELECT 1 FROM bucket WHERE run = ?1 AND state < 3 LIMIT 1")                                    \
  X(FINISH_BUCKET, "UPDATE bucket SET state = 3 WHERE run = ?1 AND number = ?2 RETURNING part")                        \
  X(UNBLOCK_BUCKETS,                                                                                                   \
    "UPDATE bucket INDEXED BY bucket_part SET state = 0 WHERE run = ?1 AND part = ?2 AND state < 3 AND state = 2 "     \
    "AND phase = (SELECT min(phase) " TS_SQL_UNFINISHED "?2)")                                                         \
  X(GIVE_BACK_BUCKETS,                                                                                                 \
    "UPDATE bucket INDEXED BY bucket_state SET state = CASE WHEN EXISTS (SELECT 1 FROM bucket AS other INDEXED BY "    \
    "bucket_part WHERE other.run = ?1 AND other.part = bucket.part AND other.state < 3 AND other.phase < "             \
    "bucket.phase) "                                                                                                   \
    "THEN 2 ELSE 0 END WHERE run = ?1 AND state = 1 AND worker = ?2")                                                  \
  X(DROP_BUCKETS, "DELETE FROM bucket WHERE run = ?1")

#define TS_SQL_MAP(X)                                                                                                  \
  X(BEGIN_WRITE, "BEGIN IMMEDIATE")                                                                                    \
  X(COMMIT, "COMMIT")                                                                                                  \
  X(INSERT_RECORD,                                                                                                     \
    "INSERT INTO record(key, content_key, is_alias, operation, parameters, implementation, numeric, seconds, "         \
    "peak_bytes, run, producer, made_unix_ns, inputs, outputs) "                                                       \
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT(key) DO NOTHING")                \
  X(DELETE_RECORD, "DELETE FROM record WHERE id = ?1")                                                                 \
  X(FIND_KEY, "SELECT " TS_SQL_RECORD_COLUMNS " FROM record WHERE key = ?1")                                           \
  X(FIND_CONTENT, "SELECT " TS_SQL_RECORD_COLUMNS " FROM record WHERE content_key = ?1 ORDER BY is_alias LIMIT 1")     \
  X(ALL_KEYS, "SELECT key, content_key FROM record")                                                                   \
  X(LAST_RECORD, "SELECT coalesce(max(id), 0) FROM record")                                                            \
  X(RECORDS_OF, "SELECT " TS_SQL_RECORD_COLUMNS " FROM record WHERE operation = ?1 ORDER BY id DESC LIMIT ?2")         \
  X(INSERT_PRODUCT,                                                                                                    \
    "INSERT INTO product(digest, size_bytes, packed_bytes, packed, is_there) VALUES (?1, ?2, ?3, ?4, 1) "              \
    "ON CONFLICT(digest) DO UPDATE SET size_bytes = ?2, packed_bytes = ?3, packed = ?4, is_there = 1 "                 \
    "WHERE is_there = 0")                                                                                              \
  X(HAS_PRODUCT, "SELECT 1 FROM product WHERE digest = ?1 AND is_there = 1")                                           \
  X(FETCH_PRODUCT, "SELECT packed_bytes, packed FROM product WHERE digest = ?1 AND is_there = 1")                      \
  X(FORGET_PRODUCT, "UPDATE product SET is_there = 0, packed = NULL WHERE digest = ?1 AND is_there = 1")               \
  X(COUNT_RECORDS, "SELECT count(*) FROM record")                                                                      \
  X(COUNT_PRODUCTS, "SELECT count(*), coalesce(sum(size_bytes), 0), coalesce(sum(packed_bytes), 0) FROM product "      \
                    "WHERE is_there = 1")                                                                              \
  X(INSERT_RUN,                                                                                                        \
    "INSERT INTO run(id, command, file, state, started_unix_ns, finished_unix_ns, settings, result, process_id, "      \
    "process) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT(id) DO NOTHING")                            \
  X(UPDATE_RUN,                                                                                                        \
    "UPDATE run SET state = ?2, result = coalesce(?3, result), finished_unix_ns = ?4, "                                \
    "process_id = CASE WHEN ?6 IS NULL THEN process_id ELSE ?5 END, process = coalesce(?6, process) WHERE id = ?1")    \
  X(LIST_RUNS,                                                                                                         \
    "SELECT id, command, file, state, started_unix_ns, finished_unix_ns, settings, result, process_id, process "       \
    "FROM run ORDER BY number DESC")                                                                                   \
  X(INSERT_TASK,                                                                                                       \
    "INSERT OR REPLACE INTO task(run, task, stage, name, parameter_set, unit, key, outcome, start_s, seconds, "        \
    "cpu_seconds, worker, message) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")                   \
  X(LIST_TASKS,                                                                                                        \
    "SELECT task, stage, name, parameter_set, unit, key, outcome, start_s, seconds, cpu_seconds, worker, message "     \
    "FROM task WHERE run = ?1 ORDER BY task")                                                                          \
  X(FIND_FILE,                                                                                                         \
    "SELECT digest FROM file_digest WHERE device = ?1 AND inode = ?2 AND size_bytes = ?3 AND mtime_ns = ?4 "           \
    "AND ctime_ns = ?5")                                                                                               \
  X(PUT_FILE, "INSERT OR REPLACE INTO file_digest(device, inode, size_bytes, mtime_ns, ctime_ns, digest) "             \
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6)")                                                                       \
  X(KEYS_FROM, "SELECT id, key, content_key FROM record WHERE id >= ?1 ORDER BY id")                                   \
  TS_SQL_BUCKET_MAP(X)

enum ts_sql {
#define X(name, sql) TS_SQL_##name,
  TS_SQL_MAP(X)
#undef X
      TS_SQL_COUNT
};

#endif
