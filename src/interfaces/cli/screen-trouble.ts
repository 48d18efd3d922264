/** Why a command failed, as this terminal shows it. */
import { fold } from "../../terminal/fold.ts";
import type { Io } from "../../command/io.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { problemText, type ProblemJson } from "../../command/problem-text.ts";
import { screenOf, type Screen } from "../../terminal/screen.ts";
import type { Answer } from "../../command/spec.ts";
import { resolve } from "node:path";
import { readText } from "../../host/regular-file.ts";
import { printable } from "../../view/words.ts";
import { clip, widthOf } from "../../terminal/clip.ts";

/** @param plain the trouble as text, which stays as it is where the answer is not just a list of problems */
export async function troubleOnScreen(answer: Answer, plain: string, io: Io): Promise<string> {
  const screen = screenOf(process.stderr);
  return fold(await inColours(answer, plain, io, screen), screen.columns);
}

async function inColours(answer: Answer, plain: string, io: Io, screen: Screen): Promise<string> {
  const { errors } = answer.json as { readonly errors?: readonly ProblemJson[] };
  if (!Array.isArray(errors) || errors.length === 0) return plain;
  const reported = (errors as readonly ProblemJson[]).map(problemText).join("\n");
  const more = plain.slice(reported.length);
  // The text says more than the list of problems.
  if (!plain.startsWith(reported) || !/^(?:\n {2}see `[^\n]*)?$/.test(more)) return plain;
  const look = { cwd: io.cwd, paint: await painterFor(io, 2), screen };
  return `${troubleText(errors as readonly ProblemJson[], look)}${more}`;
}

interface TroubleLook {
  readonly cwd: string;
  readonly paint: Painter;
  readonly screen: Screen;
}

/** More problems than this scroll the first ones away. */
const MOST_PROBLEMS = 8;

/** @param problems at least one */
function troubleText(problems: readonly ProblemJson[], look: TroubleLook): string {
  const shown = problems.slice(0, MOST_PROBLEMS).map((problem) => problemOnScreen(problem, look));
  const left = problems.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [look.paint("dim", `and ${left} more; --json has them all`)])].join("\n");
}

function problemOnScreen({ message, file, line, column, field, found, hint }: ProblemJson, look: TroubleLook): string {
  const { paint } = look;
  const named = field === undefined || message.includes(field) ? "" : `${field}: `;
  const quoted = found === undefined || found === "" || message.includes(found) ? "" : ` (found ${found})`;
  const place =
    file === undefined
      ? []
      : [`  at ${paint("cyan", harmless([file, line, column].filter((part) => part !== undefined).join(":")))}`];
  const excerpt =
    file === undefined || line === undefined ? [] : excerptOf(resolve(look.cwd, file), line, column ?? 1, look);
  const next = hint === undefined ? [] : [`  ${paint("bold", "next:")} ${harmless(hint)}`];
  return [`${paint("red", "error:")} ${harmless(`${named}${message}${quoted}`)}`, ...place, ...excerpt, ...next].join(
    "\n",
  );
}

/** The line that a problem is about, with a mark below the place. Empty: it cannot be read. */
function excerptOf(path: string, line: number, column: number, { paint, screen }: TroubleLook): readonly string[] {
  const text = lineIn(path, line);
  if (text === null || text.trim() === "") return [];
  const gutter = `${line} | `.padStart(8);
  const room = screen.columns - 1 - gutter.length;
  const before = widthOf(harmless(text.slice(0, column - 1)));
  const mark = before < room ? [`${paint("dim", "| ".padStart(8))}${" ".repeat(before)}${paint("red", "^")}`] : [];
  return [`${paint("dim", gutter)}${clip(harmless(text), room)}`, ...mark];
}

/** Larger files are not read for an excerpt. */
const MOST_BYTES = 4 * 1024 * 1024;

function lineIn(path: string, line: number): string | null {
  try {
    return readText(path, MOST_BYTES).split(/\r?\n/)[line - 1] ?? null;
  } catch {
    return null;
  }
}

/** Text from files must not control the terminal. */
function harmless(text: string): string {
  return printable(text).replaceAll("\t", " ").replaceAll("\n", "\n  ");
}
