/** `aot run "GOAL" --check ...`: a goal aligned and run in one line (SPEC section 10). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { commitAll } from "../../support/git.ts";

const STATE = join(".claude", "aot-loop-state.md");

interface Project {
  readonly dir: string;
  readonly agent: string;
  /** Roles of the calls so far. */
  calls(): readonly string[];
}

/** A folder whose agent makes `made.txt` and says so in words. */
function project(): Project {
  const [dir, signs] = [temporaryFolder(), join(temporaryFolder(), "calls")];
  writeFileSync(
    join(dir, "agent.mjs"),
    `import { appendFileSync, writeFileSync } from "node:fs";
     appendFileSync(${JSON.stringify(signs)}, process.env.AOT_ROLE + "\\n");
     writeFileSync("made.txt", ""); console.log("made it");`,
  );
  return {
    dir,
    agent: `command:"${process.execPath}" agent.mjs`,
    calls: () => (existsSync(signs) ? readFileSync(signs, "utf8").trim().split("\n") : []),
  };
}

test("SPEC 10: one line from a goal to a verified result: one call, on one screen", async () => {
  const { dir, agent, calls } = project();
  commitAll(dir);
  const line = ["run", "Make it", "--check", "file: made.txt", "--agent", agent, "--yes"];
  const ran = await aot(line, { cwd: dir });
  expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
  expect(ran.out).toMatch(
    /^goal {4}Make it\nagent {3}command:.*\nlimits {2}stops after 20 iterations, 5 attempts of one atom, 2h 0m or \$10\.00$/m,
  );
  expect(ran.out).toMatch(/^red {8}file: made\.txt$/m);
  expect(ran.out).toContain("Verified: the base case holds");
  expect(calls()).toEqual(["worker"]);
  expect(ran.out.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
});

test("SPEC 6: a goal whose checks hold already is not begun, nor one without a check; --force begins it", async () => {
  const { dir, agent, calls } = project();
  writeFileSync(join(dir, "made.txt"), "");
  const given = ["--agent", agent, "--yes"];
  const held = await aotJson(["run", "Make it", "--check", "file: made.txt", ...given], { cwd: dir });
  expect(held).toMatchObject({ code: 1, json: { success: false, errors: [{ code: "not_red" }] } });
  writeFileSync(join(dir, "Makefile"), "test:\n\ttrue\n");
  const none = await aot(["run", "Make it", ...given], { cwd: dir });
  expect(none.code).toBe(2);
  expect(none.err).toContain('--check "command: make test" (Makefile)');
  expect(existsSync(join(dir, STATE))).toBe(false);
  expect(calls()).toEqual([]);
  const forced = await aot(["run", "Make it", "--check", "file: made.txt", "--force", ...given], { cwd: dir });
  expect(forced.code).toBe(0);
});

test("SPEC 10: nothing is written without a yes, for a plan, or over an unfinished loop", async () => {
  const { dir, agent, calls } = project();
  const line = ["run", "Make it", "--check", "file: made.txt", "--agent", agent];
  expect(await aot(line, { cwd: dir })).toMatchObject({ code: 2, err: expect.stringContaining("pass --yes") });
  const plan = await aotJson([...line, "--plan"], { cwd: dir });
  expect(plan).toMatchObject({ code: 0, json: { success: true, iterations: 20 } });
  const stray = await aot(["run", "--must-pass", "made", "--agent", agent, "--yes"], { cwd: dir });
  expect(stray).toMatchObject({ code: 2, err: expect.stringContaining("--must-pass belongs to a goal") });
  const both = await aot([...line, "--restart", "--yes"], { cwd: dir });
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining("exclude each other") });
  expect(existsSync(join(dir, STATE))).toBe(false);
  await aot(["align", "Another", "--check", "file: other.txt", "--yes"], { cwd: dir });
  const busy = await aot([...line, "--yes"], { cwd: dir });
  expect(busy).toMatchObject({ code: 1, err: expect.stringContaining("an unfinished loop") });
  expect(readFileSync(join(dir, STATE), "utf8")).toContain("Another");
  expect(calls()).toEqual([]);
});

test("SPEC 8: detached, the goal is aligned before and worked once", async () => {
  const { dir, agent, calls } = project();
  const line = ["run", "Make it", "--check", "file: made.txt", "--agent", agent, "--yes", "--detach"];
  const ran = await aotJson(line, { cwd: dir });
  expect(ran).toMatchObject({ code: 0, json: { started: true } });
  await eventually("it is verified", () => readFileSync(join(dir, STATE), "utf8").includes("outcome: verified"));
  const log = await aotJson(["logs"], { cwd: dir });
  const events = (log.json["lines"] as readonly { readonly event: string }[]).map(({ event }) => event);
  expect(events.filter((event) => event === "aligned" || event === "run_started")).toEqual(["aligned", "run_started"]);
  expect(calls()).toEqual(["worker"]);
});

test("SPEC 10: without a goal the checks are the goal; the limits that nobody gave are the loop's own, those given stay", async () => {
  const { dir, agent } = project();
  const ran = await aot(["run", "--check", "file: made.txt", "--agent", agent, "--yes", "--max-cost-usd", "3"], {
    cwd: dir,
  });
  expect(ran.code).toBe(0);
  expect(ran.out).toMatch(/^goal {4}Make pass: file: made\.txt$/m);
  const state = readFileSync(join(dir, STATE), "utf8");
  expect(state).toMatch(/max_cost_usd: 3\n/);
  expect(state).toMatch(/max_duration: "?2h"?\n/);
  expect(state).toMatch(/max_attempts_per_atom: 5\n/);
});

test("SPEC 7: the first attempt knows what the goal's commands said before the work", async () => {
  const { dir } = project();
  writeFileSync(
    join(dir, "check.mjs"),
    `import { existsSync } from "node:fs";
     if (!existsSync("made.txt")) { console.log("expected teal"); process.exit(1); }`,
  );
  writeFileSync(
    join(dir, "reader.mjs"),
    `import { readFileSync, writeFileSync } from "node:fs";
     const { prompt } = JSON.parse(readFileSync(0, "utf8"));
     if (prompt.includes("expected teal")) writeFileSync("made.txt", "");
     console.log(JSON.stringify({ success: true, summary: "did it", artifacts: [] }));`,
  );
  const [agent, check] = ["reader.mjs", "check.mjs"].map((file) => `"${process.execPath}" ${file}`);
  const line = ["run", "Make it", "--check", check ?? "", "--agent", `command:${agent}`, "--yes"];
  expect(await aotJson(line, { cwd: dir })).toMatchObject({ code: 0, json: { outcome: "verified", attempts: 1 } });
});
