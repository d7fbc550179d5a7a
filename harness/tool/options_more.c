// SPDX-License-Identifier: Apache-2.0
// Options of the other commands; last those of scripts, which parse them by themselves (a test
// holds their names equal).
#include "options.h"

const option_info options_config[] = {
    {"--changes", NULL, OPTION_FLAG, NULL, "only what differs from the preset paper"},
    {"--list", NULL, OPTION_FLAG, NULL, "the presets, a line each"},
    OPTIONS_END,
};

const option_info options_platform[] = {
    {"--qemu", NULL, OPTION_FLAG, NULL,
     "the host is a guest of QEMU: Debian's Linux, with the card as a PCI device"},
    {"--no-cuda", NULL, OPTION_FLAG, NULL,
     "with --qemu: an example that calls the driver library, without CUDA"},
    {"--listen", "SOCKET", OPTION_TEXT, NULL,
     "the card alone, for clients of ivshmem at this UNIX socket, one after the other; @NAME is an "
     "abstract one"},
    {"--near", "M", OPTION_WORD, "c rtl lockstep",
     "what the near side of the machine is made of (c)"},
    {"--cards", "N", OPTION_COUNT, NULL, "without a guest: so many cards on the bus, 1 to 8 (2)"},
    {"--wave", "FILE", OPTION_FILE, NULL,
     "without a guest: waves of bus, registers and cores (platform.fst)"},
    {"--time-out", "S", OPTION_COUNT, NULL, "with --qemu: seconds that each step may take (300)"},
    OPTIONS_END,
};

const option_info options_machine[] = {
    {"--list", NULL, OPTION_FLAG, NULL,
     "what each machine declares: keys, nodes, counters, events, area"},
    {"--near", "M", OPTION_WORD, "c rtl lockstep",
     "its blocks in C, in Verilog, or both, compared in every cycle (lockstep)"},
    OPTIONS_END,
};

const option_info options_nodes[] = {
    {"--rtl-node", "LIST", OPTION_TEXT, NULL,
     "only these nodes run as --near says (rtl, when that is c), the others in C: 5, or 0,8-11"},
    {"--threads", "N", OPTION_COUNT, NULL, "of the host (1); results do not depend on it"},
    {"--stats", "FILE", OPTION_FILE, NULL,
     "configuration, cycles, counters of each node, their sums and energy, as JSON"},
    {"--timeline", "FILE", OPTION_FILE, NULL,
     "write the events of all nodes, for ui.perfetto.dev and chrome://tracing; packed, for the "
     "former, when FILE ends with .pftrace"},
    {"--timeline-window", "A:B", OPTION_TEXT, NULL,
     "from cycle A to before cycle B; or A: or :B (:100000)"},
    {"--wave", "FILE", OPTION_FILE, NULL,
     "signals of the modules that the nodes declare (FST): all of the Verilog, with --near c the "
     "ports"},
    {"--wave-window", "A:B", OPTION_TEXT, NULL, "from cycle A to before cycle B; or A: or :B"},
    {"--wave-scope", "LIST", OPTION_TEXT, NULL, "of these scopes: engine1, *.bankctl (all)"},
    {"--postmortem", "FILE", OPTION_TEXT, NULL,
     "waves of the node that fails, of the 1000 cycles before, and the state of a vault of SpaceA "
     "as text; none: off (mismatch.fst, violation.fst, deadlock.fst, where there is Verilog)"},
    OPTIONS_END,
};

