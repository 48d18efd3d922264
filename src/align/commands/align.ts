import { missingPackage } from "../../adapters/checks/missing-set-up.ts";
import type { RedFirstReport } from "../../adapters/checks/red-first.ts";
import { alignedState, missingParts, type Alignment } from "../alignment.ts";
import { redTests, withNoWorse } from "../test-checks.ts";
import { headOf, placeFor, redFirstReport, settledBy, writeLoop, type AlignedReport } from "../align-loop.ts";
import { forgetAnswers, keepAnswers, keptDraftOf } from "../kept-answers.ts";
import { ownSuite, suiteHolds, withoutSuite, withSuite } from "../own-suite.ts";
import { sum } from "../../loop/ask.ts";
import { checkCandidates, type Candidate } from "../../project/check-candidates.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { sessionAbove } from "../../project/session-owner.ts";
import type { Drafted } from "../draft-alignment.ts";
import { TRUST } from "../../core/luck.ts";
import type { DraftQuestion } from "../../loop/answers.ts";
import type { Usage } from "../../core/event.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { BaseCase, State } from "../../core/state.ts";
import { graphOf } from "../../core/graph.ts";
import { executableOf } from "../../core/view.ts";
import { alignmentFlags, merged, trustIn } from "./align-flags.ts";
import { setUpOf, setUpText } from "../../project/config-set-up.ts";
import { sandboxOf } from "../../verify/sandbox.ts";
import type { PlaceTerms } from "../fresh-place.ts";
import { notEarned } from "./not-earned.ts";
import type { Call } from "../../command/call.ts";
import { canAsk } from "../../terminal/ask-yes.ts";
import { graphTree } from "../../terminal/graph-tree.ts";
import { whileWaiting } from "../../terminal/wait-row.ts";
import { Interrupted, interruptible } from "../../command/interrupt.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import { redFirstLines } from "../../terminal/red-first-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { newStateFileOf, type NamedFile } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";

export const run: Run = async (call) => {
  const file = newStateFileOf(call);
  const place = await placeFor(file.path, call.isSet("force"));
  if (!place.ok) return failure(place.problems, file.shown);
  const dir = projectOf(file.path);
  const asking = !call.isSet("yes") && (await canAsk(call));
  const { loadConfig } = await import("../../project/config.ts");
  const config = await loadConfig(dir, call.io.env);
  if (!config.ok) return { ...failure(config.problems, config.file), exit: 2 };
  const trust = trustIn(call) ?? config.value.settings.trust ?? TRUST;
  const { settings } = config.value;
  const set_up = setUpOf(settings, dir);
  const talk: Talk = {
    file,
    dir,
    asking,
    trust,
    agent: settings.agent,
    places: { set_up, sandbox: sandboxOf(settings) },
    known: {},
  };
  try {
    const gathered = await gather(call, talk);
    if ("answer" in gathered) return gathered.answer;
    const ready = await checked(call, talk, gathered.alignment);
    return "answer" in ready ? ready.answer : await write(call, talk, ready, place.value.replace);
  } catch (error) {
    const { Cancelled } = await import("./align-questions.ts");
    if (!(error instanceof Cancelled || (asking && error instanceof Interrupted))) throw error;
    return await left(talk);
  }
};

/** One alignment, as it is talked over. `known`: what to keep should it not be written. */
interface Talk {
  readonly file: NamedFile;
  /** The project. */
  readonly dir: string;
  /** There is a person to ask. */
  readonly asking: boolean;
  /** The chance of a verdict by luck that is accepted. */
  readonly trust: number;
  readonly places: PlaceTerms;
  /** As the settings name it. */
  readonly agent: string | undefined;
  known: Alignment;
  /** The base case that an agent drafted; absent: none did. */
  drafted?: BaseCase | undefined;
  /** What that cost. */
  spent?: Usage | undefined;
}

/** Nothing was written: what the person answered is kept. */
async function left({ file, known }: Talk): Promise<Answer> {
  const { tellCancelled } = await import("./align-questions.ts");
  tellCancelled(Object.keys(known).length === 0 ? null : keepAnswers(file.path, known));
  return { exit: 1, json: {}, text: "" };
}

interface Ready {
  readonly state: State;
  readonly report: AlignedReport;
  /** What the person has not seen yet. */
  readonly shown: string;
}

