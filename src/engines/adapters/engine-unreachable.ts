import { FailureWithHint } from "../../loop/run-failure.ts";

/** The engine cannot be asked; what was asked may have been done or not, and may be asked again. */
export class EngineUnreachable extends FailureWithHint {}
