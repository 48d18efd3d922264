/** The check of the base case in a clean checkout, and the planner's answer to what fails in it. */
import { PLANNER_SCHEMA } from "../core/answer-schema.ts";
import { readPlannerAnswer, type PlannerAnswer } from "../core/answer.ts";
import { addAtoms } from "../core/decompose.ts";
import { attemptId, BASE_CASE, type Nogood } from "../core/event.ts";
import type { Run } from "../core/loop.ts";
import type { Read } from "../core/reading.ts";
import type { BaseCase, State } from "../core/state.ts";
import { confirmedItems } from "../core/persons-word.ts";
import { toArray } from "../core/vec.ts";
import {
  checkNodesOf,
  judge,
  type CheckNode,
  type ChecklistVerdict,
  type Leaf,
  type LeafResult,
  type LeafVerdict,
} from "../core/verdict.ts";
import { asAgreed, changedTests } from "./as-agreed.ts";
import { patiently, spent } from "./agent-call.ts";
import { ask, type AskOutcome } from "./ask.ts";
import { briefText } from "./brief.ts";
import { whereKept } from "./kept-lessons.ts";
import { tellWarnings, type EffectContext } from "./effect-context.ts";
import type { AgentRequest, Rerun, Verification, Workspace } from "./ports.ts";
import { plannerPrompt } from "./prompt.ts";
import { runAgain } from "./run-again.ts";

export async function checkBaseCase(context: EffectContext, signal: AbortSignal): Promise<void> {
  const { workspace, verifier } = context.ports;
  const changed = await workspace.tampered();
  if (changed.length > 0) return context.answer({ type: "tampered", files: changed });
  const { state } = context.stateNow();
  const { objective } = state;
  await learnTests(context, signal);
  const place = await workspace.checkout({ signal });
  try {
    if (signal.aborted) return context.answer({ type: "background_aborted" });
    if (place.tampered !== undefined && place.tampered.length > 0)
      return context.answer({ type: "tampered", files: place.tampered });
    if (place.failed !== undefined)
      return context.answer({
        type: "base_case_checked",
        verdict: undecidable(objective.base_case, place.failed),
        commit: place.commit,
      });
    tellLinks(context, place.links_out ?? []);
    const watch = watchChecks(context, place, signal);
    let last: Verification | null = null;
    const caller = { call: "judge", name: "the judge", several: true } as const;
    const outcome = await patiently(context, caller, signal, async (budget) =>
      asAnswer(
        (last = await (last?.resume?.(budget) ??
          verifier.verify(objective.base_case, place.dir, watch.signal, {
            after: watch.after,
            env: place.env,
            left: budget,
            brief: briefText(objective),
            confirmed: confirmedItems(state),
            objective,
          }))),
      ),
    );
    const checked = outcome.kind === "answered" ? outcome.value : last;
    if (checked === null) return context.answer({ type: "background_aborted", ...spent(outcome) });
    const { unavailable, asked }: Verification = checked;
    const often = await oftenEnough(context, checked.verdict, place, watch);
    const verdict = watch.tampered.length > 0 ? often : await withTestsAsAgreed(context, often, place, watch.signal);
    if (watch.tampered.length > 0) return context.answer({ type: "tampered", files: watch.tampered });
    const strayed = verdict.passed === true ? await place.strayed?.() : undefined;
    if (signal.aborted) return context.answer({ type: "background_aborted", ...spent(outcome) });
    // What ended the wait (a stop, a spent budget) ends the loop, not that the judge was away.
    const away = outcome.kind === "aborted" ? undefined : unavailable;
    context.answer({
      type: "base_case_checked",
      verdict,
      commit: place.commit,
      ...(strayed === undefined || strayed.length === 0 ? {} : { strayed: shortened(strayed) }),
      ...(place.tree === undefined ? {} : { tree: place.tree }),
      ...spent(outcome),
      ...(asked === undefined ? {} : { asked }),
      ...(away === undefined ? {} : { unavailable: away }),
    });
  } finally {
    await place.release();
  }
}

type Place = Awaited<ReturnType<Workspace["checkout"]>>;

