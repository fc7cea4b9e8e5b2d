#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whether all that the archives of a drop-in define belongs to its modules, by the names that GNU Fortran gives, and
# whether what objects of the original call is there.
#
#   symbols.sh lw|sw ARCHIVE...
command -v nm > /dev/null || { echo "skipped: there is no nm"; exit 77; }
range=$1
shift
sizes=parrrtm
[ "$range" = lw ] || sizes=parrrsw
original=rrtmg_$range
modules="$sizes|rr${range}_con|rr${range}_wvn|${original}_init|${original}_rad|${original}_rad_nomcica"
modules="$modules|mcica_subcol_gen_$range|${original}_parhelion"
status=0
for archive in "$@"; do
  names=$(nm --defined-only --extern-only "$archive" | awk 'NF == 3 { print $3 }')
  case $names in
    *__"$original"_rad_MOD_"$original"*) ;;
    *) echo "skipped: not the names of GNU Fortran"; exit 77 ;;
  esac
  if echo "$names" | grep -Ev "^__($modules)_MOD_"; then
    echo "$archive defines these names, which are not of its modules"
    status=1
  fi
  for name in "${original}_rad_MOD_$original" "${original}_rad_nomcica_MOD_$original" \
              "${original}_init_MOD_${original}_ini" \
              "mcica_subcol_gen_${range}_MOD_mcica_subcol_$range" "rr${range}_con_MOD_grav" "rr${range}_wvn_MOD_ngb"; do
    echo "$names" | grep -qx "__$name" || { echo "$archive lacks __$name"; status=1; }
  done
done
exit $status
