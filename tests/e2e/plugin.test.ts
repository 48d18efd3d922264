import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bash, call, say, withPlugin, transcripts, type SetStage, type Stage } from "./plugin-client.ts";
import { atomIn, cast, COORDINATE } from "./plugin-play.ts";
import { loopText } from "./plugin-states.ts";

withPlugin(suite);

function suite(stage: SetStage): void {
  const ENTER = "/aot-loop:enter-recursion";
  const THREE = loopText({
    atoms: [["A1"], ["A2"], ["A3", "A1, A2"]],
    check: "test -f A1.txt -a -f A2.txt -a -f A3.txt",
  });
  const spoken = (place: Stage, who: string): number => place.scenes.filter((scene) => scene.who === who).length;
  describe("SPEC 10: a loop in the session", { timeout: 180_000 }, () => {
    test("two workers side by side, a third behind them, verified; nothing is asked for", async () => {
      const place = await stage(THREE);
      place.play(cast());
      const ran = await place.claude(ENTER);
      expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
      const state = await place.loop();
      expect(state.control).toMatchObject({ status: "completed", outcome: "verified", iteration: 2, session_id: null });
      expect(state.atoms.map((atom) => [atom.id, atom.status, atom.binding?.summary])).toEqual([
        ["A1", "resolved", "did A1"],
        ["A2", "resolved", "did A2"],
        ["A3", "resolved", "did A3"],
      ]);
      expect(place.attempts()).toEqual(["A1.1", "A2.1", "A3.1"]);
      expect(existsSync(join(place.dir, ".claude", "aot-loop", "session"))).toBe(false);
      // The engine's instruction, not the coordinator's; and both before either answered.
      const workers = place.scenes.filter((scene) => scene.who === "worker");
      expect(workers[0]?.task).toContain("You are a worker. Do exactly one unit of work");
      expect(
        workers
          .slice(0, 2)
          .map(({ task }) => atomIn(task))
          .sort(),
      ).toEqual(["A1", "A2"]);
      expect(workers.find(({ task }) => atomIn(task) === "A3")?.task).toContain("did A1");
      expect(spoken(place, "coordinator")).toBeGreaterThan(0);
    });

    test("SPEC 2, 10: a worker sweeps the project with git clean: the loop is verified all the same, and it is said", async () => {
      const place = await stage(loopText({ atoms: [["A1"], ["A2", "A1"]], check: "test -f A1.txt -a -f A2.txt" }));
      execFileSync("git", ["init", "--quiet"], { cwd: place.dir });
      place.play(cast({ work: (atom) => `echo > ${atom}.txt; git clean -fdxq -e '*.txt'` }));
      const { out } = await place.claude(ENTER, "--allowedTools", "Bash");
      expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified" });
      expect(place.attempts()).toEqual(["A1.1", "A2.1"]);
      expect(out + transcripts(place)).toContain("they are back from");
    });

    test("SPEC 10: a session that does not own the loop changes nothing, is asked nothing, and learns that it is there", async () => {
      const place = await stage(
        THREE.replace("status: pending", "status: running").replace(
          "redirect_requested: false",
          "redirect_requested: false\n  session_id: somebody-else",
        ),
      );
      const before = place.read();
      place.play(
        cast({
          main: ({ turn }) => [call(COORDINATE), bash("echo x > out.txt")][turn] ?? say("MAIN DONE"),
          coordinator: () => say("I stop."),
        }),
      );
      const ran = await place.claude("do it", "--permission-mode", "dontAsk", "--allowedTools", "Agent,Bash");
      expect(ran.code).toBe(0);
      expect(place.read()).toBe(before);
      expect(place.journal()).toEqual([]);
      expect(spoken(place, "coordinator")).toBe(1);
      expect(readFileSync(join(place.dir, "out.txt"), "utf8")).toBe("x\n");
      // The mock drops the client's system messages between others; the transcript has them.
      expect(transcripts(place)).toContain("An AoT loop is open here");
    });

    test("SPEC 10: outside the project the client decides as usual, inside the loop's agents are not asked", async () => {
      const place = await stage(loopText({ atoms: [["A1"]], check: "test -f A1.txt" }));
      const outside = join(place.home, "outside.txt");
      place.play(
        cast({
          work: () => `touch ${outside}`,
          answer: (_, result) => ({ success: false, summary: result.slice(0, 200), artifacts: [] }),
        }),
      );
      await place.claude(ENTER);
      expect(existsSync(outside)).toBe(false);
      expect((await place.loop()).control.outcome).toBe("stalled");
    });

    test("SPEC 8: a session that dies in the middle buys nothing: a new one goes on in the next iteration", async () => {
      const place = await stage(THREE);
      const usual = cast();
      place.play((scene) => {
        if (scene.who === "worker" && scene.turn === 1) place.kill();
        return usual(scene);
      });
      await place.claude(ENTER);
      expect((await place.loop()).control).toMatchObject({ status: "running", iteration: 1 });
      place.play(cast());
      await place.claude(ENTER);
      const { control } = await place.loop();
      expect(control).toMatchObject({ status: "completed", outcome: "verified", iteration: 3, session_id: null });
      expect(place.attempts()).toEqual(["A1.1", "A2.1", "A1.2", "A2.2", "A3.1"]);
    });

    test("SPEC 8: a coordinator that the model service cuts off: the turn's end says so, the next session is reported and goes on", async () => {
      const place = await stage(loopText({ atoms: [["A1"], ["A2", "A1"]], check: "test -f A2.txt" }));
      const refusal = { error: { message: "boom", type: "invalid_request_error" }, status: 400 };
      place.play(cast({ coordinator: ({ turn }) => (turn === 0 ? null : refusal) }));
      const { out } = await place.claude(ENTER, "--output-format", "stream-json", "--verbose");
      expect((await place.loop()).control).toMatchObject({ status: "running", iteration: 1 });
      const record = JSON.parse(readFileSync(join(place.dir, ".claude", "aot-loop", "session.json"), "utf8")) as object;
      expect(record).toMatchObject({ left: true });
      expect(out).toContain("nobody works it");
      place.play(cast());
      await place.claude(ENTER);
      expect(transcripts(place)).toContain("It was cut off and nobody works it");
      expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified" });
    });

    test("SPEC 6: a judge's scores decide what no command can, and the average is code's", async () => {
      const place = await stage(loopText({ atoms: [["A1"]], quality: "readable" }));
      const words = JSON.stringify({ "it holds": { readable: { score: 4, reason: "A1.txt:1" } } });
      place.play(
        cast({
          verifier: ({ turn }) =>
            [bash("aot verify --json"), bash(`aot session judge --scores - <<'JSON'\n${words}\nJSON`)][turn] ??
            say('{"passed": true, "evidence": "read it"}'),
        }),
      );
      await place.claude(ENTER);
      expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified" });
    });
  });
}
