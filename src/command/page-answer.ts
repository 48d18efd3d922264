/** A page that a command made: printed, or written whole to a file. */
import { resolve } from "node:path";
import { writeNamedFile } from "../host/write-named.ts";
import type { Call } from "./call.ts";
import { failure } from "./problem-text.ts";
import type { Answer } from "./spec.ts";

/** @param fallback the file's name where `--output` says none */
export function pageAnswer(call: Call, page: { readonly html: string }, fallback: string): Answer {
  const { html, ...rest } = page;
  const output = call.text("output") ?? fallback;
  if (output === "-") return { exit: 0, json: { success: true, ...rest, html }, text: html };
  const file = resolve(call.io.cwd, output);
  const written = writeNamedFile(file, html);
  if (!written.ok) return failure([{ code: "file_unwritable", message: written.message, hint: written.hint }]);
  return { exit: 0, json: { success: true, ...rest, file }, text: `written: ${output}` };
}
