/** What can be done to a loop, one thing at a time, and what the model expects of it. */
import * as fc from "fast-check";
import { updateAtom } from "../../src/core/operations.ts";
import { accepted } from "../../src/core/problem.ts";
import type { Change, Redirect } from "../../src/core/redirect.ts";
import type { AgentAnswer, Integration } from "../../src/loop/ports.ts";
import type { Call } from "../../world/ports.ts";
import type { Item, ListedAgenda } from "./agenda.ts";
import type { Disk } from "./disk.ts";
import { inWords } from "./interleavings.ts";
import type { Laws } from "./laws.ts";
import { isExecutable, resolve } from "./ledger.ts";
import { accepts, agree, forgetLife, promise, promiseRedirect, readOn, setLimits, type Model } from "./model.ts";
import type { LifeEnd } from "./terms.ts";
import { drained, type World } from "./world.ts";

/** What the next call comes to; a command says it just before it lets the call go. */
export interface Luck {
  answer: AgentAnswer;
  integration: Integration["kind"];
  passed: boolean | null;
  isTampered: boolean;
}

export interface Real {
  readonly world: World;
  readonly disk: Disk;
  readonly laws: Laws;
  readonly agenda: ListedAgenda;
  readonly luck: Luck;
  readonly verify_each: boolean;
  end: LifeEnd | null;
}

/** How long a rate limit is waited for in all; each says RETRY_MS. */
export const MAX_WAIT_MS = 10_000;
const RETRY_MS = 3_000;

export type Command = fc.AsyncCommand<Model, Real>;

function command(
  name: string,
  may: (model: Model) => boolean,
  run: (model: Model, real: Real) => void | Promise<void>,
): Command {
  return {
    check: may,
    run: async (model, real) => {
      await run(model, real);
      await drained();
      settleUp(model, real);
    },
    toString: () => name,
  };
}

function settleUp(model: Model, real: Real): void {
  if (real.end?.kind === "failed") throw real.end.error;
  readOn(model, real.disk);
  agree(model, real.world, real.disk, real.laws.breaches);
}

const isLive = (model: Model): boolean => model.phase === "live";

// ── commands ────────────────────────────────────────────────────────────────

export function start(): Command {
  return command(
    "start",
    (model) => model.phase === "idle" || model.phase === "crashed",
    (model, real) => {
      const isResume = model.phase === "crashed";
      forgetLife(model);
      model.stopping = isResume && (model.stopping || model.stopWritten);
      model.stopWritten = false;
      model.phase = "live";
      real.end = null;
      void real.world.begin({ verify_each: real.verify_each, confirmed: false }).then((end) => (real.end = end));
    },
  );
}

const ANSWERS = ["success", "fail", "split", "nonsense", "rate limit", "not available", "time-out"] as const;
type Kind = (typeof ANSWERS)[number];

/** A waiting agent says something. */
function answer(pick: number, kind: Kind): Command {
  return command(`answer ${pick}: ${kind}`, isLive, async (model, real) => {
    const [item, call] = nth(waiting(real, true), pick);
    if (item === undefined || call?.request === undefined) return;
    const { call: attempt, timeout_ms, repair } = call.request;
    if (kind === "time-out") {
      await real.world.advance(timeout_ms);
      if (!real.agenda.items.includes(item) || call.signal?.aborted === true) return;
    }
    real.luck.answer = ANSWER[kind];
    const event = whatFollows(model, kind, attempt, repair !== undefined);
    if (event !== null) promise(model, event, attempt);
    real.agenda.take(item);
  });
}

const said = (value: object): AgentAnswer => ({ kind: "answer", value, usage: { cost_usd: 0.01 } });
const CHILDREN = [
  { id: "s", description: "x" },
  { description: "y", depends_on: ["s"] },
];
const ANSWER: Readonly<Record<Kind, AgentAnswer>> = {
  success: said({ success: true, summary: "did", artifacts: ["f"] }),
  fail: said({ success: false, summary: "no" }),
  split: said({ split: CHILDREN, reason: "large" }),
  nonsense: { kind: "unreadable", text: "?", problem: "no JSON", usage: { cost_usd: 0.01 } },
  "rate limit": { kind: "unavailable", reason: "429", retry_after_ms: RETRY_MS, usage: { cost_usd: 0.01 } },
  "not available": { kind: "unavailable", reason: "not logged in" },
  "time-out": { kind: "failed", reason: "killed", timed_out: true },
};

