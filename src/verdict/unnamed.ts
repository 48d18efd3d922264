/**
 * Packages that the work takes from outside of its commit (SPEC section 6).
 *
 * UNNAMED-1 a check that turned green is not true where the work imports a package that lies in a folder of the person alone, and
 *    that nothing names: no file of the aligned commit, and of the work's no manifest. A clone elsewhere would not have it.
 */
import { isCode, isDocument } from "./agreed-form.ts";
import { MOST_LOOKED_AT, refused, type AgreedWorld, type ChangedFile, type CommandNode } from "./as-agreed.ts";
import type { LeafResult } from "../core/verdict.ts";

const QUOTED = /(?:\bfrom|\bimport|\b(?:import|require|resolve)\s*\()\s*["'`]((?:@[\w.-]+\/)?[A-Za-z_][\w.-]*)/g;
const PYTHON = /^[ \t]*(?:from|import)[ \t]+([A-Za-z_]\w*)/gm;

/** Null: all that it imports is its own. */
export async function whyUnnamed(
  node: CommandNode,
  _: readonly ChangedFile[],
  { files }: AgreedWorld,
): Promise<LeafResult | null> {
  const texts = files.changed.slice(0, MOST_LOOKED_AT).map((path) => [path, files.now(path) ?? ""] as const);
  const isManifest = (path: string): boolean => (!isCode(path) && !isDocument(path)) || /(^|\/)setup\.py$/.test(path);
  const declared = texts.flatMap(([path, text]) => (isManifest(path) ? [text] : []));
  for (const [path, text] of texts) {
    if (!isCode(path)) continue;
    for (const [, name = ""] of text.matchAll(path.endsWith(".py") ? PYTHON : QUOTED)) {
      const borrowed = files.borrowed(name, path);
      if (borrowed === null) continue;
      const pattern = wordIn([name, ...borrowed.names]);
      if (declared.some((one) => new RegExp(pattern, "m").test(one)) || (await files.holding(pattern)).length > 0)
        continue;
      const why = `imports ${name}, which lies in ${borrowed.folder} and which no manifest names: a clone of the work has no such package. Name it in a manifest, or do without it`;
      return refused(node, why, [path]);
    }
  }
  return null;
}

/** One of the names as a whole word, in any case and with `-`, `_` and `.` alike, as package indexes compare them. For git, too. */
function wordIn(names: readonly string[]): string {
  const alike = (one: string): string => (/[a-z]/i.test(one) ? `[${one.toLowerCase()}${one.toUpperCase()}]` : "[._-]");
  return `(^|[^A-Za-z0-9_-])(${names.join("|").replaceAll(/[-_.a-z]/gi, alike)})($|[^A-Za-z0-9_-])`;
}
