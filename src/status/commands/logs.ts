/** `aot logs`: what happened, from the loop's journal; with an atom, what an agent or a check printed (SPEC section 10). */
import { existsSync } from "node:fs";
import { isKnown } from "../../core/decode-line.ts";
import { atomOf, type AnyLine } from "../../core/journal-line.ts";
import { checkNodesOf, isMechanical } from "../../core/verdict.ts";
import { ownerOf, type Owner } from "../../adapters/store/owner.ts";
import { runnerOf } from "../../adapters/store/run-lock.ts";
import { readStateFile } from "../../adapters/store/state-file.ts";
import { attemptsOf, logNames, readAttemptLog } from "../../history/attempt-work.ts";
import { followLog, journalOf, readLog, type LogFilter, type LogView, type LoopLog } from "../../history/loop-log.ts";
import type { Engines } from "../../history/extensions.ts";
import { accepted, refused, type Problem, type Refused, type Result } from "../../core/problem.ts";
import type { Call } from "../../command/call.ts";
import { clockOf, describeEvent, type EventWords } from "../../terminal/event-text.ts";
import { fold } from "../../terminal/fold.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { attemptOf } from "./named-attempt.ts";
import { noLoop } from "./no-loop.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { screenOf } from "../../terminal/screen.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf, type NamedFile } from "../../command/state-file.ts";
import { failure } from "../../command/problem-text.ts";
import { Unusable } from "../../command/unusable.ts";
import { cut } from "../../loop/prompt-text.ts";
import { evidenceWords } from "../../view/evidence.ts";
import { printable } from "../../view/words.ts";

type Describe = (line: AnyLine) => EventWords;

/** @param describe says what a line means, of any kind of loop */
export const logsWith =
  (engines: Engines, describe: Describe): Run =>
  async (call) => {
    const file = stateFileOf(call);
    const atom = call.arg("atom");
    const last = call.number("last");
    const read = await readStateFile(file.path);
    const owner = read.ok ? ownerOf(read.value.state) : null;
    if (atom !== undefined && !call.isSet("follow") && !call.isSet("events"))
      return owner === null ? await printed(call, file, atom) : failure(printedElsewhere(atom).problems);
    if (call.arg("attempt") !== undefined)
      throw new Unusable("--events and --follow show all attempts of an atom", "leave out the attempt's number");
    const filter: LogFilter = { ...(atom === undefined ? {} : { atom }), ...(last === undefined ? {} : { last }) };
    if (call.json && call.isSet("follow"))
      throw new Unusable("--follow and --json exclude each other: one document never ends", "leave one of them out");
    if (owner !== null) return await hosted(call, owner, filter, engines);
    if (call.isSet("follow") && !existsSync(journalOf(file.path))) {
      const missing = await noLoop(call, file);
      if (missing !== null) return missing;
    }
    if (call.isSet("follow"))
      return await follow(call, filter, describe, async (view, signal) => {
        const before: LogView["before"] = (log) => {
          view.before(log);
          if (runnerOf(file.path) === null) call.io.err(WAITING);
        };
        const each: LogView["each"] = (line) => {
          view.each(line);
          if (line.event === "run_ended") call.io.err(WAITING);
        };
        await followLog(file.path, filter, each, { signal, before });
        return accepted(null);
      });
    const log = await readLog(file.path, filter);
    const missing = log.lines.length === 0 ? await noLoop(call, file) : null;
    if (missing !== null) return missing;
    const notes = notesOf(log);
    if (call.json) return { exit: 0, json: { success: true, ...log }, text: "", notes };
    return { exit: 0, json: {}, text: linesText(log.lines, await readerOf(call, describe), filter), notes };
  };

function printedElsewhere(atom: string): Refused {
  return refused("this loop runs on an engine, which keeps its logs", `\`aot loops logs ${atom}\``);
}

/** What an attempt's agent, or a check, printed. @param name an atom, an attempt or a log */
async function printed(call: Call, file: NamedFile, name: string): Promise<Answer> {
  const missing = await noLoop(call, file);
  if (missing !== null) return missing;
  const names = logNames(file.path);
  const number = call.arg("attempt");
  const found = names.includes(name) ? accepted({ attempt: name }) : attemptOf(attemptsOf(file.path), name, number);
  const there = names.length === 0 ? [] : [`logs that are there: ${names.slice(0, MOST_NAMES).join(", ")}`];
  if (!found.ok) return failure(number === undefined ? hinted(found.problems, there) : found.problems);
  const { attempt } = found.value;
  const part = readAttemptLog(file.path, attempt, -1);
  if (part === null) {
    const why = "it printed nothing yet, or its log was removed to make space";
    return failure(refused(`there is no log of ${attempt}`, [why, ...there].join("; ")).problems);
  }
  const last = call.number("last");
  const text = last === undefined ? part.text : newestLines(part.text, last);
  const notes = part.skipped === 0 ? [] : [`the first ${part.skipped} bytes are not shown`];
  return { exit: 0, json: { success: true, attempt, text, skipped: part.skipped }, text: printable(text), notes };
}

