// SPDX-License-Identifier: Apache-2.0
// valu_ialu: integers of one lane, a 32-bit word a beat. Four stages, as long as those of fpu
// before its last.
//
//   a, b, c -> [1 table, shift, sum, ...] -> [2 choice, + carry] -> [3 product] -> [4 + carry] -> d
//              [  product, 8 bits of b  ]    [  |a - b| + c    ]    [  + c    ]
//
// A second beat needs the carry or the comparison of the first one. Each of them is used a stage
// after that in which it is made, so nothing runs in a circle within a stage.
`default_nettype none

module valu_ialu (
  input  wire logic        clk_i,  /// clock
  input  wire logic [3:0]  en_i,  /// bit k: stage k + 1 takes a beat,
  input  wire logic [3:0]  on_i,  /// and this lane takes part
  input  wire logic [31:0] a_i,  /// first operand
  input  wire logic [31:0] b_i,  /// second operand
  input  wire logic [31:0] c_i,  /// third operand
  input  wire logic        pred_i,  /// predicate of selp
  /// sum: to the range of s32; conversion: to the range of its type
  input  wire logic        clamp_i,
  input  wire logic [valu_pkg::CONTROLS_1-1:0] ctl_1_i,  /// controls of stage 1, valu_pkg
  input  wire logic [valu_pkg::CONTROLS_2-1:0] ctl_2_i,  /// of the beat in stage 2
  input  wire logic [valu_pkg::CONTROLS_3-1:0] ctl_3_i,  /// in stage 3
  input  wire logic [valu_pkg::CONTROLS_3-1:0] ctl_4_i,  /// in stage 4
  output logic [31:0]      d_o  /// after stage 4
);
  logic carry_1_q, less_1_q, equal_1_q, carry_2_q, less_2_q, equal_2_q, carry_3_q, carry_4_q;
  logic [31:0] r1_q, r2_q, r3_q, c1_q, c2_q;
  logic [40:0] pp0_q, pp1_q, pp2_q;
  logic [39:0] pp3_q;

  function automatic [31:0] table_of(input [7:0] t, input [31:0] a, input [31:0] b, input [31:0] c);
    table_of =
      (a & ((b & ((c & {32{t[7]}}) | (~c & {32{t[6]}}))) |
            (~b & ((c & {32{t[5]}}) | (~c & {32{t[4]}}))))) |
      (~a & ((b & ((c & {32{t[3]}}) | (~c & {32{t[2]}}))) |
             (~b & ((c & {32{t[1]}}) | (~c & {32{t[0]}})))));
  endfunction

  // One word of 64 bits {hi, lo} that are shifted: right, the low one; left, the high one (which is
  // the low one of a shift to the right by 32 less the amount).
  function automatic [31:0] shifted(input left, input fill, input [31:0] hi, input [31:0] lo,
                                    input [31:0] n);
    logic [63:0] x;
    if (n[5]) x = left ? {lo, 32'd0} : {{32{fill}}, hi};
    else x = {hi, lo};
    if (left) x = {1'b0, x[63:1]};
    x = x >> (n[4:0] ^ {5{left}});
    shifted = n[31:6] != '0 ? {32{fill && !left}} : x[31:0];
  endfunction

  // Of the number v, extended from its source type: its word `high` as type `to`, whether it is out
  // of the range of that type, and its sign.
  function automatic [33:0] converted(input [3:0] from, input [3:0] to, input clamp, input high,
                                      input [31:0] vh_in, input [31:0] vl_in);
    logic [31:0] vh, vl, word;
    logic neg, ones, zeros;  // bits above those of type `to`, and its sign bit, are all of a kind
    case (from[3:1])
      3'd1: vl = {{24{from[0] && vl_in[7]}}, vl_in[7:0]};
      3'd2: vl = {{16{from[0] && vl_in[15]}}, vl_in[15:0]};
      default: vl = vl_in;
    endcase
    vh = from[3] ? vh_in : {32{from[0] && vl[31]}};
    neg = from[0] && vh[31];
    case (to[3:1])
      3'd1: begin
        zeros = vh == '0 && vl[31:8] == '0 && !(to[0] && vl[7]);
        ones = vh == '1 && vl[31:7] == '1;
      end
      3'd2: begin
        zeros = vh == '0 && vl[31:16] == '0 && !(to[0] && vl[15]);
        ones = vh == '1 && vl[31:15] == '1;
      end
      3'd3: begin
        zeros = vh == '0 && !(to[0] && vl[31]);
        ones = vh == '1 && vl[31];
      end
      default: begin
        zeros = !(to[0] && vh[31]);
        ones = 1'b1;
      end
    endcase
    case (to[3:1])
      3'd1: word = {{24{to[0] && vl[7]}}, vl[7:0]};
      3'd2: word = {{16{to[0] && vl[15]}}, vl[15:0]};
      default: word = high ? vh : vl;
    endcase
    converted = {neg, clamp && !(neg ? to[0] && ones : zeros), word};
  endfunction

  // The smallest or the largest number of type `to`.
  function automatic [31:0] limit(input [3:0] to, input high, input neg);
    case (to[3:1])
      3'd1: limit = {{24{to[0] && neg}}, to[0] ? neg : !neg, {7{!neg}}};
      3'd2: limit = {{16{to[0] && neg}}, to[0] ? neg : !neg, {15{!neg}}};
      3'd3: limit = {to[0] ? neg : !neg, {31{!neg}}};
      default: limit = {high && to[0] ? neg : !neg, {31{!neg}}};
    endcase
  endfunction

  // ---- stage 1
  task automatic stage_1;
    logic [31:0] x, y;
    logic [32:0] sum;
    logic less, equal, relation, fill;
    logic [2:0] kind;
    logic beat, wide, sgn, neg, abs;
    kind = ctl_1_i[valu_pkg::KIND +: 3];
    beat = ctl_1_i[valu_pkg::BEAT];
    wide = ctl_1_i[valu_pkg::WIDE];
    sgn = ctl_1_i[valu_pkg::SGN];
    neg = ctl_1_i[valu_pkg::NEG];
    abs = ctl_1_i[valu_pkg::ABS];

    case (kind)
      valu_pkg::TABLE:
        r1_q <= table_of(ctl_1_i[valu_pkg::LUT +: 8], a_i, b_i,
                         ctl_1_i[valu_pkg::PICK] ? {32{pred_i}} : c_i);
      valu_pkg::SHIFT:
        if (ctl_1_i[valu_pkg::LEFT]) r1_q <= shifted(1'b1, 1'b0, a_i, beat ? c_i : 32'd0, b_i);
        else begin
          fill = sgn && (wide && !beat ? c_i[31] : a_i[31]);
          r1_q <= shifted(1'b0, fill, wide && !beat ? c_i : {32{fill}}, a_i, b_i);
        end
      valu_pkg::CONVERSION:  // what is out of range is replaced in stage 2
        {less_1_q, equal_1_q, r1_q} <=
          converted(ctl_1_i[valu_pkg::FROM +: 4], ctl_1_i[valu_pkg::TO +: 4], clamp_i, beat,
                    beat ? a_i : c_i, beat && ctl_1_i[valu_pkg::FROM + 3] ? c_i : a_i);
      valu_pkg::SUM, valu_pkg::CHOICE, valu_pkg::RELATION: begin
        x = a_i & {32{!neg}};
        y = (neg ? a_i : b_i) ^ {32{ctl_1_i[valu_pkg::INV]}};
        sum = {1'b0, x} + {1'b0, y} +
              {32'd0, !beat ? ctl_1_i[valu_pkg::INV] : abs && c_i == '0};
        equal = a_i == b_i;
        less = sgn && a_i[31] != b_i[31] ? a_i[31] : !sum[32];
        case ({2'd0, ctl_1_i[valu_pkg::REL +: 3]})
          isa_pkg::CMP_EQ: relation = equal;
          isa_pkg::CMP_NE: relation = !equal;
          isa_pkg::CMP_LT: relation = less;
          isa_pkg::CMP_LE: relation = less || equal;
          isa_pkg::CMP_GT: relation = !less && !equal;
          default: relation = !less;
        endcase
        if (kind == valu_pkg::RELATION)
          r1_q <= ctl_1_i[valu_pkg::ONE] ? {2'd0, {7{relation}}, 23'd0} : {32{relation}};
        else if (kind == valu_pkg::CHOICE) r1_q <= a_i;
        else if (abs && !(wide && !beat ? c_i[31] : a_i[31])) r1_q <= a_i;
        else if (clamp_i && x[31] == y[31] && sum[31] != x[31]) r1_q <= {x[31], {31{!x[31]}}};
        else r1_q <= sum[31:0];
        carry_1_q <= sum[32];
        less_1_q <= less;
        equal_1_q <= equal;
      end
      default: ;
    endcase
    if (ctl_1_i[valu_pkg::PLUS] || ctl_1_i[valu_pkg::SAD]) c1_q <= c_i;
    else if (kind == valu_pkg::CHOICE) c1_q <= b_i;
  endtask
  always_ff @(posedge clk_i) if (en_i[0]) if (on_i[0]) stage_1;

  task automatic multiply;
    logic signed [40:0] x;
    logic signed [39:0] y;
    x = {{9{ctl_1_i[valu_pkg::SGN] && a_i[31]}}, a_i};
    y = {{32{ctl_1_i[valu_pkg::SGN] && b_i[31]}}, b_i[31:24]};
    pp0_q <= x * $signed({33'd0, b_i[7:0]});
    pp1_q <= x * $signed({33'd0, b_i[15:8]});
    pp2_q <= x * $signed({33'd0, b_i[23:16]});
    pp3_q <= $signed(x[39:0]) * y;
  endtask
  always_ff @(posedge clk_i)
    if (en_i[0]) if (on_i[0] && ctl_1_i[valu_pkg::KIND +: 3] == valu_pkg::PRODUCT) multiply;

  // ---- stage 2
  task automatic stage_2;
    logic [63:0] p;
    logic less, beat, sad;
    logic [2:0] kind;
    beat = ctl_2_i[valu_pkg::BEAT];
    sad = ctl_2_i[valu_pkg::SAD];
    kind = ctl_2_i[valu_pkg::KIND +: 3];
    if (kind == valu_pkg::PRODUCT) begin
      p = {{23{pp0_q[40]}}, pp0_q} + {{15{pp1_q[40]}}, pp1_q, 8'd0} +
          {{7{pp2_q[40]}}, pp2_q, 16'd0} + {pp3_q, 24'd0};
      r2_q <= beat ? p[63:32] : p[31:0];
    end else if (kind == valu_pkg::CHOICE) begin
      less = beat && !equal_2_q ? less_2_q : less_1_q;
      r2_q <= less != ctl_2_i[valu_pkg::MAX] ? r1_q : c1_q;
    end else if (kind == valu_pkg::CONVERSION)
      r2_q <= equal_1_q ? limit(ctl_2_i[valu_pkg::TO +: 4], beat, less_1_q) : r1_q;
    else
      r2_q <= (r1_q ^ {32{sad && less_1_q}}) + (c1_q & {32{sad}}) +
              {31'd0, sad ? less_1_q : ctl_2_i[valu_pkg::CHAIN] && carry_2_q};
    if (ctl_2_i[valu_pkg::PLUS]) c2_q <= c1_q;
  endtask
  always_ff @(posedge clk_i) if (en_i[1]) if (on_i[1]) stage_2;

  // what a first beat leaves, kept where the second one does not overwrite it
  always_ff @(posedge clk_i)
    if (en_i[1]) if (on_i[1] && !ctl_2_i[valu_pkg::BEAT]) begin
      carry_2_q <= carry_1_q;
      less_2_q <= less_1_q;
      equal_2_q <= equal_1_q;
    end

  // ---- stages 3 and 4
  always_ff @(posedge clk_i)
    if (en_i[2]) if (on_i[2]) begin
      if (ctl_3_i[valu_pkg::PLUS]) {carry_3_q, r3_q} <= {1'b0, r2_q} + {1'b0, c2_q};
      else r3_q <= r2_q;
    end

  always_ff @(posedge clk_i)
    if (en_i[3]) if (on_i[3]) begin
      d_o <= r3_q + {31'd0, ctl_4_i[valu_pkg::PLUS] && ctl_4_i[valu_pkg::BEAT] && carry_4_q};
    end

  always_ff @(posedge clk_i)
    if (en_i[3]) if (on_i[3] && !ctl_4_i[valu_pkg::BEAT]) carry_4_q <= carry_3_q;

  logic unused;  // for other stages
  assign unused = ^{ctl_1_i[valu_pkg::MAX], ctl_1_i[valu_pkg::CHAIN], ctl_3_i[valu_pkg::BEAT]};
endmodule
