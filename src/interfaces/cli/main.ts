/**
 * Runs a command line: parses it, loads the one command, prints its answer (SPEC section 10).
 *
 * MAIN-1 with `--json` stdout holds exactly one JSON document, whatever happens;
 * MAIN-2 a person's mistake is answered with a sentence and the next step; only a defect of the program is called one.
 */
import { sep } from "node:path";
import { Interrupted, INTERRUPTED } from "../../command/interrupt.ts";
import { ReaderGone, type Io } from "../../command/io.ts";
import { parseCommand, type Parsed } from "./parse-command.ts";
import type { Answer, CommandSpec } from "../../command/spec.ts";
import { failureJson, Unusable, DEFECT_HINT } from "../../command/unusable.ts";
import { callOf } from "../../command/values.ts";
import { VERSION } from "../../command/version.ts";

/** Runs one command line. Never rejects. @returns the exit code */
export async function main(root: CommandSpec, argv: readonly string[], io: Io): Promise<number> {
  const end = argv.indexOf("--");
  const json = (end < 0 ? argv : argv.slice(0, end)).includes("--json");
  try {
    const parsed = parseCommand(root, argv, io.env);
    const answer = await answerTo(parsed, json, io);
    if (answer.isPrinted !== true) tell(json ? answer : await onScreen(answer, io), json, io);
    return answer.exit;
  } catch (error) {
    if (error instanceof ReaderGone) return 0;
    return defect(error, json, io);
  }
}

async function answerTo(parsed: Parsed, json: boolean, io: Io): Promise<Answer> {
  switch (parsed.kind) {
    case "version":
      return version();
    case "help":
      return help(parsed.command, parsed.path, json ? null : io);
    case "usage":
      return unusable(parsed.message, parsed.hint, parsed.path);
    case "run": {
      const { command, path } = parsed;
      try {
        const loaded = await (command.load ?? command.alone)?.();
        if (loaded === undefined) throw new Error(`${path.join(" ")} cannot be run`);
        return await loaded.run(callOf(parsed.values, json, io));
      } catch (error) {
        if (error instanceof Unusable) return unusable(error.message, error.hint, path);
        if (error instanceof Interrupted) return INTERRUPTED;
        throw error;
      }
    }
  }
}

/** @param io null: the help goes into a JSON document, so that no terminal matters */
async function help(command: CommandSpec, path: readonly string[], io: Io | null): Promise<Answer> {
  const { helpText } = await import("./help.ts");
  if (io === null || !(await io.isTerminal(1))) {
    const text = helpText(command, path);
    return { exit: 0, json: { help: text }, text };
  }
  const { sheetFor } = await import("./help-sheet.ts");
  return { exit: 0, json: {}, text: helpText(command, path, await sheetFor(io)) };
}

function version(): Answer {
  return { exit: 0, json: { version: VERSION }, text: VERSION };
}

function unusable(message: string, hint: string, path: readonly string[]): Answer {
  return {
    exit: 2,
    json: failureJson("usage", message, hint),
    text: "",
    trouble: `${message}\n  ${hint}\n  see \`${path.join(" ")} --help\``,
  };
}

/** On a terminal, trouble is shown in colours and with the lines of the file that it is about. */
async function onScreen(answer: Answer, io: Io): Promise<Answer> {
  if (answer.trouble === undefined || !(await io.isTerminal(2))) return answer;
  const { troubleOnScreen } = await import("./screen-trouble.ts");
  return { ...answer, trouble: await troubleOnScreen(answer, answer.trouble, io) };
}

/** If stdout's reader is gone (`aot run | head -1`), the answer is lost and its exit code stays. */
function tell(answer: Answer, json: boolean, io: Io): void {
  try {
    print(answer, json, io);
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error;
  }
}

function print(answer: Answer, json: boolean, io: Io): void {
  for (const note of answer.notes ?? []) io.err(`${note}\n`);
  if (json) io.out(`${JSON.stringify(answer.json)}\n`);
  else if (answer.text !== "") io.out(answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`);
  if (!json && answer.trouble !== undefined) io.err(`${fromHere(answer.trouble, io.cwd)}\n`);
}

/** Writes paths below the current folder relative to it. */
function fromHere(text: string, cwd: string): string {
  if (cwd.length < 2) return text;
  // Only where a path begins: /b/a/file is not below /a.
  return text
    .split(`${cwd}${sep}`)
    .reduce((so, rest) => (so === "" || /[\s"'(`]$/.test(so) ? `${so}${rest}` : `${so}${cwd}${sep}${rest}`));
}

/** Exit code of a defect (EX_SOFTWARE). */
const DEFECT_EXIT = 70;

/** Reports a defect of the program (MAIN-1 and MAIN-2). @returns the exit code */
function defect(error: unknown, json: boolean, io: Pick<Io, "env" | "err" | "out">): number {
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? message) : message;
  const debug = io.env["AOT_DEBUG"] !== undefined && io.env["AOT_DEBUG"] !== "";
  io.err(debug ? `${stack}\n` : `aot: unexpected: ${message}\n  ${DEFECT_HINT}\n`);
  const document = failureJson("defect", message, DEFECT_HINT);
  try {
    if (json) io.out(`${JSON.stringify(document)}\n`);
  } catch {
    // Stdout itself is broken: stderr has the message.
  }
  return DEFECT_EXIT;
}
