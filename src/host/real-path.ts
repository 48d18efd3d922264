import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Links followed as far as the path exists. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
