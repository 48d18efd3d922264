/** Thrown by a command for a value that only it can read: bad usage, exit 2, with the next step. */
export class Unusable extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
