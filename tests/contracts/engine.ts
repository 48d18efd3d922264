/**
 * The contract of `Engine` (src/loop/engine.ts), one suite for every implementation (SPEC section 13). A subject hosts
 * loops whose tasks are performed in the world of the script.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import { EXIT_CODES, type Outcome, type State } from "../../src/core/state.ts";
import type { Engine, LoopSpec, LoopView, LoopRequest } from "../../src/loop/engine.ts";
import type { AgentAnswer } from "../../src/loop/ports.ts";
import { atomIn, createScript, FAILURE, SUCCESS, type Script } from "../support/engines/script.ts";
import { stateOf, type Sketch } from "../support/loops.ts";
import { hostedLines } from "../support/lines.ts";

export interface EngineSubject {
  readonly name: string;
  /** An engine whose workers perform in the script's world; it and all of its processes are gone after `close()`. */
  open(script: Script): Promise<Engine>;
}

const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
const BOUND_MS = 45_000;

let loops = 0;

class Bench {
  readonly script: Script;
  readonly name = `loop-${process.pid}-${Date.now()}-${++loops}`;
  readonly engine: Engine;
  #signals = 0;
  constructor(engine: Engine, script: Script) {
    this.engine = engine;
    this.script = script;
  }
  async start(sketch: Sketch | State, more: Partial<LoopSpec> = {}): Promise<void> {
    const state = "control" in sketch ? sketch : stateOf(sketch);
    const spec: LoopSpec = {
      state,
      memory: MEMORY,
      settings: { verify_each: false, confirmed: false },
      terms: {},
      ...more,
    };
    expect(await this.engine.start(this.name, spec)).toMatchObject({ ok: true });
  }
  async signal(request: LoopRequest, id = `s${++this.#signals}`): ReturnType<Engine["signal"]> {
    return await this.engine.signal(this.name, { ...request, id });
  }
  async view(): Promise<LoopView> {
    const view = await this.engine.view(this.name);
    if (view === null) throw new Error(`${this.name} is not there`);
    return view;
  }
  /** Waits until it holds, and says what stood there if it never did. */
  async until(what: string, holds: (view: LoopView) => boolean): Promise<LoopView> {
    for (const end = Date.now() + BOUND_MS; ;) {
      const view = await this.view();
      if (holds(view)) return view;
      if (Date.now() > end) throw new Error(`never: ${what}; ${JSON.stringify({ ...view, lines: view.lines })}`);
      await new Promise((resume) => setTimeout(resume, 15));
    }
  }
  async halted(outcome: Outcome): Promise<LoopView> {
    const view = await this.until(`halted as ${outcome}`, ({ state: { control } }) => control.outcome != null);
    expect(view.state.control.outcome).toBe(outcome);
    expect(view.state.control.status).toBe(EXIT_CODES[outcome] === 0 ? "completed" : "stopped");
    expect(checkInvariants(view.state)).toEqual([]);
    expect(view.working).toEqual([]);
    return view;
  }
  /** Takes a halted loop up again, and waits until it did. */
  async resume(): Promise<void> {
    const { lines } = await this.view();
    expect(await this.signal({ kind: "resume" })).toMatchObject({ ok: true });
    await this.until("resumed", (view) => view.lines > lines);
  }
  async working(...calls: string[]): Promise<void> {
    await this.until(`${calls.join()} at work`, () => calls.every((call) => this.script.working.has(call)));
  }
}

const CHAIN: Sketch = { atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] };
const CHOICE: Sketch = {
  atoms: [{ id: "A1" }, { id: "B1" }, { id: "D", depends_on: ["A1"] }],
  groups: [{ name: "g", choices: ["A1", "B1"] }],
};

