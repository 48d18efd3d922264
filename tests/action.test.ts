/** SPEC 16: the GitHub Action in a checkout, without GitHub: what it runs, says and hands on. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { aotPath, cleanEnv } from "./support/aot.ts";
import { temporaryFolder } from "./support/bundle.ts";
import { MAKING } from "./interfaces/mcp/session.ts";

const root = process.cwd();

interface Acted {
  readonly code: number | null;
  readonly out: string;
  readonly outputs: string;
  readonly summary: string;
}

/** @param given the action's inputs, as action.yml names their variables */
function act(dir: string, given: Readonly<Record<string, string>>): Acted {
  const temp = temporaryFolder();
  const [outputs, summary] = [join(temp, "outputs"), join(temp, "summary")];
  for (const file of [outputs, summary]) writeFileSync(file, "");
  const inputs = Object.fromEntries(Object.entries(given).map(([name, value]) => [`AOT_ACTION_${name}`, value]));
  const own = { GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp };
  const run = spawnSync(process.execPath, [join(root, "scripts/action.mjs")], {
    cwd: dir,
    env: cleanEnv({ ...own, ...inputs, AOT_ACTION_PROGRAM: aotPath(), GH_TOKEN: "secret" }),
    encoding: "utf8",
  });
  const [said, told] = [readFileSync(outputs, "utf8"), readFileSync(summary, "utf8")];
  return { code: run.status, out: run.stdout, outputs: said, summary: told };
}

/** A repository with a commit, and an agent that says what it sees of the environment. */
function checkout(script: string): string {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "agent.mjs"), script);
  const git = (...words: readonly string[]): void => {
    expect(
      spawnSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...words], { cwd: dir }).status,
    ).toBe(0);
  };
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "before");
  return dir;
}

const AGENT = `command:"${process.execPath}" agent.mjs`;

test("a goal with its checks is worked; its receipt is handed on, and verified by the next job", () => {
  const dir = checkout(`if (process.env.GH_TOKEN) process.exit(3);\n${MAKING}`);
  const worked = act(dir, {
    GOAL: "Make it; $(touch hurt)",
    CHECK: "test -f made.txt\ntest ! -e hurt || false",
    AGENT,
  });
  expect(worked.out).toContain("**verified**");
  expect(worked).toMatchObject({ code: 0, outputs: expect.stringMatching(/^outcome=verified\nreceipt=.+\n$/) });
  expect(worked.summary).toContain("AoT Loop");
  const receipt = /^receipt=(.+)$/m.exec(worked.outputs)?.[1] ?? "";
  const verified = act(dir, { RECEIPT: receipt });
  expect(verified).toMatchObject({ code: 0, outputs: "outcome=holds\n" });
  writeFileSync(receipt, readFileSync(receipt, "utf8").replace("Make it", "Make more"));
  const changed = act(dir, { RECEIPT: receipt });
  expect(changed).toMatchObject({ code: 1, outputs: "outcome=does_not_hold\n" });
  expect(changed.summary).toContain("does not hold");
});

test("a loop that is not verified fails the job with its outcome", () => {
  const dir = checkout(`console.log('{"success": false, "summary": "no"}')`);
  const { code, outputs } = act(dir, { GOAL: "Make it", CHECK: "test -f made.txt", AGENT });
  expect(code).toBeGreaterThan(9);
  expect(outputs).toMatch(/^outcome=\w+\n$/);
});

test("action.yml hands each input to the script as a variable, and none to a shell", () => {
  const action = load(readFileSync("action.yml", "utf8")) as {
    inputs: Record<string, unknown>;
    runs: { steps: { run: string; env?: Record<string, string> }[] };
  };
  const { steps } = action.runs;
  for (const { run } of steps) expect(run).not.toContain("${{");
  const env = steps.at(-1)?.env ?? {};
  const names = Object.keys(action.inputs).map((name) =>
    name === "token" ? "GH_TOKEN" : `AOT_ACTION_${name.toUpperCase().replaceAll("-", "_")}`,
  );
  expect(Object.keys(env).toSorted()).toEqual(names.toSorted());
  const script = readFileSync("scripts/action.mjs", "utf8");
  for (const name of names)
    expect(script).toContain(`"${name.replace("AOT_ACTION_", "")}"`.replace('"GH_TOKEN"', "GH_TOKEN"));
});
