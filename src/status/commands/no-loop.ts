import { existsSync } from "node:fs";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";

/** A refusal (exit 2) if the state file is missing, with a hint if a phase loop is here; null: the file is there. */
export async function noLoop(call: Call, file: NamedFile): Promise<Answer | null> {
  if (existsSync(file.path)) return null;
  const { findPhaseFile } = await import("../../project/find-phase-file.ts");
  const hint =
    call.stateFile === undefined && findPhaseFile(call.io.cwd).ok
      ? "the loop here has phases: `aot phases status` shows it; `aot align` begins one with a goal"
      : 'create it with "aot align", or name another one with --state-file';
  return failure([{ code: "file_missing", message: `there is no file ${file.shown}`, hint }], file.shown);
}
