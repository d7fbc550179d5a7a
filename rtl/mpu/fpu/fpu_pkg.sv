// SPDX-License-Identifier: Apache-2.0
// fpu_pkg: what the parts of fpu and those who use it share. docs/blocks/fpu.md has what each
// operation gives.
`default_nettype none

package fpu_pkg;
  /* verilator lint_off UNUSEDPARAM */
  // operations, in the order of fpu_op of csim/mpu/fpu.h
  localparam [3:0] ADD = 4'd0;
  localparam [3:0] SUB = 4'd1;
  localparam [3:0] MUL = 4'd2;
  localparam [3:0] FMA = 4'd3;
  localparam [3:0] MIN = 4'd4;
  localparam [3:0] MAX = 4'd5;
  localparam [3:0] ABS = 4'd6;
  localparam [3:0] NEG = 4'd7;
  localparam [3:0] COPYSIGN = 4'd8;
  localparam [3:0] SETB = 4'd9;
  localparam [3:0] SETF = 4'd10;
  localparam [3:0] I2F_U = 4'd11;
  localparam [3:0] I2F_S = 4'd12;
  localparam [3:0] F2I_U = 4'd13;
  localparam [3:0] F2I_S = 4'd14;
  localparam [3:0] F2F = 4'd15;
  // groups of them: sums and products; numbers that are rounded to an integer
  function automatic arithmetic(input [3:0] op);
    arithmetic = op <= FMA;
  endfunction
  function automatic to_integer(input [3:0] op);
    to_integer = op >= F2I_U;
  endfunction

  // controls of stages 2 to 5, which all lanes share: bits of what fpu_ctrl gives
  localparam int RND_2 = 0;  // rounding of stage 2, 2 bits: 0 RN, 1 RZ, 2 RM, 3 RP
  localparam int RND_5 = 2;  // the same of stage 5
  localparam int INT_2 = 4;      // stage 2 rounds to an integer (f2i, f2f)
  localparam int F2I_2 = 5;      // the result is an integer
  localparam int F2I_4 = 6;      // the same in stage 4
  localparam int SAT_4 = 7;      // the result is clamped
  localparam int SAT_5 = 8;      // the same in stage 5
  localparam int FTZ_5 = 9;      // a subnormal result becomes zero
  localparam int CONTROLS = 10;
  /* verilator lint_on UNUSEDPARAM */
endpackage
