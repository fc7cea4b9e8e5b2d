#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command where some folders are empty: an installation has to do without the sources that it was made from.
#
#   without.sh KEPT FOLDER... -- COMMAND [ARGUMENT...]
#
# KEPT stays as it is, also where it lies in one of the folders, and is the current folder of the command. The folders are
# empty for the command alone (a mount namespace). Where this system does not allow that the command runs all the same,
# with a note; with PARHELION_MUST_HIDE set the script then exits with 77.
set -euo pipefail
kept=$1
shift
folders=()
while [ "$1" != -- ]; do folders+=("$1"); shift; done
shift

hold=$(mktemp -d)
trap 'rmdir "$hold"' EXIT
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
namespace=(unshare --mount "${as_root[@]}")
if ! reason=$("${namespace[@]}" mount --bind "$kept" "$hold" 2>&1); then
  echo "skipped: folders cannot be hidden here: $reason"
  if [ -n "${PARHELION_MUST_HIDE:-}" ]; then exit 77; fi
  cd "$kept"
  "$@"
  exit
fi
# shellcheck disable=SC2016  # for the inner shell
"${namespace[@]}" bash -euc '
  kept=$1 hold=$2
  shift 2
  mount --bind "$kept" "$hold"
  while [ "$1" != -- ]; do
    # A folder inside of one before it is gone already.
    [ ! -d "$1" ] || mount -t tmpfs none "$1"
    shift
  done
  shift
  mkdir -p "$kept"
  mount --bind "$hold" "$kept"
  cd "$kept"
  "$@"' hide "$kept" "$hold" "${folders[@]}" -- "$@"
