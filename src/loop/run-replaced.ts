/** The shared remote takes nothing of this run any more: a later one has begun. What it did is refused, and to be recorded. */
export class RunReplaced extends Error {
  override readonly name = "RunReplaced";
}
