/** What each command does to the file, as a process. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aot, aotJson, projectWith, type RanJson } from "../../support/aot.ts";
import { eventually } from "../../support/bundle.ts";
import { lookOn } from "../../support/detached.ts";
import { LOOP } from "../../support/loop-fixture.ts";
import { needs } from "../../support/needs.ts";

const journal = (dir: string): Record<string, unknown>[] =>
  readFileSync(join(dir, ".claude", "aot-loop", "journal.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("aot state", () => {
  test("seed read_state: status, atoms, executable atoms best first, bindings", async () => {
    const { dir } = projectWith();
    const { json } = await aotJson(["state", "show"], { cwd: dir });
    expect(json).toMatchObject({
      status: "running",
      iteration: 2,
      stall_count: 0,
      measure: 6,
      executable_atoms: ["A1", "A4", "A6"],
      bindings: { A3: { summary: "bcrypt", artifacts: ["src/auth.js"] } },
      or_groups: { token_method: { choices: ["A4", "A4_alt"], selected: "A4", failed: [] } },
    });
    expect(json["atoms"]).toHaveLength(7);
  });

  test("the state file is looked for upwards, to the repository's root and no further", async () => {
    const { dir } = projectWith();
    const below = join(dir, "src", "deep");
    mkdirSync(below, { recursive: true });
    expect((await aot(["state", "show"], { cwd: below })).code).toBe(2);
    mkdirSync(join(dir, ".git"));
    expect((await aot(["state", "show"], { cwd: below })).code).toBe(0);
    mkdirSync(join(dir, "src", ".git"));
    expect((await aot(["state", "show"], { cwd: below })).code).toBe(2);
  });

  test("SPEC 14: the gate accepts a stopped loop, and says what is missing", async () => {
    const { dir } = projectWith(LOOP.replace("status: running", "status: stopped"));
    expect(await aotJson(["state", "gate"], { cwd: dir })).toMatchObject({
      code: 0,
      json: { ready: true, missing: [] },
    });
    const open = projectWith(
      LOOP.replace('"Existing users log in"', '""').replace("status: running", "status: pending"),
    );
    expect(await aotJson(["state", "gate"], { cwd: open.dir })).toMatchObject({
      code: 3,
      json: { ready: false, missing: ["objective.background_intent"], status: "pending" },
    });
    const without = projectWith(LOOP.replace(/^ {2}background_intent:.*\n/m, ""));
    expect(await aotJson(["state", "gate"], { cwd: without.dir })).toMatchObject({
      code: 3,
      json: { ready: false, missing: ["objective.background_intent"] },
    });
  });

  test("SPEC 6: completed only with a verdict of true", async () => {
    const { dir, state } = projectWith();
    const refused = await aotJson(["state", "set-status", "completed"], { cwd: dir });
    expect(refused).toMatchObject({ code: 1, json: { success: false, passed: false } });
    expect(readFileSync(state, "utf8")).toBe(LOOP);
    mkdirSync(join(dir, "src"));
    writeFileSync(join(dir, "src", "login.js"), "");
    const open = await aot(["state", "set-status", "completed"], { cwd: dir });
    expect(open).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the base case is met, but \d+ atoms are open: A1/),
    });
    await resolveAll(dir);
    expect(await aotJson(["state", "set-status", "completed"], { cwd: dir })).toMatchObject({
      code: 0,
      json: { success: true, status: "completed" },
    });
    expect(await aot(["state", "set-status", "running"], { cwd: dir })).toMatchObject({ code: 1 });
    expect(readFileSync(state, "utf8")).toContain("outcome: verified");
  });
});

/** Every atom, each when it may run. */
async function resolveAll(dir: string): Promise<void> {
  for (;;) {
    const [next] = (await aotJson(["state", "show"], { cwd: dir })).json["executable_atoms"] as readonly string[];
    if (next === undefined) return;
    expect((await aot(["atom", "update", next, "resolved"], { cwd: dir })).code).toBe(0);
  }
}

describe("aot atom, binding, or", () => {
  test("SPEC 3: a resolution is journaled by hand and frees what waited", async () => {
    const { dir, state } = projectWith();
    const { json } = await aotJson(["atom", "update", "A1", "resolved"], { cwd: dir });
    expect(json).toMatchObject({ success: true, resolved: ["A1"], measure: 5 });
    expect(json["executable_atoms"]).toContain("A2");
    expect(readFileSync(state, "utf8")).toBe(LOOP.replace("status: pending", "status: resolved"));
    expect(journal(dir)).toMatchObject([{ event: "atom_resolved", atom: "A1", run: "by hand", iteration: 2 }]);
  });

  test("a binding, a switch, an added atom", async () => {
    const { dir } = projectWith();
    expect((await aot(["binding", "add", "A1", "--summary", "s"], { cwd: dir })).err).toContain(
      "aot atom update A1 resolved",
    );
    await aot(["atom", "update", "A1", "resolved"], { cwd: dir });
    const bind = [
      "binding",
      "add",
      "A1",
      "--summary",
      'say "hi" \\ there',
      "--artifacts",
      "a.js, b.js",
      "--artifacts",
      "c.js",
    ];
    expect((await aot(bind, { cwd: dir })).code).toBe(0);
    expect((await aot(["or", "switch", "token_method", "A4_alt", "--reason", "r"], { cwd: dir })).code).toBe(0);
    expect((await aot(["atom", "add", "B1", "--description", "d", "--depends-on", "A1,A6"], { cwd: dir })).code).toBe(
      0,
    );
    const { json } = await aotJson(["state", "show"], { cwd: dir });
    expect(json).toMatchObject({
      bindings: { A1: { summary: 'say "hi" \\ there', artifacts: ["a.js", "b.js", "c.js"] } },
      or_groups: { token_method: { selected: "A4_alt", failed: ["A4"] } },
    });
    expect((await aot(["atom", "add", "B2", "--description", "d", "--depends-on", "nope"], { cwd: dir })).code).toBe(2);
  });
});

