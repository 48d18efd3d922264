/** Reads a clone without a checkout. */
import { execFileSync } from "node:child_process";

const LARGEST = 200_000_000;

export const git = (dir, ...args) =>
  execFileSync("git", ["--git-dir", dir, ...args], { maxBuffer: LARGEST, encoding: "utf8" });

export const fileAt = (dir, revision, path) =>
  execFileSync("git", ["--git-dir", dir, "show", `${revision}:${path}`], { maxBuffer: LARGEST });

/** Whether the revision has that file. */
export const has = (dir, revision, path) => git(dir, "ls-tree", "--name-only", revision, "--", path).trim() !== "";

/** Paths that differ: all of the second revision, and those that only the first one has. */
export const changed = (dir, from, to) =>
  git(dir, "diff", "--no-renames", "--name-only", from, to)
    .split("\n")
    .filter((path) => path !== "");

/** Unpacks a revision into an existing folder. */
export function unpack(dir, revision, into) {
  const tar = execFileSync("git", ["--git-dir", dir, "archive", revision], { maxBuffer: LARGEST });
  execFileSync("tar", ["-x", "-C", into], { input: tar });
}
