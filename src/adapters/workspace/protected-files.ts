/** The protected files of a folder, found without git (SPEC section 6). */
import { readdirSync } from "node:fs";
import { protectedBy } from "./change.ts";
import { bytesIn, textOf } from "./git.ts";

/**
 * Paths (bytes) of the files of a folder that are protected. What lies in `node_modules` counts only where a glob names it:
 * installing is no change of a goal. Links are not followed.
 */
export function protectedIn(root: string, globs: readonly string[], isProtected = protectedBy(globs)): string[] {
  const found: string[] = [];
  const passed = globs.join().includes("node_modules") ? /^\.git$/ : /^(?:\.git|node_modules)$/;
  const open = globs.length === 0 ? [] : [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop())
    for (const entry of readdirSync(bytesIn(root, folder), { withFileTypes: true, encoding: "buffer" })) {
      const name = entry.name.toString("latin1");
      if (passed.test(name)) continue;
      if (entry.isDirectory()) open.push(`${folder}${name}/`);
      else if (isProtected(textOf(folder + name))) found.push(folder + name);
    }
  return found.sort();
}
