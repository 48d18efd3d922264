/** Only a person opens ignored files and registries to agents: what a loop's merged work brought does not (SPEC section 15). */
import { expect, test } from "vitest";
import { broughtByLoops, includedFiles, personsText } from "../../../src/adapters/workspace/included-files.ts";
import { createGit } from "../../../src/adapters/workspace/git.ts";
import { testProject, type Project } from "./project.ts";

const BY_A_LOOP = "A1: do it\n\nAot-Loop: demo\nAot-Atom: A1\nAot-Attempt: A1.1\n";
const SQUASHED = "The goal\n\n- A1: do it\n\nAot-Loop: demo\nAot-Attempts: A1.1\n";

async function project(): Promise<Project> {
  const made = await testProject({ ".gitignore": ".env\nlocal.txt\n" });
  await made.write({ ".env": "SECRET", "local.txt": "mine" });
  return made;
}

async function commit(here: Project, text: string, message: string): Promise<void> {
  await here.write({ ".worktreeinclude": text });
  here.git("add", ".worktreeinclude");
  here.git("commit", "-qm", message);
}

test.each([BY_A_LOOP, SQUASHED])("INCLUDED-FILES-4: a line that a loop brought names nothing", async (message) => {
  const here = await project();
  const git = createGit();
  await commit(here, ".env\n", message);
  expect(await includedFiles(git, here.root)).toEqual([]);
  expect(await broughtByLoops(git, here.root)).toContain("until you change the file yourself");
  await commit(here, "# agreed\n.env\n", "mine");
  expect(await includedFiles(git, here.root)).toEqual([".env"]);
  expect(await broughtByLoops(git, here.root)).toBe(null);
});

test("INCLUDED-FILES-4: what the person had named before stays named, and what they name beside it, committed or not", async () => {
  const here = await project();
  const git = createGit();
  await here.write({ ".worktreeinclude": "local.txt\n" });
  expect(await includedFiles(git, here.root)).toEqual(["local.txt"]);
  await commit(here, "local.txt\n", "mine");
  await commit(here, "local.txt\n.env\n", BY_A_LOOP);
  expect(await includedFiles(git, here.root)).toEqual(["local.txt"]);
  await here.write({ ".worktreeinclude": "*\n!local.txt\n" });
  expect(await includedFiles(git, here.root)).toEqual([".env"]);
});

test("a file of another folder, one that is gone, and a folder without git", async () => {
  const here = await project();
  const git = createGit();
  await here.write({ "sub/.npmrc": "registry=https://theirs.example\n" });
  expect(await personsText(git, `${here.root}/sub`, ".npmrc")).toContain("theirs");
  here.git("add", "-A");
  here.git("commit", "-qm", BY_A_LOOP);
  expect(await personsText(git, `${here.root}/sub`, ".npmrc")).toBe(null);
  expect(await personsText(git, here.root, ".npmrc")).toBe(null);
  const plain = await testProject({ ".npmrc": "x" }, { git: false });
  expect(await personsText(git, plain.root, ".npmrc")).toBe("x");
});
