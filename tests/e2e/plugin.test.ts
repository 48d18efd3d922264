import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bash, call, say, withPlugin, transcripts, type SetStage, type Stage } from "./plugin-client.ts";
import { atomIn, cast, COORDINATE, coordinate } from "./plugin-play.ts";
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

    test("SPEC 8: a stop in the middle finishes the iteration; a new session goes on and reaches the goal", async () => {
      const place = await stage(THREE);
      // Another terminal, played by the worker's own shell without the plugin's front in its way.
      place.play(cast({ work: (atom) => (atom === "A1" ? "echo > A1.txt; sh ./stop.sh" : `echo > ${atom}.txt`) }));
      writeFileSync(join(place.dir, "stop.sh"), `PATH="${join(place.plugin, "bin")}:$PATH" aot stop enough\n`);
      await place.claude(ENTER, "--allowedTools", "Bash");
      expect((await place.loop()).control).toMatchObject({
        status: "stopped",
        outcome: "stop_requested",
        iteration: 1,
        session_id: null,
      });
      place.play(cast());
      await place.claude(ENTER);
      expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified", iteration: 2 });
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

    test("SPEC 8: a redirect in the middle discards what runs; entering again goes on in the new direction", async () => {
      const goal = THREE.replace(" -a -f A3.txt", " -a -f B1.txt");
      const place = await stage(goal, { env: { AOT_DECISIONS: "allow" } });
      writeFileSync(
        join(place.dir, "interrupt.sh"),
        `PATH="${join(place.plugin, "bin")}:$PATH" aot session interrupt\n`,
      );
      place.play(
        cast({
          main: ({ turn }) =>
            [
              bash("aot session enter"),
              call(COORDINATE),
              bash(
                "aot redirect remove A3 --reason 'not wanted' && aot redirect add B1 --description 'instead' --reason 'wanted'",
              ),
              bash("aot session enter"),
              call(COORDINATE),
            ][turn] ?? say("MAIN DONE"),
          work: (atom) =>
            atom === "A1" && !existsSync(join(place.dir, "B1.go"))
              ? "touch B1.go; sh ./interrupt.sh"
              : `echo > ${atom}.txt`,
        }),
      );
      await place.claude(ENTER, "--allowedTools", "Bash");
      const state = await place.loop();
      expect(state.atoms.map((atom) => [atom.id, atom.status])).toEqual([
        ["A1", "resolved"],
        ["A2", "resolved"],
        ["B1", "resolved"],
      ]);
      expect(state.corrections).toHaveLength(2);
      // What its worker answered after the interruption was discarded.
      expect(place.attempts()).toContain("A1.2");
      expect(place.journal().filter(({ event }) => event === "iteration_judged")[0]).toMatchObject({ iteration: 2 });
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

    test("SPEC 10: where the main thread coordinates its own stop counts", async () => {
      const place = await stage(loopText({ atoms: [["A1"], ["A2", "A1"]], check: "test -f A2.txt" }));
      place.play(
        cast({
          main: (scene) =>
            scene.turn === 0
              ? bash("aot session enter --as main")
              : scene.turn === 1
                ? coordinate({ ...scene, isResult: false })
                : coordinate(scene),
        }),
      );
      await place.claude(ENTER, "--allowedTools", "Bash(aot:*)");
      expect((await place.loop()).control).toMatchObject({ status: "completed", outcome: "verified", iteration: 2 });
    });
  });
}
