#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# avi.sh WIDTH HEIGHT FRAMES: a film of grey bytes, not compressed, on standard output: noise that moves by a pixel a frame.
perl -e '
  my ($w, $h, $frames) = @ARGV;
  my ($seed, $size) = (1, $w * $h);
  my @wide = map { $seed = $seed * 16807 % 2147483647; $seed >> 23 } 1 .. ($w + $frames) * ($h + $frames);
  my $movi = "movi";
  for my $k (0 .. $frames - 1) {
    my $from = sub { my $at = ($_[0] + $k) * ($w + $frames) + $k; @wide[$at .. $at + $w - 1] };
    $movi .= pack "A4 V", "00db", $size;
    $movi .= pack("C*", $from->($_)) for 0 .. $h - 1;
    $movi .= "\0" if $size % 2;
  }
  my $avih = pack "A4 V V14", "avih", 56, 40000, 0, 0, 0, $frames, 0, 1, $size, $w, $h, 0, 0, 0, 0;
  my $strh = pack "A4 V A4 V V v2 V8 v4", "strh", 56, "vids", 0, 0, 0, 0, 0, 1, 25, 0, $frames, $size, 0, 0, 0, 0, $w, $h;
  my $strf = pack "A4 V V3 v2 V6", "strf", 40, 40, $w, $h, 1, 8, 0, $size, 0, 0, 0, 0;
  my $strl = "strl$strh$strf";
  my $hdrl = "hdrl$avih" . pack("A4 V", "LIST", length $strl) . $strl;
  my $all = "AVI " . pack("A4 V", "LIST", length $hdrl) . $hdrl . pack("A4 V", "LIST", length $movi) . $movi;
  binmode STDOUT;
  print pack("A4 V", "RIFF", length $all), $all;
' "$@"