/** Names of logs in a hint, the newest first. */
const MOST_NAMES = 20;

function hinted(problems: readonly Problem[], there: readonly string[]): readonly Problem[] {
  return problems.map((one) => ({ ...one, hint: [one.hint, ...there].join("; ") }));
}

function newestLines(text: string, count: number): string {
  return text
    .split(/(?<=\n)/)
    .slice(-count)
    .join("");
}

const WAITING = "no run is under way: the next one is shown here (Ctrl-C leaves)\n";

function notesOf({ skipped }: LoopLog): string[] {
  return skipped > 0 ? [`${skipped} lines of the journal cannot be read`] : [];
}

async function hosted(call: Call, owner: Owner, filter: LogFilter, engines: Engines): Promise<Answer> {
  const { err } = call.io;
  if (call.isSet("follow"))
    return await follow(call, filter, describeEvent, (view, signal) =>
      engines.followLog(owner, filter, view, { signal, say: (text) => err(`${text}\n`) }),
    );
  const log = await engines.readLog(owner, filter);
  if (!log.ok) return failure(log.problems);
  if (call.json) return { exit: 0, json: { success: true, ...log.value }, text: "" };
  return { exit: 0, json: {}, text: linesText(log.value.lines, await readerOf(call, describeEvent), filter) };
}

/** A closed pipe (`| head`) is noticed at the next line: Node reports it only when something is written. */
async function follow(
  call: Call,
  filter: LogFilter,
  describe: Describe,
  show: (view: LogView, signal: AbortSignal) => Promise<Result<null>>,
): Promise<Answer> {
  const { out, err } = call.io;
  const reader = await readerOf(call, describe);
  const view: LogView = {
    each: (line) => out(`${logLine(line, reader)}\n`),
    before: (log) => {
      for (const note of notesOf(log)) err(`${note}\n`);
      if (log.lines.length > 0) out(`${linesText(log.lines, reader, filter)}\n`);
    },
  };
  const shown = await untilInterrupted(call.io, (signal) => show(view, signal));
  return shown.ok ? { exit: 0, json: {}, text: "" } : failure(shown.problems);
}

const ATOM_WIDTH = 8;

/** How lines are shown: on a terminal in colour, broken between words. */
interface Reader {
  readonly describe: Describe;
  readonly paint: Painter;
  /** The terminal's present width; Infinity: not a terminal. */
  readonly columns: () => number;
}

async function readerOf(call: Call, describe: Describe): Promise<Reader> {
  const terminal = await call.io.isTerminal(1);
  return {
    describe,
    paint: await painterFor(call.io),
    columns: () => (terminal ? screenOf(process.stdout).columns : Infinity),
  };
}

function linesText(lines: readonly AnyLine[], reader: Reader, { atom }: LogFilter): string {
  if (lines.length > 0) return lines.map((line) => logLine(line, reader)).join("\n");
  return atom === undefined ? "nothing happened yet" : `the journal says nothing of an atom ${atom}`;
}

function logLine(line: AnyLine, { describe, paint, columns }: Reader): string {
  const { text, style } = describe(line);
  const iteration = String(line.iteration ?? "").padStart(3);
  const head = `${clockOf(line.time)} ${iteration}  ${atomOf(line).padEnd(ATOM_WIDTH)}`;
  const said = [`${paint("dim", head)} ${style === undefined ? text : paint(style, text)}`, ...judgedLines(line)];
  return fold(said.join("\n"), columns());
}

/** Characters of what judges said at one verdict. */
const LONGEST_JUDGEMENT = 8_000;

/** A judge's whole answer: the average, or a yes, says nothing of what it saw. */
function judgedLines(line: AnyLine): readonly string[] {
  if (!isKnown(line) || line.event !== "base_case_checked") return [];
  const said = checkNodesOf(line.verdict.checklist).flatMap(({ item, check, evidence }) => {
    const { words, lines } = evidenceWords(evidence);
    return isMechanical(check) ? [] : [`${item}: ${words}`, ...lines.split("\n").map((one) => `  ${one}`)];
  });
  return said.length === 0
    ? []
    : cut(said.join("\n"), LONGEST_JUDGEMENT)
        .split("\n")
        .map((one) => `    ${printable(one)}`.trimEnd());
}
