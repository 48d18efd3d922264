/** Checks the base case (the goal's completion criteria) in a clean checkout. */
import { redsUnknown } from "../core/believed.ts";
import { judgedOn } from "../core/judged.ts";
import { confirmedItems } from "../core/persons-word.ts";
import type { BaseCase, Check } from "../core/state.ts";
import { withAnswered, type Answers } from "../core/tree-answers.ts";
import { checkNodesOf, judge, leavesOf, type ChecklistVerdict, type Leaf, type LeafResult } from "../core/verdict.ts";
import { patiently, spent } from "./agent-call.ts";
import { asAgreed, changedTests, whyNotAsAgreed, type AgreedRule, type ChangedFile } from "../verdict/as-agreed.ts";
import { whyBlind } from "../verdict/blind.ts";
import { withCause } from "../verdict/cause.ts";
import { suppressionsAdded } from "../verdict/suppressions.ts";
import { whyUnnamed } from "../verdict/unnamed.ts";
import type { AskOutcome } from "./ask.ts";
import { briefText } from "./brief.ts";
import type { Before, EffectContext } from "./effect-context.ts";
import type { Checkout, Verification } from "./ports.ts";
import { runAgain } from "./run-again.ts";
import { redsBefore } from "./spare-reds.ts";

export async function checkBaseCase(context: EffectContext, signal: AbortSignal): Promise<void> {
  const { workspace, verifier } = context.ports;
  const { state, run } = context.stateNow();
  const { objective } = state;
  await learnTests(context, signal);
  const place = await workspace.checkout({ signal });
  try {
    if (signal.aborted) return context.answer({ type: "background_aborted", call: "check" });
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
    const outcome = await patiently(context, JUDGE, signal, async (budget) =>
      asAnswer(
        (last = await (last?.resume?.(budget) ??
          verifier.verify(objective.base_case, place.dir, watch.signal, {
            after: watch.after,
            env: place.env,
            left: budget,
            brief: briefText(objective),
            since: place.agreed,
            confirmed: confirmedItems(state),
            judged: (leaf) => judgedOn(run.judged, place.tree, leaf),
            objective,
          }))),
      ),
    );
    const checked = outcome.kind === "answered" ? outcome.value : last;
    if (checked === null) return context.answer({ type: "background_aborted", call: "check", ...spent(outcome) });
    const { unavailable, asked }: Verification = checked;
    const { verdict: found, before } = await held(context, checked.verdict, place, watch);
    const { verdict, commit } = await asHanded(context, found, place, watch);
    if (watch.tampered.length > 0) return context.answer({ type: "tampered", files: watch.tampered });
    const strayed = verdict.passed === true ? await place.strayed?.(objective.base_case) : undefined;
    if (signal.aborted) return context.answer({ type: "background_aborted", call: "check", ...spent(outcome) });
    // If a stop or a spent budget ended the wait, that ends the loop, and not the judge's rate limit.
    const away = outcome.kind === "aborted" ? undefined : unavailable;
    context.answer({
      type: "base_case_checked",
      verdict,
      commit,
      ...(strayed === undefined || strayed.length === 0 ? {} : { strayed: shortened(strayed) }),
      ...(place.tree === undefined ? {} : { tree: place.tree }),
      ...(before === undefined ? {} : { before }),
      ...spent(outcome),
      ...(asked === undefined ? {} : { asked }),
      ...(away === undefined ? {} : { unavailable: away }),
    });
  } finally {
    await place.release();
  }
}

const JUDGE = { call: "judge", name: "the judge", several: true } as const;

