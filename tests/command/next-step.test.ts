/** What a person types after a run. Pure. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Io } from "../../src/command/io.ts";
import { nextStep, runAgain, wordsAgain } from "../../src/command/next-step.ts";
import { callOf } from "../../src/command/values.ts";
import { RUN_FLAGS } from "../../src/run/commands/spec.ts";
import { aot, aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { needs } from "../support/needs.ts";

const UNDECIDED = "nobody decided: it is nice";

/** How a run that was called with these flags is called once more. */
function again(flags: Readonly<Record<string, string>>, limits = true): string {
  const given = new Map(Object.entries(flags).map(([name, text]) => [name, text === "" ? [""] : text.split("|")]));
  const call = callOf({ args: new Map(), flags: given }, false, {} as Io);
  return runAgain("aot run", wordsAgain(call, RUN_FLAGS, limits));
}

test("SPEC 9: the next step names the agents that the run was called with, since nothing else remembers them", () => {
  const run = again({ agent: "command:sh work.sh", judge: "codex", set: "merge=false" });
  expect(run).toBe("aot run --agent 'command:sh work.sh' --judge codex --set merge=false");
  expect(nextStep({ outcome: "stop_requested" }, run)).toBe(`go on with \`${run}\``);
  const confirm = nextStep({ outcome: "needs_confirmation" }, run);
  expect(confirm).toContain(`\`${run} --accept assertions\``);
  expect(confirm, "another judge stands in the place of the one that was named").toContain(
    "`aot run --agent 'command:sh work.sh' --set merge=false --judge AGENT`",
  );
  const set = again({ set: "judge=command:sh judge.sh|planner=none" });
  expect(set).toBe("aot run --set 'judge=command:sh judge.sh' --set planner=none");
  expect(nextStep({ outcome: "needs_confirmation", message: UNDECIDED }, set)).toContain(
    "have another judge decide with `aot run --set planner=none --judge AGENT`",
  );
  expect(again({})).toBe("aot run");
});

test("SPEC 9: every flag that was given is in the next step, but what was about that one call, and a limit that is spent", () => {
  const given = { agent: "codex", parallel: "1", "max-cost-usd": "5", record: "a.jsonl", restart: "" };
  const run = again({ ...given, set: "max_tokens=9|max_wait=5h" });
  expect(run).toBe("aot run --agent codex --parallel 1 --max-cost-usd 5 --set max_tokens=9 --set max_wait=5h");
  expect(nextStep({ outcome: "stop_requested" }, run)).toContain("--max-cost-usd 5");
  expect(nextStep({ outcome: "budget" }, run), "it would be in the way of the one that is raised").toContain(
    "`aot run --agent codex --parallel 1 --set max_wait=5h`",
  );
  expect(again({ ...given, set: "max_cost_usd=9" }, false), "those of a new goal are the loop's own").toBe(
    "aot run --agent codex --parallel 1",
  );
  expect(nextStep({ outcome: "stalled" }, "aot run --state-file b.md", " --state-file b.md")).toBe(
    "see what fails with `aot logs --state-file b.md`, help with `aot redirect --state-file b.md`, then `aot run --state-file b.md`",
  );
});

test("SPEC 9: a budget that is spent is named with the command that raises it", () => {
  const step = (message: string): string => nextStep({ outcome: "budget", message });
  expect(step("budget spent: max_attempts_per_atom, 2 each for A1")).toBe(
    "raise it with `aot redirect limit max_attempts_per_atom N`, then `aot run`",
  );
  expect(step("budget spent: max_tokens, 10 of 10"), "no redirect raises it").toContain("`aot redirect limit`");
});

test.skipIf(process.platform === "win32")("SPEC 9: what the next step quotes a shell takes as it was given", () => {
  needs("sh");
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: "binary" }).filter((text) => !/[\0\ud800-\udfff]/.test(text)),
      (agent) => {
        const word = runAgain("", [agent]);
        expect(spawnSync("sh", ["-c", `printf %s ${word}`]).stdout.toString()).toBe(agent);
      },
    ),
    { numRuns: 8 },
  );
});

test("SPEC 6, 9: where nobody decided, --accept assertions is not offered for a run: it could not help", async () => {
  const dir = temporaryFolder();
  const agent = 'command:echo \'{"success": true, "summary": "did", "artifacts": []}\'';
  const flags = ["--agent", agent, "--judge", "none"];
  expect((await aot(["align", "Be nice", "--check", "assertion: it is nice", "--yes"], { cwd: dir })).code).toBe(0);
  for (const confirm of [[], ["--accept=assertions"]]) {
    const { code, json } = await aotJson(["run", ...flags, ...confirm], { cwd: dir });
    expect(code).toBe(16);
    expect(json["next_step"]).toContain("--judge AGENT`");
    expect(json["next_step"]).not.toMatch(/`aot run[^`]*--accept/);
  }
  const said = (judge: string): string =>
    nextStep({ outcome: "needs_confirmation", message: UNDECIDED }, `aot run --judge ${judge}`);
  expect(said("none")).toMatch(/^have a judge decide with `aot run --judge AGENT`/);
  expect(said("'command:no'"), "one was there").toMatch(/^have another judge decide with `aot run --judge AGENT`/);
  // What it says does help.
  expect((await aotJson(["run", ...flags], { cwd: dir })).json["next_step"]).toContain("`aot confirm ITEM`");
  expect((await aot(["confirm", "it is nice", "--yes"], { cwd: dir })).code).toBe(0);
  expect((await aot(["run", ...flags], { cwd: dir })).code).toBe(0);
});

test("SPEC 7, 9: verified work that was not taken into the person's branch is taken before the next goal is aligned", async () => {
  needs("sh");
  const dir = repository();
  const agent = 'command:echo x > made && echo \'{"success": true, "summary": "did", "artifacts": []}\'';
  expect((await aot(["align", "Make it", "--check", "file: made", "--yes"], { cwd: dir })).code).toBe(0);
  const { code, json } = await aotJson(["run", "--no-merge", "--agent", agent], { cwd: dir });
  const [, take = ""] = /take it \(`(git merge [^`]+)`\), then align/.exec(String(json["next_step"])) ?? [];
  expect([code, existsSync(join(dir, "made"))]).toEqual([0, false]);
  expect(spawnSync("sh", ["-c", take], { cwd: dir }).status, take).toBe(0);
  expect(existsSync(join(dir, "made"))).toBe(true);
  expect(nextStep({ outcome: "verified", place: "main now holds the verified work (0123456789)." })).not.toContain(
    "merge",
  );
});

function repository(): string {
  const dir = temporaryFolder();
  const person = ["-c", "user.name=n", "-c", "user.email=e@x"];
  for (const args of [
    ["init", "-q"],
    [...person, "commit", "-q", "--allow-empty", "-m", "first"],
  ])
    expect(spawnSync("git", args, { cwd: dir }).status).toBe(0);
  return dir;
}
