/** Why something could not be written, in words and with the next step. */

export type WriteAnswer = { readonly ok: true } | WriteFailure;

export interface WriteFailure {
  readonly ok: false;
  readonly code:
    | "no_space"
    | "read_only"
    | "not_permitted"
    | "no_folder"
    | "not_a_file"
    | "busy"
    | "failed"
    /** Not by the system: whoever writes it wanted no more to. */
    | "changed";
  readonly message: string;
  readonly hint: string;
}

type Words = readonly [code: WriteFailure["code"], why: string, hint: string];

const WORDS: Readonly<Record<string, Words>> = {
  ENOSPC: ["no_space", "the disk is full", "free some space (see `aot clean --all`), then do it again"],
  EDQUOT: ["no_space", "your disk quota is used up", "free some of it, then do it again"],
  EFBIG: ["no_space", "the file would be larger than allowed here", "raise the limit (ulimit -f), then do it again"],
  EROFS: ["read_only", "the file system is read-only", "mount it for writing, or work on a copy"],
  EACCES: ["not_permitted", "writing is not permitted", "give yourself the right to write in that folder"],
  EPERM: ["not_permitted", "writing is not permitted", "give yourself the right to write in that folder"],
  ENOENT: ["no_folder", "its folder does not exist", "create the folder first"],
  ENOTDIR: ["no_folder", "a part of its path is no folder", "look at the path"],
  ELOOP: ["no_folder", "its symbolic links form a circle", "look at the links"],
  EISDIR: ["not_a_file", "it is a folder", "name a file"],
  EFTYPE: [
    "not_a_file",
    "a link, a pipe or something else is in the place of a file or folder of the loop's own",
    "look what it is (`ls -l`), move it away, then do it again",
  ],
  EBUSY: ["busy", "another program has it open", "close that program, then do it again"],
  ETXTBSY: ["busy", "another program has it open", "close that program, then do it again"],
};

/** What is there is no longer what was to be replaced. */
export function changedMeanwhile(what: string): WriteFailure {
  return {
    ok: false,
    code: "changed",
    message: `${what} was changed by another program while it was being written; that program's version was kept`,
    hint: "do it again",
  };
}

/**
 * The failure as a value.
 * @param what the path, or what was being written there
 * @throws the error itself when it is not one of the operating system's
 */
export function explainWrite(what: string, error: unknown): WriteFailure {
  const errno = (error as NodeJS.ErrnoException).code;
  if (typeof errno !== "string" || !/^E[A-Z0-9]+$/.test(errno)) throw error;
  const [code, why, hint] = wordsFor(errno);
  return {
    ok: false,
    code,
    message: `cannot write ${what}: ${why} (${errno}); the previous content is unchanged`,
    hint,
  };
}

/** The system's code of what could not be done. @throws the error itself when it is not one of the operating system's */
export function errnoOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (typeof code !== "string") throw error;
  return code;
}

/** @param errno the system's code of what could not be done */
export function wordsFor(errno: string): Words {
  return WORDS[errno] ?? ["failed", "the system refused", "look at the disk and the system's log"];
}
