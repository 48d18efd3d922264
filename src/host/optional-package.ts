/**
 * A library that is installed by whoever needs it (optional peer dependency), loaded when it is first used. It is looked
 * for beside this package, or else where the program was started. The name comes as a value, so that nobody bundles it.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** @throws whatever the import of the package threw */
export async function importOptional(name: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    const found = fromFolder(process.cwd(), name);
    if (found === null) throw error;
    return await import(found);
  }
}

function fromFolder(folder: string, name: string): string | null {
  try {
    return pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href;
  } catch {
    return null;
  }
}
