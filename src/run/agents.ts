/** Who works a run: the agents of each role, the judge, the checks (SPEC section 10, Agents). */
import { relative, resolve, sep } from "node:path";
import { createChecker } from "../adapters/checks/checker.ts";
import type { SeenTests } from "../adapters/checks/command-check.ts";
import { createTestMemory } from "../adapters/checks/test-memory.ts";
import { createProgress, verifyBaseCase } from "../adapters/checks/verify.ts";
import { withoutPlace } from "../adapters/workspace/git.ts";
import { createJudge, type JudgeLimits } from "../adapters/judge/agent-judge.ts";
import type { RunSettings, Usage } from "../core/event.ts";
import { accepted } from "../core/problem.ts";
import { loopPaths, type LoopPaths } from "../host/loop-paths.ts";
import { sum } from "../loop/ask.ts";
import { gatherAgents, type RoleNames, type NoAgents } from "./role-agents.ts";
import { openSandbox, type SandboxTerms } from "../verify/sandbox.ts";
import { projectOf } from "../project/find-state-file.ts";
import { agentEnvironment } from "../project/agent-restrictions.ts";
import type { Guard } from "../history/extensions.ts";
import type { CallLimits } from "../loop/perform.ts";
import { givenBy } from "../verify/verify-loop.ts";
import type { Confinement } from "../loop/confinement.ts";
import type { Agent, Judge, JudgeBudget, Verification, Verifier } from "../loop/ports.ts";

export interface RunAgentsOptions extends RoleNames {
  /** The loop that the agents work for. */
  readonly stateFile: string;
  /** Writes a recording of every call to this file. */
  readonly record?: string;
  /** How many times as fast as it was recorded a recording is played back; 0: at once. */
  readonly replay_speed?: number;
  readonly limits: CallLimits;
  /** How agents and checks are confined; absent: not at all. */
  readonly sandbox?: SandboxTerms;
  /** The project, by the name that the person has for it: the state file may lie behind a link. */
  readonly root: string;
  /** Whose settings clients with hooks get; absent: they get none. */
  readonly guard?: Guard;
  /** Called with what a person should know while the run is active. */
  readonly warn?: (message: string) => void;
}

export interface RunAgents {
  readonly worker: Agent;
  readonly probe: Agent;
  readonly planner: Agent | null;
  readonly escalation: readonly Agent[];
  readonly verifier: Verifier;
  /** What confines agents, checks and set-up; absent: nothing. */
  readonly place?: Confinement | undefined;
  /** Of any call of anybody, USD; absent: not known of everybody. */
  readonly max_call_usd?: number;
  /** Called with what a person should know, from now on: who works in which role, and who takes over for whom. */
  onNote(then: (message: string) => void): void;
  close(): Promise<void>;
}

/** What a run's settings say of its planner. */
export function plannerSetting({ planner }: Pick<RunAgents, "planner">): Pick<RunSettings, "planner"> {
  return planner === null ? {} : { planner: true };
}

export type NoRunAgents = NoAgents;

/** Refused when an agent is unknown or cannot work here; the problem says what to do about it. */
export async function gatherRunAgents(
  options: RunAgentsOptions,
): Promise<{ readonly ok: true; readonly value: RunAgents } | NoRunAgents> {
  const notes = createNotes();
  const opened = options.sandbox === undefined ? null : await openSandbox(options.sandbox, options);
  if (opened?.ok === false) return { ...opened, unknown: true };
  const place = opened?.value;
  if (place !== undefined && options.sandbox?.setting !== "off") notes.tell(place.summary);
  const how = {
    ...(place && { place }),
    replay: { speed: options.replay_speed ?? 0 },
    env: agentEnvironment(options.stateFile, process.env, options.root),
    tell: notes.tell,
    ...(options.guard?.settings === undefined ? {} : { claude: { settings: options.guard.settings } }),
    ...(options.record === undefined ? {} : { record: options.record }),
    ...(options.warn === undefined ? {} : { warn: options.warn }),
  };
  const gathered = await gatherAgents(options, how);
  if (!gathered.ok) {
    await place?.close();
    return gathered;
  }
  const { judge: found, roles, ...agents } = gathered.value;
  if (roles !== null) notes.tell(`agents: ${roles}`);
  const judge = found === null ? null : createJudge(found, judgeLimits(options));
  const close = async (): Promise<void> => {
    await agents.close();
    await place?.close();
  };
  const verifier = createVerifier(judge, loopPaths(resolve(options.stateFile)), place);
  return accepted({ ...agents, verifier, place, onNote: notes.onNote, close });
}