const option_info options_traffic[] = {
    {NULL, NULL, OPTION_FLAG, NULL, "traffic"},
    {"--pattern", "P", OPTION_ANY, NULL,
     "uniform: any terminal, also the sender itself (default)\n"
     "transpose: column and row changed; as many columns as rows\n"
     "hotspot: uniform, but a share of the packets goes to one terminal\n"
     "neighbour: the next terminal of the row\n"
     "vaults: six processors ask sixteen vaults, on a network of its own: give a crossbar or a "
     "concentrated topology"},
    {"--load", "LIST", OPTION_ANY, NULL,
     "flits a terminal and cycle, 0.0001 to 1; with answers requests a client; LIST: values as "
     "0.1,0.2, or FROM:TO:STEP (tenths of the saturation)"},
    {"--packet", "BYTES", OPTION_ANY, NULL, "1 to 4096 (a flit)"},
    {"--hotspot", "N", OPTION_ANY, NULL, "its terminal (0)"},
    {"--share", "S", OPTION_ANY, NULL, "its share of the packets, 0 to 1 (0.1)"},
    {"--answers", NULL, OPTION_FLAG, NULL, "each packet is a request, and answered"},
    {"--reads", "S", OPTION_ANY, NULL,
     "share of requests that are short with a long answer, 0 to 1 (0.67)"},
    {"--short", "BYTES", OPTION_ANY, NULL, "1 to 4096 (32)"},
    {"--long", "BYTES", OPTION_ANY, NULL, "1 to 4096 (160)"},
    {"--seed", "N", OPTION_ANY, NULL, "(1)"},
    {"--warm", "N", OPTION_ANY, NULL, "warm-up cycles before the measured ones (5000)"},
    {"--cycles", "N", OPTION_ANY, NULL, "measured (20000)"},
    {"--drain", "N", OPTION_ANY, NULL,
     "limit on the cycles after them, in which traffic goes on until all packets of the measured "
     "cycles have arrived (50000)"},
    {NULL, NULL, OPTION_FLAG, NULL,
     "network: of paper, with round robin, or of --config and --set; and options that change it"},
    OPTIONS_END,
};

const option_info options_network[] = {
    {"--topology", "T", OPTION_ANY, NULL,
     "mesh, diagonal_mesh, concentrated, concentrated_diagonal or crossbar"},
    {"--size", "XxY", OPTION_ANY, NULL, "terminals of a chip"},
    {"--group", "XxY", OPTION_ANY, NULL, "of a group"},
    {"--chips", "XxY", OPTION_ANY, NULL, "chips"},
    {"--depth", "N", OPTION_ANY, NULL, "flits of an input buffer, on a chip"},
    {"--gateways", "N", OPTION_ANY, NULL, "ways off a chip: 1, 2, 4, 8 or 16"},
    {"--off-depth", "N", OPTION_ANY, NULL, "and between chips"},
    {"--loop", "N", OPTION_ANY, NULL, "cycles of the credit loop"},
    {"--vcs", "N", OPTION_ANY, NULL, "virtual channels of a class"},
    {"--unordered", NULL, OPTION_FLAG, NULL, "a packet takes any of them"},
    {"--oldest", NULL, OPTION_FLAG, NULL,
     "the packet that was sent first passes first, as in the machine"},
    {"--flit", "BYTES", OPTION_ANY, NULL, "of a link on a chip"},
    {"--off-flit", "BYTES", OPTION_ANY, NULL, "of a link between chips"},
    {"--link", "CYCLES", OPTION_ANY, NULL, "on a link of a chip"},
    {"--off-link", "CYCLES", OPTION_ANY, NULL, "on a link between chips"},
    {"--send", "N", OPTION_ANY, NULL, "places of a terminal for packets to be sent, of a class"},
    {"--take", "N", OPTION_ANY, NULL, "and for packets that arrive"},
    {NULL, NULL, OPTION_FLAG, NULL, "output"},
    {"--sweep", "NAME=LIST", OPTION_ANY, NULL,
     "a curve for each value of an option above, as depth=4,8,16 or depth=4:16:4"},
    {"--json", NULL, OPTION_FLAG, NULL, "a JSON object a line for each curve"},
    {"--plot", "FILE", OPTION_FILE, NULL, "the curves as SVG"},
    {"--points", "FILE", OPTION_FILE, NULL, "marks in the plot: lines of LOAD LATENCY NAME"},
    OPTIONS_END,
};

const option_info options_accesses[] = {
    {NULL, NULL, OPTION_FLAG, NULL, "accesses"},
    {"--pattern", "P", OPTION_ANY, NULL,
     "random: any row and column (default)\n"
     "sequential: K streams in each bank, in turn, G accesses each; a stream makes N accesses to a "
     "row, then goes on to its next one\n"
     "rows: the same, but each stream stays in its first row"},
    {"--streams", "K", OPTION_ANY, NULL, "1 to 1024, and no more than rows (1)"},
    {"--turn", "G", OPTION_ANY, NULL, "1 to 65536 (1)"},
    {"--visit", "N", OPTION_ANY, NULL, "1 to 65536 (the columns of a row)"},
    {"--banks", "N", OPTION_ANY, NULL, "1 or 4 (1)"},
    {"--reads", "S", OPTION_ANY, NULL,
     "share of the accesses that read, 0 to 1 (1), as in mpu noc"},
    {"--rate", "R", OPTION_ANY, NULL,
     "arrivals a cycle, above 0 to 1: each cycle has one with this probability; max: the next "
     "access comes when the last one is taken (max)"},
    {"--accesses", "N", OPTION_ANY, NULL,
     "100 to 10000000 (20000); all figures leave out the first tenth"},
    {"--seed", "N", OPTION_ANY, NULL, "(1)"},
    {"--trace", "FILE", OPTION_FILE, NULL,
     "instead of these: lines of CYCLE BANK ROW COLUMN R|W; # begins a comment; - for CYCLE: when "
     "the one before is taken"},
    {"--write-trace", "FILE", OPTION_FILE, NULL, "the accesses as a trace"},
    {NULL, NULL, OPTION_FLAG, NULL, "controller: of a machine (small), and options that change it"},
    OPTIONS_END,
};

