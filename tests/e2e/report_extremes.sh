#!/usr/bin/env bash
# Opens reports of extreme results in the browser: no violation, overlap, cut text or outside request at any width.
# SPDX-License-Identifier: Apache-2.0
# test-label: long
# test-timeout: 600
set -euo pipefail
exec "$TESSERA_SOURCE_DIR/tests/report/run" "$TESSERA_BUILD_DIR/tests/test_report"