/** Keeps one check from changing what the next one sees (SPEC section 6). */
interface CheckWatch {
  /** Aborted, too, as soon as a protected file was changed: nothing else counts then. */
  readonly signal: AbortSignal;
  /** Protected files that a check changed, each with the check. */
  readonly tampered: string[];
  after(leaf: Leaf, result: LeafResult): Promise<LeafResult>;
}

function watchChecks(context: EffectContext, place: Place, signal: AbortSignal): CheckWatch {
  const over = new AbortController();
  const tampered: string[] = [];
  return {
    signal: AbortSignal.any([signal, over.signal]),
    tampered,
    after: async (leaf, result) => {
      const found = await place.between?.();
      if (found === undefined) return result;
      const by = `the check ${JSON.stringify(leaf.item)}`;
      tampered.push(...found.tampered.map((file) => `${file} (changed by ${by})`));
      if (tampered.length > 0) over.abort();
      const stuck = shortened(found.stuck).join(", ");
      if (stuck !== "")
        return {
          passed: false,
          evidence: { kind: "error", message: `${by} changed ${stuck}, which cannot be put back` },
        };
      const files = shortened(found.put_back).join(", ");
      if (files !== "")
        context.send({
          event: "note",
          message: `${by} changed files of the commit, which were put back before the next one: ${files}`,
        });
      return result;
    },
  };
}

/** As often as luck could be the reason of what was answered (run-again.ts). */
async function oftenEnough(
  { ports: { verifier }, stateNow }: EffectContext,
  first: ChecklistVerdict,
  { tree, dir, env }: Place,
  { signal, after }: CheckWatch,
): Promise<ChecklistVerdict> {
  const { run, state } = stateNow();
  const grounds = { tree, trust: run.settings.trust ?? 0, answers: run.answers };
  const given = { env, after, objective: state.objective, how: "again" } as const;
  return await runAgain(first, grounds, async (some) => (await verifier.verify(some, dir, signal, given)).verdict);
}

/** As it was agreed (as-agreed.ts), and with what the work changed of that. */
async function withTestsAsAgreed(
  context: EffectContext,
  verdict: ChecklistVerdict,
  place: Place,
  signal: AbortSignal,
): Promise<ChecklistVerdict> {
  const { agreed } = place;
  if (agreed === undefined || signal.aborted) return verdict;
  const changed = await changedTests(agreed);
  const found = changed.length === 0 ? {} : { tests_changed: shortened(changed.map(({ path }) => path)) };
  if (verdict.passed !== true) return { ...verdict, ...found };
  const { verifier, workspace } = context.ports;
  const { run, state } = context.stateNow();
  const { objective } = state;
  const once = async (node: CheckNode, at: Pick<Place, "dir" | "env">, how?: Rerun): Promise<LeafResult> => {
    const alone = { checklist: [{ item: node.item, check: node.check }] };
    const { verdict: found } = await verifier.verify(alone, at.dir, signal, { env: at.env, how, objective });
    return checkNodesOf(found.checklist)[0] ?? node;
  };
  const tried = await asAgreed(verdict, changed, {
    files: agreed,
    objective,
    answers: run.answers,
    repeats: (run.settings.trust ?? 0) > 0,
    tests: verifier.tests,
    run: async (node, how) => {
      const result = await once(node, place, how);
      await place.between?.();
      return result;
    },
    runAligned: async (node) => {
      const then = await workspace.checkout({ signal, aligned: true });
      try {
        return then.failed === undefined ? await once(node, then) : null;
      } finally {
        await then.release();
      }
    },
  });
  return { ...tried, ...found };
}

function tellLinks({ send }: EffectContext, links: readonly string[]): void {
  if (links.length === 0) return;
  const files = shortened(links).join(", ");
  send({ event: "note", message: `links that lead out of the checkout, where no commit says what is there: ${files}` });
}

/**
 * What the tests were at the alignment is kept beside the loop, where an attempt can reach it. Where that is gone or was
 * changed they are run again at the aligned commit.
 */