const option_info options_controller[] = {
    {"--model", "M", OPTION_ANY, NULL, "c (default), rtl or both, compared in every cycle"},
    {"--rows", "LIST", OPTION_ANY, NULL,
     "row buffers: 1, 2 or 4; several, as 1,2,4, are run in turn (dram.row_buffers)"},
    {"--page", "P", OPTION_ANY, NULL, "open or closed (dram.page)"},
    {"--refresh", "R", OPTION_ANY, NULL, "on or off (dram.refresh)"},
    {"--queue", "N", OPTION_ANY, NULL, "requests that wait for their first command, 1 to 16 (16)"},
    {NULL, NULL, OPTION_FLAG, NULL, "output"},
    {"--sweep", "NAME=LIST", OPTION_ANY, NULL,
     "a run for each value of rate, reads, streams, turn, visit or queue; LIST: values as "
     "0.01,0.02, or FROM:TO:STEP"},
    {"--json", NULL, OPTION_FLAG, NULL, "a JSON object a line for each run"},
    {"--plot", "FILE", OPTION_FILE, NULL,
     "the sweep as SVG: latency over the rate, else bytes a cycle"},
    {"--points", "FILE", OPTION_FILE, NULL, "marks in the plot: lines of X Y NAME"},
    OPTIONS_END,
};

const option_info options_energy[] = {
    {"--list", NULL, OPTION_FLAG, NULL, "print the constants, with units and sources"},
    {"--csv", NULL, OPTION_FLAG, NULL, "a line for each component of each file"},
    {"--json", NULL, OPTION_FLAG, NULL, "everything as one JSON object"},
    OPTIONS_END,
};

const option_info options_report[] = {
    {"-o", "FILE|DIRECTORY", OPTION_FILE, NULL,
     "the page; without it PROGRAM.html, in the directory or here"},
    {"--before", "FILE", OPTION_FILE, NULL,
     "statistics of another run: its heat maps behind those of this one, in the same colours"},
    {"--interval", "FILE", OPTION_FILE, NULL,
     "what mpu run --interval FILE wrote in the same run: rates over time"},
    {"--profile", "FILE", OPTION_FILE, NULL,
     "what mpu profile --json FILE wrote of the same run: source lines"},
    {"--store", "FILE", OPTION_FILE, NULL,
     "of a study or a run's number: the store (build/study.db)"},
    OPTIONS_END,
};

const option_info options_diff[] = {
    {"--top", "N", OPTION_COUNT, NULL,
     "so many counters and arrays, and lines of each kernel (20)"},
    {"--all", NULL, OPTION_FLAG, NULL, "all that differ"},
    {"--store", "FILE", OPTION_FILE, NULL,
     "where runs that are numbers come from (build/study.db, of mpu study)"},
    {"--json", "FILE", OPTION_FILE, NULL,
     "everything as JSON; - is standard output, without the text then"},
    {"--html", "FILE", OPTION_FILE, NULL, "a page with figures; - as well"},
    {"-q, --quiet", NULL, OPTION_FLAG, NULL, "no text: the exit status says whether they differ"},
    OPTIONS_END,
};

