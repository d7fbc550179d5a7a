# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced: mapped netlists, kept under build/area/cache by a hash of all that goes into them: the Verilog of the
# module (of modules that are cut only their ports), its parameters, the library, the tools, the scripts here.
# Callers set liberty and run in the root of the repository.
# shellcheck source=/dev/null
. synth/sources.sh
map_cache=${MPU_AREA_CACHE:-build/area/cache}

# Modules in this one that are mapped by themselves.
map_cut() { awk -F'|' -v m="$1" '{ gsub(/ +$/, "", $1) } $1 == m { gsub(/^ +| +$/, "", $2); print $2 }' synth/blocks.txt; }

# The name of a netlist: MODULE, MODULE__A4_B8 with parameters.
map_name() { # MODULE [PARAMETER=VALUE...]
  local name=$1 p between=__
  shift
  for p in $(printf '%s\n' "$@" | LC_ALL=C sort); do
    name+=$between${p%%=*}${p#*=}
    between=_
  done
  echo "$name"
}

# What is the same for all modules; to be called once.
map_begin() {
  map_stamp=$({
    yosys -V
    awk -f synth/library.awk "$liberty" 2>/dev/null || true # areas that are in the LEF file too
    cat "$liberty" synth/map.sh synth/library.awk synth/gates.awk synth/nets.awk synth/netlist.awk synth/found.awk rtl/common/*.svh
  } | sha256sum)
}

# Folder of a module's netlist in the cache, there or not.
map_place() { # NAME CUT MODULE [PARAMETER=VALUE...]
  local name=$1 cut=$2 f sum
  shift 2
  sum=$({
    echo "$map_stamp $name $cut $*"
    for f in $(block_files "$1" ram_1r1w $cut); do
      case " ram_1r1w $cut " in
      *" $(basename "$f" .sv) "*) [[ $(basename "$f" .sv) == "$1" ]] && cat "$f" || awk '/^module/ { on = 1 } on { print } on && /\);/ { exit }' "$f" ;;
      *) cat "$f" ;;
      esac
    done
  } | sha256sum)
  echo "$map_cache/$name.${sum:0:16}"
}

# Maps a module into its folder of the cache. Fails after map.sh has said why.
map_into() { # PLACE NAME CUT MODULE [PARAMETER=VALUE...]
  local place=$1 name=$2 cut=$3 begun=$SECONDS
  shift 3
  local new=$map_cache/.new.$$.$name # the caller removes what is left of them
  rm -rf "$new"
  bash synth/map.sh --liberty "$liberty" --out "$new" --cut "$cut" --name "$name" "$@" || return 2
  echo "seconds $((SECONDS - begun))" >>"$new/report"
  mv -T "$new" "$place" 2>/dev/null || rm -rf "$new" # somebody else was faster
  # of a module the eight newest stay
  ls -1dt "$map_cache/$name".???????????????? 2>/dev/null | tail -n +9 | while read -r f; do rm -rf "$f"; done
}
