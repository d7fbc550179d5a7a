// SPDX-License-Identifier: Apache-2.0
// Options of commands that compile and run programs, and of what works on their traces.
#include "args.h"
#include "options.h"

const option_info options_help[] = {
    {"-h, --help", NULL, OPTION_FLAG, NULL, "this text"},
    OPTIONS_END,
};

const option_info machine_options[] = {
    {"--config", "NAME|FILE", OPTION_TEXT, NULL,
     "the machine: a preset (mpu config --list) or a YAML file, a name with a slash or that ends "
     "with .yaml"},
    {"--set", "KEY=VALUE", OPTION_TEXT, NULL,
     "another value for one of its keys, as dram.page=closed; repeatable, the last one counts "
     "(docs/configuration.md)"},
    OPTIONS_END,
};

const option_info options_compile[] = {
    {"--locate", "POLICY", OPTION_WORD, "paper cost near far none",
     "where instructions execute: paper (Algorithm 1, the default), cost (what crosses the TSVs "
     "least), near, far, or none (the hardware decides)"},
    {"--profile-in", "FILE", OPTION_TEXT, NULL,
     "how often instructions were executed in an earlier run (mpu run --profile-out), for "
     "--locate=cost; without it, loops count ten times"},
    {"--dies", "DIES", OPTION_WORD, "hybrid far-shared both-shared base-die",
     "the machine: hybrid (the default; of mpu run, what the machine of --config has), far-shared "
     "(shared memory on the base die), both-shared (on both; --locate=cost chooses for each "
     "kernel), or base-die (far-shared, and all lanes)"},
    {"--forms", NULL, OPTION_FLAG, NULL,
     "for --locate=cost: near instructions cost a third, as the machine knows packets by heart"},
    {"--near-predicates", NULL, OPTION_FLAG, NULL,
     "comparisons of what is near stay near, as masks in registers"},
    {"--reorder", NULL, OPTION_FLAG, NULL,
     "the instructions of a block in an order in which they wait less for each other"},
    {"--skew", NULL, OPTION_FLAG, NULL,
     "turns the rows of shared memory by as many banks as keep the lanes of most accesses apart"},
    {"--maxregs", "N", OPTION_ANY, NULL, "registers a thread may use on either side, 8 to 254"},
    {"-O", "0|1|2|3", OPTION_JOINED, "0 1 2 3", "optimisation of the device code (-O2)"},
    {"-D", "NAME[=VALUE]", OPTION_JOINED, NULL, "passed to clang, as -U, -I and -std="},
    {"-U", "NAME", OPTION_JOINED, NULL, "passed to clang"},
    {"-I", "DIRECTORY", OPTION_JOINED, NULL, "passed to clang"},
    {"-std=", "STANDARD", OPTION_JOINED, NULL, "passed to clang"},
    {"-S", "FILE", OPTION_FILE, NULL, "listing with a location on each register and instruction"},
    {"--counts", "FILE", OPTION_FILE, NULL,
     "registers and instructions of each kernel by location, as JSON"},
    {"--ptx", "FILE", OPTION_FILE, NULL, "keep the PTX"},
    {"--device-ptx", "FILE", OPTION_FILE, NULL,
     "take the device side from this PTX, of any compiler"},
    OPTIONS_END,
};

// Of a run, whoever starts it.
const option_info options_host[] = {
    {"--threads", "N", OPTION_ANY, NULL, "of the host, for many cores; the result is the same (1)"},
    {"--rtl-core", "LIST", OPTION_ANY, NULL,
     "only these cores run as --near says (rtl, when that is c), the others in C: 5, or 0,8-11"},
    {"--blocks", "FILE", OPTION_FILE, NULL,
     "which core executes which block: core numbers, block 0 first; the list repeats when there "
     "are more blocks"},
    {"--place", "FILE", OPTION_FILE, NULL,
     "which core has which lines of arrays, and executes which blocks of kernels; auto: by what "
     "launches do, paper: as the machine places them (docs/placement.md)"},
    {"--max-cycles", "N", OPTION_COUNT, NULL, "end a launch after N cycles"},
    {"--stats", "FILE", OPTION_FILE, NULL, "write the report as JSON"},
    OPTIONS_END,
};

