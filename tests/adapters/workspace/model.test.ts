/**
 * The integration branch against a model (SPEC section 7): whatever attempts, conflicts, shelvings and reverts come,
 * its tree is the base with the patches that are still in.
 *
 * A file is a row of slots, kept apart by lines that nobody changes, so that slots merge on their own. The model
 * merges slot by slot, each patch against the values that it was made on.
 */
import * as fc from "fast-check";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Attempt } from "../../../src/core/effect.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { attemptOf, createProject, created, workOf, type Project } from "./project.ts";

const SLOTS = 3;
const FILES = ["f.txt", "g.txt"] as const;
const ATOMS = ["A", "B", "C", "D"] as const;
/** "f.txt/0" to its value; "" is a removed line. Files that only appear are slots of their own ("new-1" = whole file). */
type Tree = Readonly<Record<string, string | undefined>>;

interface Patch {
  readonly attempt: Attempt;
  readonly from: Tree;
  readonly to: Tree;
}

type Command =
  | {
      readonly do: "start";
      readonly atom: (typeof ATOMS)[number];
      readonly edits: readonly { readonly at: string; readonly value: string }[];
    }
  | { readonly do: "integrate" | "shelve"; readonly pick: number }
  | { readonly do: "revert"; readonly atoms: readonly string[] }
  | { readonly do: "resume" };

const slot = fc.constantFrom(
  ...FILES.flatMap((file) => Array.from({ length: SLOTS }, (_, i) => `${file}/${i}`)),
  "new-1",
  "new-2",
);
const edit = fc.record({ at: slot, value: fc.constantFrom("", "x", "y", "z") });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("start" as const),
      atom: fc.constantFrom(...ATOMS),
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("integrate" as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("shelve" as const), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("revert" as const),
      atoms: fc.uniqueArray(fc.constantFrom(...ATOMS), { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "resume" as const }) },
);

const BASE: Tree = Object.fromEntries(
  FILES.flatMap((file) => Array.from({ length: SLOTS }, (_, i) => [`${file}/${i}`, "base"])),
);

function keysOf(...trees: Tree[]): string[] {
  return [...new Set(trees.flatMap((tree) => Object.keys(tree)))];
}

/** null: conflict */
function merge(from: Tree, ours: Tree, to: Tree): Tree | null {
  const merged: Record<string, string | undefined> = {};
  for (const key of keysOf(from, ours, to)) {
    const [was, here, there] = [from[key], ours[key], to[key]];
    if (here === there || there === was) merged[key] = here;
    else if (here === was) merged[key] = there;
    else return null;
  }
  return merged;
}

/** What stays of the patches without `out`, and who is lost with them. */
function replayed(
  patches: readonly Patch[],
  out: ReadonlySet<string>,
): { readonly tree: Tree; readonly lost: Set<string> } {
  const lost = new Set<string>();
  for (;;) {
    let tree: Tree | null = BASE;
    const before = lost.size;
    for (const patch of patches) {
      if (out.has(patch.attempt.atom) || lost.has(patch.attempt.atom)) continue;
      const next: Tree | null = merge(patch.from, tree, patch.to);
      if (next === null) {
        lost.add(patch.attempt.atom);
        break;
      }
      tree = next;
    }
    if (lost.size === before) return { tree, lost };
  }
}

function textOf(tree: Tree, file: string): string {
  const rows = Array.from({ length: SLOTS }, (_, i) => {
    const value = tree[`${file}/${i}`];
    return `${Array.from({ length: 8 }, (_unused, j) => `${file} ${i} ${j}\n`).join("")}${value === "" || value === undefined ? "" : `${value}\n`}`;
  });
  return `${rows.join("")}${file} end 1\n${file} end 2\n${file} end 3\n`;
}

async function writeTree(dir: string, tree: Tree): Promise<void> {
  for (const file of FILES) await writeFile(join(dir, file), textOf(tree, file));
  for (const name of ["new-1", "new-2"]) {
    const value = tree[name];
    if (value === undefined || value === "") await rm(join(dir, name), { force: true });
    else await writeFile(join(dir, name), `${value}\n`.repeat(20));
  }
}

