// SPDX-License-Identifier: Apache-2.0
#pragma once

// A PNG file of what GTKWave shows of a wave file with a view. Returns an exit status.
int waves_picture(const char *file, const char *view, const char *picture);
