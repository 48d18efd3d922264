/**
 * Three-way merges of whole trees that touch no checkout.
 *
 * With git >= 2.38 `git merge-tree --write-tree` does it in the object store; before that a folder of
 * its own does, which is slower and otherwise the same.
 */
import { mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../host/remove-tree.ts";
import { fieldsOf, gitProblem, LONG_MS, must, textOf, type Git } from "./git.ts";
import { WorkspaceError } from "./problem.ts";
import { inSlot, type SlotHome } from "./slot.ts";

type TreeMerge =
  | { readonly kind: "clean"; readonly tree: string }
  /** Paths that need a person, for messages. */
  | { readonly kind: "conflict"; readonly files: readonly string[] };

export interface TreeMerger {
  /** Merges two commits whose best common ancestor is the base that is meant. */
  merge(ours: string, theirs: string): Promise<TreeMerge>;
}

export function mergeInObjects(git: Git): TreeMerger {
  return {
    async merge(ours, theirs) {
      const answer = await git.run(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs]);
      const [tree, ...files] = fieldsOf(answer.stdout);
      if (answer.ok && tree !== undefined) return { kind: "clean", tree };
      if (!answer.ok && answer.failure.exit_code === 1 && tree !== undefined)
        return { kind: "conflict", files: [...new Set(files)].map(textOf) };
      throw new WorkspaceError(
        answer.ok
          ? { code: "git_failed", message: "`git merge-tree` gave no tree.", hint: "Check the git installation." }
          : gitProblem(answer.failure),
      );
    },
  };
}

/** @param scratch names a folder that does not exist, a new one at each call */
export function mergeInFolder(home: Pick<SlotHome, "git" | "gitDir">, scratch: () => string): TreeMerger {
  return {
    async merge(ours, theirs) {
      const folder = scratch();
      const index = join(folder, "index");
      const dir = join(folder, "files");
      await mkdir(dir, { recursive: true });
      const here = inSlot(home, { dir, index });
      try {
        await must(here, ["read-tree", "--reset", "-u", ours], { timeout_ms: LONG_MS });
        await trustIndex(index);
        const base = await must(home.git, ["merge-base", ours, theirs]);
        const answer = await here.run(["merge-recursive", base, "--", ours, theirs], { timeout_ms: LONG_MS });
        const tree = await here.run(["write-tree", "--missing-ok"]);
        if (answer.ok && tree.ok) return { kind: "clean", tree: tree.stdout.trim() };
        const files = fieldsOf(await must(here, ["diff", "--name-only", "--diff-filter=U", "-z"])).map(textOf);
        if (files.length > 0) return { kind: "conflict", files };
        throw new WorkspaceError(
          gitProblem(
            answer.ok ? { kind: "failed", command: "git write-tree", exit_code: null, stderr: "" } : answer.failure,
          ),
        );
      } finally {
        await removeTree(folder);
      }
    },
  };
}

/**
 * What filters and line endings make of a file on the way out, they need not take back on the way in: git would take it
 * for changed. It takes none for changed that is as the index has it and older than the index.
 */
async function trustIndex(index: string): Promise<void> {
  const later = Date.now() / 1_000 + 3_600;
  await utimes(index, later, later);
}

/** A commit object that no ref names yet. */
export async function commitTree(git: Git, tree: string, parents: readonly string[], message: string): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return must(git, args, { input: Buffer.from(message, "utf8").toString("latin1") });
}

export async function treeOf(git: Git, commit: string): Promise<string> {
  return (await must(git, ["rev-parse", "-q", "--verify", `${commit}^{tree}`])).trim();
}
