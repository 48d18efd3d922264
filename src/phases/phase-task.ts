/** What a phase loop is about, in a person's words: a text beside its state that anybody may edit. */
import type { Result } from "../core/problem.ts";
import { readOwnFile } from "../host/regular-file.ts";
import { writeDefinitionFile } from "./file.ts";
import { taskBeside } from "../project/find-phase-file.ts";

export function readTask(stateFile: string): string {
  return (readOwnFile(taskBeside(stateFile)) ?? "").trim();
}

export function writeTask(stateFile: string, task: string): Result<null> {
  return writeDefinitionFile(taskBeside(stateFile), `${task.trim()}\n`);
}
