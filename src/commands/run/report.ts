import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { loopReport } from "../../app/pictures/loop-report.ts";
import { writeFileAtomicSync } from "../../host/atomic-write.ts";
import { explainWrite } from "../../host/write-failure.ts";
import type { Problem } from "../../core/problem.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

const FILE = "aot-report.html";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const made = await loopReport(file.path);
  if (!made.ok) return failure(made.problems, file.shown);
  const { html, ...rest } = made.value;
  const output = call.text("output") ?? FILE;
  if (output === "-") return { exit: 0, json: { success: true, ...rest, html }, text: html };
  const problem = written(resolve(call.io.cwd, output), html);
  if (problem !== null) return failure([problem]);
  return { exit: 0, json: { success: true, ...rest, file: resolve(call.io.cwd, output) }, text: `written: ${output}` };
};

/** Null: it was. */
function written(path: string, text: string): Problem | null {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    return problemOf(path, error);
  }
  const done = writeFileAtomicSync(path, text);
  return done.ok ? null : { code: "file_unwritable", message: done.message, hint: done.hint };
}

function problemOf(path: string, error: unknown): Problem {
  const { message, hint } = explainWrite(path, error);
  return { code: "file_unwritable", message, hint };
}
