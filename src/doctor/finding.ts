/** One thing that `aot doctor` looked at. */
export interface Finding {
  readonly name: string;
  /** `warn`: works, but something is missing or left over; `bad`: what is needed does not work. */
  readonly level: "good" | "warn" | "bad";
  readonly detail: string;
  readonly hint?: string;
}
