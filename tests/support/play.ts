/**
 * A loop played by hand: each call settles one event and answers what the step asked for, in short words, so that
 * every interleaving is a straight line.
 */
import type { Effect, Fact } from "../../src/core/effect.ts";
import type { AdoptedWork, Event, FailureKind, Memory, RunSettings, Usage } from "../../src/core/event.ts";
import { createLoop, type Loop } from "../../src/core/loop.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { Control, OrGroup, State } from "../../src/core/state.ts";
import { step } from "../../src/core/step.ts";
import type { Passed } from "../../src/core/verdict.ts";
import { NOW } from "./loops.ts";
import { MEMORY, SETTINGS, verdictOf } from "./walk.ts";

export interface StartOptions {
  readonly from?: "pending" | "halted" | "crashed";
  readonly settings?: Partial<RunSettings>;
  readonly memory?: Partial<Memory>;
  readonly integrated?: readonly AdoptedWork[];
}

export interface Play {
  readonly loop: Loop;
  readonly control: Control;
  /** Effects and facts of the last step. */
  readonly effects: readonly Effect[];
  readonly facts: readonly Fact[];
  send(event: Event): string[];
  succeed(attempt: string): string[];
  integrated(attempt: string): string[];
  /** Succeeds and is integrated at once; answers what the second event asked for. */
  done(attempt: string): string[];
  fail(attempt: string, reason?: string, kind?: FailureKind): string[];
  aborted(attempt: string): string[];
  reverted(...lost: string[]): string[];
  checked(passed: Passed, unconfirmed?: boolean): string[];
  redirect(redirect: Redirect): string[];
  stop(reason?: string): string[];
  /** Time of the next event, seconds after the start. */
  at(seconds: number): Play;
  usage(usage: Usage): Play;
  status(id: string): string | undefined;
  group(name: string): OrGroup | undefined;
}

export function play(state: State, options: StartOptions = {}): Play & { readonly first: string[] } {
  let loop = createLoop(state);
  let effects: readonly Effect[] = [];
  let facts: readonly Fact[] = [];
  let seconds = 0;
  let spent: Usage | undefined;

  const at = (): string => new Date(Date.parse(NOW) + seconds * 1_000).toISOString();
  const send = (event: Event): string[] => {
    const taken = step(loop, event);
    ({ loop, effects, facts } = taken);
    return effects.map(inWords);
  };
  const usage = (): { readonly usage?: Usage } => (spent === undefined ? {} : { usage: spent });
  const self: Play = {
    get loop() {
      return loop;
    },
    get control() {
      return loop.state.control;
    },
    get effects() {
      return effects;
    },
    get facts() {
      return facts;
    },
    send,
    succeed: (attempt) =>
      send({
        type: "work_succeeded",
        at: at(),
        attempt,
        summary: `did ${attempt}`,
        artifacts: [`${attempt}.ts`],
        ...usage(),
      }),
    integrated: (attempt) =>
      send({ type: "attempt_integrated", at: at(), attempt, commit: "c", artifacts: [`${attempt}.ts`] }),
    done: (attempt) => {
      self.succeed(attempt);
      return self.integrated(attempt);
    },
    fail: (attempt, reason = "red", kind = "failed") =>
      send({ type: "attempt_failed", at: at(), attempt, kind, reason, ...usage() }),
    aborted: (attempt) => send({ type: "attempt_aborted", at: at(), attempt }),
    reverted: (...lost) => send({ type: "work_reverted", at: at(), commit: "r", lost }),
    checked: (passed, unconfirmed = false) =>
      send({ type: "base_case_checked", at: at(), verdict: verdictOf(passed, unconfirmed), commit: "c" }),
    redirect: (redirect) => send({ type: "redirect_requested", at: at(), redirect }),
    stop: (reason = "") => send({ type: "stop_requested", at: at(), reason }),
    at: (when) => {
      seconds = when;
      return self;
    },
    usage: (next) => {
      spent = next;
      return self;
    },
    status: (id) => loop.state.atoms.find((atom) => atom.id === id)?.status,
    group: (name) => loop.state.or_groups.find((group) => group.name === name),
  };
  const first = send({
    type: "run_started",
    at: at(),
    run: "r1",
    from: options.from ?? "pending",
    memory: { ...MEMORY, ...options.memory },
    settings: { ...SETTINGS, ...options.settings },
    ...(options.integrated === undefined ? {} : { integrated: options.integrated }),
  });
  return Object.assign(self, { first });
}

function inWords(effect: Effect): string {
  switch (effect.type) {
    case "start_attempt":
      return `${effect.attempt.role === "probe" ? "probe" : "start"} ${effect.attempt.id}`;
    case "integrate":
      return `integrate ${effect.attempt.id}`;
    case "abort_attempt":
      return `abort ${effect.attempt.id}`;
    case "shelve":
      return `shelve ${effect.attempt.id}`;
    case "revert":
      return `revert ${effect.atoms.join(" ")}`;
    case "check_base_case":
      return "check";
    case "replan":
      return `replan ${effect.failing.map((leaf) => leaf.item).join(" ")}`;
    case "ask_planner":
      return `ask ${effect.atom}`;
    case "abort_background":
      return `abort ${effect.call}`;
    case "wake_in":
      return `wake ${effect.ms}`;
    case "halt":
      return `halt ${effect.outcome}`;
  }
}
