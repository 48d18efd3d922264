/** `aot logs`, `aot diff`, `aot` alone, `aot logs --follow` without a loop (SPEC section 10). */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { needs } from "../../support/needs.ts";

const MARK = "\u202e";
/** Fails at first, with work in its folder; then it does what is asked. Both print a mark that turns the writing. */
const AGENT = `import { existsSync, writeFileSync } from "node:fs";
const first = !existsSync(process.argv[2]);
writeFileSync(process.argv[2], "");
console.log("looking at ${MARK}it");
writeFileSync(first ? "wrong.txt" : "made.txt", "live ${MARK}\\n");
console.log(JSON.stringify({ success: !first, summary: first ? "it is hard" : "made", artifacts: [] }));`;

function project(first: "failure" | "no failure" = "failure"): { readonly dir: string; readonly agent: string } {
  needs("git");
  const [dir, aside] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(aside, "agent.mjs"), AGENT);
  if (first === "no failure") writeFileSync(join(aside, "began"), "");
  writeFileSync(join(dir, "package.json"), '{"scripts": {"test": "node --test"}}');
  const person = ["-c", "user.name=n", "-c", "user.email=e@x"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...person, "commit", "-q", "-m", "first"],
  ])
    expect(spawnSync("git", args, { cwd: dir }).status).toBe(0);
  return { dir, agent: `command:"${process.execPath}" "${join(aside, "agent.mjs")}" "${join(aside, "began")}"` };
}

test("SPEC 10: each attempt's log and change by a word, of one that failed too; marks that turn the writing are spelled out", async () => {
  const { dir, agent } = project();
  const check = `"${process.execPath}" -e "console.log('looked'); process.exit(require('fs').existsSync('made.txt') ? 0 : 1)"`;
  const ran = await aot(["run", "--check", check, "--agent", agent, "--yes", "--set=trust=0"], { cwd: dir });
  expect(ran.code, ran.out).toBe(0);
  const unknown = await aot(["logs", "A9"], { cwd: dir });
  expect(unknown).toMatchObject({ code: 1, err: expect.stringMatching(/logs that are there: (?=.*A1\.1\b).*A1\.2\b/) });
  const log = await aot(["logs", "A1", "1"], { cwd: dir });
  expect(log.out).toContain("looking at [U+202E]it");
  expect(log.out).toContain("it is hard");
  expect((await aot(["logs", "A1", "1", "--last", "1"], { cwd: dir })).out).toMatch(/^\{"success":false.*\}\n$/);
  const whole = await aot(["logs", /check-\S+-[0-9a-f]{8}/.exec(unknown.err)?.[0] ?? ""], { cwd: dir });
  expect(whole.out).toMatch(/^== \d{4}-[^\n]*\nlooked$/m);
  const failed = await aot(["diff", "A1", "1"], { cwd: dir });
  expect(failed).toMatchObject({ code: 0, out: expect.stringContaining("+live [U+202E]") });
  expect(failed.out).toMatch(/^A1\.1 failed, aot\/.*wrong\.txt \+1 -0/);
  const newest = await aotJson(["diff", "A1"], { cwd: dir });
  expect(newest.json).toMatchObject({ attempt: "A1.2", end: "integrated", files: [{ path: "made.txt" }] });
  expect(await aot(["diff"], { cwd: dir })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^A1\.1 {2}failed\nA1\.2 {2}integrated\n/),
  });
  const none = await aot(["diff", "A1", "7"], { cwd: dir });
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining("its attempts: 1, 2") });
});

test("SPEC 10: `aot diff` alone shows what the only attempt changed", async () => {
  const { dir, agent } = project("no failure");
  expect((await aot(["run", "--check", "file: made.txt", "--agent", agent, "--yes"], { cwd: dir })).code).toBe(0);
  expect((await aot(["diff"], { cwd: dir })).out).toMatch(/^A1\.1 integrated, .*made\.txt \+1 -0\n[^]*\+live/);
});

test("SPEC 10: `aot` alone says what there is and the next step, which can be taken as it is", async () => {
  const { dir } = project();
  const bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, process.platform === "win32" ? "codex.cmd" : "codex"), "", { mode: 0o755 });
  const before = await aotJson([], { cwd: dir, env: { PATH: bin } });
  expect(before).toMatchObject({ code: 0, json: { loop: null, agents: ["codex"] } });
  expect(before.json["next_step"]).toContain('`aot run "GOAL" --check "npm test"`');
  await aot(["align", "Make it", "--check", "file: made.txt", "--yes"], { cwd: dir });
  const after = await aotJson([], { cwd: dir });
  expect(after.json).toMatchObject({ loop: { goal: "Make it", status: "pending", running: false } });
  expect((await aot([], { cwd: dir })).out).toContain("`aot run` works it");
});

test("SPEC 10: following the log of no loop says so and ends; what a loop's journal will hold is waited for", async () => {
  const { dir } = project();
  const followed = await aot(["logs", "--follow"], { cwd: dir });
  expect(followed).toMatchObject({ code: 2, err: expect.stringContaining("aot align") });
});

test("SPEC 8, 10: stop --now ends the agents of a detached run at once, and keeps its state", async () => {
  const { dir } = project();
  const flag = join(temporaryFolder(), "begun");
  const agent = `command:"${process.execPath}" -e "require('fs').writeFileSync(process.argv[1], ''); setInterval(() => {}, 1000)" "${flag}"`;
  const line = ["run", "Make it", "--check", "file: made.txt", "--agent", agent, "--yes", "--detach"];
  expect((await aot(line, { cwd: dir })).code).toBe(0);
  await eventually("its agent works", () => existsSync(flag), 30_000);
  expect(await aot(["stop", "enough", "--now"], { cwd: dir })).toMatchObject({
    code: 0,
    out: expect.stringContaining("now"),
  });
  const ended = await aotJson(["attach"], { cwd: dir });
  expect(ended).toMatchObject({ code: 10, json: { outcome: "stop_requested" } });
});
