#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up and builds parhelion (see setup.sh), then runs its tests.
#
#   scripts/test.sh [PRESET [CTEST_ARGUMENT...]]    PRESET is release when left out; ci when CI=true
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "${CI:-}" = true ]; then default=ci; else default=release; fi
preset=${1:-$default}
scripts/setup.sh "$preset"
exec ctest --preset "$preset" -j 2 "${@:2}"