const option_info options_activity[] = {
    {"--scope", "LIST", OPTION_TEXT, NULL,
     "only these scopes and what is below them, with commas between (core0.nbu1.bankctl); * and ? "
     "match within one level"},
    {"--window", "A:B", OPTION_ANY, NULL,
     "cycles from A on, before B (A: and :B too); without it, the whole wave"},
    {"-o", "FILE.saif", OPTION_FILE, NULL, "write the counts as SAIF 2.0"},
    {"--table", "FILE", OPTION_FILE, NULL,
     "write them as a table: of signals that are in several scopes of the list, the sums"},
    {"--netlist", "FILE", OPTION_FILE, NULL,
     "a mapped netlist of what is in each of the scopes; with --liberty, --gates"},
    {"--liberty", "FILE", OPTION_FILE, NULL, "its cells"},
    {"--gates", "FILE", OPTION_FILE, NULL,
     "write how often its gates switch, computed from registers and inputs"},
    OPTIONS_END,
};

const option_info options_waves[] = {
    {"--view", "NAME", OPTION_ANY, NULL,
     "overview, instructions, packets, memory, blocks or machine"},
    {"--core", "N", OPTION_ANY, NULL, "of this core"},
    {"--nbu", "N", OPTION_ANY, NULL, "of this NBU, its subcore and its track table"},
    {"--cycle", "N", OPTION_ANY, NULL, "the view begins there, not where its block begins to work"},
    {"--range", "A:B", OPTION_TEXT, NULL,
     "the view has exactly the cycles from A on, before B; A: and :B too"},
    {"--write", "FILE.gtkw", OPTION_FILE, NULL, "write the view to FILE.gtkw, and do not open it"},
    {"--picture", "FILE.png", OPTION_FILE, NULL, "draw it to FILE.png, also without a display"},
    OPTIONS_END,
};

const option_info options_map[] = {
    {"--map", "KIND", OPTION_WORD, "spacea naive near",
     "spacea: rows with the same columns to one PE, such PEs to one group, such groups to one "
     "vault (default); near: the same with lines of four columns, and vaults where their lines "
     "are; naive: rows at random, as many to each PE"},
    {"--seed", "N", OPTION_TEXT, NULL, "of a naive mapping, and of a matrix that is generated (1)"},
    {"--json", NULL, OPTION_FLAG, NULL, "the same as one JSON object"},
    OPTIONS_END,
};

const option_info options_spacea[] = {
    {"--near", "MODEL", OPTION_WORD, "c rtl lockstep none",
     "the machine with time, its bank groups of the matrix in C (default), in Verilog, or in both, "
     "compared in every cycle; none: the functional machine, results only"},
    {"--program", "NAME", OPTION_WORD, "spmv pagerank sssp",
     "spmv: Y = A X (default); pagerank: ranks of vertices, where row r, column c means that c "
     "links to r; sssp: distances from a vertex, where it is the length of the way from c to r"},
    {"--iterate", "N", OPTION_TEXT, NULL,
     "multiply N times, Y becomes X each time (1); of pagerank and sssp at most N times (1000)"},
    {"--from", "VERTEX", OPTION_TEXT, NULL, "of sssp, from 1 on (1)"},
    {"--semiring", "KIND", OPTION_WORD, "plus-times min-plus",
     "of spmv: what is done with an element, its element of X, and the sum (plus-times)"},
    {"--x", "FILE.mtx", OPTION_FILE, NULL,
     "X, a matrix of one column (random numbers from -1 to 1, by --seed)"},
    {"--out", "FILE.mtx", OPTION_FILE, NULL, "write Y"},
    {"--values", "KIND", OPTION_WORD, "uniform dominant ones",
     "of a matrix that is generated, as of mpu matrix gen"},
    OPTIONS_END,
};

const option_info options_seeing[] = {
    {"--profile", "FILE", OPTION_FILE, NULL,
     "what each PE did or waited for in each cycle, the load of the banks, and what was found "
     "where, as JSON (not with --near rtl)"},
    {"--top", "N", OPTION_TEXT, NULL, "of mpu spacea profile: show N of the PEs that end last (5)"},
    {"--heat", "FILE.svg", OPTION_FILE, NULL,
     "a heat map of the vaults, where they lie in their cubes and these in the network"},
    {"--heat-of", "COUNTER", OPTION_TEXT, NULL,
     "of a counter of the vaults (mpu machine --list spacea), or of a class of the profile, all "
     "PEs of a vault together (busy)"},
    {"-x", "FILE", OPTION_TEXT, NULL,
     "of mpu spacea debug: read commands from FILE (standard input); at its end, run to the end"},
    OPTIONS_END,
};