/** The event that an answer has to become; null: the agent is called again. */
function whatFollows(model: Model, kind: Kind, attempt: string, isRepair: boolean): string | null {
  switch (kind) {
    case "success":
      return "work_succeeded";
    case "split":
      return "work_split";
    case "fail":
    case "time-out":
      return "attempt_failed";
    case "not available":
      return "agent_unavailable";
    case "nonsense":
      return isRepair ? "attempt_failed" : null;
    case "rate limit": {
      const waited = (model.waited.get(attempt) ?? 0) + RETRY_MS;
      if (waited > MAX_WAIT_MS) return "agent_unavailable";
      model.waited.set(attempt, waited);
      return null;
    }
  }
}

/** Anything else that is under way comes to its end, well or badly. */
function settle(pick: number, luck: number): Command {
  return command(`settle ${pick}, luck ${luck}`, isLive, (model, real) => {
    const [item, call] = nth(waiting(real, false), pick);
    if (item === undefined || call === undefined) return;
    for (const [event, attempt] of whatComes(model, real, call, luck)) promise(model, event, attempt);
    real.agenda.take(item);
  });
}

function whatComes(model: Model, real: Real, call: Call, luck: number): readonly (readonly [string, string])[] {
  const attempt = call.attempt ?? "";
  const { luck: next } = real;
  switch (call.port) {
    case "start":
      return model.work.get(attempt)?.void === true ? [["attempt_aborted", attempt]] : [];
    case "agent": {
      // A killed agent may have answered before it died.
      const late = luck % 3 === 1;
      next.answer = late ? ANSWER.success : { kind: "aborted", usage: { cost_usd: 0.01 } };
      return [[late ? "work_succeeded" : "attempt_aborted", attempt]];
    }
    case "integrate":
      next.integration = luck % 7 === 1 ? "conflict" : luck % 7 === 2 ? "protected" : "integrated";
      return [[next.integration === "integrated" ? "attempt_integrated" : "attempt_failed", attempt]];
    case "revert":
      return model.begun ? [["work_reverted", ""]] : [];
    case "checkout":
      next.isTampered = luck === 19;
      if (call.signal?.aborted === true) return [["background_aborted", ""]];
      return next.isTampered ? [["tampered", ""]] : [];
    case "verify":
      if (call.signal?.aborted === true) return [["background_aborted", ""]];
      next.passed = luck % 5 === 1 ? false : luck % 11 === 2 ? null : true;
      model.verdict = next.passed;
      return [["base_case_checked", ""]];
    default:
      return [];
  }
}

/** What waits on the agenda: agents that may still answer, or all the rest. */
function waiting(real: Real, agents: boolean): readonly (readonly [Item, Call | undefined])[] {
  const calls = real.world.calls().filter((call) => call.begun);
  return real.agenda.items.flatMap((item) => {
    const call = calls.find((one) => one.label === item.label);
    const isAnswering = call?.port === "agent" && call.signal?.aborted !== true;
    return isAnswering === agents ? [[item, call] as const] : [];
  });
}

function nth<T>(items: readonly (readonly [Item, T])[], pick: number): readonly [Item, T] | readonly [] {
  return items[pick % Math.max(1, items.length)] ?? [];
}

function stop(): Command {
  return command("stop", isLive, (model, real) => {
    if (!model.begun) return;
    promise(model, "stop_requested");
    real.world.stop("enough");
  });
}

function stopByHand(): Command {
  return command(
    "write a stop into the state file",
    (model) => isLive(model) && model.begun && !model.stopping && model.halted === null,
    (model, real) => {
      real.disk.edit((state) =>
        accepted({ ...state, control: { ...state.control, stop_requested: true, stop_reason: "by hand" } }),
      );
      model.stopWritten = true;
    },
  );
}

function editByHand(): Command {
  return command("edit the state file", isLive, (_model, real) => {
    real.disk.edit((state) => accepted({ ...state, objective: { ...state.objective, goal: "not obeyed" } }));
  });
}

function redirect(wanted: Redirect): Command {
  return command(
    `redirect ${inWords(wanted)}`,
    (model) => (isLive(model) && model.begun) || model.phase === "idle",
    (model, real) => {
      if (isLive(model)) promiseRedirect(model, wanted);
      else if (accepts(model, wanted)) setLimits(model, wanted);
      real.world.redirect(wanted);
    },
  );
}

function resolveByHand(id: string): Command {
  return command(
    `update ${id} resolved, by hand`,
    (model) => model.phase === "idle",
    (model, real) => {
      const known = model.ledger.atoms.get(id);
      if (known !== undefined && isExecutable(model.ledger, id)) {
        resolve(model.ledger, id);
        model.worded.add(id);
      }
      real.disk.edit((state) => {
        const done = updateAtom(state, id, "resolved");
        if (done.ok) real.laws.resolvedByHand(id);
        return done.ok ? accepted(done.value.state) : done;
      });
    },
  );
}

