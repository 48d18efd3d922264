/** Small changes of program texts. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const isPython = (path) => path.endsWith(".py");

/** The text with its last `return` answering nothing; null: it has none. */
export function lastReturnGone(text, path) {
  const found = [...text.matchAll(/^(\s*)return [^\n]*[^\n({[,\\]$/gm)].at(-1);
  if (found === undefined) return null;
  const nothing = isPython(path) ? "return None" : "return undefined;";
  return text.slice(0, found.index) + found[1] + nothing + text.slice(found.index + found[0].length);
}

export function writeFiles(dir, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}
