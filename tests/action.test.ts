/** SPEC 16: the GitHub Action in a checkout, without GitHub: what it runs, says and hands on. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { aotPath } from "./support/aot.ts";
import { temporaryFolder } from "./support/bundle.ts";
import { readAction, runAction, type Acted } from "./support/github-action.ts";
import { MAKING } from "./support/loop-at-work.ts";

const root = process.cwd();

/** All steps but the one that builds: the program is there. @param given the action's inputs */
function act(cwd: string, given: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): Acted {
  const [build, ...steps] = readAction(root).runs.steps;
  expect(build?.run).toMatch(/^npm ci /);
  const job = { cwd, action: root, temp: temporaryFolder(), env: { ...env, AOT_ACTION_PROGRAM: aotPath() } };
  return runAction(job, given, steps);
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

test("a goal with its checks is worked; its receipt is handed on, and verified by the next job; each comments with the token", () => {
  const dir = checkout(`if (process.env.GH_TOKEN) process.exit(3);\n${MAKING}`);
  const bin = temporaryFolder();
  const said = join(bin, "said");
  const env = { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
  const gh = (end: string): void =>
    writeFileSync(join(bin, "gh"), `#!/bin/sh\n{ echo "$GH_TOKEN $*"; cat; } > "${said}"\n${end}\n`, { mode: 0o755 });
  gh("");
  const inputs = {
    goal: "Make it; $(touch hurt)",
    check: "test -f made.txt\ntest ! -e hurt || false",
    agent: AGENT,
    comment: "7",
  };
  const worked = act(dir, inputs, env);
  expect(worked.out).toContain("**verified**");
  expect(worked).toMatchObject({ code: 0, outputs: { outcome: "verified" } });
  expect(worked.summary).toContain("AoT Loop");
  expect(readFileSync(said, "utf8")).toMatch(/^secret issue comment 7 --body-file -\nAoT Loop: \*\*verified\*\*/);
  const { receipt = "" } = worked.outputs;
  gh("exit 1");
  const silent = act(dir, { receipt, comment: "7" }, env);
  expect(silent).toMatchObject({ code: 1, outputs: { outcome: "holds" } });
  expect(silent.out).toContain("may the token write there?");
  expect(act(dir, { receipt })).toMatchObject({ code: 0, outputs: { outcome: "holds" } });
  writeFileSync(receipt, readFileSync(receipt, "utf8").replace("Make it", "Make more"));
  const changed = act(dir, { receipt });
  expect(changed).toMatchObject({ code: 1, outputs: { outcome: "does_not_hold" } });
  expect(changed.summary).toContain("does not hold");
});

test("a loop that is not verified fails the job with its outcome", () => {
  const dir = checkout(`console.log('{"success": false, "summary": "no"}')`);
  const { code, outputs } = act(dir, { goal: "Make it", check: "test -f made.txt", agent: AGENT });
  expect(code).toBeGreaterThan(9);
  expect(outputs).toEqual({ outcome: expect.stringMatching(/^\w+$/) });
});

test("action.yml hands each input to the script as a variable, and none to a shell", () => {
  const action = readAction(root);
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
