// SPDX-License-Identifier: Apache-2.0
// The table of commands: what each is for, and which tables of options it has (options.h).
#include "args.h"
#include "options.h"

#define PROGRAM "DIRECTORY|FILE.cu|PROGRAM [-- ARGUMENTS]"

const command_info commands[] = {
    {"run", "compile a CUDA program and run it, cycle by cycle", "mpu run [options] " PROGRAM,
     "Compiles a CUDA program, runs it cycle by cycle, and reports. A directory means the .cu file "
     "of the same name in it. What is missing in a folder is looked for in its plain/: "
     "kernels/axpy means kernels/plain/axpy/axpy.cu. A program that was compiled before is run as "
     "it is; options of the compiler and of the machine compile the PTX in it again. ARGUMENTS go "
     "to the program; its own --help is\n"
     "mpu run kernels/axpy -- --help",
     "Files have their names when they are whole: until then, and when the disk is full, what "
     "there is of a trace, a timeline or waves is FILE.part.\n\n"
     "Exit status: the program's own (0 its check passed, 1 it failed), 1 when it does not "
     "compile, "
     "2 wrong use or a file that cannot be written, 3 a launch that does not fit the machine, a "
     "fault on it, or models that differ, "
     "130 interrupted (SIGINT or SIGTERM; the report is still written). With --races: 0 no order "
     "differs, 1 some do, 2 wrong use.",
     .groups = {options_compile, machine_options, options_host, options_run, options_help},
     .program = true},
    {"profile", "run it, and show which lines the cycles went to", "mpu profile [options] " PROGRAM,
     "Runs a CUDA program cycle by cycle, like mpu run, and shows, for each line of its kernels, "
     "the cycles spent on it and their causes, the flits on the TSV bus, and the conflicts of row "
     "buffers (docs/profile.md). Each kernel is listed separately; launches of one kernel are "
     "added up.",
     "Exit status: that of mpu run. A run that ends early is shown up to its end.",
     .groups = {options_profile, options_compile, machine_options, options_host, options_help},
     .program = true},
    {"debug", "run a CUDA program under a debugger: cycles, breakpoints, state",
     "mpu debug [options of mpu run] [-x FILE] " PROGRAM,
     "Runs a program cycle by cycle as mpu run does, and stops at the beginning of each launch for "
     "commands: steps, breakpoints, registers, memory, queues, banks (docs/debugger.md; help lists "
     "them). It takes neither --checkpoint nor --near=none.\n"
     "Without -x, commands are read from the terminal, or from standard input when that is a pipe "
     "or a file; the program then reads an empty standard input. Commands that do not come from a "
     "terminal are echoed before their output.",
     "Exit status: that of mpu run; 130 also after quit, 2 also when a command of a file or pipe "
     "is "
     "wrong.",
     .groups = {options_debug, options_compile, machine_options, options_host, options_run,
                options_help},
     .program = true},
    {"resume", "continue a killed run from its checkpoint", "mpu resume [options] FILE",
     "Continues a run that wrote the checkpoint FILE (mpu run --checkpoint FILE) and was killed: "
     "the program starts again, in the same directory, with the same arguments "
     "and "
     "on the same machine. Launches in FILE are not executed: their results come from FILE. Later "
     "launches are executed and added to FILE. Output, report and --stats equal those of an "
     "uninterrupted run, but for times and memory of the host.",
     "Exit status: that of mpu run; 2 also when FILE is not a checkpoint, is of another version or "
     "damaged, and when the program is missing or has changed; 4 when the program diverges from "
     "its checkpoint: it launched another kernel, or wrote other bytes to device memory.",
     .groups = {options_resume, options_help}},
    {"retire", "print or compare instruction traces (mpu run --retire)",
     "mpu retire [options] FILE\n       mpu retire --diff [--timing] FILE FILE",
     "Prints an instruction trace, which mpu run --retire FILE wrote: one line per warp "
     "instruction that ended.",
     "Exit status: 0, 1 when the files of --diff differ or a file ends too early (what it has is "
     "used), 2 for wrong use and for a file that cannot be read or is damaged.",
     .groups = {options_retire, options_help}},
    {"cc", "compile a CUDA program (or PTX) and keep the result",
     "mpu cc [options] FILE.cu -o PROGRAM\n       mpu cc [options] FILE.ptx -o OBJECT",
     "Compiles a CUDA program, host and device; the program runs its kernels on the functional "
     "machine. From PTX it makes an MPU object (an ELF file, see mpu dis).",
     "A program reads MPU_STATS, MPU_TRACE, MPU_REPORT=1 and MPU_MAX_INSTRUCTIONS from its "
     "environment (docs/cuda.md).",
     .groups = {options_compile, options_cc, options_help}},
    {"sdk", "a folder like the vendor's toolkit, for Makefiles and CMake", "mpu sdk FOLDER",
     "Writes a folder with nvcc, headers, the runtime library, cuBLAS, cuFFT and cuRAND, as the "
     "vendor's toolkit has them, so that Makefiles and CMake projects build as they are: make "
     "CUDA_DIR=FOLDER, cmake "
     "-DCMAKE_CUDA_COMPILER=FOLDER/bin/nvcc (docs/sdk.md). FOLDER is new, empty, or one that mpu "
     "sdk wrote.",
     "Exit status: 0, 1 when a step fails, 2 wrong use or a folder that holds something else.",
     .groups = {options_help}},
    {"mpucc", "the device compiler by itself: PTX to an MPU object",
     "mpu mpucc [options] FILE.ptx|FILE.mir -o OUT",
     "Compiles PTX (or a dump of an earlier run) to an MPU object, an ELF file.",
     "Exit status: 0 success, 1 errors in the program, 2 wrong use.",
     .groups = {options_mpucc, options_help}, .script = true},
    {"asm", "assemble an MPU assembly file to an object", "mpu asm [--raw] FILE -o OUT",
     "Assembles MPU assembly (what mpu dis prints, docs/isa.md) to an object.", NULL,
     .groups = {options_asm, options_help}},
    {"dis", "disassemble an MPU object", "mpu dis [--raw] FILE [-o OUT]",
     "Disassembles an MPU object, or the device code of a program that mpu cc made.", NULL,
     .groups = {options_dis, options_help}},
    {"config", "print the configuration of the machine, or list the presets",
     "mpu config [options] [PRESET|FILE]\n       mpu config --list",
     "Prints the configuration of the machine as YAML, with the unit, meaning and range of each "
     "value. The output is a valid file again. Without a name it is the preset paper; a name is a "
     "preset that --list prints, or a YAML file: a name with a slash, or that ends with .yaml or "
     ".yml.",
     "docs/configuration.md has all keys. Exit status: 0, 2 for wrong use and for wrong files.",
     .groups = {options_config, machine_options, options_help}},
    {"noc", "synthetic traffic on the network: latency over load", "mpu noc [options]",
     "Runs synthetic traffic on the network of the machine, cycle by cycle, and prints the latency "
     "of its packets over the load.",
     "Packets that the network cannot take wait at their source; latency counts from there to the "
     "arrival of the last flit. Saturation is the largest load with a mean latency of at most ten "
     "times that of "
     "an "
     "empty network. docs/network.md says how the network works, docs/calibration.md what it is "
     "compared with. Exit status: 0, 2 for wrong use.",
     .groups = {options_traffic, machine_options, options_network, options_help}},
    {"dram", "traffic for one bank controller: rates, latencies, commands",
     "mpu dram [options]\n       mpu dram [options] --trace FILE",
     "Sends accesses of 32 bytes to one bank controller and prints rates, latencies and commands: "
     "of its twin in C, its Verilog, or both, with the DRAM arrays behind it, which check every "
     "command.",
     "Latency counts from the arrival of an access to its last data. A run is saturated when more "
     "accesses than the "
     "square root of all wait for the controller as the last one arrives: its latency grows with "
     "the run, and is shown as - (null in JSON). docs/calibration.md shows the command at work. "
     "Exit status: 0, 2 for wrong use, 3 when a command breaks a rule or models differ.",
     .groups = {options_accesses, machine_options, options_controller, options_help}},
    {"energy", "energy and power of runs, by component, from their statistics",
     "mpu energy [options] STATS.json...\n       mpu energy --list [options]",
     "Prints energy and power of runs, from the events that mpu run --stats FILE counted and the "
     "cost of each: by component, beside the paper's breakdown; with several files, one line each.",
     "docs/energy.md says what the events are. Exit status: 0, 2 for wrong use and wrong files.",
     .groups = {options_energy, machine_options, options_help}},
    {"report", "a page of a run: bounds, cycles, energy, heat maps",
     "mpu report [options] STATS.json|NUMBER\n       mpu report [options] STUDY",
     "Writes a page of a run, from what mpu run --stats FILE (or mpu machine --stats FILE) wrote, "
     "or "
     "of a run of a store: what bounds it, a roofline, where cycles went, energy, heat maps, the "
     "configuration. Of "
     "a study it writes its figures. The page is one file that needs no network; it is light or "
     "dark as the reader's system is, and "
     "can be printed.",
     "docs/report.md shows one. Exit status: 0, 2 for wrong use and files that cannot be read or "
     "written.",
     .groups = {options_report, options_help}},
    {"diff", "two runs side by side: configuration, cycles by cause, counters, arrays, energy",
     "mpu diff [options] A B\n       mpu diff [options] A B PROFILE_A PROFILE_B",
     "Compares two runs: keys of the configuration that differ, cycles by cause, counters that "
     "differ, those with the largest effect first, arrays (mpu run --arrays), and energy by "
     "component. A and B are statistics "
     "(mpu run --stats FILE, mpu machine --stats FILE), profiles (mpu profile --json FILE), or "
     "numbers of runs of a store (mpu study). With profiles it shows cycles by source line too.",
     "docs/diff.md says what the parts mean. Exit status: 0 cycles, counters and results are the "
     "same, 1 they differ, 2 for wrong use and wrong files.",
     .groups = {options_diff, options_help}},
    {"activity", "toggle counts of a wave file, as SAIF", "mpu activity [options] WAVE.fst",
     "Counts how often each bit of a wave (mpu run --wave) changes, and how long it is 0 and 1.",
     "Exit status: 0, 2 for wrong use and files that cannot be read or written.",
     .groups = {options_activity, options_help}},
    {"waves", "open a wave file in GTKWave, with a view of it", "mpu waves [options] FILE.fst",
     "Opens a wave file (of mpu run --wave, or of a failed run) in GTKWave, with a view of it: "
     "groups, colours, and the names of instructions, packets and commands. Without options it "
     "takes the view beside the file.",
     "Exit status: 0, 2 wrong use or no GTKWave (Debian: gtkwave; --picture: xvfb too).",
     .groups = {options_waves, options_help}},
    {"plot", "draw a table as SVG", "mpu plot [options] TABLE.csv FILE.svg",
     "Draws the columns of a table over its first one, as lines. The first line names them.", NULL,
     .groups = {options_plot, options_help}},
    {"bench", "measure the speed of the machine and of the Verilog",
     "mpu bench [isa] [--json]\n       mpu bench core [--json]\n"
     "       mpu bench machine [--paper] [--json]\n       mpu bench card [--json]\n"
     "       mpu bench study [--json]\n       mpu bench spacea [--json]\n"
     "       mpu bench rtl [--json]",
     "isa: warp instructions a second of the functional machine on one host core, for AXPY, BLUR "
     "and "
     "NW; the median of three runs. The floor is 5 million.\n"
     "core: host time of AXPY, BLUR, NW and PR on one core, near side in C, in Verilog and in "
     "lockstep; the median of three runs. Then what a cycle of AXPY costs with the near side in "
     "Verilog, what the models alone take of it, and how much is added to them.\n"
     "machine: core cycles a second of 128 cores, one thread and two, near side in C and in "
     "Verilog, "
     "for AXPY, HIST, NW and TTRANS; the median of three runs. Then what a warp instruction costs "
     "on "
     "1, 16 and 128 cores, and at a sixteenth of the paper's size and the whole; and how much "
     "longer "
     "a busy core takes among 127 idle ones. With --paper instead: seconds of all workloads at the "
     "paper's sizes, two threads, in C and in Verilog (hours).\n"
     "card: processor time of the twelve programs with --device card and without, near side in C, "
     "in turns; the fastest of seven each. All together, the card may add 10 %.\n"
     "study: what mpu study adds to the time of its runs, eight of the tiled BLUR one after the "
     "other; the fastest of five in turns. It may add 2 %.\n"
     "spacea: entries of cant a second of SpaceA in C, one thread, and what the second one brings; "
     "the fastest of three in turns. The floor is 0.5 million.\n"
     "rtl: cycles a second of the near-bank unit, Verilog and C twin; see mpu bench rtl --help.",
     "Exit status: 0, or 1 when a figure is beyond its bound.",
     .groups = {options_bench, machine_options, options_help}},
    {"test", "build and run every test", "mpu test [options]",
     "Builds and runs every test: unit tests, whole programs, the fuzzers for a short time, "
     "formatting.",
     "Exit status: 0 all passed, 1 some failed, 2 wrong use.",
     .groups = {options_test, options_help}, .script = true},
    {"formal", "prove the properties of the Verilog", "mpu formal [options] [proof...]",
     "Proves the assertions of modules for all time, and shows for each cover that it can be "
     "reached. The list of proofs is tb/formal/jobs.",
     NULL, .groups = {options_formal, machine_options, options_help}, .script = true},
    {"mutate", "inject faults into the Verilog, count those that tests detect",
     "mpu mutate [options] [block|module...]",
     "Counts the faults that the random traffic of a block detects, or those in one module of a "
     "block (nbu_completions). Undetected ones go through an equivalence proof; the survivors are "
     "listed.",
     NULL, .groups = {options_mutate, machine_options, options_help}, .script = true},
    {"coverage", "coverage of the Verilog: lines executed, bits that toggle",
     "mpu coverage [options] [block...]",
     "Reports the lines of the Verilog that a block's random traffic executes and, for leaf "
     "blocks, the bits that toggle. tb/cosim/uncovered.txt lists lines that need no coverage, with "
     "reasons.",
     "Exit status 1: a block has less than 95 % of its lines.",
     .groups = {options_coverage, machine_options, options_help}, .script = true},
    {"timing", "longest path of each block of the Verilog",
     "mpu timing [options] [block[:PARAMETER=VALUE...]]...",
     "Reports the longest path between registers of each block of the Verilog, mapped to standard "
     "cells as mpu area maps it, by OpenSTA: in ns and in fan-outs of four (FO4), the frequency "
     "that it allows, and that frequency scaled to 20 nm. Without blocks it times all of them, "
     "those with lanes with a few lanes only.",
     "Exit status: 0, 1 when a block is slower than the bound, 2 for wrong use or what is missing.",
     .groups = {options_timing, machine_options, options_technology, options_help}, .script = true},
    {"area", "area of each block of the Verilog, and of the die", "mpu area [options]",
     "Maps the Verilog of the DRAM die to standard cells, models its memories, and adds up the "
     "area "
     "of each part, side by side with the paper's (docs/area.md).",
     "Exit status: 0, 1 when --check or --verify finds a difference, 2 for wrong use or what is "
     "missing.",
     .groups = {options_area, machine_options, options_technology, options_help}, .script = true},
    {"power", "power of the logic of the die in a run, from its wave file",
     "mpu power [options] WAVE.fst [block...]",
     "Reports the power of the logic of the DRAM die in a run, by OpenSTA: the netlists of mpu "
     "area, with the activity of their registers and inputs in the wave (mpu run --near=rtl "
     "--wave). Memories are left out: mpu energy counts their accesses.",
     "docs/power.md explains each figure. Exit status: 0, 2 for wrong use or what is "
     "missing.",
     .groups = {options_power, machine_options, options_technology, options_help}, .script = true},
    {"export", "Verilog-2001, constraints, lists of files and memories for other flows",
     "mpu export [options] [block...]",
     "Writes the inputs of other flows: Verilog-2001, constraints, lists of the sources, of "
     "memories "
     "and of what the die has (docs/export.md).",
     "Exit status: 0, 1 when Yosys cannot convert a block, 2 for wrong use or what is missing.",
     .groups = {options_export, machine_options, options_help}, .script = true},
    {"doctor", "the packages that commands need, and what is missing", "mpu doctor",
     "Lists the Debian packages that commands need, by what needs them: run, what looks at waves, "
     "test, test --long; and says which are missing. It installs nothing. MPU_NO_INSTALL=1 or "
     "--no-install before a command keeps that from installing what is missing.",
     "Exit status: 0, 1 when something is missing.", .groups = {options_help}, .script = true},
    {"machine", "run a machine of nodes: one that executes no programs",
     "mpu machine [options] NAME\n       mpu machine --list [NAME]",
     "Runs a machine other than MPU, cycle by cycle, until all its nodes rest. Nodes are those of "
     "machine.processors and machine.cores. docs/adding-a-machine.md says how a machine is made.",
     "Exit status: 0, 2 for wrong use and for a configuration that the machine does not take, 3 "
     "when a node fails or models differ.",
     .groups = {options_machine, options_nodes, machine_options, options_help}},
    {"map", "show how a sparse matrix is mapped to SpaceA", "mpu map [options] FILE.mtx|NAME",
     "Gives the rows of a sparse matrix to the processing elements of SpaceA, and prints how many "
     "elements each has, how many different columns they need by PE, bank group and vault, and "
     "what "
     "that means for the traffic (docs/spacea.md).",
     "Exit status: 0, 2 for wrong use and files that cannot be read.",
     .groups = {options_map, machine_options, options_help}},
    {"matrix", "make, describe and draw sparse matrices",
     "mpu matrix list\n       mpu matrix gen [options] NAME FILE.mtx[.gz]\n"
     "       mpu matrix convert FILE.mtx FILE.mtx[.gz]\n"
     "       mpu matrix info [options] FILE.mtx|NAME...\n"
     "       mpu matrix spy [options] FILE.mtx|NAME FILE.svg",
     "Sparse matrices for SpaceA (docs/spacea.md), as Matrix Market files, also packed with gzip. "
     "list: names of matrices that can be generated, with the figures that they meet. gen: writes "
     "one. convert: writes a file again, as coordinate general, without duplicates. info: rows, "
     "entries, lengths of rows, distance from the diagonal. spy: draws where the "
     "entries are.",
     "Exit status: 0, 2 for wrong use and files that cannot be read or written.",
     .groups = {options_matrix, options_help}},
    {"spacea", "multiply a sparse matrix with a vector on SpaceA",
     "mpu spacea run [options] FILE.mtx|NAME\n"
     "       mpu spacea profile [options] FILE.mtx|NAME\n"
     "       mpu spacea debug [options] [-x FILE] FILE.mtx|NAME",
     "run: gives the rows of a matrix to the processing elements of SpaceA, multiplies it with a "
     "vector, and compares the result with sums in higher precision (docs/spacea.md). profile: "
     "the same, and prints where the cycles went. debug: takes commands that stop between cycles "
     "and show queues, lines and packets; help lists them.",
     "Exit status: 0, 1 when the result is wrong, 2 for wrong use and files that cannot be read or "
     "written, also when a command of a file or pipe is wrong, 3 when the machine fails, 130 after "
     "quit.",
     .groups = {options_spacea, options_seeing, options_nodes, options_map, machine_options,
                options_help}},
    {"platform", "run a CUDA program on a platform: a bus with cards, or a guest of QEMU",
     "mpu platform [options] [" PROGRAM "]\n"
     "       mpu platform --qemu [options] [PROGRAM|" PROGRAM "]\n"
     "       mpu platform --listen SOCKET [options]",
     "Without --qemu: a host with memory, a bus and cards in SystemC. The CUDA program is the "
     "host; "
     "each card is a device of it (docs/card.md). Without a program, an example whose work the "
     "cards share. Bus, registers and cores are written as waves.\n\n"
     "With --qemu: starts the card in a process of its own, and an unmodified QEMU with Debian's "
     "Linux that has the card as a PCI device. In the guest a program runs on it, through the "
     "driver of the card over VFIO: a CUDA program (kernels/axpy), or a program of the host "
     "(docs/guest.md).",
     "Exit status: that of the program. With --qemu: 0 when the program said PASS and an interrupt "
     "woke it, 1 when not, or when a step failed or took too long, 2 wrong use or a package that "
     "is "
     "missing, 130 interrupted.",
     .groups = {options_platform, machine_options, options_help}, .program = true},
    {"study", "figures of the papers, and sweeps: many runs, their tables and pages",
     "mpu study [options] NAME|FILE\n       mpu study --list",
     "Runs the programs of a study on its machines, and prints tables of what came out beside what "
     "was expected. A study is a file (docs/study.md): programs, machines, columns. Runs are kept "
     "in a store: what is there is not run again, unless the program or the build has changed, and "
     "a study that was killed goes on where it was.",
     "Exit status: 0, 1 when a run failed, 2 wrong use or a wrong file, 130 interrupted.",
     .groups = {options_study, options_help}},
    {"man", "the manual page of all this: mpu man | man -l -", "mpu man",
     "Prints a manual page with all commands and options, for man -l - or a file mpu.1.", NULL,
     .groups = {options_help}},
    {"completion", "completion of commands and options for bash", "mpu completion bash",
     "Prints a script that completes commands, options, keys and presets: source <(mpu completion "
     "bash).",
     NULL, .groups = {options_help}},
    {.name = NULL},
};
