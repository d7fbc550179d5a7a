#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernel.sh FOLDER: the kernel of the guest is that of Debian's package, unpacked below FOLDER, and
# not installed. Prints where; downloads it when it is not there yet.
set -euo pipefail
say() { printf 'mpu: %s\n' "$*" >&2; }
folder=$1 meta=linux-image-cloud-amd64

unpacked() { find "$folder" -maxdepth 1 -name 'linux-image-*-cloud-amd64_*' | sort -V | tail -n 1; }
here=''
[[ ! -d $folder ]] || here=$(unpacked)
if [[ $here ]]; then
  echo "$here"
  exit
fi
if [[ ${MPU_NO_INSTALL:-} ]]; then
  say "the kernel of the guest is missing ($meta), and MPU_NO_INSTALL says not to download it"
  exit 2
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
  say "the guest needs the kernel of Debian's package $meta, and apt-get cannot be found"
  exit 2
fi

mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
here=$(unpacked)
if [[ $here ]]; then # another start has done it meanwhile
  echo "$here"
  exit
fi
work=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$work"' EXIT
log=$folder/kernel.log
: >"$log"
as=()
((EUID == 0)) || as=(sudo -n)
download() {
  package=$(apt-cache depends "$meta" 2>>"$log" | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
  [[ $package ]] && (cd "$work" && apt-get download -q "$package") >>"$log" 2>&1
}
for n in 1 2 3; do
  ! download || break
  if ((n == 3)); then
    tail -n 3 "$log" >&2
    say "the kernel of the guest, Debian's package $meta, cannot be downloaded; the whole log is in $log"
    exit 2
  fi
  # what apt-get knows may be older than what the mirror has
  "${as[@]}" apt-get update -q >>"$log" 2>&1 || sleep "$((3 * n))"
done
file=("$work"/*.deb)
dpkg-deb -x "${file[0]}" "$work/root" >>"$log" 2>&1
rm -rf "$work/root/usr"
here=$folder/$(basename "${file[0]}" .deb)
[[ -d $here ]] || mv "$work/root" "$here"
echo "$here"
