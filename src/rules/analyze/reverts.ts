/** Undoing as it shows in calls: files that git puts back, and edits that take an earlier one out again. */
import { piecesOf, type Piece } from "./command-pieces.ts";
import { addedLines, type PastCall } from "./past-call.ts";

/**
 * The edit that a shell command undoes by git; null: none. What only switches branches or unstages undoes nothing.
 * @param edits of the session, oldest first
 */
export function undoneByGit(command: string, edits: readonly PastCall[]): PastCall | null {
  for (const piece of piecesOf(command)) {
    const paths = restoredPaths(piece);
    if (paths === null) continue;
    const undone = edits.findLast((edit) => paths.some((path) => covers(path, edit.path)));
    if (undone !== undefined) return undone;
  }
  return null;
}

/** What of the work tree git puts back there; null: nothing. */
function restoredPaths({ words: [program, verb, ...rest] }: Piece): readonly string[] | null {
  if (program !== "git") return null;
  const paths = rest.filter((word) => !word.startsWith("-"));
  if (verb === "restore")
    return rest.some((word) => word === "--staged" || word === "-S") && !rest.includes("--worktree") ? null : paths;
  if (verb === "reset") return rest.includes("--hard") ? ["."] : null;
  if (verb !== "checkout" || rest.includes("-b") || rest.includes("-B")) return null;
  const dashes = rest.indexOf("--");
  return dashes === -1 ? paths : rest.slice(dashes + 1);
}

function covers(path: string, edited: string): boolean {
  const bare = path.replace(/^\.\//, "").replace(/\/$/, "");
  if (edited === "") return false;
  return bare === "." || edited === bare || edited.startsWith(`${bare}/`) || edited.endsWith(`/${bare}`);
}

/** The edit that this one takes out again, letter by letter; null: none. */
export function undoneByEdit(edit: PastCall, edits: readonly PastCall[]): PastCall | null {
  if (edit.before.trim() === "") return null;
  return (
    edits.findLast(
      (earlier) => earlier.path === edit.path && earlier.before === edit.after && earlier.after === edit.before,
    ) ?? null
  );
}

/** Characters. Shorter lines are in every file. */
const LEAST_LINE = 12;

/** Whether the edit takes out a line that an earlier one of the same file brought in. */
export function takesOut(edit: PastCall, earlier: PastCall): boolean {
  if (edit.event !== "file" || edit.path !== earlier.path) return false;
  const kept = new Set(edit.after.split("\n").map((line) => line.trim()));
  const gone = new Set(edit.before.split("\n").map((line) => line.trim()));
  return addedLines(earlier).some((line) => {
    const text = line.trim();
    return text.length > LEAST_LINE && gone.has(text) && !kept.has(text);
  });
}
