/**
 * A run that an engine hosts (SPEC section 13): handed over or taken up where the engine has it, looked at until it halts,
 * and reported as `aot run` tells its own.
 */
import { ownerOf, type Owner } from "../adapters/store/owner.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { withoutCredentials } from "../adapters/workspace/credentials.ts";
import { lineRefs } from "../adapters/workspace/integration-line.ts";
import { safeName } from "../adapters/workspace/workspace-name.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { isKnown } from "../core/decode-line.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { EXIT_CODES, type Outcome } from "../core/state.ts";
import type { LoopView } from "../loop/engine.ts";
import type { RunEnd, RunWatch } from "../run/options.ts";
import { reportOf, type RunReport } from "../run/report.ts";
import { createStory, type RunStory } from "../history/run-story.ts";
import { ownName } from "../host/atomic-write.ts";
import { loopName } from "../run/place.ts";
import { asking } from "./client.ts";
import { followEngine } from "./follow.ts";
import { pullFrom, requestOf } from "./owned-loop.ts";
import { submitLoop, type SubmitOptions } from "./submit-loop.ts";

export interface HostedRun {
  readonly owner: Owner;
  readonly place: string;
  readonly message: string;
  /** Journal lines that there were before. */
  readonly from: number;
}

export interface HostedWatch extends Pick<RunWatch, "line"> {
  /** Called when the engine is away, and when it is back. */
  say?(message: string): void;
}

/**
 * Hands the loop over; one that this engine has already goes on there, with what it was handed over with.
 * Refused as `submitLoop`, and when the engine does not take it up.
 * @param confirmed a person's yes to assertions that were judged true
 */
export async function beginHosted(request: SubmitOptions, confirmed: boolean): Promise<Result<HostedRun>> {
  const { stateFile, engine } = request;
  const read = await readStateFile(stateFile);
  const owner = read.ok ? ownerOf(read.value.state) : null;
  if (!read.ok || owner === null || owner.engine !== engine.name) return await handedOver(request);
  const asked = await asking(() => engine.view(owner.loop));
  if (!asked.ok) return asked;
  // Marked as handed over, and cut off before the engine had it (SUBMIT-LOOP-1).
  if (asked.value === null) return await handedOver(request);
  const { lines, state } = asked.value;
  const { outcome } = state.control;
  const line = loopName(loopPaths(ownName(stateFile)), read.value.state, false);
  const place = placeOf(line.ok ? lineRefs(safeName(line.value)).branch : "its integration branch", request);
  if (outcome === "verified") return refused("the loop is completed", "align the next goal with `aot align`");
  if (outcome == null) return accepted({ owner, place, from: lines, message: `${owner.loop} is running there` });
  const kind = outcome === "needs_confirmation" && confirmed ? "approve" : "resume";
  const taken = await requestOf(engine, owner.loop, { kind });
  if (!taken.ok) return taken;
  const message = `${owner.loop}: ${taken.value}, with what it was handed over with`;
  return accepted({ owner, place, from: lines, message });
}

async function handedOver(request: SubmitOptions): Promise<Result<HostedRun>> {
  const done = await submitLoop(request);
  if (!done.ok) return done;
  const { owner, branch, message } = done.value;
  return accepted({ owner, place: placeOf(branch, request), message, from: 0 });
}

function placeOf(branch: string, { remote }: SubmitOptions): string {
  const shown = withoutCredentials(remote);
  return `its work is ${branch} of ${shown}: git fetch ${shown} ${branch}`;
}

/** `null`: watching ended before the loop did. */
export type HostedEnd = RunEnd | null;

/**
 * Looks on until the loop halts, and brings the state file up to date.
 * @param reported so many lines of the journal are known to `watch`
 */
export async function followHosted(
  { engine, stateFile }: Pick<SubmitOptions, "engine" | "stateFile">,
  { owner, place, from }: HostedRun,
  watch: HostedWatch,
  { signal, reported = from }: { readonly signal: AbortSignal; readonly reported?: number },
): Promise<HostedEnd> {
  const story = createStory("newest_run");
  const pull = (): Promise<Result<unknown>> => pullFrom(engine, owner, stateFile);
  const view = keepView(pull);
  const say = (message: string): void => watch.say?.(message);
  const followed = await asking(async () => {
    let seen = 0;
    let halted: LoopView | null = null;
    for await (const batch of followEngine(engine, owner.loop, { signal, from, say })) {
      halted = batch.view;
      for (const line of batch.lines) {
        const isNew = seen++ >= reported;
        story.read(line);
        if (isNew && isKnown(line)) watch.line(line);
      }
      view.look(batch.lines.length > 0);
    }
    return halted;
  });
  if (signal.aborted) return null;
  await view.settled();
  if (!followed.ok) return { ok: false, exit_code: 1, problems: followed.problems };
  if (followed.value === null) {
    const { problems } = refused(`${owner.engine} has no loop ${owner.loop}`, "submit it again with `aot submit`");
    return { ok: false, exit_code: 1, problems };
  }
  const { outcome } = followed.value.state.control;
  if (outcome === undefined || outcome === null) return null;
  const pulled = await pull();
  const report = hostedReport(followed.value, outcome, story.now(), place);
  const notes = pulled.ok ? report.notes : [...report.notes, ...pulled.problems.map(({ message }) => message)];
  return { ok: true, exit_code: EXIT_CODES[outcome], report: { ...report, notes } };
}

function hostedReport({ state, cost_usd }: LoopView, outcome: Outcome, story: RunStory, place: string): RunReport {
  const { runs, last, newest, tokens, checked } = story;
  return reportOf(state, story, {
    outcome,
    cost_usd,
    tokens,
    active_ms: newest.earlier_ms + last - (runs.at(-1)?.from ?? last),
    verdict: checked?.verdict ?? null,
    commit: checked?.commit ?? null,
    earlier: [],
    place,
    merged: false,
  });
}

const PULL_EVERY_MS = 1_000;

/** Keeps the state file up to date with the hosted loop. */
function keepView(pull: () => Promise<unknown>): { look(isNew: boolean): void; settled(): Promise<unknown> } {
  let [isDue, isPulling, at] = [false, false, performance.now()];
  let pulled: Promise<unknown> = Promise.resolve();
  return {
    look(isNew) {
      isDue ||= isNew;
      if (!isDue || isPulling || performance.now() - at < PULL_EVERY_MS) return;
      [isDue, isPulling, at] = [false, true, performance.now()];
      // What fails now is tried again behind the next line, and reported at the end.
      pulled = pull()
        .catch(() => undefined)
        .finally(() => (isPulling = false));
    },
    settled: () => pulled,
  };
}
