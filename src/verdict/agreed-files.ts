/** What a verdict needs of a place: its files beside those of the alignment, and its checks (SPEC section 6). */

/** A checkout compared with the aligned commit. Paths are relative to the project; texts are Latin-1, one character per byte. */
export interface AlignedFiles {
  /** Files that differ between the two commits. */
  readonly changed: readonly string[];
  /** All files of the checkout's commit. */
  readonly all: readonly string[];
  /** Whether there was such a file at the alignment. */
  had(path: string): Promise<boolean>;
  /** Text at the alignment; null: no such file. */
  before(path: string): Promise<string | null>;
  /** Files whose text at the alignment holds something. @param pattern extended regular expression. @param among absent: all */
  holding(pattern: string, among?: readonly string[]): Promise<readonly string[]>;
  /** Text in the checkout; null: no such file, or one that is too large for a text. */
  now(path: string): string | null;
  /** Where outside of the checkout a package lies that a file imports, and its names in manifests; null: nowhere, or inside. */
  borrowed(name: string, file: string): { readonly folder: string; readonly names: readonly string[] } | null;
  /** Replaces texts (null: by those of the alignment) until the checkout's `between` is called. */
  replace(files: ReadonlyMap<string, string | null>): Promise<void>;
}

/**
 * Why a check is run once more. `as_agreed`: the tests that failed at the alignment have to pass; `canary`: with other expectations, so
 * that it passes unless one of them failed; its evidence has a note if they could not be loaded.
 */
export type Rerun = "again" | "as_agreed" | "canary";