/** If the person's commit hooks changed the commits to be handed over, the commands that passed are run again on those. */
async function asHanded(
  { ports: { verifier }, stateNow }: EffectContext,
  verdict: ChecklistVerdict,
  place: Checkout,
  { signal, after }: CheckWatch,
): Promise<{ readonly verdict: ChecklistVerdict; readonly commit: string | null }> {
  const commit = verdict.passed === true && !signal.aborted ? ((await place.handed?.()) ?? null) : null;
  if (commit === null) return { verdict, commit: place.commit };
  const { objective } = stateNow().state;
  const nodes = checkNodesOf(verdict.checklist);
  const passing = nodes.filter(({ passed, evidence }) => passed === true && evidence.kind === "command");
  const some = { checklist: passing.map(({ item, check }) => ({ item, check })) };
  const given = { env: place.env, after, objective, how: "again" } as const;
  const asked = await verifier.verify(some, place.dir, signal, given);
  const answers = checkNodesOf(asked.verdict.checklist);
  if (answers.every(({ passed }) => passed === true)) return { verdict, commit };
  const results = nodes.map((node) => answers[passing.indexOf(node)] ?? node);
  let at = 0;
  return { verdict: { ...verdict, ...judge(objective.base_case, () => results[at++]) }, commit };
}

/** Restores files after each check, so that no check changes what the next one sees (SPEC section 6). */
interface CheckWatch {
  /** Aborts also as soon as a check changed a protected file: the verdict is void then. */
  readonly signal: AbortSignal;
  /** Protected files that a check changed, each with the name of the check. */
  readonly tampered: string[];
  after(leaf: Leaf, result: LeafResult): Promise<LeafResult>;
}

