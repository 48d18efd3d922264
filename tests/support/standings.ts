import type { Standing } from "../../src/core/converge.ts";

/** A loop in which nothing is decided yet: each test says what is. */
export const CALM: Standing = {
  redirect_requested: false,
  stop_requested: false,
  stop_reason: null,
  tampered: [],
  base_case: undefined,
  unconfirmed: false,
  in_session: false,
  strayed: [],
  failing: [],
  flaky: [],
  undecided: [],
  asked: false,
  measure: 0,
  exhausted: [],
  deadlock: null,
  unavailable: null,
  needs_person: null,
  stall_count: 0,
  max_stall_count: 3,
  iteration: 1,
  max_iterations: 20,
  budget: null,
};