const option_info options_matrix[] = {
    {"--seed", "N", OPTION_TEXT, NULL, "of a matrix that is generated (1)"},
    {"--values", "KIND", OPTION_WORD, "uniform dominant ones",
     "its values: uniform, from -1 to 1 (default); dominant, a diagonal that is larger than the "
     "sum "
     "of the others of its row; ones"},
    OPTIONS_END,
};

const option_info options_plot[] = {
    {"--title", "TEXT", OPTION_ANY, NULL, "above the drawing"},
    {"--y", "TEXT", OPTION_ANY, NULL, "beside it, for all columns"},
    OPTIONS_END,
};

const option_info options_bench[] = {
    {"--json", NULL, OPTION_FLAG, NULL,
     "one JSON object a line: name, value, unit, floor (or ceiling), ok"},
    {"--paper", NULL, OPTION_FLAG, NULL, "of machine: the paper's sizes"},
    OPTIONS_END,
};

// ---- of scripts

const option_info options_test[] = {
    {"--long", NULL, OPTION_FLAG, NULL,
     "the long campaigns too: fuzzers for ten minutes each, a larger corpus"},
    {"--seconds", "N", OPTION_COUNT, NULL, "seconds for each fuzzer (20)"},
    {"-R", "REGEX", OPTION_TEXT, NULL, "only tests whose name matches; no fuzzers"},
    {"-j", "N", OPTION_COUNT, NULL, "tests at a time (number of processors)"},
    OPTIONS_END,
};

const option_info options_formal[] = {
    {"--timeout", "SECONDS", OPTION_COUNT, NULL, "for each proof"},
    {"--quick", NULL, OPTION_FLAG, NULL, "without the proofs that take minutes"},
    OPTIONS_END,
};

const option_info options_mutate[] = {
    {"--sample", NULL, OPTION_FLAG, NULL, "a tenth of the mutants"},
    {"--seed", "N", OPTION_ANY, NULL, "of the traffic"},
    {"--timeout", "SECONDS", OPTION_COUNT, NULL, "for each proof of equivalence"},
    OPTIONS_END,
};

const option_info options_coverage[] = {
    {"--seed", "N", OPTION_ANY, NULL, "of the traffic"},
    {"--cycles", "N", OPTION_COUNT, NULL, "of traffic"},
    {"--list", NULL, OPTION_FLAG, NULL, "name the lines that were missed"},
    OPTIONS_END,
};

// What area, timing and power have in common.
const option_info options_technology[] = {
    {"--liberty", "FILE", OPTION_FILE, NULL, "cells (OSU 0.18 um of Debian: qflow-tech-osu018)"},
    {"--tech", "FILE", OPTION_FILE, NULL,
     "the technology: scaling, bounds, model of memories (synth/area.conf, timing.conf, "
     "power.conf)"},
    {"--tech-set", "KEY=VALUE", OPTION_TEXT, NULL, "another value for a key of that file"},
    {"--csv", "FILE", OPTION_FILE, NULL, "the same figures as comma-separated values"},
    {"--json", "FILE", OPTION_FILE, NULL, "the same as JSON, with what went into them"},
    {"-j", "N", OPTION_COUNT, NULL, "mappings at a time (number of processors)"},
    OPTIONS_END,
};

const option_info options_timing[] = {
    {"--die", NULL, OPTION_FLAG, NULL, "blocks as the die has them"},
    {"--small", NULL, OPTION_FLAG, NULL, "blocks at their sizes of tb/cosim/blocks.txt, whole"},
    {"--netlist", "FILE", OPTION_FILE, NULL,
     "a mapped netlist instead of blocks of rtl; TOP, its module, in place of the block"},
    {"--path", NULL, OPTION_FLAG, NULL,
     "the path of each block too: times, gates, signals by their names in the Verilog"},
    OPTIONS_END,
};