export function engineContract(subject: EngineSubject): void {
  const engine = (name: string, play: (bench: Bench) => Promise<void>): void =>
    test(name, async () => {
      const script = createScript();
      const opened = await subject.open(script);
      onTestFinished(() => opened.close());
      await play(new Bench(opened, script));
    });

  describe(`engine: ${subject.name}`, () => {
    engine("SPEC 3: a graph is worked in its order, within its slots, and verified", async (bench) => {
      const ids = ["A1", "A2", "A3"];
      await bench.start({
        atoms: [{ id: "A0" }, ...ids.map((id) => ({ id, depends_on: ["A0"] })), { id: "A4", depends_on: ids }],
        constraints: { max_parallel_agents: 2 },
      });
      const view = await bench.halted("verified");
      const { integrated, peak, requests } = bench.script;
      expect(integrated.toSorted()).toEqual(["A0.1", "A1.1", "A2.1", "A3.1", "A4.1"]);
      expect([integrated[0], integrated[4]]).toEqual(["A0.1", "A4.1"]);
      expect(peak.working).toBeLessThanOrEqual(2);
      expect(peak.integrating).toBe(1);
      expect(Object.keys(requests.find(({ call }) => call === "A4.1")?.bindings ?? {}).toSorted()).toEqual(ids);
      expect(view).toMatchObject({ attempts: 5, reruns: 0, refused: [] });
      expect(view.cost_usd).toBeCloseTo(0.05);
    });

    engine("SPEC 7: a failed choice is given up, its rival hears why, and the dependant follows", async (bench) => {
      bench.script.lines.set("A1", [{ answer: FAILURE }]);
      await bench.start(CHOICE);
      const { state } = await bench.halted("verified");
      expect(state.or_groups[0]).toMatchObject({ selected: "B1", failed: ["A1"] });
      expect(state.trail).toMatchObject([{ or_group: "g", selected: "B1" }]);
      expect(bench.script.integrated).toEqual(["B1.1", "D.1"]);
    });

    engine("SPEC 7: a group without an alternative stops the loop, and its other work stays", async (bench) => {
      for (const id of ["A1", "B1"]) bench.script.lines.set(id, [{ answer: FAILURE }]);
      await bench.start(CHOICE);
      const { state } = await bench.halted("or_group_exhausted");
      expect(atomIn(state, "D").status).toBe("pending");
    });

    engine("SPEC 7: what stood below a choice that is given up is taken out", async (bench) => {
      bench.script.lines.set("P2", [{ answer: FAILURE }]);
      await bench.start({
        atoms: [{ id: "P" }, { id: "P1" }, { id: "P2", depends_on: ["P1"] }, { id: "Q" }],
        splits: [["P", ["P1", "P2"]]],
        groups: [{ name: "g", choices: ["P", "Q"] }],
        constraints: { max_attempts_per_atom: 1 },
      });
      await bench.halted("verified");
      expect(bench.script.reverted).toEqual([["P", "P1", "P2"]]);
      expect(bench.script.integrated).toEqual(["P1.1", "Q.1"]);
    });

    engine("SPEC 7: choices race; the first is adopted and the other is killed", async (bench) => {
      for (const id of ["A1", "B1"]) bench.script.lines.set(id, [{ hold: true }]);
      await bench.start({
        atoms: [{ id: "A1" }, { id: "B1" }],
        groups: [{ name: "g", choices: ["A1", "B1"], speculative: true }],
      });
      await bench.working("A1.1", "B1.1");
      bench.script.letGo("B1.1");
      const { state } = await bench.halted("verified");
      expect(state.or_groups[0]).toMatchObject({ selected: "B1" });
      expect(bench.script.integrated).toEqual(["B1.1"]);
      expect(bench.script.aborted).toEqual(["A1.1"]);
    });

    engine("SPEC 7: a worker splits its atom, and a conflict is worked again from the new base", async (bench) => {
      const split = {
        split: [
          { id: "S1", description: "one" },
          { id: "S2", description: "two" },
        ],
        reason: "large",
      };
      bench.script.lines.set("A1", [{ answer: { kind: "answer", value: split } }]);
      bench.script.merges.set("S1.1", "conflict");
      await bench.start({ atoms: [{ id: "A1" }] });
      const { state } = await bench.halted("verified");
      expect(state.decompositions).toMatchObject([{ parent: "A1", children: ["S1", "S2"], reason: "large" }]);
      expect(bench.script.integrated.toSorted()).toEqual(["S1.2", "S2.1"]);
    });

    engine("SPEC 6: what is not verified is planned anew, and nothing but a true verdict completes", async (bench) => {
      bench.script.verdicts.splice(0, 1, false, true);
      bench.script.plans.push({ atoms: [{ id: "fix", description: "fix it" }], reason: "red" });
      await bench.start(CHAIN);
      const { state } = await bench.halted("verified");
      expect(atomIn(state, "fix").status).toBe("resolved");
      expect(bench.script.checks.count).toBe(2);
    });

    engine(
      "SPEC 9: a loop that waits for a person holds nothing; one yes takes it up, repeated or not",
      async (bench) => {
        bench.script.verdicts.splice(0, 1, "unconfirmed");
        await bench.start(CHAIN);
        await bench.halted("needs_confirmation");
        expect(await bench.signal({ kind: "approve" }, "yes")).toMatchObject({ ok: true });
        await bench.halted("verified");
        expect(await bench.signal({ kind: "approve" }, "yes")).toMatchObject({ ok: true, repeated: true });
        expect(await bench.signal({ kind: "approve" }, "another")).toMatchObject({ ok: false });
        expect(bench.script.integrated).toEqual(["A1.1", "A2.1"]);
      },
    );

    engine(
      "SPEC 8: what a worker tells is bounded: 20 MB of it neither fill the engine nor end the loop",
      async (bench) => {
        const huge = "x".repeat(20_000_000);
        const artifacts = Array.from({ length: 100_000 }, (_, i) => `src/${i}.ts`);
        const failed: AgentAnswer = { kind: "answer", value: { success: false, summary: huge } };
        const dead: AgentAnswer = { kind: "failed", reason: huge };
        const done: AgentAnswer = { kind: "answer", value: { success: true, summary: huge, artifacts } };
        bench.script.lines.set("A1", [{ answer: failed }, { answer: dead }, { answer: done }]);
        await bench.start({ atoms: [{ id: "A1" }] });
        const { state, lines } = await bench.halted("verified");
        expect(atomIn(state, "A1").binding?.summary).toMatch(/^x+\n\[... 19992000 more characters were left out/);
        expect(JSON.stringify(state).length).toBeLessThan(100_000);
        const journal = await bench.engine.journal(bench.name, 0);
        expect(JSON.stringify(journal).length).toBeLessThan(lines * 40_000);
      },
    );

    engine("SPEC 8: a stop lets attempts in flight finish; resumed, the loop goes on from there", async (bench) => {
      bench.script.lines.set("A1", [{ hold: true }]);
      await bench.start(CHAIN);
      await bench.working("A1.1");
      expect(await bench.signal({ kind: "stop", reason: "lunch" })).toMatchObject({ ok: true });
      expect((await bench.view()).state.control).toMatchObject({ status: "running", stop_requested: true });
      bench.script.letGo("A1.1");
      const stopped = await bench.halted("stop_requested");
      expect(stopped.state.control).toMatchObject({ iteration: 1, stop_reason: expect.stringContaining("lunch") });
      expect(bench.script.integrated).toEqual(["A1.1"]);
      expect(await bench.signal({ kind: "stop", reason: "again" })).toMatchObject({ ok: false });
      await bench.resume();
      const { state } = await bench.halted("verified");
      expect(state.control).toMatchObject({ iteration: 2, stop_requested: false });
      expect(bench.script.integrated).toEqual(["A1.1", "A2.1"]);
    });

    engine(
      "SPEC 13: a loop that halted is handed back to its project, and nothing becomes of it here",
      async (bench) => {
        bench.script.lines.set("A1", [{ hold: true }]);
        await bench.start(CHAIN);
        await bench.working("A1.1");
        expect(await bench.signal({ kind: "hand_back" })).toMatchObject({ ok: false });
        await bench.signal({ kind: "stop", reason: "" });
        bench.script.letGo("A1.1");
        await bench.halted("stop_requested");
        for (let times = 0; times < 2; times++)
          expect(await bench.signal({ kind: "hand_back" })).toMatchObject({ ok: true });
        expect(await bench.signal({ kind: "resume" })).toMatchObject({ ok: false });
        expect(bench.script.integrated).toEqual(["A1.1"]);
      },
    );

    engine("SPEC 8: cancel kills what is running, and its result counts for nothing", async (bench) => {
      bench.script.lines.set("A1", [{ hold: true }, {}]);
      await bench.start(CHAIN);
      await bench.working("A1.1");
      expect(await bench.signal({ kind: "cancel", reason: "enough" })).toMatchObject({ ok: true });
      const { state } = await bench.halted("stop_requested");
      expect(atomIn(state, "A1").status).toBe("pending");
      expect(bench.script.aborted).toEqual(["A1.1"]);
      await bench.resume();
      await bench.halted("verified");
      expect(bench.script.integrated).toEqual(["A1.2", "A2.1"]);
    });

    engine("SPEC 8: a redirect that touches no work in flight ends nobody, and is recorded once", async (bench) => {
      bench.script.lines.set("A1", [{ hold: true }]);
      await bench.start(CHAIN);
      await bench.working("A1.1");
      const request: LoopRequest = {
        kind: "redirect",
        redirect: { kind: "add", id: "new", description: "more", depends_on: [], reason: "forgotten" },
      };
      const message = "added new: more (forgotten); A1.1 goes on";
      expect(await bench.signal(request, "add")).toMatchObject({ ok: true, message });
      expect(await bench.signal(request, "add")).toMatchObject({ ok: true, repeated: true });
      bench.script.letGo("A1.1");
      const { state } = await bench.halted("verified");
      expect(state.corrections).toMatchObject([{ type: "dag_adjustment" }]);
      expect(bench.script.aborted).toEqual([]);
      expect(bench.script.integrated.toSorted()).toEqual(["A1.1", "A2.1", "new.1"]);
    });

    engine("SPEC 8: a redirect ends the work in flight that it touches, and the loop goes on", async (bench) => {
      bench.script.lines.set("A1", [{ hold: true }, {}]);
      await bench.start(CHAIN);
      await bench.working("A1.1");
      const request: LoopRequest = {
        kind: "redirect",
        redirect: { kind: "set", field: "goal", value: "another", reason: "" },
      };
      expect(await bench.signal(request)).toMatchObject({ ok: true, message: "goal changed; ended A1.1" });
      const { state } = await bench.halted("verified");
      expect(state.corrections).toMatchObject([{ type: "objective_change" }]);
      expect(bench.script.aborted).toEqual(["A1.1"]);
      expect(bench.script.integrated.toSorted()).toEqual(["A1.2", "A2.1"]);
    });

    engine("SPEC 8: what the state refuses is refused at once and interrupts nothing", async (bench) => {
      bench.script.lines.set("A1", [{ hold: true }]);
      await bench.start(CHAIN);
      await bench.working("A1.1");
      const redirect = { kind: "remove", id: "A1", reason: "" } as const;
      expect(await bench.signal({ kind: "redirect", redirect })).toMatchObject({ ok: false });
      bench.script.letGo("A1.1");
      await bench.halted("verified");
      expect(bench.script.aborted).toEqual([]);
    });

    engine(
      "SPEC 8: what is no redirect is refused, running and halted, and the loop takes what comes after",
      async (bench) => {
        const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
        const wrong: readonly unknown[] = [
          { kind: "pause" },
          null,
          { kind: "set", field: "base_case", value: { type: "command" } },
          { kind: "set", field: "base_case", value: deep(5_000) },
          { kind: "limit", constraint: "max_iterations", value: "9" },
          { kind: "rebind", id: "A1", binding: {} },
          { kind: "add", id: "new", description: "more", depends_on: "A1" },
        ];
        const refuseAll = async (): Promise<void> => {
          for (const redirect of wrong)
            expect(await bench.signal({ kind: "redirect", redirect } as LoopRequest)).toMatchObject({ ok: false });
          expect(await bench.signal({ kind: "sing" } as unknown as LoopRequest)).toMatchObject({ ok: false });
        };
        bench.script.lines.set("A1", [{ hold: true }]);
        await bench.start(CHAIN);
        await bench.working("A1.1");
        await refuseAll();
        expect(await bench.signal({ kind: "cancel", reason: "later" })).toMatchObject({ ok: true });
        await bench.halted("stop_requested");
        await refuseAll();
        bench.script.lines.delete("A1");
        await bench.resume();
        const { state } = await bench.halted("verified");
        expect(state.corrections).toEqual([]);
      },
    );

    engine("SPEC 8: a stopped loop is redirected, too; what that gives up is taken out first", async (bench) => {
      bench.script.lines.set("D", [{ hold: true }, {}]);
      await bench.start(CHOICE);
      await bench.working("D.1");
      await bench.signal({ kind: "cancel", reason: "another way" });
      await bench.halted("stop_requested");
      const redirect = { kind: "choose", group: "g", atom: "B1", reason: "better" } as const;
      expect(await bench.signal({ kind: "redirect", redirect })).toMatchObject({ ok: true });
      await bench.resume();
      const { state } = await bench.halted("verified");
      expect(state.or_groups[0]).toMatchObject({ selected: "B1" });
      expect(bench.script.reverted).toEqual([["A1"]]);
      expect(bench.script.integrated).toEqual(["A1.1", "B1.1", "D.2"]);
    });

    engine("SPEC 4: spent fuel stays spent until a person raises the limit", async (bench) => {
      bench.script.lines.set("A1", [{ answer: FAILURE }]);
      await bench.start({ ...CHAIN, constraints: { max_iterations: 2, max_stall_count: 9, max_parallel_agents: 1 } });
      const first = await bench.halted("max_iterations");
      expect(first).toMatchObject({ attempts: 2 });
      await bench.resume();
      const second = await bench.halted("max_iterations");
      expect(second).toMatchObject({ attempts: 2, state: { control: { iteration: 2 } } });
      const redirect = { kind: "limit", constraint: "max_iterations", value: 9, reason: "once more" } as const;
      await bench.signal({ kind: "redirect", redirect });
      bench.script.lines.delete("A1");
      await bench.resume();
      expect(await bench.halted("verified")).toMatchObject({ attempts: 4 });
      expect(bench.script.integrated).toEqual(["A1.3", "A2.1"]);
    });

    engine("SPEC 4: attempts of an atom are counted over runs, and end its loop", async (bench) => {
      bench.script.lines.set("A1", [{ answer: FAILURE }]);
      const memory = { ...MEMORY, attempts: { A1: 1 }, cost_usd: 1 };
      await bench.start({ ...CHAIN, constraints: { max_attempts_per_atom: 2 } }, { memory });
      const view = await bench.halted("budget");
      expect(view.attempts).toBe(1);
      expect(bench.script.requests.map(({ call }) => call)).toEqual(["A1.2"]);
      expect(view.cost_usd).toBe(1);
    });

    const ENDS: readonly (readonly [Outcome, Sketch, (script: Script) => void])[] = [
      ["stalled", { ...CHAIN, constraints: { max_stall_count: 2 } }, (s) => s.lines.set("A1", [{ answer: FAILURE }])],
      [
        "agent_unavailable",
        CHAIN,
        (s) => s.lines.set("A1", [{ answer: { kind: "unavailable", reason: "not logged in" } }]),
      ],
      ["tampered", CHAIN, (s) => s.tampered.push("test.js")],
      ["needs_confirmation", CHAIN, (s) => s.verdicts.splice(0, 1, null)],
      [
        "budget",
        { ...CHAIN, constraints: { max_cost_usd: 0.5 } },
        (s) =>
          s.lines.set("A1", [{ answer: { ...SUCCESS, kind: "failed", reason: "boom", usage: { cost_usd: 0.6 } } }]),
      ],
    ];
    for (const [outcome, sketch, write] of ENDS)
      engine(`SPEC 9: a loop that ends as ${outcome} says so`, async (bench) => {
        write(bench.script);
        await bench.start(sketch);
        await bench.halted(outcome);
      });

    engine("SPEC 13: a loop is started once; one that is not there is refused", async (bench) => {
      bench.script.lines.set("A1", [{ hold: true }]);
      await bench.start(CHAIN);
      await bench.working("A1.1");
      await bench.start({ atoms: [{ id: "other" }] });
      expect(atomIn((await bench.view()).state, "A1").status).toBe("in_progress");
      expect(await bench.engine.loops()).toContain(bench.name);
      expect(await bench.engine.signal("nobody", { kind: "resume", id: "1" })).toMatchObject({ ok: false });
      expect(await bench.engine.view("nobody")).toBeNull();
      const broken = stateOf({ atoms: [{ id: "A1", depends_on: ["nobody"] }] });
      const settings = { verify_each: false, confirmed: false };
      const spec = { state: broken, memory: MEMORY, settings, terms: {} };
      expect(await bench.engine.start(`${bench.name}-broken`, spec)).toMatchObject({ ok: false });
      expect(await bench.engine.view(`${bench.name}-broken`)).toBeNull();
      bench.script.letGo("A1.1");
      await bench.halted("verified");
    });

    engine("SPEC 8: the journal tells the loop from its start to its halt, without a gap", async (bench) => {
      await bench.start(CHAIN);
      const { lines } = await bench.halted("verified");
      const reported = await hostedLines(bench.engine, bench.name);
      expect(reported).toHaveLength(lines);
      const events = reported.map(({ event }) => event);
      expect([events[0], events.at(-1)]).toEqual(["run_started", "halted"]);
      for (const one of ["A1.1", "A2.1"])
        expect(reported.flatMap((line) => ("attempt" in line && line.attempt === one ? [line.event] : []))).toEqual([
          "attempt_started",
          "work_succeeded",
          "attempt_integrated",
        ]);
      expect(reported.every(({ run }) => run === `${bench.name}-1`)).toBe(true);
    });
  });
}
