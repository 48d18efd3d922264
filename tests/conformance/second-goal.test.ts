/** A second goal in the same project (SPEC sections 6 and 7): it has nothing to do with the branches of the first. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson, type RanJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";

/** Writes the file that the atom's description names. */
const AGENT = `
let text = "";
for await (const part of process.stdin) text += part;
const { atom } = JSON.parse(text);
const { writeFileSync } = await import("node:fs");
writeFileSync(atom.description, "made by an agent\\n");
console.log(JSON.stringify({ success: true, summary: atom.description, artifacts: [] }));
`;

interface Project {
  readonly dir: string;
  git(...args: string[]): string;
  align(goal: string, file: string, ...flags: string[]): Promise<void>;
  run(...flags: string[]): Promise<RanJson>;
}

function project(): Project {
  const dir = temporaryFolder();
  const agent = join(temporaryFolder(), "agent.mjs");
  writeFileSync(agent, AGENT);
  const git = (...args: string[]): string => {
    const ran = spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], {
      cwd: dir,
      encoding: "utf8",
    });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return ran.stdout;
  };
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "init");
  return {
    dir,
    git,
    align: async (goal, file, ...flags) => {
      const ran = await aot(["align", goal, "--check", `file: ${file}`, "--atom", `A1: ${file}`, "--yes", ...flags], {
        cwd: dir,
      });
      if (ran.code !== 0) throw new Error(ran.err);
    },
    run: async (...flags) =>
      await aotJson(["run", "--agent", `command:"${process.execPath}" "${agent}"`, ...flags], { cwd: dir }),
  };
}

test("SPEC 6, 7: a second goal starts from where the project stands, protected files included, and is handed over", async () => {
  const { dir, git, align, run } = project();
  await align("Goal one", "one.txt");
  expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified", merged: true } });

  writeFileSync(join(dir, "judge.txt"), "a person's own work between the goals\n");
  git("add", "judge.txt");
  git("commit", "-q", "-m", "the person's");
  await align("Goal two", "two.txt", "--protect", "judge.txt");
  expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified", merged: true } });

  expect(git("ls-tree", "--name-only", "main").split("\n")).toEqual(
    expect.arrayContaining(["judge.txt", "one.txt", "two.txt"]),
  );
  expect(git("branch", "--format=%(refname:short)")).toMatch(/aot\/goal-two-\w+\/integration/);
});

test("SPEC 7: what a goal that was given up had integrated is not in the next one's result, and not lost", async () => {
  const { git, align, run } = project();
  await align(
    "Goal one",
    "one.txt",
    "--check",
    "file: never.txt",
    "--max-iterations",
    "1",
    "--max-parallel-agents",
    "1",
  );
  expect(await run()).toMatchObject({ code: 12, json: { outcome: "max_iterations" } });

  await align("Goal two", "two.txt", "--force");
  expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified", merged: true } });

  expect(git("ls-tree", "--name-only", "main")).toBe("two.txt\n");
  const [first] = git("branch", "--list", "aot/goal-one-*/integration", "--format=%(refname:short)").split("\n");
  expect(git("ls-tree", "--name-only", first ?? "")).toBe("one.txt\n");
});
