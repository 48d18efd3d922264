import type { Confinement } from "../../loop/confinement.ts";

/** A file that an attempt changed. Texts are null where there is no file, and of files that are large or no text. */
export interface ChangedFile {
  /** Seen from the project. */
  readonly path: string;
  readonly existed: boolean;
  readonly exists: boolean;
  readonly before: string | null;
  readonly now: string | null;
}

/** How the person's hooks are run. */
export interface HookTerms {
  /** What confines them; absent: nothing. */
  readonly place?: Confinement | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a person wants the commits that are handed over (SPEC section 16). */
export interface CommitWishes {
  /** One commit of all work, with this goal as its subject; absent: one for each atom. */
  readonly squash?: string;
  readonly signoff?: boolean;
  /** The subject, with `{atom}` and `{what}`; absent: `{atom}: {what}`, and the goal where it is one commit. */
  readonly subject?: string;
  /** How the person's hooks are run; null: they are not; absent: unconfined. */
  readonly hooks?: HookTerms | null;
}

/** What every workspace is made from. */
export interface WorkspaceOptions {
  /** The project: a folder of a repository, or one in none. Attempts and checks begin there. */
  readonly root: string;
  /** Path of the state file; attempts never change it. */
  readonly stateFile: string;
  /** The loop's own folder, `<root>/.claude/aot-loop`. */
  readonly dir: string;
  /** Names the branches of this loop; stable over its runs. */
  readonly loop: string;
  /** Id of this run; no other run of the loop has it. */
  readonly run: string;
  /** `objective.protected`: globs relative to the project. */
  readonly protected: readonly string[];
  /** Commit at which the goal was aligned; absent: where the loop started. */
  readonly alignedCommit?: string;
  readonly commits?: CommitWishes;
  /** False: `finish` leaves the merge to the person. */
  readonly merge?: boolean;
  /**
   * Asked before an attempt's work is integrated: why it is not to be, for its next attempt; null: nothing is against it.
   * @param read gives what was changed
   */
  readonly forbids?: (read: () => Promise<readonly ChangedFile[]>) => Promise<string | null>;
  /** Called with what a person should know and nothing in the loop acts on: a moved branch, a kept folder. */
  readonly onNote?: (text: string) => void;
}

export interface GitWorkspaceOptions extends WorkspaceOptions {
  /** How trees are merged; absent: as the installed git can. */
  readonly merging?: "objects" | "folder";
  /** False: the checkout is nobody's, and lives for one task. */
  readonly watched?: boolean;
  /** A person accepts the checkout as it is now, whatever changed in it while earlier runs were active. */
  readonly accept_checkout?: boolean;
  /** Absolute paths of files that the run itself writes. */
  readonly written?: readonly string[];
  /** The environment of checks that can read in the person's checkout; absent: none can. */
  readonly unconfined?: Readonly<Record<string, string | undefined>>;
}
