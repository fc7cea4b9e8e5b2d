#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that an installed program looks for data in its own prefix, whatever prefix it was built for.
#
#   data_of_the_installation.sh PROGRAM FOLDER
#
# Puts a file that is no table into FOLDER and expects that a run which needs a table refuses that one.
set -euo pipefail
program=$1
folder=$2
mkdir -p "$folder"
table=$folder/h2o_nbck.h5
: > "$table"
trap 'rm -f "$table"' EXIT
if output=$(env -u PARHELION_DATA XDG_DATA_HOME=/nonexistent "$program" monte-carlo --case case05 --cells 4,4,4 \
            -o not-written.nc 2>&1); then
  echo "expected a refusal: $output"
  exit 1
fi
case $output in
  *"$table"*) ;;
  *) echo "expected a refusal of $table: $output"; exit 1 ;;
esac
