// SPDX-License-Identifier: Apache-2.0
// bankctl, the times of a proof, as parameters: what cfg_times_i is assumed to say. Part of
// bankctl.sv.
  , parameter int T_RCD = 14  /// ACT to RD or WR
  , parameter int T_CCD = 2  /// RD to RD, WR to WR of a bank
  , parameter int T_RTP = 4  /// RD to PRE
  , parameter int T_RP = 14  /// PRE to ACT or REF
  , parameter int T_RAS = 33  /// ACT to PRE
  , parameter int T_RFC = 350  /// REF to ACT or REF
  , parameter int T_SCD = 1  /// SASEL to RD or WR
  , parameter int T_RTW = 4  /// RD to WR of a bank
  , parameter int T_WTRD = 12  /// WR to RD of a bank
  , parameter int T_WTP = 19  /// WR to PRE
  , parameter int T_WA = 12  /// WR to ACT or SASEL of the bank
  , parameter int T_RA = 1  /// RD to ACT or SASEL of the bank
  , parameter int T_RRD = 4  /// ACT to ACT of any bank
  , parameter int T_FAW = 16  /// ACT to the fourth ACT after it
  , parameter int T_READ = 3  /// RD to its data, which rdata has all at once
  , parameter int T_WRITE = 2  /// WR to its data
  , parameter int T_STAY = 33  /// cycles for which the clock runs after a command
