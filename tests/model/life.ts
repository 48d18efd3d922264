/** What is known of one life of a runner, and what has to be true at its end. */
import type { AdoptedWork } from "../../src/core/event.ts";
import type { Loop } from "../../src/core/loop.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import { atOrBelowFailed } from "./ledger.ts";
import type { Call, Port } from "../../world/ports.ts";

/** What is known of one attempt of the life running. */
export interface Seen {
  readonly atom: string;
  readonly iteration: number;
  /** Terminal lines of it, in order. */
  readonly ends: string[];
  /** Ports that were called for it. */
  readonly calls: Port[];
  discarded: boolean;
  /** Since its first answer, or since the last wait for a rate limit. */
  repairs: number;
}

/** What is known of the life running. */
export function newLife() {
  return {
    open: new Set<Call>(),
    seen: new Map<string, Seen>(),
    unsaved: [] as string[],
    running: false,
    stopped: false,
    halted: false,
    tampered: false,
    unavailable: false,
    /** Asked for, and not answered yet. */
    redirects: [] as Redirect[],
    reverts: 0,
    reverted: 0,
    checkouts: 0,
    answers: 0,
    spent: 0,
    reported: 0,
    /** Version of the branch that was checked out last. */
    looked: -1,
    verdict: null as { readonly passed: boolean | null; readonly version: number } | null,
  };
}
type Life = ReturnType<typeof newLife>;
type Hold = (isTrue: boolean, rule: string, what: () => string) => void;

/** SPEC section 9: an outcome has a cause that could be seen from outside. */
export function checkOutcome({ state, run }: Loop, life: Life, version: number, hold: Hold): void {
  const { control, objective } = state;
  const groups = state.or_groups;
  const causes: Record<string, boolean> = {
    verified: life.verdict?.passed === true && life.verdict.version === version,
    stop_requested: life.stopped,
    stalled: control.stall_count >= objective.constraints.max_stall_count,
    max_iterations: control.iteration >= objective.constraints.max_iterations,
    budget: true,
    or_group_exhausted: groups.some((group) => group.choices.every((choice) => group.failed.includes(choice))),
    deadlock: state.atoms.some((atom) => atom.status !== "resolved"),
    needs_confirmation: life.verdict?.passed === null,
    agent_unavailable: life.unavailable,
    tampered: life.tampered,
  };
  const outcome = run.halted ?? "none";
  hold(causes[outcome] === true, "SPEC 9", () => `${outcome} without a cause`);
  hold(!life.stopped || outcome === "stop_requested", "SPEC 4", () => `a stop was asked for, and it ends ${outcome}`);
  hold(
    control.status === (outcome === "verified" ? "completed" : "stopped"),
    "SPEC 9",
    () => `${outcome} with status ${control.status}`,
  );
}

/** SPEC section 7: what is resolved by an attempt is in the branch, and nothing of what was given up does. */
export function checkBranch(
  state: State,
  branch: readonly AdoptedWork[],
  worked: ReadonlySet<string>,
  hold: Hold,
): void {
  for (const work of branch)
    hold(
      !atOrBelowFailed(state, work.atom),
      "BACKTRACK-2",
      () => `${work.attempt} is still in the branch, and was given up`,
    );
  for (const { id, status } of state.atoms)
    hold(
      status !== "resolved" || !worked.has(id) || branch.some((work) => work.atom === id),
      "SPEC 8",
      () => `${id} is resolved, and its work is gone`,
    );
}
