// SPDX-License-Identifier: Apache-2.0
// One host thread at a time is inside of the runtime. The functions that programs call are written
// by entries.awk, from the headers that declare them: each holds the lock while it calls the
// function of the same name in this folder, which is named within_NAME by a macro of the build.
// Calls within the folder stay inside. What belongs to a thread is in `thread` (rt.h), or is
// _Thread_local.
#ifndef NEARBANK_ENTRY_H
#define NEARBANK_ENTRY_H

#include <stdbool.h>

void entry_begin(void);  // also more than once in a thread: exit() may come from inside
void entry_end(void);
// The thread is outside for the time in between, as often as it has begun.
unsigned entry_leave(void);
void entry_return(unsigned times);
// Leaves, waits until another thread calls entry_wake, returns.
void entry_wait(void);
void entry_wake(void);

#endif
