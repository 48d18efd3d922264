/** The page's few built files, kept in memory. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const ASSET_FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/layout.js": ["layout.js", "text/javascript; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/icon.svg": ["icon.svg", "image/svg+xml"],
};

/** The folder of the built page. Null: this copy was built without it. */
export function pageFolder(): string | null {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "dashboard");
  return existsSync(join(folder, "index.html")) ? folder : null;
}

/** By URL path. @param folder the built page's */
export function readAssets(folder: string): ReadonlyMap<string, Asset> {
  return new Map(
    Object.entries(ASSET_FILES).map(([path, [file, type]]) => {
      const bytes = readFileSync(join(folder, file));
      return [path, { type, bytes, gzipped: gzipSync(bytes) }];
    }),
  );
}
