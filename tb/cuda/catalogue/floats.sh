#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# floats.sh FILE FILE TOLERANCE [SCALE [SKIP]]: do both have the same 32 bit floats behind the first SKIP bytes (0), which must be
# the same, within TOLERANCE (relative; of values below SCALE (1) TOLERANCE * SCALE)? 0 numbers and all zeros are errors.
perl -e '
  my ($tolerance, $scale, $skip) = ($ARGV[2], $ARGV[3] // 1, $ARGV[4] // 0);
  my @text = map { open my $f, "<:raw", $_ or die "error: cannot read $_\n"; local $/; <$f> // "" } @ARGV[0, 1];
  die "error: the first $skip bytes differ\n" if substr($text[0], 0, $skip) ne substr($text[1], 0, $skip);
  my @a = unpack "x${skip}f<*", $text[0];
  my @b = unpack "x${skip}f<*", $text[1];
  die "error: " . @a . " and " . @b . " numbers\n" if !@a || @a != @b;
  my ($wrong, $some, $first) = (0, 0, "");
  for my $k (0 .. $#a) {
    my $size = abs $a[$k];
    $some ||= $size > 0;
    next if abs($a[$k] - $b[$k]) <= $tolerance * ($size > $scale ? $size : $scale);
    $first = "number " . ($k + 1) . ": $a[$k] and $b[$k]" if !$wrong++;
  }
  die "error: $wrong of " . @a . " numbers differ; $first\n" if $wrong;
  die "error: all numbers are zero\n" if !$some;
' "$@"
