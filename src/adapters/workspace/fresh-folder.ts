/**
 * The folder of a clean checkout beside a run: outside of the project, where no test runner of it looks. The loop's own folder
 * says where it is, so that what a killed look left is found.
 *
 * FRESH-FOLDER-1 nothing is removed but what this made, whatever the loop's folder says.
 */
import { existsSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { removeOwnFile, writeOwnFile } from "../../host/own-file.ts";
import { readOwnFile } from "../../host/regular-file.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { WorkspaceError } from "./problem.ts";

const PREFIX = "aot-fresh-";

/** Removes what a killed look left, and makes another one. @param dir the loop's own folder @param root of the checkout */
export async function makeFreshFolder(dir: string, root: string): Promise<string> {
  await removeFreshFolder(dir);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), PREFIX));
  const written = writeOwnFile(noteIn(dir), `${folder}\n`);
  if (!written.ok) {
    await removeTree(folder);
    throw new WorkspaceError({ code: "files_in_the_way", message: written.message, hint: written.hint });
  }
  // As above a slot: Node looks for packages there.
  const packages = join(root, "node_modules");
  if (existsSync(packages)) symlinkSync(packages, join(folder, "node_modules"), "junction");
  return folder;
}

/** Null: none is left. */
export function freshFolderOf(dir: string): string | null {
  const folder = (readOwnFile(noteIn(dir)) ?? "").trim();
  const isOurs = basename(folder).startsWith(PREFIX) && dirname(folder) === realpathSync(tmpdir());
  return isOurs && existsSync(folder) ? folder : null;
}

export async function removeFreshFolder(dir: string): Promise<void> {
  const folder = freshFolderOf(dir);
  if (folder !== null) await removeTree(folder);
  removeOwnFile(noteIn(dir));
}

function noteIn(dir: string): string {
  return join(dir, "fresh-folder");
}
