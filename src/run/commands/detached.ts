/** `aot run --detach` and `aot phases run --detach`: this command line once more, without a terminal (SPEC section 8). */
import {
  DETACHED_VARIABLE,
  detachRun,
  wordsOfLastRun,
  writeDetached,
  type DetachedEnd,
  type Detaching,
} from "../detach.ts";
import { looks } from "../../history/follow.ts";
import { isoNow } from "../../host/clock.ts";
import { readOwnFile } from "../../host/regular-file.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import { LOOP_TERMS, type RunTerms } from "./terms.ts";
import type { Io } from "../../command/io.ts";
import { projectOf } from "../../project/find-state-file.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";

export async function detached(call: Call, file: NamedFile, terms: RunTerms): Promise<Answer> {
  const { io } = call;
  const [script = "", ...words] = process.argv.slice(1);
  const args = [...process.execArgv, script, ...withoutTerminal(words)];
  const busy_hint = `\`${terms.attach}\` follows it, \`${terms.stop}\` ends it`;
  const launch = { command: process.execPath, args, cwd: io.cwd, env: io.env, busy_hint };
  const done = await detachRun(file.path, launch, isoNow());
  const page = call.isSet("dashboard") && done.kind === "started" ? await addressIn(done.record.log) : null;
  return answerTo(done, file, terms, page);
}

/** The loop taken up in the background, as it was run last. @param place of whoever asks for it */
export async function resumed(file: NamedFile, { env }: Pick<Io, "cwd" | "env">): Promise<Answer> {
  const [script = ""] = process.argv.slice(1);
  const args = [...process.execArgv, script, "run", "--state-file", file.path, ...wordsOfLastRun(file.path)];
  const launch = { command: process.execPath, args, cwd: projectOf(file.path), env };
  return answerTo(await detachRun(file.path, launch, isoNow()), file, LOOP_TERMS, null);
}

/** What follows `--` is no flag. */
function withoutTerminal(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  const flags = end < 0 ? words : words.slice(0, end);
  return [...flags.filter((word) => word !== "--detach" && word !== "--json"), ...(end < 0 ? [] : words.slice(end))];
}

const ADDRESS_MS = 10_000;

/** The page's address, which the run says in its log. Null: it said none in time. */
async function addressIn(log: string): Promise<string | null> {
  for await (const _ of looks(AbortSignal.timeout(ADDRESS_MS), 50)) {
    const [, address] = /\bdashboard: (http:\/\/\S+)/.exec(readOwnFile(log) ?? "") ?? [];
    if (address !== undefined) return address;
  }
  return null;
}

function answerTo(
  done: Detaching,
  file: NamedFile,
  { what, attach, status, stop }: RunTerms,
  dashboard: string | null,
): Answer {
  if (done.kind === "refused") return { ...failure(done.problems, file.shown), exit: 1 };
  if (done.kind === "ended") return endAnswer(done.end);
  const { pid, log } = done.record;
  const next_step = `follow it with \`${attach}\`, look at it with \`${status}\`, end it with \`${stop}\``;
  return {
    exit: 0,
    json: { success: true, started: true, pid, log, state_file: file.path, ...(dashboard && { dashboard }), next_step },
    text: `${what} is running, pid ${pid}\n  log: ${log}\n${dashboard === null ? "" : `  dashboard: ${dashboard}\n`}  ${next_step}`,
  };
}

/** What the run itself answered. */
export function endAnswer({ exit_code, document, text, trouble }: DetachedEnd): Answer {
  return { exit: exit_code, json: document, text, ...(trouble === undefined ? {} : { trouble }) };
}

/** Whether this process is such a run. Its agents are not: whatever they start writes no record. */
export function isDetached(): boolean {
  const { [DETACHED_VARIABLE]: mark } = process.env;
  delete process.env[DETACHED_VARIABLE];
  return mark !== undefined && mark !== "";
}

/** Works the run. A detached one keeps its status where `aot attach` finds it. */
export async function recorded(
  inBackground: boolean,
  { path }: NamedFile,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (!inBackground) return await work();
  const begun = { pid: process.pid, started_at: isoNow() };
  writeDetached(path, begun);
  const answer = await work();
  const { exit, json, text, trouble } = answer;
  const end = { ended_at: isoNow(), exit_code: exit, document: json, text };
  writeDetached(path, { ...begun, end: { ...end, ...(trouble === undefined ? {} : { trouble }) } });
  return answer;
}
