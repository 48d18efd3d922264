/**
 * `aot atom update` as it is called most, from a file of its own (scripts/entry.cjs): what is not just that, or cannot be
 * answered at once, is the frame's (main.ts), which answers every call and the same ones alike.
 */
import { findStateFile } from "../../app/find-state-file.ts";
import { updateAtOnce } from "../../app/update-at-once.ts";
import { STATUSES } from "../../core/outline.ts";
import type { AtomStatus } from "../../core/state.ts";
import { editJson, editText } from "../../commands/edit-words.ts";
import { defect } from "./defect.ts";
import { processIo, ReaderGone, type Io } from "../../commands/io.ts";

interface Update {
  readonly id: string;
  readonly status: AtomStatus;
  readonly json: boolean;
  readonly stateFile: string | undefined;
}

/** The exit code; null: nothing was done. */
export function quick(argv: readonly string[], io: Io | null = processIo()): number | null {
  const update = io === null ? null : updateIn(argv, io.env);
  if (io === null || update === null) return null;
  const { id, status, json, stateFile } = update;
  const done = updateAtOnce(findStateFile(io.cwd, stateFile), id, status);
  if (done === null) return null;
  const { notes, ...rest } = done;
  const report = { changed: true, ...rest };
  for (const note of notes) io.err(`${note}\n`);
  const own = { atom: id, atom_status: status };
  try {
    io.out(`${json ? JSON.stringify(editJson(own, report)) : editText(`${id} is ${status}`, report)}\n`);
  } catch (error) {
    // The update is made: the frame would not find it to be made any more.
    if (!(error instanceof ReaderGone)) return defect(error, json, io);
  }
  return 0;
}

/** `atom update ID STATUS` and the flags of every command, each as it is mostly written; null: anything else. */
function updateIn(argv: readonly string[], env: Io["env"]): Update | null {
  const [first, second, id = "", wanted = "", ...flags] = argv;
  const status = STATUSES.find((one) => one === wanted);
  if (first !== "atom" || second !== "update" || status === undefined || !/^[A-Za-z_][\w.-]*$/.test(id)) return null;
  let json = false;
  let stateFile: string | undefined;
  for (let at = 0; at < flags.length; at++) {
    if (flags[at] === "--json" && !json) json = true;
    else if (flags[at] === "--state-file" && stateFile === undefined && (flags[at + 1] ?? "") !== "")
      stateFile = flags[++at];
    else return null;
  }
  const named = stateFile ?? env["AOT_STATE_FILE"];
  return { id, status, json, stateFile: named === "" ? undefined : named };
}
