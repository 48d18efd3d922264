/** What the commands are called with which a person looks at a run of some kind, and moves it. */
export interface RunTerms {
  /** What is worked. */
  readonly what: string;
  readonly run: string;
  readonly attach: string;
  readonly status: string;
  readonly stop: string;
}

export const LOOP_TERMS: RunTerms = {
  what: "the loop",
  run: "aot run",
  attach: "aot attach",
  status: "aot status",
  stop: "aot stop",
};
