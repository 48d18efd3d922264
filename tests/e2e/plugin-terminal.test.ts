/**
 * A loop in a session where a person sits: the real Claude Code on a pseudo-terminal. It runs every sub-agent in the
 * background there, ends the coordinator's turn while its workers work, and wakes it with each result (SPEC section 10).
 */
import { describe, expect } from "vitest";
import { readRecord } from "../../src/project/session-record.ts";
import { eventually } from "../support/bundle.ts";
import { bash, say, transcripts, withPlugin, type SetStage } from "./plugin-client.ts";
import { atomIn } from "./plugin-play.ts";
import { loopText, sessionIn, TWO } from "./plugin-states.ts";
import { begin, inBackground, inEachMode, inEachModeAndP, LIMIT_MS, sitDown } from "./plugin-seat.ts";

withPlugin(suite);

const RUN = "/aot-loop:run";

function suite(stage: SetStage): void {
  const FOUR = loopText({
    atoms: [["A1"], ["A2"], ["A3"], ["A4", "A1, A2, A3"]],
    check: "test -f A1.txt -a -f A2.txt -a -f A3.txt -a -f A4.txt",
  }).replace("max_parallel_agents: 2", "max_parallel_agents: 3");
  const WAYS = loopText({
    atoms: [
      ["A1", "", "way"],
      ["B1", "", "way"],
    ],
    groups: "way: {choices: [A1, B1], selected: A1, failed: []}",
    check: "test -f B1.txt",
  });

  describe("SPEC 10: a loop in a session on a terminal", () => {
    inEachModeAndP(
      "three workers side by side and one behind them, with one attempt each, although the coordinator's conversation is summarised in between; the person reads the verdict",
      async (mode) => {
        const place = await stage(FOUR);
        place.play(inBackground({ forgets: true }));
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

    inEachMode("SPEC 7: a failure takes the alternative, with the reason of the first", async (mode) => {
      const place = await stage(WAYS);
      const refused = { success: false, summary: "the disk is round" };
      place.play(inBackground({ answer: (atom) => (atom === "A1" ? refused : { success: true, summary: "did it" }) }));
      const person = await sitDown(place, mode);
      await person.says(RUN);
      await person.sees("Stop says: AoT loop: verified");
      const { or_groups, trail } = await place.loop();
      expect(or_groups[0]).toMatchObject({ selected: "B1", failed: ["A1"] });
      expect(trail).toMatchObject([{ or_group: "way", selected: "B1" }]);
      expect(place.attempts()).toEqual(["A1.1", "B1.1"]);
      const second = place.scenes.find(({ who, task }) => who === "worker" && atomIn(task) === "B1");
      expect(second?.task).toContain("the disk is round");
    });

    inEachMode(
      "SESSION-5, SESSION-ANSWERS-1: a coordinator that lies changes nothing, and the person reads the true verdict",
      async (mode) => {
        const place = await stage(TWO);
        const lies = [
          "aot atom update A2 resolved",
          'aot binding add A2 --summary "done"',
          "aot state set-status completed",
        ];
        let refusals = "";
        place.play(
          inBackground({
            answer: (atom) => ({ success: atom === "A1", summary: `said by the worker of ${atom}` }),
            coordinator: ({ turn, last }) => {
              refusals += last;
              const lie = turn > 1 && !last.startsWith("Async") ? lies.shift() : undefined;
              return lie === undefined ? null : bash(lie);
            },
          }),
        );
        const person = await sitDown(place, mode);
        await person.says(RUN);
        await person.sees("Stop says: AoT loop: stalled");
        expect((await place.loop()).control).toMatchObject({ status: "stopped", outcome: "stalled" });
        expect(refusals.match(/is not for the coordinator/g)).toHaveLength(3);
        expect(place.journal().find(({ event }) => event === "attempt_failed")).toMatchObject({
          attempt: "A2.1",
          reason: "said by the worker of A2",
        });
        expect(place.attempts()).toEqual(["A1.1", "A2.1", "A2.2", "A2.3"]);
      },
    );

    inEachMode(
      "SPEC 5: entered again while its agents work in the background it is refused, and no atom is handed out twice",
      async (mode) => {
        const place = await stage(TWO);
        let release = (): void => {};
        const gate = new Promise<void>((resolve) => (release = resolve));
        let refusal = "";
        const usual = inBackground();
        let entered = 0;
        place.play(async (scene) => {
          if (scene.who === "worker" && scene.turn === 0) await gate;
          if (scene.who !== "main") return usual(scene);
          if (scene.last.includes("Otherwise:")) entered++;
          if (entered < 2) return usual(scene);
          if (scene.last.includes("work the loop in the background")) refusal = scene.last;
          return refusal === "" ? bash("aot session enter") : say("REFUSED");
        });
        const person = await sitDown(place, mode);
        await person.says(RUN);
        const running = (): number => readRecord(place.state, sessionIn(place))?.running.length ?? 0;
        await eventually("both workers and their coordinator run", () => running() === 3, LIMIT_MS);
        await person.says(RUN);
        await eventually("it is refused", () => refusal !== "", LIMIT_MS);
        release();
        await person.sees("Stop says: AoT loop: verified");
        expect((await place.loop()).control).toMatchObject({ outcome: "verified", iteration: 1 });
        expect(place.attempts()).toEqual(["A1.1", "A2.1"]);
      },
    );
  });
}
