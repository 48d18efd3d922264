/** A session whose turn ends before its coordinator does, in the real Claude Code: who may go on (SPEC sections 8 and 10). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aotProcessJson } from "../support/aot.ts";
import { bash, call, say, withPlugin, type Line, type Play, type SetStage, type Stage } from "./plugin-client.ts";
import { cast, COORDINATE } from "./plugin-play.ts";
import { loopText } from "./plugin-states.ts";

withPlugin(suite);

const ENTER = "/aot-loop:enter-recursion";
const WORKER = 'command:echo x > A1.txt; echo \'{"success": true, "summary": "done"}\'';

function suite(stage: SetStage): void {
  const set = (): Promise<Stage> => stage(loopText({ atoms: [["A1"]], check: "test -f A1.txt" }));
  const control = async ({ loop }: Stage): Promise<object> => (await loop()).control;
  /** The loop is entered, and Esc is pressed while its worker works. */
  const interrupted = async (place: Stage): Promise<ReturnType<Stage["talk"]>> => {
    const talk = place.talk();
    let release = (_line: Line): void => {};
    const usual = cast();
    place.play((scene) => {
      if (scene.who !== "worker") return usual(scene);
      talk.interrupt();
      return new Promise<Line>((resolve) => (release = resolve));
    });
    expect((await talk.say(ENTER)).terminal_reason).toMatch(/^aborted/);
    release(say("too late"));
    expect(await control(place)).toMatchObject({ status: "running", iteration: 1 });
    return talk;
  };

  describe("SPEC 8, 10: a turn that ends before its coordinator does", { timeout: 180_000 }, () => {
    test("Esc, and then a turn about something else: its end says that nobody works the loop, and a run goes on", async () => {
      const place = await set();
      const talk = await interrupted(place);
      const run = (): ReturnType<typeof aotProcessJson> =>
        aotProcessJson(["run", "--agent", WORKER], { cwd: place.dir });
      expect(run()).toMatchObject({ code: 1 });
      place.play(() => say("Something else."));
      expect((await talk.say("how are you")).out).toContain("nobody works it");
      expect(run()).toMatchObject({ code: 0, json: { outcome: "verified" } });
      expect((await talk.end()).code).toBe(0);
    });

    test("Esc, and then /clear: the new session of the same client goes on", async () => {
      const place = await set();
      const talk = await interrupted(place);
      const before = sessionIn(place);
      place.play(anew());
      await talk.say("/clear");
      // SessionEnd.
      await until(() => recordIn(place)["left"] === true);
      const { session } = await talk.say(ENTER);
      expect(session).not.toBe(before);
      expect(await control(place)).toMatchObject({ status: "completed", outcome: "verified", iteration: 2 });
      expect((await talk.end()).code).toBe(0);
    });

    test("StopFailure: the model service fails the session's own turn; nobody works the loop, and a run goes on", async () => {
      const place = await set();
      const talk = place.talk();
      const refusal: Line = { error: { message: "boom", type: "invalid_request_error" }, status: 400 };
      place.play(cast({ main: ({ turn }) => (turn === 0 ? bash("aot session enter") : refusal) }));
      expect((await talk.say(ENTER)).terminal_reason).toBe("api_error");
      await until(() => recordIn(place)["left"] === true);
      expect(aotProcessJson(["run", "--agent", WORKER], { cwd: place.dir })).toMatchObject({
        code: 0,
        json: { outcome: "verified" },
      });
      await talk.end();
    });
  });
}

/** The usual cast in a conversation that has been going on: its main thread counts from here. */
function anew(): Play {
  let turn = 0;
  return cast({ main: () => [bash("aot session enter"), call(COORDINATE)][turn++] ?? say("MAIN DONE") });
}

function recordIn(place: Stage): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(place.dir, ".claude", "aot-loop", "session.json"), "utf8")) as Record<
    string,
    unknown
  >;
}

function sessionIn(place: Stage): unknown {
  return recordIn(place)["session"];
}

/** The client does not wait for a hook of this event. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 600) throw new Error("it did not come to that in a minute");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