function watchChecks(context: EffectContext, place: Checkout, signal: AbortSignal): CheckWatch {
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

/** The final verdict after repeated runs and runs with the agreed tests; `before`: answers at the commit before the work. */
async function held(
  context: EffectContext,
  first: ChecklistVerdict,
  place: Checkout,
  watch: CheckWatch,
): Promise<{ readonly verdict: ChecklistVerdict; readonly before: Before }> {
  const { run, state } = context.stateNow();
  const spare = await context.spare?.found();
  const grounds = { trust: run.settings.trust ?? 0, answers: withAnswered(run.answers, spare ?? {}) };
  // What a redirect added was never red, nor what nobody aligned. For one that passes there, no bound on luck can be given.
  const isWanted = (answers: Answers, check: Check): boolean =>
    redsUnknown(first, { ...grounds, answers }).some((one) => "check" in one && one.check === check);
  const before = (await redsBefore(context, { ...grounds, signal: watch.signal, isWanted }, place.tree)) ?? spare;
  const known = { ...place, answers: withAnswered(run.answers, before ?? {}) };
  const commands = leavesOf(state.objective.base_case).flatMap(({ check }) => commandOf(check));
  const changed = place.agreed === undefined ? [] : await changedTests(place.agreed, commands);
  const given = { place: known, changed, signal: watch.signal };
  const own = await withTestsAsAgreed(context, first, whyUnnamed, given);
  const agreed = await withTestsAsAgreed(context, own, whyNotAsAgreed, given);
  const often = await oftenEnough(context, agreed, known, watch);
  const looking = await withTestsAsAgreed(context, often, whyBlind, given);
  const verdict = await withTestsAsAgreed(context, looking, withCause, given);
  if (verdict.passed === true && place.agreed !== undefined)
    tellSuppressions(context, await suppressionsAdded(place.agreed));
  const found = changed.length === 0 ? {} : { tests_changed: shortened(changed.map(({ path }) => path)) };
  return { verdict: { ...verdict, ...found }, before };
}

/** What checks answered so far, as against this verdict. */
interface Known {
  readonly answers: Answers;
}

/** Repeats checks until luck can hardly explain the verdict (run-again.ts). */
async function oftenEnough(
  { ports: { verifier }, stateNow }: EffectContext,
  first: ChecklistVerdict,
  { tree, dir, env, answers }: Checkout & Known,
  { signal, after }: CheckWatch,
): Promise<ChecklistVerdict> {
  const { run, state } = stateNow();
  const grounds = { tree, trust: run.settings.trust ?? 0, answers };
  const given = { env, after, objective: state.objective, how: "again" } as const;
  return await runAgain(first, grounds, async (some) => (await verifier.verify(some, dir, signal, given)).verdict);
}

/** The verdict, failed where it depends on changed tests (as-agreed.ts). */
async function withTestsAsAgreed(
  context: EffectContext,
  verdict: ChecklistVerdict,
  rule: AgreedRule,
  { place, changed, signal }: { place: Checkout & Known; changed: readonly ChangedFile[]; signal: AbortSignal },
): Promise<ChecklistVerdict> {
  const { agreed, answers } = place;
  if (agreed === undefined || signal.aborted || verdict.passed !== true) return verdict;
  const { verifier } = context.ports;
  const { objective } = context.stateNow().state;
  return await asAgreed(verdict, rule, changed, {
    files: agreed,
    answers,
    failed: (check) => verifier.tests?.failed(objective, check) ?? null,
    run: async (node, how) => {
      const alone = { checklist: [{ item: node.item, check: node.check }] };
      const { verdict: found } = await verifier.verify(alone, place.dir, signal, { env: place.env, how, objective });
      await place.between?.();
      return checkNodesOf(found.checklist)[0] ?? node;
    },
    known: (check) => verifier.tests?.redRun(objective, check) ?? null,
    learn: async (check) => {
      if (verifier.tests?.redRun(objective, check) === null) await learnTests(context, signal, [check]);
    },
  });
}

function tellSuppressions({ send }: EffectContext, files: readonly string[]): void {
  if (files.length === 0) return;
  send({ event: "note", message: `the work tells tools to pass over code: ${shortened(files).join(", ")}` });
}

function tellLinks({ send }: EffectContext, links: readonly string[]): void {
  if (links.length === 0) return;
  const files = shortened(links).join(", ");
  send({ event: "note", message: `links that lead out of the checkout, where no commit says what is there: ${files}` });
}

/**
 * Learns the tests of checks by running these at the aligned commit. The record made at the alignment lies where an attempt
 * can reach it, so it may be gone or changed. From here on nothing else runs checks.
 * @param some absent: the checks whose record is missing
 */
async function learnTests(
  { ports, spare, stateNow }: EffectContext,
  signal: AbortSignal,
  some?: readonly Check[],
): Promise<void> {
  await spare?.found();
  const { objective } = stateNow().state;
  const { tests } = ports.verifier;
  const { aligned_commit } = objective;
  const wanted = some ?? (aligned_commit === undefined ? [] : (tests?.wanted(objective) ?? []));
  if (wanted.length === 0) return;
  const { dir, env, commit, failed, release } = await ports.workspace.checkout({ signal, aligned: true });
  try {
    if (commit !== (aligned_commit ?? commit) || failed !== undefined || signal.aborted) return;
    await tests?.learn(objective, wanted, { dir, env, signal });
  } finally {
    await release();
  }
}

function commandOf(check: Check): readonly string[] {
  return check.type === "command" ? [check.value] : [];
}

const MOST_NAMED_FILES = 20;

/** At most MOST_NAMED_FILES names, and how many more there are. */
function shortened(files: readonly string[]): readonly string[] {
  const more = files.length - MOST_NAMED_FILES;
  return more > 0 ? [...files.slice(0, MOST_NAMED_FILES), `${more} more`] : files;
}

/** A rate-limited judge as an agent's outcome, so that `patiently` waits for it; `resume` then goes on where it stopped. */
function asAnswer(checked: Verification): AskOutcome<Verification> {
  const { unavailable: reason, retry_after_ms } = checked;
  if (reason === undefined || retry_after_ms === undefined)
    return { kind: "answered", value: checked, ...spent(checked) };
  return { kind: "unavailable", reason, retry_after_ms, ...spent(checked) };
}

/** A checkout that could not be prepared fails every check, even one that would pass there. */
function undecidable(baseCase: BaseCase, message: string): ChecklistVerdict {
  return judge(baseCase, () => ({ passed: false, evidence: { kind: "error", message } }));
}
