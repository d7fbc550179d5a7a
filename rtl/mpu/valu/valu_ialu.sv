// SPDX-License-Identifier: Apache-2.0
// valu_ialu: integers of one lane, a 32-bit word a beat. Four stages, as long as those of fpu
// before its last.
//
//   a, b, c -> [1 table, shift, sum, ...] -> [2 choice, + carry] -> [3 product] -> [4 + carry] -> d
//              [  product, 8 bits of b  ]    [  |a - b| + c    ]    [  + c    ]
//
// A second beat needs the carry or the comparison of the first one. Each of them is used a stage
// after that in which it is made, so nothing runs in a circle within a stage. Controls as in
// valu_decode; _2, _3 and _4: of the beat in that stage.
`default_nettype none

module valu_ialu (
  input  wire logic        clk_i,  /// clock
  input  wire logic [3:0]  en_i,  /// bit k: stage k + 1 takes a beat,
  input  wire logic [3:0]  on_i,  /// and this lane takes part
  input  wire logic [31:0] a_i,  /// first operand
  input  wire logic [31:0] b_i,  /// second operand
  input  wire logic [31:0] c_i,  /// third operand
  input  wire logic        pred_i,  /// predicate of selp
  input  wire logic        beat_i,  /// second beat of a 64-bit operation
  /// 0 table, 1 shift, 2 sum, 3 choice, 4 relation, 5 conversion, 6 product
  input  wire logic [2:0]  kind_i,
  input  wire logic [7:0]  lut_i,  /// table: result for each {a, b, c}
  input  wire logic        pick_i,  /// table: c is the predicate
  input  wire logic        left_i,  /// shift to the left
  input  wire logic        sgn_i,  /// signed: shift, choice, relation, product, absolute difference
  input  wire logic        wide_i,  /// an operation of two beats
  input  wire logic        neg_i,  /// sum: of 0 and a, not of a and b
  input  wire logic        inv_i,  /// sum: subtract the second one
  input  wire logic        abs_i,  /// sum: a when its number is not negative
  /// sum: to the range of s32; conversion: to the range of its type
  input  wire logic        clamp_i,
  input  wire logic        sad_i,  /// sum: its absolute value, plus c
  input  wire logic [2:0]  rel_i,  /// relation: which one, isa_pkg CMP_*
  input  wire logic        one_i,  /// relation: true is 1.0
  input  wire logic [3:0]  from_i,  /// conversion: source type
  input  wire logic [3:0]  to_i,  /// conversion: type
  input  wire logic        plus_i,  /// product: plus c
  input  wire logic [2:0]  kind_2_i,  /// kind in stage 2
  input  wire logic        beat_2_i,  /// second beat
  input  wire logic [3:0]  to_2_i,  /// conversion: type
  /// a sum of two beats, in its second one, that needs the carry
  input  wire logic        chain_2_i,
  input  wire logic        max_2_i,  /// choice of the larger
  input  wire logic        sad_2_i,  /// sum: its absolute value, plus c
  input  wire logic        plus_2_i,  /// product: plus c
  input  wire logic        plus_3_i,  /// product in stage 3: plus c
  input  wire logic        plus_4_i,  /// product in stage 4: plus c
  input  wire logic        beat_4_i,  /// second beat in stage 4
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

    case (kind_i)
      3'd0: r1_q <= table_of(lut_i, a_i, b_i, pick_i ? {32{pred_i}} : c_i);
      3'd1:
        if (left_i) r1_q <= shifted(1'b1, 1'b0, a_i, beat_i ? c_i : 32'd0, b_i);
        else begin
          fill = sgn_i && (wide_i && !beat_i ? c_i[31] : a_i[31]);
          r1_q <= shifted(1'b0, fill, wide_i && !beat_i ? c_i : {32{fill}}, a_i, b_i);
        end
      3'd5:  // what is out of range is replaced in stage 2
        {less_1_q, equal_1_q, r1_q} <= converted(from_i, to_i, clamp_i, beat_i, beat_i ? a_i : c_i,
                                                 beat_i && from_i[3] ? c_i : a_i);
      3'd2, 3'd3, 3'd4: begin
        x = a_i & {32{!neg_i}};
        y = (neg_i ? a_i : b_i) ^ {32{inv_i}};
        sum = {1'b0, x} + {1'b0, y} + {32'd0, !beat_i ? inv_i : abs_i && c_i == '0};
        equal = a_i == b_i;
        less = sgn_i && a_i[31] != b_i[31] ? a_i[31] : !sum[32];
        case (rel_i)
          3'd0: relation = equal;
          3'd1: relation = !equal;
          3'd2: relation = less;
          3'd3: relation = less || equal;
          3'd4: relation = !less && !equal;
          default: relation = !less;
        endcase
        if (kind_i == 3'd4) r1_q <= one_i ? {2'd0, {7{relation}}, 23'd0} : {32{relation}};
        else if (kind_i == 3'd3) r1_q <= a_i;
        else if (abs_i && !(wide_i && !beat_i ? c_i[31] : a_i[31])) r1_q <= a_i;
        else if (clamp_i && x[31] == y[31] && sum[31] != x[31]) r1_q <= {x[31], {31{!x[31]}}};
        else r1_q <= sum[31:0];
        carry_1_q <= sum[32];
        less_1_q <= less;
        equal_1_q <= equal;
      end
      default: ;
    endcase
    if (plus_i || sad_i) c1_q <= c_i;
    else if (kind_i == 3'd3) c1_q <= b_i;
  endtask
  always_ff @(posedge clk_i) if (en_i[0]) if (on_i[0]) stage_1;

  task automatic multiply;
    logic signed [40:0] x;
    logic signed [39:0] y;
    x = {{9{sgn_i && a_i[31]}}, a_i};
    y = {{32{sgn_i && b_i[31]}}, b_i[31:24]};
    pp0_q <= x * $signed({33'd0, b_i[7:0]});
    pp1_q <= x * $signed({33'd0, b_i[15:8]});
    pp2_q <= x * $signed({33'd0, b_i[23:16]});
    pp3_q <= $signed(x[39:0]) * y;
  endtask
  always_ff @(posedge clk_i) if (en_i[0]) if (on_i[0] && kind_i == 3'd6) multiply;

  // ---- stage 2
  task automatic stage_2;
    logic [63:0] p;
    logic less;
    if (kind_2_i == 3'd6) begin
      p = {{23{pp0_q[40]}}, pp0_q} + {{15{pp1_q[40]}}, pp1_q, 8'd0} +
          {{7{pp2_q[40]}}, pp2_q, 16'd0} + {pp3_q, 24'd0};
      r2_q <= beat_2_i ? p[63:32] : p[31:0];
    end else if (kind_2_i == 3'd3) begin
      less = beat_2_i && !equal_2_q ? less_2_q : less_1_q;
      r2_q <= less != max_2_i ? r1_q : c1_q;
    end else if (kind_2_i == 3'd5)
      r2_q <= equal_1_q ? limit(to_2_i, beat_2_i, less_1_q) : r1_q;
    else
      r2_q <= (r1_q ^ {32{sad_2_i && less_1_q}}) + (c1_q & {32{sad_2_i}}) +
              {31'd0, sad_2_i ? less_1_q : chain_2_i && carry_2_q};
    if (plus_2_i) c2_q <= c1_q;
  endtask
  always_ff @(posedge clk_i) if (en_i[1]) if (on_i[1]) stage_2;

  // what a first beat leaves, kept where the second one does not overwrite it
  always_ff @(posedge clk_i)
    if (en_i[1]) if (on_i[1] && !beat_2_i) begin
      carry_2_q <= carry_1_q;
      less_2_q <= less_1_q;
      equal_2_q <= equal_1_q;
    end

  // ---- stages 3 and 4
  always_ff @(posedge clk_i)
    if (en_i[2]) if (on_i[2]) begin
      if (plus_3_i) {carry_3_q, r3_q} <= {1'b0, r2_q} + {1'b0, c2_q};
      else r3_q <= r2_q;
    end

  always_ff @(posedge clk_i)
    if (en_i[3]) if (on_i[3]) begin
      d_o <= r3_q + {31'd0, plus_4_i && beat_4_i && carry_4_q};
    end

  always_ff @(posedge clk_i) if (en_i[3]) if (on_i[3] && !beat_4_i) carry_4_q <= carry_3_q;
endmodule
