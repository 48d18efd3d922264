/** What a phase loop is about, in a person's words: a text beside its state that anybody may edit. */
import { existsSync, readFileSync } from "node:fs";
import type { Result } from "../../core/problem.ts";
import { writeDefinitionFile } from "./phases-file.ts";
import { taskBeside } from "./phases-place.ts";

export function readTask(stateFile: string): string {
  const file = taskBeside(stateFile);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

export function writeTask(stateFile: string, task: string): Result<null> {
  return writeDefinitionFile(taskBeside(stateFile), `${task.trim()}\n`);
}
