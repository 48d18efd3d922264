/**
 * A loop in a session where a person sits: the real Claude Code on a pseudo-terminal. It runs every sub-agent in the
 * background there, ends the coordinator's turn while its workers work, and wakes it with each result (SPEC section 10).
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import { readRecord } from "../../src/project/session-record.ts";
import type { Control } from "../../src/core/state.ts";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { eventually } from "../support/bundle.ts";
import { whyNoTerminal, type Terminal } from "../support/terminal.ts";
import { withClient } from "./clients.ts";
import { bash, say, stage, startModel, transcripts, type Model, type Stage } from "./plugin-client.ts";
import { loopText } from "./plugin-states.ts";
import { inBackground, LIMIT_MS, shows, sitDown, types } from "./plugin-seat.ts";

const why = whyNoTerminal();
if (why === null) withClient("claude", suite);
else test.skip(`the plugin on a terminal: ${why}`, () => {});

const ENTER = "/aot-loop:enter-recursion";

function suite(client: string): void {
  let model: Model;
  let plugin: string;
  beforeAll(async () => {
    plugin = join(await stagePlugin(), "plugin");
    model = await startModel();
  });
  afterAll(() => model.stop());

  const FOUR = loopText({
    atoms: [["A1"], ["A2"], ["A3"], ["A4", "A1, A2, A3"]],
    check: "test -f A1.txt -a -f A2.txt -a -f A3.txt -a -f A4.txt",
  }).replace("max_parallel_agents: 2", "max_parallel_agents: 3");
  const TWO = loopText({ atoms: [["A1"], ["A2"]], check: "test -f A1.txt -a -f A2.txt" });
  const control = async ({ state }: Stage): Promise<Control> => {
    const read = await readStateFile(state);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.value.state.control;
  };
  const attempts = (place: Stage): unknown[] =>
    place.journal().flatMap(({ event, attempt }) => (event === "attempt_started" ? [attempt] : []));
  const isOver = (place: Stage): boolean => /^ {2}status: (stopped|completed)$/m.test(place.read());

  const sit = (place: Stage, mode: string): Promise<Terminal> =>
    // Its safety check is a service that a scripted model does not offer.
    sitDown({ client, plugin, model }, place, mode, ...(mode === "auto" ? ["--allowedTools", "Bash(aot:*)"] : []));

  describe("SPEC 10: a loop in a session on a terminal", { timeout: 180_000 }, () => {
    test.each(["default", "acceptEdits", "auto"])(
      "%s: three workers side by side and one behind them, with one attempt each, although each turn of the coordinator ends before its workers do and its conversation is summarised in between; the person reads the verdict",
      async (mode) => {
        const place = stage(client, plugin, model, FOUR);
        model.play(inBackground({ forgets: true }));
        const terminal = await sit(place, mode);
        await types(terminal, ENTER);
        await eventually("the loop halts", () => isOver(place), LIMIT_MS);
        expect(await control(place)).toMatchObject({ status: "completed", outcome: "verified", iteration: 2 });
        expect(attempts(place)).toEqual(["A1.1", "A2.1", "A3.1", "A4.1"]);
        expect(model.scenes.filter(({ who, turn }) => who === "worker" && turn === 0)).toHaveLength(4);
        await shows(terminal, "Stop says: AoT loop: verified");
        // The mock drops the client's system messages between others; the transcript has them.
        expect(transcripts(place)).toContain("You coordinate it. AoT loop: iteration 1 is open.");
        expect(transcripts(place)).toContain("This is the hook's own verdict: tell the user this");
      },
    );

    test("SESSION-5, SESSION-ANSWERS-1: a coordinator that lies changes nothing, and the person reads the true verdict", async () => {
      const place = stage(client, plugin, model, TWO);
      const lies = [
        "aot atom update A2 resolved",
        'aot binding add A2 --summary "done"',
        "aot state set-status completed",
      ];
      let refusals = "";
      model.play(
        inBackground({
          answer: (atom) => ({ success: atom === "A1", summary: `said by the worker of ${atom}` }),
          coordinator: ({ turn, last }) => {
            refusals += last;
            const lie = turn > 1 && !last.startsWith("Async") ? lies.shift() : undefined;
            return lie === undefined ? null : bash(lie);
          },
        }),
      );
      const terminal = await sit(place, "acceptEdits");
      await types(terminal, ENTER);
      await shows(terminal, "Stop says: AoT loop: stalled");
      expect(await control(place)).toMatchObject({ status: "stopped", outcome: "stalled" });
      expect(refusals.match(/is not for the coordinator/g)).toHaveLength(3);
      expect(place.journal().find(({ event }) => event === "attempt_failed")).toMatchObject({
        attempt: "A2.1",
        reason: "said by the worker of A2",
      });
      expect(attempts(place)).toEqual(["A1.1", "A2.1", "A2.2", "A2.3"]);
    });

    test("SPEC 5: entered again while its agents work in the background it is refused, and no atom is handed out twice", async () => {
      const place = stage(client, plugin, model, TWO);
      let release = (): void => {};
      const gate = new Promise<void>((resolve) => (release = resolve));
      let refusal = "";
      const usual = inBackground();
      let entered = 0;
      model.play(async (scene) => {
        if (scene.who === "worker" && scene.turn === 0) await gate;
        if (scene.who !== "main") return usual(scene);
        if (scene.last.includes("Otherwise:")) entered++;
        if (entered < 2) return usual(scene);
        if (scene.last.includes("work the loop in the background")) refusal = scene.last;
        return scene.isResult ? say("REFUSED") : bash("aot session enter");
      });
      const terminal = await sit(place, "acceptEdits");
      await types(terminal, ENTER);
      const running = (): number => readRecord(place.state, sessionIn(place))?.running.length ?? 0;
      await eventually("both workers and their coordinator run", () => running() === 3, LIMIT_MS);
      await types(terminal, ENTER);
      await eventually("it is refused", () => refusal !== "", LIMIT_MS);
      release();
      await eventually("the loop halts", () => isOver(place), LIMIT_MS);
      expect(await control(place)).toMatchObject({ outcome: "verified", iteration: 1 });
      expect(attempts(place)).toEqual(["A1.1", "A2.1"]);
    });
  });
}

function sessionIn(place: Stage): string {
  return /session_id: "?([\w-]+)/.exec(place.read())?.[1] ?? "";
}
