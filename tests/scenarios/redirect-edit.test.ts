/** A run is held while a person edits its loop, with real processes (SPEC section 8). */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { bundleFixture, eventually } from "../support/bundle.ts";
import { startRunner } from "./runner.ts";
import { filesExist, setStage, type Stage } from "./stage.ts";

let runner = "";
beforeAll(async () => {
  runner = await bundleFixture("programs/runner.ts");
});

/** P and H work side by side, `last` comes after both; the person has the editor open. */
async function edited(): Promise<{
  readonly stage: Stage;
  readonly run: ReturnType<typeof startRunner>;
  readonly aot: ChildProcess;
  readonly close: () => void;
}> {
  const stage = setStage({
    atoms: [{ id: "P" }, { id: "H" }, { id: "last", depends_on: ["P", "H"] }],
    constraints: { max_parallel_agents: 2 },
    objective: { base_case: filesExist("p") },
    script: {
      "P.1": [{ write: { p: "1" } }, { flag: "P" }, { await: "go" }],
      "H.1": [{ write: { h: "1" } }, { flag: "H" }, { await: "go" }],
    },
  });
  const run = startRunner(runner, stage);
  await eventually("both agents work", () => stage.isRaised("P") && stage.isRaised("H"), 30_000);
  const folder = mkdtempSync(join(tmpdir(), "aot-editor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const opened = join(folder, "opened");
  const closed = join(folder, "closed");
  const editor = join(folder, "editor.mjs");
  writeFileSync(
    editor,
    `import { existsSync, readFileSync, writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(opened)}, "");
const end = setInterval(() => {
  if (!existsSync(${JSON.stringify(closed)})) return;
  clearInterval(end);
  const path = process.argv[2];
  writeFileSync(path, readFileSync(path, "utf8").replace("max_iterations: ", "max_iterations: 9"));
}, 20);
`,
  );
  const EDITOR = `"${process.execPath}" "${editor}"`;
  const aot = spawn(
    process.execPath,
    [aotPath(), "redirect", "edit", "--yes", "--reason", "more", "--state-file", stage.stateFile],
    { env: cleanEnv({ EDITOR, VISUAL: "" }), stdio: "ignore" },
  );
  await eventually("the editor is open", () => existsSync(opened), 30_000);
  stage.raise("go");
  const landed = (): number => stage.journal().filter(({ event }) => event === "attempt_integrated").length;
  await eventually("what was under way has landed", () => landed() === 2, 30_000);
  return { stage, run, aot, close: () => writeFileSync(closed, "") };
}

/** What happened, in order, of these kinds. */
function told(stage: Stage): readonly string[] {
  const kinds = ["hold_changed", "redirected", "attempt_integrated", "attempt_started"];
  return stage
    .journal()
    .filter(({ event }) => kinds.includes(event))
    .map((line) =>
      line.event === "hold_changed" ? `held ${String(line.held)}` : `${line.event} ${line.atom ?? ""}`.trim(),
    );
}

test("SPEC 8: while the editor is open what is under way goes on and lands, and nothing new starts", async () => {
  const { stage, run, aot, close } = await edited();
  const ended = new Promise<number | null>((resolve) => aot.once("exit", resolve));
  close();
  expect(await ended).toBe(0);
  expect(await run.ended()).toEqual({ exit_code: 0 });
  const events = told(stage);
  expect(events.slice(2).toSorted().slice(0, 2)).toEqual(["attempt_integrated H", "attempt_integrated P"]);
  expect(events.filter((event) => !event.startsWith("attempt_integrated"))).toEqual([
    "attempt_started H",
    "attempt_started P",
    "held true",
    "redirected",
    "held false",
    "attempt_started last",
  ]);
  stage.expectClean();
});

test("SPEC 8: who holds a run and is killed holds it no longer", async () => {
  const { stage, run, aot, close } = await edited();
  const gone = new Promise<unknown>((resolve) => aot.once("exit", resolve));
  aot.kill("SIGKILL");
  await gone;
  expect(await run.ended()).toEqual({ exit_code: 0 });
  close();
  expect(told(stage).filter((event) => /^held|last$/.test(event))).toEqual([
    "held true",
    "held false",
    "attempt_started last",
    "attempt_integrated last",
  ]);
  expect(stage.journal().some((line) => line.event === "note" && line.message.includes("held the run is gone"))).toBe(
    true,
  );
  stage.expectClean();
});
