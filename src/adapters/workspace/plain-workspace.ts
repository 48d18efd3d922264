/**
 * The folder without git: everything but rolling back (SPEC section 7).
 *
 * Protected files are told by their digests, recorded when the loop first opens the folder (W2, section 6).
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { glob } from "tinyglobby";
import type { Workspace } from "../../loop/ports.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";
import { safeName } from "./workspace-name.ts";

type Digests = Readonly<Record<string, string>>;

export function createPlainWorkspace(options: WorkspaceOptions): Workspace {
  let root = options.root;
  let aligned: Digests = {};
  let before: Digests = {};
  const read = (): Promise<Digests> => digestsOf(root, options.protected);
  return {
    kind: "in_place",
    slots: 1,
    async open() {
      root = await realpath(options.root);
      aligned = await recordedDigests(options, read);
      const notes = [
        "git is not installed: failed attempts cannot be rolled back and their changes stay in the folder. Install git to have them undone.",
      ];
      return { base: null, tip: null, integrated: [], notes };
    },
    async start() {
      before = await read();
      return { dir: root };
    },
    async integrate() {
      const files = differing(before, await read());
      return files.length > 0 ? { kind: "protected", files } : { kind: "integrated", commit: null, files: [] };
    },
    shelve: () => Promise.resolve({ kept: null }),
    revert: () => Promise.resolve({ commit: null, lost: [] }),
    checkout: () => Promise.resolve({ dir: root, commit: null, release: () => Promise.resolve() }),
    tampered: async () => differing(aligned, await read()),
    finish: (outcome) => Promise.resolve({ merged: outcome === "verified", message: `The work is in ${root}.` }),
    close: () => Promise.resolve(),
  };
}

/** Those of the first run of this loop, so that a resumed run compares with the same. */
async function recordedDigests(options: WorkspaceOptions, read: () => Promise<Digests>): Promise<Digests> {
  const file = join(options.dir, `protected-${safeName(options.loop)}.json`);
  const text = await readFile(file, "utf8").catch(() => null);
  if (text !== null) {
    try {
      return JSON.parse(text) as Digests;
    } catch {
      // Half-written by a run that died at its start: nothing had been worked yet.
    }
  }
  const digests = await read();
  await mkdir(options.dir, { recursive: true });
  await writeFile(file, JSON.stringify(digests));
  return digests;
}

async function digestsOf(root: string, globs: readonly string[]): Promise<Digests> {
  if (globs.length === 0) return {};
  const patterns = globs.map((pattern) => pattern.replace(/^\.\//, "").replace(/\/+$/, ""));
  const files = await glob(patterns, { cwd: root, dot: true, expandDirectories: true, followSymbolicLinks: false });
  const digests: Record<string, string> = {};
  for (const file of files.toSorted()) {
    const bytes = await readFile(join(root, file)).catch(() => null);
    if (bytes !== null) digests[file] = createHash("sha256").update(bytes).digest("hex");
  }
  return digests;
}

function differing(a: Digests, b: Digests): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((file) => a[file] !== b[file]);
}