/** Runs every check once; what cannot decide is put to the person, with all else as it is. */
async function checked(call: Call, talk: Talk, given: Alignment): Promise<Ready | { readonly answer: Answer }> {
  const { file, dir, asking, trust, places, drafted: base } = talk;
  const asked = new Set<string>();
  let suite = base !== undefined && base === given.base_case ? ownSuite(base, dir) : null;
  for (let alignment = given; ;) {
    const { base_case: own } = alignment;
    const whole = suite === null || own === undefined ? alignment : { ...alignment, base_case: withSuite(own, suite) };
    const aligned = alignedState(whole, await headOf(dir, file.path));
    if (!aligned.ok) return { answer: failure(aligned.problems) };
    talk.known = alignment;
    const all = await whileWaiting(call.io, (signal, tell) =>
      redFirstReport(aligned.value.objective, { dir, stateFile: file.path, trust, signal, places, tell }),
    );
    const alone = suite === null ? all : withoutSuite(all);
    if (suite !== null && !suiteHolds(all)) suite = null;
    const report = suite === null ? alone : all;
    const state = settledBy(aligned.value, report);
    const proposed = asking ? await withTests(alone, asked) : null;
    if (proposed !== null) {
      alignment = { ...alignment, base_case: proposed };
      continue;
    }
    const set_up = setUpText(places.set_up);
    const made = [
      ...(set_up === null ? [] : ["", `set-up  ${set_up}`]),
      ...(suite === null ? [] : ["", `added   ${suite.item}: your own tests pass now, and have to stay so`]),
    ];
    const shown = [await preview(state, report, await painterFor(call.io)), ...made].join("\n");
    const refusal = whyNot(call, report, asking, shown);
    if (!asking && refusal === null) return { state, report, shown: `${shown}\n\n` };
    if (!asking && refusal !== null)
      return { answer: call.isSet("draft") ? keptDraft(talk, alignment, refusal) : refusal };
    const { askChecks, askWhatNow, askWrite } = await import("./align-questions.ts");
    call.io.out(`${shown}\n\n${refusal?.trouble === undefined ? "" : `${refusal.trouble}\n\n`}`);
    const next = refusal !== null ? await askWhatNow() : await askWrite(file.shown, suite?.item);
    if (next === "write") return { state, report, shown: "" };
    if (next === "without") return { state: settledBy(state, alone), report: alone, shown: "" };
    if (next === "leave") return { answer: await left(talk) };
    alignment = { ...alignment, base_case: await askChecks(checkCandidates(dir)) };
    suite = null;
  }
}

/** What the person expects of tests that fail already, asked once for each command; null: nothing new. */
async function withTests(report: AlignedReport, asked: Set<string>): Promise<BaseCase | null> {
  for (const { check, failures } of redTests(report)) {
    if (asked.has(check.value)) continue;
    asked.add(check.value);
    const { askTests } = await import("./align-questions.ts");
    const must_pass = await askTests(check.value, failures);
    if (must_pass !== null) return withNoWorse(report.base_case, [check], must_pass);
  }
  return null;
}

/** A draft costs: what cannot be written of it is not thrown away. */
function keptDraft({ file }: Talk, alignment: Alignment, refusal: Answer): Answer {
  const kept = keepAnswers(file.path, alignment);
  if (kept === null) return refusal;
  return { ...refusal, trouble: `${refusal.trouble ?? ""}\nthe draft is kept: \`aot align --from ${kept}\`` };
}

async function write(call: Call, { file, spent }: Talk, ready: Ready, replace: boolean): Promise<Answer> {
  const { env } = call.io;
  const { state, report, shown } = ready;
  const written = await writeLoop(file.path, state, { replace, report, spent });
  if (!written.ok) return failure(written.problems, file.shown);
  forgetAnswers(file.path);
  const { backup, notes } = written.value;
  const kept = backup === null ? [] : [`the old file is kept as ${backup}`];
  return {
    exit: 0,
    json: {
      success: true,
      state_file: file.path,
      backup,
      ...reportJson(state, report),
    },
    text: `${shown}aligned: ${file.shown}\nnext: ${sessionAbove(env) === null ? "`aot run`" : "/aot-loop:run, or `aot run` outside of the session"}`,
    notes: [...kept, ...notes],
  };
}

// ── what is aligned ─────────────────────────────────────────────────────────

type Clarification = NonNullable<Alignment["clarifications"]>[number];

type Gathered = { readonly alignment: Alignment } | { readonly answer: Answer };

async function gather(call: Call, talk: Talk): Promise<Gathered> {
  const { dir, asking } = talk;
  const flags = alignmentFlags(call);
  const from = await fromFile(call);
  if (!from.ok) return { answer: failure(from.problems, call.text("from")) };
  const said = merged(flags, from.value);
  let alignment = said;
  if (call.isSet("draft")) {
    const draft = await drafted(call, said, talk);
    if ("answer" in draft) return draft;
    alignment = draft.alignment;
    if (said.base_case === undefined) talk.drafted = alignment.base_case;
  }
  const candidates = checkCandidates(dir);
  if (asking) {
    const { askAlignment } = await import("./align-questions.ts");
    return { alignment: await askAlignment(said, alignment, candidates, (known) => (talk.known = known)) };
  }
  const [missing] = missingParts(alignment);
  if (missing !== undefined) throw whatIsMissing(missing, candidates);
  if (!call.isSet("yes")) throw new Unusable("this is not a terminal, so nobody can confirm", "pass --yes");
  return { alignment };
}

