import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder with these files, removed when `after` calls. */
export function sharedFolder(
  files: Readonly<Record<string, string | Buffer>>,
  after: (remove: () => void) => void,
): string {
  const dir = mkdtempSync(join(tmpdir(), "aot-judge-"));
  after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}