async function learnTests({ ports, stateNow }: EffectContext, signal: AbortSignal): Promise<void> {
  const { objective } = stateNow().state;
  const { tests } = ports.verifier;
  const wanted = tests?.wanted(objective) ?? [];
  if (wanted.length === 0 || objective.aligned_commit === undefined) return;
  const { dir, env, commit, failed, release } = await ports.workspace.checkout({ signal, aligned: true });
  try {
    if (commit !== objective.aligned_commit || failed !== undefined || signal.aborted) return;
    await tests?.learn(objective, wanted, { dir, env, signal });
  } finally {
    await release();
  }
}

const MOST_NAMED = 20;

/** As many names as a message can hold, and how many more there are. */
function shortened(files: readonly string[]): readonly string[] {
  const more = files.length - MOST_NAMED;
  return more > 0 ? [...files.slice(0, MOST_NAMED), `${more} more`] : files;
}

/** A judge that is rate limited is waited for like any agent; then he goes on where he stopped. */
function asAnswer(checked: Verification): AskOutcome<Verification> {
  const { unavailable: reason, retry_after_ms } = checked;
  if (reason === undefined || retry_after_ms === undefined)
    return { kind: "answered", value: checked, ...spent(checked) };
  return { kind: "unavailable", reason, retry_after_ms, ...spent(checked) };
}

/** In a folder that is not as it must be no check says anything: not even one that would pass is taken for a pass. */
function undecidable(baseCase: BaseCase, message: string): ChecklistVerdict {
  return judge(baseCase, () => ({ passed: false, evidence: { kind: "error", message } }));
}

/** A plan that the state would refuse does not fit: it is asked for once more, as a person would be asked. */
function readPlan(state: State, now: string): Read<PlannerAnswer> {
  return (answer) => {
    const plan = readPlannerAnswer(answer);
    const added = plan.ok ? addAtoms(state, plan.value.atoms, plan.value.reason, now) : null;
    if (added === null || added.ok) return plan;
    const reasons = added.problems.map(({ message, hint }) => `${message} (${hint})`);
    return { ok: false, problem: `the plan cannot be taken up: ${reasons.join("; ")}` };
  };
}

/** Of attempts, oldest atom first. */
function failuresIn({ memory }: Run): readonly Nogood[] {
  return toArray(memory).flatMap(({ nogoods }) => nogoods.filter(({ attempt }) => attempt !== BASE_CASE));
}

export async function replan(
  context: EffectContext,
  failing: readonly LeafVerdict[],
  signal: AbortSignal,
): Promise<void> {
  const { planner, workspace } = context.ports;
  if (planner === null) return context.answer({ type: "replanned", atoms: [], reason: "there is no planner" });
  const { state, run } = context.stateNow();
  const place = await workspace.checkout({ set_up: false });
  try {
    const call = `planner.${attemptId(run.id, state.control.iteration)}`;
    const request: Omit<AgentRequest, "timeout_ms"> = {
      role: "planner",
      call,
      prompt: plannerPrompt({
        objective: state.objective,
        failing,
        atoms: toArray(state.atoms),
        nogoods: await whereKept(context, failuresIn(run)),
        plans: run.plans,
      }),
      bindings: {},
      nogoods: [],
      schema: PLANNER_SCHEMA,
      cwd: place.dir,
    };
    const outcome = await patiently(context, { call, name: "the planner" }, signal, (budget) =>
      ask(planner, { ...request, ...budget }, readPlan(state, context.ports.clock.now()), signal),
    );
    if (outcome.kind === "aborted") return context.answer({ type: "background_aborted", ...spent(outcome) });
    if (outcome.kind === "answered") tellWarnings(context, "the planner", outcome.value.warnings);
    if (outcome.kind === "answered")
      return context.answer({
        type: "replanned",
        atoms: outcome.value.atoms,
        reason: outcome.value.reason,
        ...spent(outcome),
      });
    const reason = `the planner gave no plan: ${outcome.reason}`;
    context.answer({
      type: "replanned",
      atoms: [],
      reason,
      ...spent(outcome),
      ...(outcome.kind === "unavailable" ? { unavailable: outcome.reason } : {}),
    });
  } finally {
    await place.release();
  }
}
