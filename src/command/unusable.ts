/** Thrown by a command for a value that only it can read: bad usage, exit 2, with the next step. */
export class Unusable extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The document of bad usage, and of a defect of the program. */
export function failureJson(code: "usage" | "defect", message: string, hint: string): object {
  return { success: false, errors: [{ code, message, hint }] };
}

export const DEFECT_HINT = "this is a defect of aot: run it again with AOT_DEBUG=1 and report what it prints";