/** What is reported before anybody listens is kept until somebody does. */
function createNotes(): { tell(message: string): void; onNote(then: (message: string) => void): void } {
  const kept: string[] = [];
  let sink = (message: string): void => void kept.push(message);
  return {
    tell: (message) => sink(message),
    onNote: (then) => {
      sink = then;
      for (const message of kept.splice(0)) then(message);
    },
  };
}

function judgeLimits({ limits, stateFile }: RunAgentsOptions): JudgeLimits {
  return {
    timeout_ms: limits.timeout_ms,
    hidden: ownNames(stateFile),
    ...(limits.idle_timeout_ms === undefined ? {} : { idle_timeout_ms: limits.idle_timeout_ms }),
    ...(limits.max_call_usd === undefined ? {} : { budget_usd: limits.max_call_usd }),
    ...(limits.max_call_tokens === undefined ? {} : { budget_tokens: limits.max_call_tokens }),
  };
}

/** The state file and the loop's folder, from the project: they hold what workers said of their work. */
function ownNames(stateFile: string): readonly string[] {
  const { state, dir } = loopPaths(resolve(stateFile));
  return [state, dir].map((path) => relative(projectOf(stateFile), path).replaceAll(sep, "/"));
}

/** @param place where commands run */
function createVerifier(judge: Judge | null, { dir: own, logs }: LoopPaths, place: Confinement | undefined): Verifier {
  const commands = { logs, ...(place && { place }), env: withoutPlace(process.env) };
  const tests = createTestMemory(own, commands);
  const seen: SeenTests = new Map();
  return {
    tests,
    verify(
      baseCase,
      dir,
      signal,
      { env, left, brief, since, confirmed = new Set(), judged, before, after, objective, how },
    ) {
      const checker = createChecker({
        ...commands,
        seen,
        env: { ...commands.env, ...env },
        ...(objective === undefined ? {} : { testsBefore: (check) => tests.before(objective, check) }),
      });
      const progress = createProgress();
      const part = async (budget?: JudgeBudget): Promise<Verification> => {
        let usage: Usage | undefined;
        let away: Pick<Verification, "unavailable" | "retry_after_ms" | "resume"> = {};
        const verdict = await verifyBaseCase(baseCase, dir, {
          checker,
          signal,
          progress,
          ...(judge === null ? {} : { judge }),
          ...(budget === undefined ? {} : { left: budget }),
          ...(brief === undefined ? {} : { brief }),
          ...(since === undefined ? {} : { since }),
          given: (leaf) => givenBy(confirmed)(leaf) ?? judged?.(leaf),
          before,
          ...(after === undefined ? {} : { after }),
          ...(how === undefined ? {} : { how }),
          onJudged: (_, judgement) => {
            usage = sum(usage, judgement.usage);
            if (judgement.unavailable !== undefined) away = { ...absence(judgement), resume: part };
          },
        });
        const asked = judge === null ? {} : ({ asked: true } as const);
        return { verdict, ...asked, ...(usage === undefined ? {} : { usage }), ...away };
      };
      return part(left);
    },
  };
}

function absence({ unavailable, retry_after_ms }: Awaited<ReturnType<Judge["judge"]>>): {
  readonly unavailable?: string;
  readonly retry_after_ms?: number;
} {
  return {
    ...(unavailable === undefined ? {} : { unavailable }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  };
}