function crash(landed: boolean): Command {
  return command(`crash${landed ? ", what was landing has landed" : ""}`, isLive, (model, real) => {
    const landing = real.world.calls().find((call) => call.begun && call.land !== undefined);
    const work = model.work.get(landing?.attempt ?? "");
    real.luck.integration = "integrated";
    real.world.crash(landed);
    real.agenda.clear();
    // It halted, and died before it was at rest: to be run again is a person's request.
    if (model.halted !== null) model.stopping = model.stopWritten = false;
    model.phase = "crashed";
    forgetLife(model);
    if (landed && work !== undefined && !work.void) resolve(model.ledger, work.atom);
  });
}

function advance(ms: number): Command {
  return command(`${ms} ms pass`, isLive, async (model, real) => {
    await real.world.advance(ms);
    if (ms >= 1_000 && model.begun && model.stopWritten) {
      readOn(model, real.disk);
      if (model.stopWritten && !model.stopping && model.halted === null)
        throw new Error("nobody saw the stop in the state file");
    }
  });
}

// ── sequences ───────────────────────────────────────────────────────────────

const reason = "changed my mind";
const ids = fc.constantFrom("A1", "A2", "A3", "A4", "R1");
const changeTo = (id: string, words: number): Change => ({
  kind: "change",
  id,
  description: `in ${words} words`,
  reason,
});
const anyRedirect: fc.Arbitrary<Redirect> = fc.oneof(
  fc.constantFrom<Redirect>(
    { kind: "set", field: "goal", value: "another goal", reason },
    { kind: "limit", constraint: "max_iterations", value: 3, reason },
    { kind: "limit", constraint: "max_iterations", value: 9, reason },
    { kind: "limit", constraint: "max_parallel_agents", value: 2, reason },
    { kind: "add", id: "R2", description: "another way", depends_on: [], or_group: "g0", reason },
  ),
  ids.map((id): Redirect => ({ kind: "add", id: "R1", description: "more", depends_on: [id], reason })),
  ids.map((id): Redirect => ({ kind: "remove", id, reason })),
  fc.tuple(ids, fc.nat(3)).map(([id, words]): Redirect => changeTo(id, words)),
  fc.tuple(ids, ids, fc.boolean()).map(([id, other, finish]): Redirect => ({
    kind: "transaction",
    // In the order in which they are made.
    changes: [
      { kind: "limit", constraint: "max_iterations", value: 9, reason: "" },
      { kind: "add", id: "R1", description: "more", depends_on: [other], reason: "" },
      changeTo(id, 9),
    ],
    reason,
    ...(finish ? { finish } : {}),
  })),
  ids.map((id): Redirect => ({ kind: "redo", id, reason })),
  ids.map((atom): Redirect => ({ kind: "choose", group: "g0", atom, reason })),
  fc.constantFrom<Redirect>(
    { kind: "confirm", item: "it is sound", reason },
    { kind: "reject", item: "it is sound", reason },
  ),
  ids.map((id): Redirect => ({ kind: "rebind", id, binding: { summary: "by hand", artifacts: [] }, reason })),
);
const picks = fc.nat(3);

export const ALL: fc.Arbitrary<Command>[] = [
  fc.constant(start()),
  ...Array.from({ length: 6 }, () => fc.tuple(picks, fc.nat(20)).map(([pick, luck]) => settle(pick, luck))),
  ...Array.from({ length: 3 }, () => picks.map((pick) => answer(pick, "success"))),
  fc.tuple(picks, fc.constantFrom(...ANSWERS)).map(([pick, kind]) => answer(pick, kind)),
  anyRedirect.map(redirect),
  fc.boolean().map(crash),
  fc.constantFrom(100, 1_000, 4_000).map(advance),
  fc.oneof(fc.constant(stop()), fc.constant(stopByHand()), fc.constant(editByHand())),
  ids.map(resolveByHand),
];

const MOST_STEPS = 400;

/** Lets everything come to a good end: from wherever it was left, the run halts. */
export async function finish(model: Model, real: Real): Promise<void> {
  const isDone = (): boolean => model.phase === "over" || (model.phase === "idle" && model.halted !== null);
  for (let steps = 0; !isDone(); steps++) {
    if (steps > MOST_STEPS) throw new Error(`the run does not end within ${MOST_STEPS} steps`);
    const next =
      model.phase !== "live"
        ? start()
        : waiting(real, true).length > 0
          ? answer(0, "success")
          : waiting(real, false).length > 0
            ? settle(0, 0)
            : advance(RETRY_MS);
    await next.run(model, real);
  }
}
