/** A page that a command made: printed, or written whole to a file. */
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Problem } from "../core/problem.ts";
import { writeFileAtomicSync } from "../host/atomic-write.ts";
import { explainWrite } from "../host/write-failure.ts";
import type { Call } from "./call.ts";
import { failure } from "./problem-text.ts";
import type { Answer } from "./spec.ts";

/** @param fallback the file's name where `--output` says none */
export function pageAnswer(call: Call, page: { readonly html: string }, fallback: string): Answer {
  const { html, ...rest } = page;
  const output = call.text("output") ?? fallback;
  if (output === "-") return { exit: 0, json: { success: true, ...rest, html }, text: html };
  const file = resolve(call.io.cwd, output);
  const problem = written(file, html);
  if (problem !== null) return failure([problem]);
  return { exit: 0, json: { success: true, ...rest, file }, text: `written: ${output}` };
}

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
