// SPDX-License-Identifier: Apache-2.0
// The headers of SystemC, compiled once for all tests.
#ifndef NEARBANK_TB_TLM_SYSTEMC_H
#define NEARBANK_TB_TLM_SYSTEMC_H

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#endif
