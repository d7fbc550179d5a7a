// SPDX-License-Identifier: Apache-2.0
// nearbank::card with a SpaceA: a multiplication takes its cycles of SystemC's time, y is in device
// memory at its end and not before, and a reset leaves it as it was.
#include "tb/systemc/tlm/board.h"

using namespace boards;
using namespace sc_core;

namespace {

card_machine *the_machine;

enum { rows = 60, columns = 50, entries = 3 * rows };

// Three entries a row, of whole numbers.
struct matrix {
  std::uint64_t row_ptr[rows + 1];
  std::uint32_t col[entries];
  double val[entries], x[columns], y[rows];
  matrix() {
    row_ptr[0] = 0;
    for (unsigned r = 0; r < rows; r++) {
      y[r] = 1000 - static_cast<int>(r);
      row_ptr[r + 1] = 3 * (r + 1);
      for (unsigned k = 0; k < 3; k++)
        col[3 * r + k] = (7 * r + 11 * k) % columns, val[3 * r + k] = r + 5 * k;
    }
    for (unsigned c = 0; c < columns; c++)
      x[c] = 3 * static_cast<int>(c) - 40;
  }
  double multiplied(unsigned r) const {
    double sum = y[r];
    for (unsigned k = 3 * r; k < 3 * r + 3; k++)
      sum += val[k] * x[col[k]];
    return sum;
  }
};

// In device memory, by the socket of the card's memory.
template <class T, std::size_t N>
std::uint64_t put(user &u, const T (&from)[N]) {
  const std::uint64_t to = u.alloc(sizeof from);
  CHECK(u.on().memory->write(to, from, sizeof from));
  u.on().memory->sync();
  return to;
}

struct setup {
  std::uint64_t x, y, matrix;
  setup(user &u, const struct matrix &m) {
    u.turn_on();
    EQUAL(u.get(CARD_R_TYPE), std::uint64_t{CARD_TYPE_SPACEA});
    card_command c = command(CARD_DO_MATRIX, put(u, m.row_ptr), put(u, m.col), put(u, m.val));
    c.words[CARD_MATRIX_ROWS] = rows, c.words[CARD_MATRIX_COLUMNS] = columns;
    c.words[CARD_MATRIX_MAPPING] = CARD_MAPPING_SPACEA;
    x = put(u, m.x), y = put(u, m.y);
    matrix = u.run(c).words[CARD_MATRIX_GIVES_MATRIX];
  }
  card_command multiply() const { return command(CARD_DO_MULTIPLY, matrix, x, y); }
};

bool y_is(user &u, std::uint64_t at, const std::function<double(unsigned)> &want) {
  double got[rows];
  EQUAL(u.on().debug_memory(tlm::TLM_READ_COMMAND, at, got, sizeof got), unsigned{sizeof got});
  for (unsigned r = 0; r < rows; r++)
    if (got[r] != want(r))
      return false;
  return true;
}

void settle() {
  for (unsigned n = 0; n < 5; n++)
    wait(SC_ZERO_TIME);
}

void simulate(const board_options &o, const std::function<void(board &, user &)> &p) {
  board b("board", the_machine, o);
  user u(b, 0);
  bool done = false;
  sc_spawn([&] {
    p(b, u);
    done = true;
  });
  sc_start();
  CHECK(done);
  CHECK(!sc_pending_activity());
  EQUAL(b.broken(), 0u);
}

// The first one says how long it takes; a machine that is reset does it again in the same time.
void time_of_multiplications(const board_options &o) {
  simulate(o, [](board &b, user &u) {
    const matrix m;
    std::uint64_t took = 0;
    for (int again = 0; again < 2; again++) {
      const setup s(u, m);
      const std::uint64_t begin = 1000 * us * (again + 1),
                          at = begin + latency + 64 * us / LINK_DOWN;
      card_command c = s.multiply();
      c.flags = CARD_FLAG_INTERRUPT;
      const std::uint32_t n = u.put(c);
      u.ring(begin);
      if (again) {
        wait_until(at + took - 1);
        CHECK(y_is(u, s.y, [&](unsigned r) { return m.y[r]; }));
        wait_until(at + took);
        settle();
        CHECK(y_is(u, s.y, [&](unsigned r) { return m.multiplied(r); }));
        wait_until(at + took + shown - 1);
        CHECK(!u.has(n));
      }
      const card_record r = u.finish(n);
      took = r.words[CARD_MULTIPLY_GIVES_CYCLES] * CARD_PERIOD;
      CHECK(took > 100 * CARD_PERIOD);
      EQUAL(r.begin, at);
      EQUAL(r.end, at + took);
      EQUAL(now(), r.end + shown);
      EQUAL(b.edges.back(), r.end + shown);
      CHECK(y_is(u, s.y, [&](unsigned k) { return m.multiplied(k); }));
      u.turn_off();
    }
  });
}

// Off in the middle, by the context and by the card: y was never written, and the card goes on.
void off_in_the_middle(const board_options &o) {
  simulate(o, [](board &b, user &u) {
    const matrix m;
    for (int how = 0; how < 2; how++) {
      const setup s(u, m);
      const std::uint64_t begin = 1000 * us * (how + 1);
      u.put(s.multiply());
      u.ring(begin);
      wait_until(begin + latency + 64 * us / LINK_DOWN + 50 * CARD_PERIOD);
      settle();
      CHECK(y_is(u, s.y, [&](unsigned r) { return m.y[r]; }));
      if (how) {
        u.set(CARD_R_CONTROL, CARD_CONTROL_RESET), u.set(CARD_R_DOORBELL, 1);
        u.set(CARD_R_CONTROL, 0), u.set(CARD_R_DOORBELL, 1);
        b.registers->sync();
        EQUAL(u.state(), std::uint64_t{CONTEXT_STATE_RESET});
      }
      u.turn_off();
      wait_until(begin + 500 * us);
      EQUAL(u.done(), how ? 0u : u.commands() - 1);
      CHECK(y_is(u, s.y, [](unsigned) { return 0; }));  // freed memory is cleared
    }
    const setup s(u, m);
    u.run(s.multiply());
    CHECK(y_is(u, s.y, [&](unsigned r) { return m.multiplied(r); }));
    u.turn_off();
  });
}

}  // namespace

int sc_main(int, char **) {
  return 0;
}

int main(int argc, char **argv) {
  std::vector<cases::one> all;
  the_machine = objects_spacea();
  for (const masters_of how : {masters_of::loose, masters_of::direct, masters_of::timed})
    for (const double q : {0., 1., 1000.}) {
      board_options o;
      o.masters = how, o.quantum = sc_time(q, SC_US);
      const std::string name =
          std::to_string(static_cast<int>(how)) + "," + std::to_string(static_cast<int>(q));
      all.push_back({"time," + name, [o] { time_of_multiplications(o); }});
      all.push_back({"off," + name, [o] { off_in_the_middle(o); }});
    }
  const int status = cases::run(argc, argv, all);
  card_machine_free(the_machine);
  return status;
}
