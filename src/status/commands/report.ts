import { resolve } from "node:path";
import { writeNamedFile } from "../../host/atomic-write.ts";
import type { Engines } from "../../history/extensions.ts";
import { loopReport } from "../loop-report.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

/** `aot report`. @param fallback the file's name where `--output` says none */
export const reportWith =
  (engines: Engines, fallback: string): Run =>
  async (call) => {
    const named = stateFileOf(call);
    const made = await loopReport(named.path, engines);
    if (!made.ok) return failure(made.problems, named.shown);
    const { html, ...rest } = made.value;
    const output = call.text("output") ?? fallback;
    if (output === "-") return { exit: 0, json: { success: true, ...rest, html }, text: html };
    const file = resolve(call.io.cwd, output);
    const written = writeNamedFile(file, html);
    if (!written.ok) return failure([{ code: "file_unwritable", message: written.message, hint: written.hint }]);
    return { exit: 0, json: { success: true, ...rest, file }, text: `written: ${output}` };
  };
