# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What a command says on a terminal can be tested where script gets one: not in a bare root without /dev/pts.
has_terminals() {
  script -qec true /dev/null >/dev/null 2>&1 </dev/null || { echo "no pseudo-terminal here: what is said on one is not tested"; false; }
}
