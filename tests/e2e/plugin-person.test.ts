/**
 * What a person does at a terminal while a loop is worked there (SPEC sections 8 and 10): Esc, a redirect, another session, a
 * client that is gone; and hooks that are killed. The real Claude Code.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import { readRecord } from "../../src/project/session-record.ts";
import type { State } from "../../src/core/state.ts";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { eventually } from "../support/bundle.ts";
import { whyNoTerminal, type Terminal } from "../support/terminal.ts";
import { withClient } from "./clients.ts";
import {
  bash,
  call,
  say,
  stage,
  startModel,
  useNode,
  type Line,
  type Model,
  type Play,
  type Scene,
  type Stage,
} from "./plugin-client.ts";
import { COORDINATE } from "./plugin-play.ts";
import { loopText } from "./plugin-states.ts";
import { agrees, inBackground, LIMIT_MS, shows, sitDown, types } from "./plugin-seat.ts";

const why = whyNoTerminal();
if (why === null) withClient("claude", suite);
else test.skip(`a person at a terminal: ${why}`, () => {});

const RUN = "/aot-loop:run";
const ESC = "\u001b";

function suite(client: string): void {
  let model: Model;
  let plugin: string;
  beforeAll(async () => {
    plugin = join(await stagePlugin(), "plugin");
    model = await startModel();
  });
  afterAll(() => model.stop());
  afterEach(() => void vi.unstubAllEnvs());

  const TWO = loopText({ atoms: [["A1"], ["A2"]], check: "test -f A1.txt -a -f A2.txt" });
  const state = async (place: Stage): Promise<State> => {
    const read = await readStateFile(place.state);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.value.state;
  };
  const attempts = (place: Stage): unknown[] =>
    place.journal().flatMap(({ event, attempt }) => (event === "attempt_started" ? [attempt] : []));
  const verified = async (place: Stage): Promise<void> => {
    await eventually("the loop halts", () => /^ {2}status: (stopped|completed)$/m.test(place.read()), LIMIT_MS);
    expect((await state(place)).control).toMatchObject({ status: "completed", outcome: "verified" });
  };
  const sit = (place: Stage, ...more: readonly string[]): Promise<Terminal> =>
    sitDown({ client, plugin, model }, place, "acceptEdits", ...more);

  /** The usual cast, whose workers wait for `release`; `main` plays first in the person's own conversation. */
  const held = (main: (scene: Scene) => Line | null | Promise<Line | null>): { release(): void; workers(): number } => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const usual = inBackground();
    let workers = 0;
    model.play(async (scene) => {
      if (scene.who === "worker" && scene.turn === 0) {
        workers++;
        await gate;
      }
      return (scene.who === "main" ? await main(scene) : null) ?? usual(scene);
    });
    return { release, workers: () => workers };
  };
  /** Counted from the newest time that the command was typed. */
  const entering = (): Play => {
    let turn = 0;
    return ({ last }) => {
      if (last.includes("Otherwise:")) turn = 0;
      return [bash("aot session enter"), call(COORDINATE)][turn++] ?? say("MAIN DONE");
    };
  };

  describe("SPEC 8, 10: a person at a terminal", { timeout: 240_000 }, () => {
    test("Esc after the loop was entered, before its coordinator has begun: the same session goes on, and nothing is tried twice", async () => {
      const place = stage(client, plugin, model, TWO);
      const usual = entering();
      let esc = false;
      const cast = held(async (scene) => {
        if (esc || !scene.isResult) return usual(scene);
        esc = true;
        terminal.type(ESC);
        await shows(terminal, "Interrupted");
        return say("too late");
      });
      cast.release();
      const terminal = await sit(place);
      await types(terminal, RUN);
      await shows(terminal, "Interrupted");
      expect((await state(place)).control).toMatchObject({ status: "running", iteration: 1 });
      await types(terminal, RUN);
      await verified(place);
      expect(attempts(place)).toEqual(["A1.1", "A2.1"]);
    });

    test("Esc while its workers work in the background ends none of them", async () => {
      const place = stage(client, plugin, model, TWO);
      const cast = held(entering());
      const terminal = await sit(place);
      await types(terminal, RUN);
      await eventually("both workers work", () => cast.workers() === 2, LIMIT_MS);
      terminal.type(ESC);
      cast.release();
      await verified(place);
      expect(attempts(place)).toEqual(["A1.1", "A2.1"]);
    });

    test("a redirect while workers work: the person is asked, and what it does not touch goes on", async () => {
      const place = stage(client, plugin, model, TWO);
      const usual = entering();
      let redirected = 0;
      const cast = held((scene) => {
        if (!scene.heard.includes("more time") && redirected === 0) return usual(scene);
        return redirected++ === 0
          ? bash("aot redirect limit max_iterations 9 --reason 'more time'")
          : say("REDIRECTED");
      });
      const terminal = await sit(place);
      await types(terminal, RUN);
      await eventually("both workers work", () => cast.workers() === 2, LIMIT_MS);
      await types(terminal, "give it more time");
      await shows(terminal, "for you to decide");
      await agrees(terminal);
      const limit = async (): Promise<number> => (await state(place)).objective.constraints.max_iterations;
      await eventually("the limit is higher", async () => (await limit()) === 9, LIMIT_MS);
      cast.release();
      await verified(place);
      expect(attempts(place)).toEqual(["A1.1", "A2.1"]);
    });

    test("two sessions: the second is refused while the first works, and the loop is worked once", async () => {
      const place = stage(client, plugin, model, TWO);
      let refusal = "";
      const cast = held(({ last, turn }) => {
        if (/session \S+ works this loop/.test(last)) refusal = last;
        if (refusal !== "") return say("REFUSED");
        return [bash("aot session enter"), call(COORDINATE)][turn] ?? say("MAIN DONE");
      });
      const first = await sit(place);
      await types(first, RUN);
      await eventually("both workers work", () => cast.workers() === 2, LIMIT_MS);
      const second = await sit(place);
      await types(second, RUN);
      await eventually("the second is refused", () => refusal !== "", LIMIT_MS);
      cast.release();
      await verified(place);
      expect(attempts(place)).toEqual(["A1.1", "A2.1"]);
      await shows(first, "Stop says: AoT loop: verified");
    });

    test("the first session's window is closed in the middle: a second one is informed, goes on and verifies", async () => {
      const place = stage(client, plugin, model, TWO);
      const cast = held(entering());
      const first = await sit(place);
      await types(first, RUN);
      await eventually("both workers work", () => cast.workers() === 2, LIMIT_MS);
      first.hangUp();
      await first.ended();
      const before = /session_id: "?([\w-]+)/.exec(place.read())?.[1] ?? "";
      cast.release();
      held(entering()).release();
      const second = await sit(place);
      await types(second, RUN);
      await verified(place);
      expect(/session_id: "?([\w-]+)/.exec(place.read())?.[1]).not.toBe(before);
      expect(readRecord(place.state, before)).toBe(null);
      // What nobody reported is tried once more, and counted.
      expect(attempts(place)).toEqual(["A1.1", "A2.1", "A1.2", "A2.2"]);
    });
  });

  describe(
    "SPEC 12: hooks that are killed under a person's session, and a rule that blocks",
    { timeout: 240_000 },
    () => {
      const BLOCKED: readonly Line[] = [
        bash("touch secret.txt"),
        bash("sh -c 'touch secret.txt'"),
        call(["Write", { file_path: "secret.txt", content: "x" }]),
      ];
      test.each([
        ["SessionStart", "kill -9 $$"],
        ["UserPromptSubmit", "kill -9 $PPID"],
        ["PreToolUse", "kill -9 $PPID"],
        ["PreToolUse", "kill -9 $$"],
        ["PostToolUse", "kill -9 $$"],
        ["Stop", "kill -9 $$"],
      ])("at %s (%s): 0 of the calls get through", async (event, script) => {
        const place = stage(client, plugin, model, null);
        const rules = {
          bash: ["event: bash", "pattern: secret"],
          file: ["event: file", "conditions: [{ field: file_path, operator: contains, pattern: secret }]"],
        };
        for (const [name, lines] of Object.entries(rules))
          writeFileSync(
            join(place.dir, ".claude", `hookify.no-${name}.local.md`),
            ["---", `name: no-${name}`, ...lines, "action: block", "---", "Not this."].join("\n"),
          );
        useNode(script, `*${event}*`);
        let tried = 0;
        model.play(({ turn, who }) => {
          if (who !== "main") return say("");
          tried = Math.max(tried, turn);
          const path = join(place.dir, "secret.txt");
          const line = BLOCKED[turn];
          return JSON.parse(JSON.stringify(line ?? say("ALL TRIED")).replace('\\"secret.txt', `\\"${path}`)) as Line;
        });
        const terminal = await sit(place, "--allowedTools", "Bash,Write,Edit");
        await types(terminal, "go on");
        await shows(terminal, "ALL TRIED");
        expect(tried).toBe(BLOCKED.length);
        expect(existsSync(join(place.dir, "secret.txt"))).toBe(false);
      });
    },
  );
}
