/** The engine cannot be asked; what was asked may have been done or not, and may be asked again. */
export class EngineUnreachable extends Error {
  readonly hint: string;
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineUnreachable";
    this.hint = hint;
  }
}
