/** A project in a folder of a repository, from the command line (SPEC sections 2, 6 and 7). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson } from "../support/aot.ts";
import { projectWith, type Project } from "./project.ts";

function project(): Project {
  const made = projectWith({ "tests/a": "judge\n" }, { at: "pkg" });
  mkdirSync(join(made.dir, ".claude"));
  return made;
}

async function align(dir: string, file: string): Promise<void> {
  const flags = ["--check", "file: made.txt", "--atom", `A1: ${file}`, "--protect", "tests/**", "--yes"];
  const ran = await aot(["align", "G", ...flags, "--state-file", ".claude/aot-loop-state.md"], { cwd: dir });
  if (ran.code !== 0) throw new Error(ran.err);
}

test("SPEC 7: aot run works and checks where aot align and aot verify did", async () => {
  const { dir, agent } = project();
  await align(dir, "made.txt");
  expect(await aot(["verify"], { cwd: dir })).toMatchObject({ code: 1 });
  const ran = await aotJson(["run", "--agent", agent], { cwd: dir });
  expect(ran).toMatchObject({ code: 0, json: { outcome: "verified", merged: true } });
  expect(ran.json["atoms"]).toMatchObject([{ binding: { artifacts: ["made.txt"] } }]);
  expect(readFileSync(join(dir, "made.txt"), "utf8")).toBe("made\n");
  expect(await aot(["verify"], { cwd: dir })).toMatchObject({ code: 0 });
});

test("SPEC 6: the project's protected files fail an attempt that changes them", async () => {
  const { dir, agent } = project();
  await align(dir, "tests/a");
  const run = ["run", "--agent", agent, "--max-iterations", "1", "--parallel", "1"];
  expect(await aotJson(run, { cwd: dir })).toMatchObject({ code: 12, json: { failures: 1 } });
  expect((await aot(["logs"], { cwd: dir })).out).toContain("it changed protected files: tests/a;");
});

test("SPEC 6: a person's change to the project's protected files is seen from wherever it is committed", async () => {
  const { dir, agent, git } = project();
  await align(dir, "made.txt");
  writeFileSync(join(dir, "tests", "a"), "weaker\n");
  writeFileSync(join(dir, "made.txt"), "made\n");
  expect(await aotJson(["verify"], { cwd: dir })).toMatchObject({
    code: 0,
    json: { passed: true, tampered: ["tests/a"] },
  });
  git("commit", "-q", "-a", "-m", "weaker");
  expect(await aotJson(["run", "--agent", agent], { cwd: dir })).toMatchObject({
    code: 18,
    json: { outcome: "tampered" },
  });
  expect(await aotJson(["state", "set-status", "completed"], { cwd: dir })).toMatchObject({ code: 1 });
});
