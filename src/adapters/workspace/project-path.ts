/**
 * A project may be a folder of a repository (SPEC section 2): git names files from the top folder, globs and people
 * name them from the project.
 */
import { posix } from "node:path";

/**
 * The name that a file of the repository has in the project; `../x` for what is outside of it.
 * @param prefix where the project lies: empty, or ending in a slash
 */
export function projectPath(prefix: string): (path: string) => string {
  // From a root of its own: a relative path would be completed by the working folder.
  const from = (path: string): string => posix.relative(`/${prefix}`, `/${path}`);
  // What stands where the project or a folder above it was is a file of the folder above.
  const above = (path: string): string => posix.join(from(path), "..", posix.basename(path));
  return prefix === "" ? (path) => path : (path) => (prefix.startsWith(`${path}/`) ? above(path) : from(path));
}