async function fromFile(call: Call): Promise<Result<Alignment>> {
  const from = call.text("from");
  if (from === undefined) return { ok: true, value: {} };
  const { readAlignment } = await import("../alignment-file.ts");
  return readAlignment(readTextFile(call.io, from));
}

/** What the draft asks is put to the person where there is one; else its assumptions are taken down as such. */
async function drafted(call: Call, known: Alignment, talk: Talk): Promise<Gathered> {
  if (known.goal === undefined) throw new Unusable("--draft needs the goal", 'write it: `aot align "..." --draft`');
  const { asking } = talk;
  const first = await draft(call, known, talk);
  if (!first.ok) return { answer: failure(first.problems) };
  const { alignment, questions } = first.value;
  if (questions.length === 0) return { alignment: merged(known, alignment) };
  if (!asking) {
    for (const { question, assumption } of questions)
      call.io.err(
        `note: the draft asks: ${question} It assumes: ${assumption.replace(/\.$/, "")}. Answer with --clarify "QUESTION=ANSWER"\n`,
      );
    return { alignment: settledWith(merged(known, alignment), questions.map(assumed)) };
  }
  const { askQuestions } = await import("./align-questions.ts");
  const answers = await askQuestions(questions);
  const settled = settledWith(known, answers);
  const surprised = answers.some(({ resolution }, at) => resolution !== questions[at]?.assumption);
  if (!surprised) return { alignment: merged(settled, alignment) };
  const second = await draft(call, settled, talk);
  return second.ok ? { alignment: merged(settled, second.value.alignment) } : { answer: failure(second.problems) };
}

function assumed({ question, assumption }: DraftQuestion): Clarification {
  return { question, resolution: `${assumption} (assumed by the draft, not confirmed)` };
}

function settledWith(alignment: Alignment, answers: readonly Clarification[]): Alignment {
  return { ...alignment, clarifications: [...(alignment.clarifications ?? []), ...answers] };
}

async function draft(call: Call, known: Alignment, talk: Talk): Promise<Result<Drafted>> {
  const { dir, file, places } = talk;
  const kept = talk.spent === undefined ? keptDraftOf(file.path, known.goal) : null;
  if (kept !== null) {
    call.io.err(`note: the draft of this goal that was kept is taken up; remove ${kept.name} for a new one\n`);
    return accepted({ alignment: kept.alignment, warnings: [], questions: [] });
  }
  const { install, commands = [] } = places.set_up ?? {};
  const isSetUp = install !== undefined || commands.length > 0 || call.isSet("force");
  const missing = isSetUp ? null : missingPackage(dir);
  if (missing !== null) return refused(missing, "then draft: no agent was asked yet");
  const { draftAlignment } = await import("../draft-alignment.ts");
  const agent = call.text("agent") ?? talk.agent;
  call.io.err("the planner agent drafts the alignment ...\n");
  const made = await interruptible(call.io, (signal) => draftAlignment(known, agent, dir, signal));
  if (!made.ok) return made;
  talk.spent = sum(talk.spent, made.value.usage);
  for (const warning of made.value.warnings) call.io.err(`note: the draft's ${warning}\n`);
  return made;
}

function whatIsMissing(part: "goal" | "base_case", candidates: readonly Candidate[]): Unusable {
  if (part === "goal") return new Unusable("there is no goal", 'write it: `aot align "..." --check "command: ..."`');
  const found = candidates.map(({ check, source }) => `--check "${check}" (${source})`).join(", ");
  return new Unusable(
    "there is no base case: how does a machine see that the goal is reached?",
    found === "" ? 'write one or more --check "command: ..."' : `found here: ${found}`,
  );
}

// ── what came of it ─────────────────────────────────────────────────────────

async function preview(state: State, report: RedFirstReport, paint: Painter): Promise<string> {
  const graph = graphOf(state);
  const tree = graphTree({ state, graph, ready: executableOf(state, graph) }, paint);
  return [
    paint("bold", "checks, run before any work"),
    ...redFirstLines(report, paint),
    "",
    paint("bold", "work"),
    ...tree.lines,
  ].join("\n");
}

function reportJson(state: State, report: RedFirstReport): object {
  const graph = graphOf(state);
  return {
    red_first: { leaves: report.leaves, warnings: report.warnings, would_complete_now: report.would_complete_now },
    objective: state.objective,
    atoms: state.atoms,
    executable_atoms: executableOf(state, graph).map((index) => graph.ids[index]),
  };
}

function whyNot(call: Call, report: RedFirstReport, asking: boolean, shown: string): Answer | null {
  const { leaves, warnings, would_complete_now } = report;
  const words = { shown: asking ? [] : [shown, ""], title: "not written:", otherwise: "write it", asked: asking };
  return notEarned(call, report, words, { red_first: { leaves, warnings, would_complete_now } });
}
