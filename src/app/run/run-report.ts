/** What a run came to: the receipt's facts, gathered from the journal lines as they pass. */
import type { JournalLine } from "../../core/journal.ts";
import { activeMs, limitsIn, type Loop } from "../../core/loop.ts";
import type { AtomStatus, Binding, Correction, Outcome, TrailEntry } from "../../core/state.ts";
import type { ChecklistVerdict } from "../../core/verdict.ts";
import type { Problem } from "../../core/problem.ts";
import { sayRedirected } from "../../core/touched.ts";
import { toArray } from "../../core/vec.ts";
import { isCounted } from "../../core/fate.ts";
import type { IntegratedWork } from "../../loop/ports.ts";
import { book, type AgentShare } from "./run-story.ts";

export interface RunReport {
  readonly run: string;
  readonly outcome: Outcome;
  /** The outcome in words. */
  readonly message: string;
  readonly goal: string;
  readonly iteration: number;
  /** The limit in force: a run may narrow that of the state file. */
  readonly max_iterations: number;
  readonly measure: number;
  readonly stall_count: number;
  readonly attempts: number;
  readonly failures: number;
  readonly cost_usd: number;
  /** Input and output together, as far as agents told. */
  readonly tokens: number;
  readonly active_ms: number;
  /** What attempts of this run waited for rate limits at most, all together. */
  readonly waited_ms: number;
  /** Verdict of the last check of the base case, and the commit that it is about. */
  readonly verdict: ChecklistVerdict | null;
  readonly commit: string | null;
  readonly atoms: readonly {
    readonly id: string;
    readonly description: string;
    readonly status: AtomStatus;
    /** Whether it counts as unresolved (SPEC section 3): no container, nothing given up or untried beside a success. */
    readonly counted: boolean;
    /** Why its last attempt in this run failed, and how many did. */
    readonly failed?: { readonly times: number; readonly reason: string };
    readonly binding?: Binding;
  }[];
  readonly trail: readonly TrailEntry[];
  readonly corrections: readonly Correction[];
  /** What was integrated and taken out, oldest first; `agent`: who made it. */
  readonly history: readonly { readonly commit: string | null; readonly what: string; readonly agent?: string }[];
  /** Who worked attempts of this run. */
  readonly agents: readonly AgentShare[];
  readonly notes: readonly string[];
  /** Where the work is, and what to do next. */
  readonly place: string;
  readonly merged: boolean;
  /** The attempts shared the folder: the commits are the loop's own bookkeeping, which no repository of the person's has. */
  readonly in_place?: true;
}

/** What the workspace says of the place at the end. */
type PlaceTold = Pick<RunReport, "merged" | "in_place"> & { readonly message: string };

/** What a run answers another process that asked something of it. */
export interface RunAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly problems?: readonly Problem[];
}

export interface ReportKeeper {
  line(line: JournalLine): void;
  report(loop: Loop, outcome: Outcome, place: PlaceTold): RunReport;
  /** Calls back when the next redirect is applied or refused, or the run is over. */
  onRedirect(then: (outcome: RunAnswer) => void): void;
  /** Nothing more will happen: whoever still waits is told so. */
  close(): void;
}

const MOST_KEPT = 1_000;

export function createReportKeeper(run: string, earlier: readonly IntegratedWork[]): ReportKeeper {
  const agents = new Map<string, AgentShare>();
  const authors = new Map<string, string>();
  const history: { commit: string | null; what: string; agent?: string }[] = earlier.map((work) => ({
    commit: work.commit,
    what: `${work.atom}: ${work.summary}`,
  }));
  const summaries = new Map<string, string>();
  const failed = new Map<string, { readonly times: number; readonly reason: string }>();
  const notes: string[] = [];
  const waiting: ((outcome: RunAnswer) => void)[] = [];
  let attempts = 0;
  let failures = 0;
  let waited_ms = 0;
  let message = "";
  let over = false;
  const end = (): void => {
    over = true;
    const why = message === "" ? "the run ended first; `aot log` tells how" : `the run ended first: ${message}`;
    for (const then of waiting.splice(0)) then({ ok: false, message: why });
  };
  const remember = <T>(list: T[], item: T): void => {
    list.push(item);
    if (list.length > MOST_KEPT) list.shift();
  };
  return {
    line(line) {
      book(agents, line);
      switch (line.event) {
        case "attempt_started":
          attempts++;
          return;
        case "attempt_failed": {
          failures++;
          const atom = line.atom ?? "";
          failed.set(atom, { times: (failed.get(atom)?.times ?? 0) + 1, reason: line.reason });
          return;
        }
        case "work_succeeded":
          summaries.set(line.attempt, line.summary);
          if (line.agent !== undefined) authors.set(line.attempt, line.agent);
          return;
        case "attempt_integrated": {
          const agent = authors.get(line.attempt);
          remember(history, {
            commit: line.commit,
            what: `${line.atom ?? line.attempt}: ${summaries.get(line.attempt) ?? ""}`,
            ...(agent === undefined ? {} : { agent }),
          });
          summaries.delete(line.attempt);
          authors.delete(line.attempt);
          return;
        }
        case "work_reverted":
          if (line.commit !== null) remember(history, { commit: line.commit, what: "reverted: a choice was given up" });
          return;
        case "waiting":
          waited_ms += line.wait_ms;
          return;
        case "note":
          remember(notes, line.message);
          return;
        case "redirected":
          waiting.shift()?.({
            ok: true,
            message: sayRedirected(line.description, line.interrupted, line.going_on),
          });
          return;
        case "redirect_refused":
          waiting.shift()?.({ ok: false, message: line.reason, problems: line.problems });
          return;
        case "halted":
          message = line.message;
          end();
          return;
      }
    },
    onRedirect: (then) => {
      waiting.push(then);
      if (over) end();
    },
    close: end,
    report(loop, outcome, place) {
      const { state, run: at } = loop;
      const checked = at.checked;
      return {
        run,
        outcome,
        message,
        goal: state.objective.goal,
        iteration: state.control.iteration,
        max_iterations: limitsIn(loop).max_iterations,
        measure: loop.view.measure,
        stall_count: state.control.stall_count,
        attempts,
        failures,
        cost_usd: at.cost_usd,
        tokens: at.tokens,
        waited_ms,
        active_ms: activeMs(at),
        verdict: checked?.verdict ?? null,
        commit: checked?.commit ?? null,
        atoms: toArray(state.atoms).map(({ id, description, status, binding }, index) => {
          const failure = status === "resolved" ? undefined : failed.get(id);
          return {
            id,
            description,
            status,
            counted: isCounted(state, loop.view.graph, index),
            ...(failure === undefined ? {} : { failed: failure }),
            ...(binding === undefined ? {} : { binding }),
          };
        }),
        trail: state.trail,
        corrections: state.corrections,
        history,
        agents: [...agents.values()],
        notes,
        place: place.message,
        merged: place.merged,
        ...(place.in_place === undefined ? {} : { in_place: place.in_place }),
      };
    },
  };
}