async function readTree(dir: string): Promise<Record<string, string | undefined>> {
  const texts: Record<string, string | undefined> = {};
  for (const name of [...FILES, "new-1", "new-2"])
    texts[name] = await readFile(join(dir, name), "utf8").catch(() => undefined);
  return texts;
}

function expectedTexts(tree: Tree): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = Object.fromEntries(FILES.map((file) => [file, textOf(tree, file)]));
  for (const name of ["new-1", "new-2"]) {
    const value = tree[name];
    texts[name] = value === undefined || value === "" ? undefined : `${value}\n`.repeat(20);
  }
  return texts;
}

/** A file that is not there has no value, so that "removed" and "never made" are one. */
function normal(tree: Tree): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [key, key.startsWith("new-") && value === "" ? undefined : value]),
  );
}

async function play(
  project: Project,
  create: (run: string) => Promise<Workspace>,
  commands: readonly Command[],
): Promise<void> {
  let workspace = await create("r0");
  await workspace.open();
  let patches: Patch[] = [];
  let tree: Tree = BASE;
  let open: Patch[] = [];
  const numbers = new Map<string, number>();
  let runs = 0;
  for (const one of commands) {
    const picked = "pick" in one ? open[one.pick % Math.max(1, open.length)] : undefined;
    if (one.do === "start") {
      if (open.length >= 3) continue;
      const number = (numbers.get(one.atom) ?? 0) + 1;
      numbers.set(one.atom, number);
      const attempt = attemptOf(one.atom, number);
      const to = normal({ ...tree, ...Object.fromEntries(one.edits.map(({ at, value }) => [at, value])) });
      const { dir } = await workspace.start(attempt);
      await writeTree(dir, to);
      open.push({ attempt, from: tree, to });
    } else if (one.do === "integrate" && picked !== undefined) {
      const result = await workspace.integrate(picked.attempt, workOf(picked.attempt.atom));
      const same = keysOf(picked.from, picked.to).every((key) => picked.from[key] === picked.to[key]);
      const merged = merge(picked.from, tree, picked.to);
      if (same) expect(result).toMatchObject({ kind: "integrated", commit: null });
      else expect(result.kind).toBe(merged === null ? "conflict" : "integrated");
      if (merged === null && !same) await workspace.shelve(picked.attempt, "conflict");
      else if (merged !== null && !same) {
        tree = merged;
        patches.push(picked);
      }
      open = open.filter((patch) => patch !== picked);
    } else if (one.do === "shelve" && picked !== undefined) {
      await workspace.shelve(picked.attempt, "shelved");
      open = open.filter((patch) => patch !== picked);
    } else if (one.do === "revert") {
      const inside = patches.some((patch) => one.atoms.includes(patch.attempt.atom));
      const { commit, lost } = await workspace.revert(one.atoms, "reverted");
      expect(commit !== null).toBe(inside);
      const rest = replayed(patches, new Set(one.atoms));
      if (inside) {
        expect([...lost].sort()).toEqual([...rest.lost].sort());
        tree = rest.tree;
        patches = patches.filter(
          (patch) => !one.atoms.includes(patch.attempt.atom) && !rest.lost.has(patch.attempt.atom),
        );
      }
    } else if (one.do === "resume") {
      if (runs % 2 === 0) await workspace.close();
      open = [];
      workspace = await create(`r${++runs}`);
      const { integrated } = await workspace.open();
      expect(integrated.map((work) => work.attempt)).toEqual(patches.map((patch) => patch.attempt.id));
    }
    const checkout = await workspace.checkout();
    expect(await readTree(checkout.dir)).toEqual(expectedTexts(tree));
    await checkout.release();
  }
  await workspace.close();
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
}

test("SPEC 7: the integrated tree is the base with the patches that are still in", { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 14 }), async (commands) => {
      const project = await createProject({ "f.txt": textOf(BASE, "f.txt"), "g.txt": textOf(BASE, "g.txt") });
      try {
        await play(project, (run) => created(project.options({ run })), commands);
      } finally {
        await project.remove();
      }
    }),
    { numRuns: Number(process.env["AOT_MODEL_RUNS"] ?? 8) },
  );
});