const option_info options_run[] = {
    {"--near", "MODE", OPTION_WORD, "c rtl lockstep none",
     "what the near side is made of: c (twins), rtl (Verilog), lockstep (both, compared in every "
     "cycle, and with the functional machine; the default), or none: the functional machine alone, "
     "untimed"},
    {"--device", "HOW", OPTION_WORD, "direct card",
     "how the program reaches the machine: direct (the default), or card: through a driver and a "
     "card on a bus, in SystemC (docs/card.md)"},
    {"--cards", "N", OPTION_COUNT, NULL,
     "number of cards on the bus, 1 to 8; each is a CUDA device. Implies --device card"},
    {"--checkpoint", "FILE", OPTION_FILE, NULL,
     "record the result of each launch; after a kill, mpu resume FILE continues from there"},
    {"--wave", "FILE", OPTION_FILE, NULL,
     "signals of the near-bank dies and base dies (FST); mpu waves opens them"},
    {"--wave-window", "A:B", OPTION_TEXT, NULL,
     "from cycle A to before cycle B of the run; or A: or :B; SIGUSR1 turns them on and off"},
    {"--wave-scope", "LIST", OPTION_TEXT, NULL,
     "of these scopes: core5, core0.nbu1.opc, core*.smem (core0)"},
    {"--wave-at", "EVENT", OPTION_TEXT, NULL,
     "around the first of these: difference, cycle:N, pc:0x150, line:12, bank:ACT, barrier "
     "(docs/waves.md)"},
    {"--wave-margin", "B:A", OPTION_TEXT, NULL, "cycles before and after it (200:200)"},
    {"--postmortem", "FILE", OPTION_TEXT, NULL,
     "waves of the 1000 cycles before a failure; none: off (mismatch.fst, "
     "fault.fst and so on, where there is Verilog)"},
    {"--retire", "FILE", OPTION_FILE, NULL,
     "record each warp instruction that ends: mpu retire FILE shows them"},
    {"--timeline", "FILE", OPTION_FILE, NULL,
     "write what each unit does as trace events, for ui.perfetto.dev and chrome://tracing; packed, "
     "for the former, when FILE ends with .pftrace"},
    {"--timeline-window", "A:B", OPTION_TEXT, NULL,
     "from cycle A to before cycle B of the run; or A: or :B (:100000)"},
    {"--timeline-cores", "LIST", OPTION_TEXT, NULL, "of these cores only: 5, or 0,8-11 (all)"},
    {"--timeline-tracks", "LIST", OPTION_TEXT, NULL,
     "draw these only, for long runs: launches,blocks,instructions and so on (docs/timeline.md)"},
    {"--profile-out", "FILE", OPTION_FILE, NULL,
     "write how often each instruction was executed and what it cost, for --profile-in"},
    {"--interval", "FILE", OPTION_FILE, NULL,
     "write counters over time as CSV: a row for each interval (docs/interval.md)"},
    {"--interval-cycles", "N", OPTION_TEXT, NULL, "cycles of an interval, from 64 (1000)"},
    {"--arrays", NULL, OPTION_FLAG, NULL,
     "count by array of device memory which sectors are read and written and what they meet in the "
     "banks; show it in the report and write it to --stats (docs/cuda.md)"},
    {"--place-out", "FILE", OPTION_FILE, NULL,
     "write a placement for --place, found by what the program does (--near=none; "
     "docs/placement.md)"},
    {"--place-report", "FILE", OPTION_FILE, NULL,
     "write what --place auto has chosen and why, as a file for --place"},
    {"--trace", "FILE", OPTION_FILE, NULL,
     "write a line for each retired warp instruction (--near=none)"},
    {"--max-instructions", "N", OPTION_COUNT, NULL,
     "end a launch after N warp instructions (--near=none)"},
    {"--count-bytes", NULL, OPTION_FLAG, NULL,
     "count the bytes of global memory that any machine moves at least once (--near=none; "
     "docs/gpu.md)"},
    {"--schedule", "ORDER", OPTION_TEXT, NULL,
     "the order of warps and blocks: round-robin, or random:SEED, the same for the same number "
     "(--near=none; docs/races.md)"},
    {"--races", "N", OPTION_COUNT, NULL,
     "run the program in its default order and in N random ones, on the functional machine, and "
     "say where device memory, output and exit status differ (docs/races.md)"},
    {"--races-out", "FILE", OPTION_FILE, NULL, "write what --races finds as JSON"},
    {"--bounds", "HOW", OPTION_WORD, "strict page",
     "kernels' reads outside of arrays: strict (an error, the default), or page: within 4 KB pages "
     "that have a byte of an array they read zeros, as on hardware (docs/races.md)"},
    {"-q, --quiet", NULL, OPTION_FLAG, NULL, "no report, and no progress on a terminal"},
    OPTIONS_END,
};

const option_info options_debug[] = {
    {"-x", "FILE", OPTION_FILE, NULL,
     "read commands from FILE; at its end, from the terminal, or run to the end when there is "
     "none"},
    OPTIONS_END,
};

const option_info options_profile[] = {
    {"--by", "WHAT", OPTION_WORD, "line ptx instruction",
     "show line (of CUDA, the default), ptx, or instruction"},
    {"--top", "N", OPTION_ANY, NULL, "length of each list of top lines (5)"},
    {"--html", "FILE", OPTION_FILE, NULL,
     "write a page with all of it, plots, and instructions to unfold"},
    {"--json", "FILE", OPTION_FILE, NULL, "write all counters of each instruction"},
    {"-o", "PREFIX|DIRECTORY", OPTION_FILE, NULL,
     "both: PREFIX.html and .json, DIRECTORY/PROGRAM.html and .json"},
    {"--near", "MODE", OPTION_WORD, "c rtl lockstep",
     "what the near side is made of: c (the default), rtl or lockstep"},
    {"-q, --quiet", NULL, OPTION_FLAG, NULL, "show nothing, and no progress on a terminal"},
    OPTIONS_END,
};

