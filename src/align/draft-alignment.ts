/** A first alignment drafted by an agent; what it says is checked and then a person's to confirm. */
import { createAgent, firstInstalled } from "../adapters/agents/find.ts";
import { DRAFT_SCHEMA } from "../loop/answer-types.ts";
import { readDraftAnswer, type DraftAnswer, type DraftQuestion } from "../loop/answers.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { Read } from "../core/reading.ts";
import { leavesOf } from "../core/verdict.ts";
import type { Usage } from "../core/event.ts";
import { ask, sum } from "../loop/ask.ts";
import type { Agent, AgentRequest } from "../loop/ports.ts";
import { draftPrompt, type DraftBrief } from "../loop/prompt.ts";
import { alignedState, type Alignment } from "./alignment.ts";
import { placeFacts } from "../project/place-facts.ts";
import { readBaseCaseValue } from "../statefile/read-redirect.ts";

/** Of one call, milliseconds. */
const TIMEOUT_MS = 20 * 60_000;
/** How often an agent may try, when what it drafted is refused. */
const MOST_TRIES = 2;

/** What an agent drafted; `warnings`: what of it was left out. */
export interface Drafted {
  readonly alignment: Alignment;
  readonly warnings: readonly string[];
  /** At most three. */
  readonly questions: readonly DraftQuestion[];
  readonly usage?: Usage | undefined;
}

/**
 * @param known what the person gave: the draft is made around it
 * @param agentName as for --agent; undefined: the first that is installed. @param dir the project
 */
export async function draftAlignment(
  known: Alignment,
  agentName: string | undefined,
  dir: string,
  signal: AbortSignal,
): Promise<Result<Drafted>> {
  const found = agentName === undefined ? await firstInstalled() : createAgent(agentName);
  if (!found.ok) return found;
  const agent = found.value;
  try {
    const facts = await placeFacts(dir, {});
    let problems: readonly string[] = [];
    let usage: Usage | undefined;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const prompt = draftPrompt({ ...draftBrief(known, problems), facts });
      const spent = (one: Usage | undefined): void => void (usage = sum(usage, one));
      const request = { prompt, schema: DRAFT_SCHEMA, cwd: dir, otherwise: "align without --draft", spent };
      const drafted = await askForDraft(agent, request, readDraftAnswer, signal);
      if (!drafted.ok) return drafted;
      const { warnings = [], questions = [] } = drafted.value;
      const alignment = readAlignment(drafted.value);
      if (alignment.ok) return accepted({ alignment: alignment.value, warnings, questions, usage });
      problems = alignment.problems.map((problem) => problem.message);
    }
    return refused(`the agent's draft is not valid: ${problems.join("; ")}`, "draft again, or write it with --check");
  } finally {
    await agent.close();
  }
}

function draftBrief(known: Alignment, problems: readonly string[]): DraftBrief {
  return {
    given: known,
    problems,
    ...(known.base_case === undefined ? {} : { checks: leavesOf(known.base_case) }),
    ...(known.atoms === undefined ? {} : { atoms: known.atoms }),
    ...(known.protected === undefined ? {} : { protected: known.protected }),
  };
}

export interface DraftRequest {
  readonly prompt: string;
  readonly schema: AgentRequest["schema"];
  /** The project. */
  readonly cwd: string;
  /** What to do without a draft. */
  readonly otherwise: string;
  readonly spent?: (usage: Usage | undefined) => void;
}

/** One call of a planner that reads the project and answers with what a person is to confirm. */
export async function askForDraft<T>(
  agent: Agent,
  { otherwise, spent, ...request }: DraftRequest,
  read: Read<T>,
  signal: AbortSignal,
): Promise<Result<T>> {
  const call = {
    role: "planner",
    call: "draft",
    bindings: {},
    nogoods: [],
    timeout_ms: TIMEOUT_MS,
    ...request,
  } as const;
  const outcome = await ask(agent, call, read, signal);
  spent?.(outcome.usage);
  if (outcome.kind === "answered") return accepted(outcome.value);
  const reason = outcome.kind === "aborted" ? "interrupted" : outcome.reason;
  return refused(`no draft: ${reason}`, `try again, name another agent with --agent, or ${otherwise}`);
}

/**
 * As a person's alignment is read: base case and atoms by the same rules. Nothing else of a draft is taken over; limits
 * and protected files are a person's to set.
 */
function readAlignment(draft: DraftAnswer): Result<Alignment> {
  const base = readBaseCaseValue(draft.base_case);
  if (!base.ok) return base;
  const { goal, background_intent, deliverables, definition_of_done, atoms } = draft;
  const alignment = { goal, background_intent, deliverables, definition_of_done, base_case: base.value, atoms };
  const state = alignedState(alignment, null);
  return state.ok ? accepted(alignment) : state;
}
