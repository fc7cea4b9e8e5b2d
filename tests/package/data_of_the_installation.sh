#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that what is installed looks for data in its own prefix, whatever prefix it was built for.
#
#   data_of_the_installation.sh FILE COMMAND [ARGUMENT...]
#
# Puts something useless into FILE and expects that the command, which needs it, refuses that one.
set -euo pipefail
file=$1
shift
mkdir -p "$(dirname "$file")"
: > "$file"
trap 'rm -f "$file"' EXIT
if output=$(env -u PARHELION_DATA XDG_DATA_HOME=/nonexistent "$@" 2>&1); then
  echo "expected a refusal: $output"
  exit 1
fi
case $output in
  *"$file"*) ;;
  *) echo "expected a refusal of $file: $output"; exit 1 ;;
esac