const option_info options_resume[] = {
    {"--threads", "N", OPTION_ANY, NULL,
     "host threads, 1 to 64 (as before; the results are the same)"},
    {"--unchecked", NULL, OPTION_FLAG, NULL,
     "compare kernels and their grids only, not parameters and what the host writes to device "
     "memory: for programs with meaningless bytes there (host addresses, uninitialised memory)"},
    OPTIONS_END,
};

const option_info options_retire[] = {
    {NULL, NULL, OPTION_FLAG, NULL, "Only those that fit all of these are printed:"},
    {"--launch", "N", OPTION_ANY, NULL, "of the launch with this number, from 1 on"},
    {"--core", "N", OPTION_ANY, NULL, "of this core"},
    {"--block", "N", OPTION_ANY, NULL, "of the block with this linear index"},
    {"--warp", "N", OPTION_ANY, NULL, "of the warp with this number in its block"},
    {"--pc", "HEX", OPTION_ANY, NULL, "at this pc"},
    {"--line", "[FILE:]N", OPTION_ANY, NULL, "of this line of the CUDA source"},
    {"--cycles", "A:B", OPTION_ANY, NULL,
     "under way in one of these cycles, from A on and before B; or A: or :B"},
    {"--near", NULL, OPTION_FLAG, NULL, "executed near the bank"},
    {"--far", NULL, OPTION_FLAG, NULL, "executed on the base die"},
    {"--limit", "N", OPTION_ANY, NULL, "the first N of them"},
    {NULL, NULL, OPTION_FLAG, NULL, "Instead of the lines:"},
    {"--count", NULL, OPTION_FLAG, NULL, "how many there are"},
    {"--summary", NULL, OPTION_FLAG, NULL,
     "by line of the source: how many, and cycles from issue to end"},
    {"--diff", NULL, OPTION_FLAG, NULL,
     "compare two traces, warp by warp in the order of the program: launches, pc, lanes, near or "
     "far; print the first difference"},
    {"--timing", NULL, OPTION_FLAG, NULL, "and the cycles of issue and end"},
    OPTIONS_END,
};

const option_info options_cc[] = {
    {"-o", "FILE", OPTION_FILE, NULL, "the result"},
    OPTIONS_END,
};

const option_info options_mpucc[] = {
    {"-o", "OUT", OPTION_FILE, NULL, "the object; - is the standard output"},
    {"--locate", "POLICY", OPTION_WORD, "paper cost near far none",
     "where instructions execute: paper (Algorithm 1, the default), cost (what crosses the TSVs "
     "least), near, far, or none (the hardware decides)"},
    {"--dies", "DIES", OPTION_WORD, "hybrid far-shared both-shared base-die",
     "the machine: hybrid (the default), far-shared (shared memory on the base die), both-shared "
     "(on both; --locate=cost chooses for each kernel), or base-die (far-shared, and all lanes)"},
    {"--forms", NULL, OPTION_FLAG, NULL,
     "for --locate=cost: near instructions cost a third, as the machine knows packets by heart"},
    {"--near-predicates", NULL, OPTION_FLAG, NULL,
     "comparisons of what is near stay near, as masks in registers"},
    {"--reorder", NULL, OPTION_FLAG, NULL,
     "the instructions of a block in an order in which they wait less for each other"},
    {"--skew", NULL, OPTION_FLAG, NULL,
     "turns the rows of shared memory by as many banks as keep the lanes of most accesses apart"},
    {"--maxregs", "N", OPTION_ANY, NULL, "registers a thread may use on either side, 8 to 254"},
    {"-S", "FILE", OPTION_FILE, NULL, "listing with a location on each register and instruction"},
    {"--dump-after", "PASS", OPTION_WORD,
     "parse inline lower simplify reconverge predicates locate reorder allocate",
     "write the program after PASS to OUT instead of an object, and stop: parse inline lower "
     "simplify reconverge predicates locate reorder allocate"},
    OPTIONS_END,
};

const option_info options_asm[] = {
    {"--raw", NULL, OPTION_FLAG, NULL,
     "bare instruction words, 16 bytes each, instead of an object"},
    {"-o", "OUT", OPTION_FILE, NULL, "the result"},
    OPTIONS_END,
};

const option_info options_dis[] = {
    {"--raw", NULL, OPTION_FLAG, NULL,
     "the file is bare instruction words, any bytes; what is not an instruction becomes .word"},
    {"-o", "OUT", OPTION_FILE, NULL, "the text (standard output)"},
    OPTIONS_END,
};
