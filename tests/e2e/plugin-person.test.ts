/**
 * What a person does at a terminal while a loop is worked there (SPEC sections 8 and 10): Esc, a redirect, a client that is
 * gone; and hooks that are killed. The real Claude Code, on a pseudo-terminal: it runs every sub-agent in the background
 * there, ends the coordinator's turn while its workers work, and wakes it with each result.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { readRecord } from "../../src/project/session-record.ts";
import { eventually } from "../support/bundle.ts";
import {
  bash,
  call,
  pathWithNode,
  say,
  transcripts,
  withPlugin,
  type Line,
  type Play,
  type Scene,
  type SetStage,
  type Stage,
} from "./plugin-client.ts";
import { COORDINATE } from "./plugin-play.ts";
import { loopText, sessionIn, TWO } from "./plugin-states.ts";
import { begin, inBackground, inEachMode, inEachModeAndP, LIMIT_MS, sitDown } from "./plugin-seat.ts";

withPlugin(suite);

const RUN = "/aot-loop:run";
const ESC = "\u001b";

/** The usual cast, whose workers wait for `release`; `main` plays first in the person's own conversation. */
function held(
  { play }: Stage,
  main: (scene: Scene) => Line | null | Promise<Line | null>,
): { release(): void; bothWork(): Promise<void> } {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const usual = inBackground();
  let workers = 0;
  play(async (scene) => {
    if (scene.who === "worker" && scene.turn === 0) {
      workers++;
      await gate;
    }
    return (scene.who === "main" ? await main(scene) : null) ?? usual(scene);
  });
  return { release, bothWork: () => eventually("both workers work", () => workers === 2, LIMIT_MS) };
}

/** Counted from the newest time that the command was typed. */
function entering(): Play {
  let turn = 0;
  return ({ last }) => {
    if (last.includes("Otherwise:")) turn = 0;
    return [bash("aot session enter"), call(COORDINATE)][turn++] ?? say("MAIN DONE");
  };
}

async function verified(place: Stage): Promise<void> {
  await eventually("the loop halts", () => /^ {2}status: (stopped|completed)$/m.test(place.read()), LIMIT_MS);
  expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified" });
}

function suite(stage: SetStage): void {
  const FOUR = loopText({
    atoms: [["A1"], ["A2"], ["A3"], ["A4", "A1, A2, A3"]],
    check: "test -f A1.txt -a -f A2.txt -a -f A3.txt -a -f A4.txt",
  }).replace("max_parallel_agents: 2", "max_parallel_agents: 3");

  describe("SPEC 8, 10: a person at a terminal", () => {
    inEachModeAndP(
      "three workers side by side and one behind them, with one attempt each, although the coordinator's conversation is summarised in between; the person reads the verdict",
      async (mode) => {
        const place = await stage(FOUR);
        place.play(inBackground(true));
        const session = await begin(place, mode);
        await session.says(RUN);
        await session.sees("Stop says: AoT loop: verified");
        expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified", iteration: 2 });
        expect(place.attempts()).toEqual(["A1.1", "A2.1", "A3.1", "A4.1"]);
        expect(place.scenes.filter(({ who, turn }) => who === "worker" && turn === 0)).toHaveLength(4);
        // The mock drops the client's system messages between others; the transcript has them.
        expect(transcripts(place)).toContain("This is the hook's own verdict: tell the user this");
        // Where its workers are waited for the coordinator is woken once, with all of them.
        if (mode !== "-p") expect(transcripts(place)).toContain("You coordinate it. AoT loop: iteration 1 is open.");
      },
    );

    inEachMode("Esc while its workers work in the background ends none of them", async (mode) => {
      const place = await stage(TWO);
      const { release, bothWork } = held(place, entering());
      const person = await sitDown(place, mode);
      await person.says(RUN);
      await bothWork();
      person.presses(ESC);
      release();
      await verified(place);
      expect(place.attempts()).toEqual(["A1.1", "A2.1"]);
    });

    inEachMode(
      "a redirect while workers work: the person is asked, and what it does not touch goes on",
      async (mode) => {
        const place = await stage(TWO);
        const usual = entering();
        let redirected = 0;
        const { release, bothWork } = held(place, (scene) => {
          if (!scene.heard.includes("more time") && redirected === 0) return usual(scene);
          return redirected++ === 0
            ? bash("aot redirect limit max_iterations 9 --reason 'more time'")
            : say("REDIRECTED");
        });
        const person = await sitDown(place, mode);
        await person.says(RUN);
        await bothWork();
        await person.says("give it more time");
        await person.sees("for you to decide");
        await person.agrees();
        const limit = async (): Promise<number> => (await place.loop()).objective.constraints.max_iterations;
        await eventually("the limit is higher", async () => (await limit()) === 9, LIMIT_MS);
        release();
        await verified(place);
        expect(place.attempts()).toEqual(["A1.1", "A2.1"]);
      },
    );

    inEachMode(
      "the first session's window is closed in the middle: a second one is informed, goes on and verifies",
      async (mode) => {
        const place = await stage(TWO);
        const { release, bothWork } = held(place, entering());
        const first = await sitDown(place, mode);
        await first.says(RUN);
        await bothWork();
        await first.leaves();
        const before = sessionIn(place);
        release();
        held(place, entering()).release();
        const second = await sitDown(place, mode);
        await second.says(RUN);
        await verified(place);
        expect(sessionIn(place)).not.toBe(before);
        expect(readRecord(place.state, before)).toBe(null);
        // What nobody reported is tried once more, and counted.
        expect(place.attempts()).toEqual(["A1.1", "A2.1", "A1.2", "A2.2"]);
      },
    );
  });

  describe("SPEC 12: hooks that are killed under a session, and a rule that blocks", () => {
    const POINTS: readonly (readonly [event: string, script: string])[] = [
      ["SessionStart", "kill -9 $$"],
      ["UserPromptSubmit", "kill -9 $PPID"],
      ["PreToolUse", "kill -9 $PPID"],
      ["PreToolUse", "kill -9 $$"],
      ["PostToolUse", "kill -9 $$"],
      ["Stop", "kill -9 $$"],
    ];
    for (const [event, script] of POINTS)
      inEachModeAndP(`at ${event} (${script}): 0 of the calls get through`, async (mode) => {
        const place = await stage(null, { env: { PATH: pathWithNode(script, `*${event}*`) } });
        const rules = {
          bash: ["event: bash", "pattern: secret"],
          file: ["event: file", "conditions: [{ field: file_path, operator: contains, pattern: secret }]"],
        };
        for (const [name, lines] of Object.entries(rules))
          writeFileSync(
            join(place.dir, ".claude", `hookify.no-${name}.local.md`),
            ["---", `name: no-${name}`, ...lines, "action: block", "---", "Not this."].join("\n"),
          );
        const secret = join(place.dir, "secret.txt");
        const blocked = [
          bash("touch secret.txt"),
          bash("sh -c 'touch secret.txt'"),
          call(["Write", { file_path: secret, content: "x" }]),
        ];
        let tried = 0;
        place.play(({ turn, who }) => {
          if (who !== "main") return say("");
          tried = Math.max(tried, turn);
          return blocked[turn] ?? say("ALL TRIED");
        });
        const session = await begin(place, mode, "--allowedTools", "Bash,Write,Edit");
        await session.says("go on");
        await session.sees("ALL TRIED");
        expect(tried).toBe(blocked.length);
        expect(existsSync(secret)).toBe(false);
      });
  });
}
