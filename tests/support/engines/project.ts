/** A project as a person has it who hands a loop of one atom over: a repository with a shared remote, both on this disk. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "../../../src/core/state.ts";
import { createStateText } from "../../../src/statefile/create.ts";
import { stateOf } from "../loops.ts";

export interface SharedProject {
  readonly root: string;
  /** The bare repository that it calls origin. */
  readonly remote: string;
}

/** @param check the whole base case */
export function sharedProject(here: string, check: Check): SharedProject {
  const [root, remote] = [join(here, "project"), join(here, "shared.git")];
  mkdirSync(join(root, ".claude"), { recursive: true });
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@localhost", ...args], { cwd: root });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("init", "-q", "--bare", remote);
  git("remote", "add", "origin", remote);
  const state = stateOf({ atoms: [{ id: "A1" }] });
  const objective = { ...state.objective, base_case: { checklist: [{ item: "made", check }] } };
  writeFileSync(join(root, ".claude/aot-loop-state.md"), createStateText({ ...state, objective }, "Do it."));
  return { root, remote };
}