const option_info options_area[] = {
    {"--blocks", "LIST", OPTION_TEXT, NULL,
     "only these modules of rtl/ (fpu,valu:LANES=4); no table of the die"},
    {"--machine", "NAME", OPTION_TEXT, NULL,
     "the modules that the nodes of a machine declare (mpu machine --list), and a node's area"},
    {"--small", NULL, OPTION_FLAG, NULL,
     "each block by itself, whole, nothing multiplied; those without parameters at their sizes of "
     "tb/cosim/blocks.txt"},
    {"--full", NULL, OPTION_FLAG, NULL, "with --check: the whole die too"},
    {"--changed", NULL, OPTION_FLAG, NULL,
     "with --check: only blocks of which something is not as it was for the baseline"},
    {"--sweep", "P=V1,V2...", OPTION_TEXT, NULL,
     "area for several values of lanes, regfile or smem (KB), collectors, rows"},
    {"--plot", "FILE.svg", OPTION_FILE, NULL, "a drawing of the sweep"},
    {"--arrays", NULL, OPTION_FLAG, NULL,
     "arrays of registers that became flip-flops, with their ports"},
    {"--memory", NULL, OPTION_FLAG, NULL,
     "the memory model against the points that it was made from"},
    {"--netlists", NULL, OPTION_FLAG, NULL, "print where the mapped netlists of the blocks are"},
    {"--verify", NULL, OPTION_FLAG, NULL,
     "read all netlists together and count the cells of die_slice again"},
    {"--check", NULL, OPTION_FLAG, NULL,
     "compare the small sizes (with --full also the whole die) with synth/baseline.json"},
    {"--update-baseline", NULL, OPTION_FLAG, NULL, "write that file"},
    OPTIONS_END,
};

const option_info options_power[] = {
    {"--scope", "LIST", OPTION_TEXT, NULL,
     "only in these cores or near-bank units of the wave (core0.nbu1); * and ? too"},
    {"--window", "A:B", OPTION_TEXT, NULL,
     "cycles from A on, before B (A: and :B too); without it, the whole wave"},
    {"--missing", NULL, OPTION_FLAG, NULL,
     "name the registers and inputs that the wave does not have"},
    OPTIONS_END,
};

const option_info options_export[] = {
    {"-o", "DIRECTORY", OPTION_FILE, NULL, "where to (export)"},
    {"--param", "P=V", OPTION_TEXT, NULL, "a parameter of the blocks that are named"},
    {"--period", "NS", OPTION_TEXT, NULL, "of the clock in the constraints (1)"},
    OPTIONS_END,
};

const option_info options_study[] = {
    {"--list", NULL, OPTION_FLAG, NULL, "the studies that are shipped, a line each"},
    {"--dry-run", NULL, OPTION_FLAG, NULL,
     "what would be run: command lines, how many, and the time that they take"},
    {"--only", "NAMES", OPTION_TEXT, NULL,
     "these figures and these sets of programs only, with commas between them"},
    {"--why", "RUN", OPTION_TEXT, NULL,
     "what a cell was computed from: FIGURE[/SET]/PROGRAM[/VARIANT], or the number of a run"},
    {NULL, NULL, OPTION_FLAG, NULL, "runs"},
    {"--store", "FILE", OPTION_FILE, NULL, "the store of runs (build/study.db)"},
    {"--on", "PLACE", OPTION_TEXT, NULL,
     "where runs are made: here, slurm, or ssh:HOST1,HOST2 or ssh:FILE, a list of hosts (here)"},
    {"--slurm", "OPTIONS", OPTION_TEXT, NULL, "options of sbatch, with --on slurm"},
    {"--jobs", "N", OPTION_COUNT, NULL,
     "runs at a time, with ssh of each host (processors of the host; with slurm any)"},
    {"--threads", "N", OPTION_COUNT, NULL,
     "of the host for each run, fewer of which run at a time then (1); the result is the same"},
    {"--near", "MODEL", OPTION_WORD, "c rtl lockstep none",
     "near side of all runs, in the place of what the study says"},
    {"--gpu", "FILE", OPTION_FILE, NULL,
     "measured times of a GPU, in the place of a V100 at best (docs/gpu.md)"},
    {"--again", NULL, OPTION_FLAG, NULL, "runs that have failed are run again"},
    {"--seconds", "N", OPTION_COUNT, NULL, "limit of a run (as the study says)"},
    {"--megabytes", "N", OPTION_COUNT, NULL, "memory of the host that a run may take (any)"},
    {NULL, NULL, OPTION_FLAG, NULL, "output"},
    {"--csv", "FILE", OPTION_FILE, NULL, "a line for each cell of each table"},
    {"--json", "FILE", OPTION_FILE, NULL, "tables, means, and what was expected"},
    {"--markdown", "FILE", OPTION_FILE, NULL, "the same as Markdown, as docs/results.md"},
    {"--html", "FILE", OPTION_FILE, NULL, "the page that mpu report writes of a study"},
    {"-q, --quiet", NULL, OPTION_FLAG, NULL, "no progress and no tables"},
    OPTIONS_END,
};
