/** Who works a run: the agents of each role, the judge, the checks (SPEC section 10, Agents). */
import { createAgent, firstInstalled } from "../adapters/agents/find.ts";
import { createRecorder } from "../adapters/agents/record.ts";
import { createChecker } from "../adapters/checks/checker.ts";
import { verifyBaseCase } from "../adapters/checks/verify.ts";
import { createJudge, type JudgeLimits } from "../adapters/judge/agent-judge.ts";
import type { Usage } from "../core/event.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { sum } from "../loop/ask.ts";
import { findJudge } from "./find-judge.ts";
import { agentEnvironment } from "./own-loop.ts";
import type { CallLimits } from "../loop/perform.ts";
import type { Agent, Judge, Verifier } from "../loop/ports.ts";

export interface CrewOptions {
  /** The loop that the agents work for. */
  readonly stateFile: string;
  /** As given to --agent; absent: the first that is installed. */
  readonly agent?: string;
  /** As given to --judge; "none": nobody judges; absent: the agent. */
  readonly judge?: string;
  /** Votes of the judge on each leaf; default 1. */
  readonly judge_votes?: number;
  /** Writes a recording of every call to this file. */
  readonly record?: string;
  /** How many times as fast as it was recorded a recording is played back; 0: at once. */
  readonly replay_speed?: number;
  readonly limits: CallLimits;
  /** Told what a person should know while the run is at work. */
  readonly warn?: (message: string) => void;
}

export interface Crew {
  readonly worker: Agent;
  readonly probe: Agent;
  readonly planner: Agent | null;
  readonly verifier: Verifier;
  close(): Promise<void>;
}

/** `unknown`: an agent that there is not, which is bad usage and not a state of the world. */
export type NoCrew = Extract<Result<Crew>, { ok: false }> & { readonly unknown?: true };

/** Refused when an agent is unknown or cannot work here; the problem says what to do about it. */
export async function gatherCrew(options: CrewOptions): Promise<{ readonly ok: true; readonly value: Crew } | NoCrew> {
  const how = { replay: { speed: options.replay_speed ?? 0 }, env: agentEnvironment(options.stateFile) };
  const found = options.agent === undefined ? await firstInstalled(how) : createAgent(options.agent, how);
  if (!found.ok) return options.agent === undefined ? found : { ...found, unknown: true };
  const judging =
    options.judge === undefined || options.judge === "none"
      ? accepted({ agent: found.value, prompt_only: false })
      : findJudge(options.judge, how);
  if (!judging.ok) return { ...judging, unknown: true };
  for (const agent of new Set([found.value, judging.value.agent])) {
    const there = await agent.available();
    if (!there.ok)
      return refused(
        `the agent ${agent.name} is not available: ${there.reason}`,
        "install it or log in, or name another with --agent",
      );
  }
  const recorded =
    options.record === undefined ? found : createRecorder(found.value, options.record, options.warn ?? (() => {}));
  if (!recorded.ok) return recorded;
  const worker = recorded.value;
  const judgeAgent = judging.value.agent === found.value ? worker : judging.value.agent;
  const limits = { ...judgeLimits(options), prompt_only: judging.value.prompt_only };
  const judge = options.judge === "none" ? null : createJudge(judgeAgent, limits);
  return accepted({
    worker,
    probe: worker,
    planner: worker,
    verifier: createVerifier(judge),
    close: async () => {
      await worker.close();
      if (judgeAgent !== worker) await judgeAgent.close();
    },
  });
}

function judgeLimits({ limits, judge_votes }: CrewOptions): JudgeLimits {
  return {
    timeout_ms: limits.timeout_ms,
    ...(judge_votes === undefined ? {} : { votes: judge_votes }),
    ...(limits.idle_timeout_ms === undefined ? {} : { idle_timeout_ms: limits.idle_timeout_ms }),
    ...(limits.max_call_usd === undefined ? {} : { budget_usd: limits.max_call_usd }),
  };
}

function createVerifier(judge: Judge | null): Verifier {
  const plain = createChecker();
  return {
    async verify(baseCase, dir, signal, env) {
      const checker = env === undefined ? plain : createChecker({ env: { ...process.env, ...env } });
      let usage: Usage | undefined;
      let unavailable: { readonly unavailable?: string; readonly retry_after_ms?: number } = {};
      const verdict = await verifyBaseCase(baseCase, dir, {
        checker,
        signal,
        ...(judge === null ? {} : { judge }),
        onJudged: (_, judgement) => {
          usage = sum(usage, judgement.usage);
          if (judgement.unavailable !== undefined) unavailable = absence(judgement);
        },
      });
      return {
        verdict,
        ...(usage === undefined ? {} : { usage }),
        ...unavailable,
      };
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
