/**
 * The folder without git: everything but rolling back (SPEC section 7). Protected files are told by their digests
 * (W2, section 6).
 */
import { realpath } from "node:fs/promises";
import type { Workspace } from "../../loop/ports.ts";
import { differing, digestsOf, recordOnce, type Digests } from "./protected-record.ts";
import type { InPlaceOptions } from "./workspace-options.ts";

export function createPlainWorkspace(options: InPlaceOptions): Workspace {
  let root = options.root;
  let aligned: Digests = {};
  let before: Digests = {};
  const read = (): Promise<Digests> => digestsOf(root, options.protected);
  return {
    kind: "in_place",
    slots: 1,
    async open() {
      root = await realpath(options.root);
      // Without git the commit of the alignment cannot be read.
      const { alignedCommit, ...here } = options;
      aligned = (await recordOnce(here, read)) ?? {};
      const notes = [
        ...(options.why === undefined ? [] : [options.why]),
        ...(alignedCommit === undefined || options.protected.length === 0
          ? []
          : ["Without git, protected files are compared with how the first such run found them."]),
        "git is not installed: failed attempts cannot be rolled back and their changes stay in the folder. Install git to have them undone.",
      ];
      return { base: null, tip: null, integrated: [], reverts: [], notes };
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