describe("aot verify command, file", () => {
  const { dir } = projectWith();
  const code = async (...line: string[]): Promise<number | null> => (await aot(["verify", ...line], { cwd: dir })).code;
  test("SPEC 6: command, not_command, time limits, missing programs", async () => {
    needs("sleep");
    expect(await code("command", "exit 0")).toBe(0);
    expect(await code("command", "exit 4")).toBe(1);
    expect(await code("command", "exit 4", "--expect-fail")).toBe(0);
    expect(await code("command", "no-such-program-xyz", "--expect-fail")).toBe(1);
    const slow = await aotJson(["verify", "command", "sleep 60", "--timeout", "0.2"], { cwd: dir });
    expect(slow).toMatchObject({ code: 1, json: { passed: false, timed_out: true } });
  });
  test("SPEC 6: file and not_file take paths and globs", async () => {
    expect(await code("file", ".claude/*.md")).toBe(0);
    expect(await code("file", "nothing/*")).toBe(1);
    expect(await code("file", "nothing/*", "--expect-missing")).toBe(0);
  });
});

describe("aot verify --scores", () => {
  const quality = LOOP.replace(
    'type: file\n          value: "src/login.js"',
    'type: quality\n          criteria: "Readable"\n          pass_threshold: 3',
  );
  test("SPEC 6: the average is computed by code from the judge's scores", async () => {
    const { dir } = projectWith(quality);
    const scores = join(dir, "scores.json");
    const verify = async (score: unknown): Promise<RanJson> => {
      writeFileSync(scores, JSON.stringify({ "Login exists": { Readable: { score, reason: "r" } } }));
      return await aotJson(["verify", "--scores", "scores.json"], { cwd: dir });
    };
    expect(await verify(4)).toMatchObject({ code: 0, json: { passed: true, skipped: [] } });
    expect(await verify(2)).toMatchObject({ code: 1, json: { passed: false } });
    expect((await verify(9)).code).toBe(2);
    expect(await aotJson(["verify"], { cwd: dir })).toMatchObject({
      code: 1,
      json: { passed: null, skipped: ["Login exists"] },
    });
  });
});

describe("aot graph", () => {
  test("Mermaid holds every atom, whatever its description", async () => {
    const { dir } = projectWith(LOOP.replace('"Audit log"', '"Audit \\"log\\" <b> #1; [x] \\\\ end"'));
    const mermaid = (await aot(["graph"], { cwd: dir })).out;
    expect(mermaid).toContain('n6["A6: Audit #quot;log#quot; #lt;b#gt; #35;1; [x] \\ end"]:::ready');
    expect(mermaid).toContain("n0 --> n1");
    expect(JSON.parse((await aot(["graph", "--format", "json"], { cwd: dir })).out)).toHaveProperty("nodes");
  });
});

test("aot status shows standings, what is waited for, the groups and the fuel", async () => {
  const { dir } = projectWith();
  await aot(["atom", "fail", "A4", "--reason", "no"], { cwd: dir });
  const { out } = await aot(["status"], { cwd: dir });
  expect(out).toContain("✓ A3  Password hashing");
  expect(out).toContain("✗ A4  Signed tokens");
  expect(out).toContain("○ A4_alt  Server sessions");
  expect(out).toContain("· A2  Session store  waits for A1");
  expect(out).toContain("iteration 2 of 20");
  expect(out).toContain("token_method: goes on with A4_alt");
});

test("aot logs: filters by atom and by number, skips what is no news, tolerates half a line", async () => {
  const { dir } = projectWith();
  for (const id of ["A1", "A2", "A6"]) await aot(["atom", "update", id, "resolved"], { cwd: dir });
  const file = join(dir, ".claude", "aot-loop", "journal.jsonl");
  writeFileSync(file, `${readFileSync(file, "utf8")}{"event":"state_saved","time":"x"}\n{"event":"atom_res`);
  expect((await aot(["logs"], { cwd: dir })).out.trim().split("\n")).toHaveLength(3);
  expect((await aot(["logs", "--last", "1"], { cwd: dir })).out).toContain("A6");
  expect((await aotJson(["logs", "A2", "--events"], { cwd: dir })).json["lines"]).toHaveLength(1);
});

test("aot logs --follow shows what is appended, until it is interrupted", async () => {
  const { dir } = projectWith();
  await aot(["atom", "update", "A1", "resolved"], { cwd: dir });
  const look = lookOn(dir, ["logs", "--follow"]);
  await eventually("what was there is shown", () => look.heard() !== "");
  await aot(["atom", "update", "A2", "resolved"], { cwd: dir });
  await eventually("what is appended is shown", () => look.heard().includes("A2"));
  look.interrupt();
  const { code, out, err } = await look.ended();
  expect([code, out]).toEqual([0, expect.stringContaining("A1")]);
  expect(err, "that nobody works it, and how to leave").toMatch(/no run is under way.*Ctrl-C leaves/);
});
