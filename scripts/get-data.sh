#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fetches the three public data files that parhelion uses and does not contain: the coefficients of RRTMG_LW and
# RRTMG_SW, and the atmospheres of RFMIP. The program looks into the folder they go to by itself.
#
#   scripts/get-data.sh
#
# They go to ${XDG_DATA_HOME:-~/.local/share}/parhelion. What is there already is left alone, and a file is put there only
# when it has come whole (its SHA-256 is checked). Needs curl. Where GitHub is out of reach, PARHELION_DATA_MIRROR names
# another place that serves the same paths instead of https://raw.githubusercontent.com (http or https, no / at the end).
set -euo pipefail
[ $# -eq 0 ] || { echo "usage: get-data.sh" >&2; exit 2; }
mirror=${PARHELION_DATA_MIRROR:-https://raw.githubusercontent.com}
folder=${XDG_DATA_HOME:-${HOME:?is not set, and neither is XDG_DATA_HOME}/.local/share}/parhelion

complain() { echo "get-data.sh: $*" >&2; }
has_sum() { echo "$2  $1" | sha256sum --check --status; }

part=
trap '[ -z "$part" ] || rm -f "$part"' EXIT
trap 'exit 130' INT TERM HUP

# get NAME SHA256 PATH_OF_MIRROR: folder/NAME, or a message and status 1
get() {
  local name=$1 sum=$2 url=$mirror/$3 status=0
  if [ -e "$folder/$name" ]; then
    if has_sum "$folder/$name" "$sum"; then
      echo "  $folder/$name is there already"
      return 0
    fi
    complain "$folder/$name is another file than the one expected, and is left alone; move it away to have this one"
    return 1
  fi
  part=$(mktemp "$folder/.$name.XXXXXX")
  curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 --speed-limit 1000 --speed-time 30 \
       --output "$part" "$url" || status=$?
  if [ "$status" -ne 0 ]; then
    case $status in
      5 | 6 | 7 | 28 | 35) complain "$name: $mirror cannot be reached: is there a network?" ;;
      22) complain "$name: $url is not there" ;;
      *) complain "$name: $url could not be fetched (curl ended with $status)" ;;
    esac
  elif ! has_sum "$part" "$sum"; then
    status=1
    complain "$name: $url has the SHA-256 $(sha256sum < "$part" | cut -d ' ' -f 1), expected $sum: not kept"
  else
    chmod 644 "$part"
    mv "$part" "$folder/$name"
    echo "  written to $folder/$name"
  fi
  rm -f "$part"
  part=
  [ "$status" -eq 0 ]
}

command -v curl > /dev/null || { complain "needs curl (apt install curl)"; exit 1; }
mkdir -p "$folder" || { complain "cannot make $folder"; exit 1; }
[ -w "$folder" ] || { complain "cannot write into $folder"; exit 1; }
missing=0

echo "Coefficients of RRTMG_LW (1.7 MB), from MPAS-Dev/MPAS-Data on GitHub"
echo "  made by AER; AER distributes RRTMG under the BSD 3-Clause licence, MPAS-Data states none of its own"
echo "  cite Mlawer et al. (1997), doi:10.1029/97JD00237, and Iacono et al. (2008), doi:10.1029/2008JD009944"
get RRTMG_LW_DATA.DBL c93ec6190e16ecbb5bb4fe31e1b1ea4924c3b88a741779749f6eaec1acf989fc \
    MPAS-Dev/MPAS-Data/33561790de8b43087ab850be833f51a4e605f1bb/atmosphere/physics_wrf/files/RRTMG_LW_DATA.DBL || missing=1

echo "Coefficients of RRTMG_SW (1.4 MB), from MPAS-Dev/MPAS-Data on GitHub"
echo "  made by AER; AER distributes RRTMG under the BSD 3-Clause licence, MPAS-Data states none of its own"
echo "  cite Iacono et al. (2008), doi:10.1029/2008JD009944"
get RRTMG_SW_DATA.DBL 5a6a0e0ba830b41519889f8c4a2be771437db56ea4f7526bc0798332b06234a5 \
    MPAS-Dev/MPAS-Data/33561790de8b43087ab850be833f51a4e605f1bb/atmosphere/physics_wrf/files/RRTMG_SW_DATA.DBL || missing=1

echo "Atmospheres of RFMIP (1.9 MB), from earth-system-radiation/rrtmgp-data on GitHub"
echo "  Creative Commons Attribution-ShareAlike 4.0, as the file says"
echo "  cite Pincus et al. (2016), doi:10.5194/gmd-9-3447-2016"
get rfmip_atmospheres.nc b8dc05d7cd2e0e6354b4a6198771ddf3bc09f18d72b49f20a41e2024e2fd51f4 \
    "earth-system-radiation/rrtmgp-data/eff0433faf9cbac3ad14fbf608bef0c26ebc4c79/examples/rfmip-clear-sky/inputs/$(
    )multiple_input4MIPs_radiation_RFMIP_UColorado-RFMIP-1-2_none.nc" || missing=1

exit $missing
