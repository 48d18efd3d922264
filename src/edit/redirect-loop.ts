/**
 * `aot redirect` (SPEC section 8): a running loop is asked to change course, a halted one is changed in its file.
 *
 * A revert that the redirect asks for cannot be done without a workspace: it is noted in the journal, and the
 * next run takes the work out before it starts. The note is on disk before the state file is written, and counts once
 * the state file says that the redirect was made (core/lost-work.ts): a redirect is made with its revert, or not at all.
 */
import { openJournal } from "../adapters/store/journal.ts";
import { ownerOf } from "../adapters/store/owner.ts";
import { editStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { redirectByHand, type RedirectedByHand } from "../core/apply-redirect.ts";
import type { Spent } from "../core/fuel.ts";
import { changesOf, isPatient, type Redirect } from "../core/redirect.ts";
import type { State } from "../core/state.ts";
import type { Touched } from "../core/touched.ts";
import type { Engines } from "../history/extensions.ts";
import { appendByHand, runnerRefusal } from "./edit-loop.ts";
import { askRunner } from "../project/ask-runner.ts";
import { agentRefusal } from "../project/agent-restrictions.ts";
import { sessionOwnerOf } from "../project/session-owner.ts";
import { readRedirect } from "../statefile/read-redirect.ts";
import { targetOf } from "../host/atomic-write.ts";
import { isoNow } from "../host/clock.ts";
import { loopPaths } from "../host/loop-paths.ts";

export interface RedirectDone {
  readonly description: string;
  /** `runner`: a live run applied it; `file`: it is in the state file; `engine`: the engine that works the loop has it. */
  readonly via: "runner" | "file" | "engine";
  /** Atoms whose work the next run takes out. */
  readonly revert: readonly string[];
  readonly notes: readonly string[];
}

/** A run first lets the work land that it is integrating; attempts that are to end first take as long as they take. Milliseconds. */
const ANSWER_MS = 60_000;

export async function redirectLoop(
  stateFile: string,
  request: Redirect,
  engines: Engines,
): Promise<Result<RedirectDone>> {
  const own = agentRefusal(stateFile);
  if (own !== null) return own;
  const fits = readRedirect(request);
  if (!fits.ok) return fits;
  const redirect = fits.value;
  if (runnerOf(stateFile) !== null) {
    const answer = await askRunner(
      stateFile,
      { kind: "redirect", redirect },
      isPatient(redirect) ? Infinity : ANSWER_MS,
    );
    if (answer.kind === "answered")
      return accepted({ description: answer.message, via: "runner", revert: [], notes: [] });
    if (answer.kind === "refused") return { ok: false, problems: answer.problems };
    if (answer.kind === "unanswered" || runnerOf(stateFile) !== null) return refused(answer.message, answer.hint);
  }
  const read = await readStateFile(stateFile);
  const owner = read.ok ? ownerOf(read.value.state) : null;
  if (owner === null) return redirectFile(stateFile, redirect);
  const reported = await engines.steer(owner, { kind: "redirect", redirect });
  return reported.ok ? accepted({ description: reported.value, via: "engine", revert: [], notes: [] }) : reported;
}

/** Only a session can end its own agents. */
function sessionNotes(stateFile: string, state: State, { atoms }: Touched): readonly string[] {
  const owner = sessionOwnerOf(stateFile, state);
  const works = owner?.standing === "at_work" || owner?.standing === "untold";
  if (owner === null || !works || state.control.redirect_requested) return [];
  const at = `session ${owner.session} is working on it`;
  return atoms.length === 0
    ? [`${at}: its agents go on, nothing that they work on has changed`]
    : [
        `${at}, and this changes what it works on (${atoms.join(", ")}): end those agents there with /aot-loop:redirect`,
      ];
}

/** What a new limit has to hold already; undefined: the redirect sets none. */
export async function spentBefore(stateFile: string, redirect: Redirect): Promise<Spent | undefined> {
  if (!changesOf(redirect).some(({ kind }) => kind === "limit")) return undefined;
  const { recallLoop } = await import("../history/recall-loop.ts");
  const { cost_usd, active_ms, attempts } = recallLoop(stateFile).memory;
  return { cost_usd, active_ms, attempts: (atom) => attempts[atom] ?? 0 };
}

/** Those of the atoms that may have work in the integration branch; before any run there is none. */
async function integratedOf(stateFile: string, before: State, ids: readonly string[]): Promise<readonly string[]> {
  const { recallLoop } = await import("../history/recall-loop.ts");
  const settled = new Set([...recallLoop(stateFile).settled].map((attempt) => attempt.replace(/\.\d+$/, "")));
  const resolved = new Set(before.atoms.flatMap(({ id, status }) => (status === "resolved" ? [id] : [])));
  return ids.filter((id) => settled.has(id) || resolved.has(id));
}

async function redirectFile(stateFile: string, redirect: Redirect): Promise<Result<RedirectDone>> {
  let done: RedirectedByHand | undefined;
  const spent = await spentBefore(stateFile, redirect);
  const announce = (): Result<null> => {
    if (done === undefined || done.ahead.length === 0) return accepted(null);
    const journal = openJournal(loopPaths(targetOf(stateFile)).journal);
    if (!journal.ok) return journal;
    const written = journal.value.append(done.ahead);
    journal.value.close();
    return written;
  };
  const edited = await editStateFile(
    stateFile,
    (document) => {
      const busy = runnerRefusal(stateFile);
      if (busy !== null) return busy;
      // Reported by its time: what was announced for another content of the file does not count.
      const applied = redirectByHand(document.state, redirect, isoNow(), spent);
      if (!applied.ok) return applied;
      done = applied.value;
      return accepted(applied.value.state);
    },
    { what: `redirect ${redirect.kind}`, ahead: announce },
  );
  if (!edited.ok) return edited;
  if (done === undefined) throw new Error("the redirect was not applied");
  const { description, lines, touched } = done;
  const { before, after } = edited.value;
  const revert = done.revert.length === 0 ? [] : await integratedOf(stateFile, before, done.revert);
  const failed = appendByHand(stateFile, lines);
  const notes = [
    ...failed,
    ...(revert.length === 0 ? [] : [`the next run takes out what ${revert.join(", ")} had integrated`]),
    ...sessionNotes(stateFile, after, touched),
  ];
  return accepted({ description, via: "file", revert, notes });
}
