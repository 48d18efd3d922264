/** The folders that places are made of, outside of the home folder: an overlay cannot lie in what it is laid over. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { temporaryFolder, type TemporaryFolder } from "../../host/temporary-folder.ts";

/** The path of a socket has to fit into 107 bytes. */
const LONGEST_PATH = 60;

export interface PlaceFolders {
  /** A fresh folder for one program: `tmp` and `empty` are in it. */
  make(): string;
  /** The folder that programs of one call share. */
  homeOf(call: string): string;
  close(): Promise<void>;
}

/** Makes nothing before it is asked. What a run that died left is removed first. */
export function createPlaceFolders(home: string): PlaceFolders {
  let base: TemporaryFolder | null = null;
  let count = 0;
  const folder = (): string => {
    base ??= begin(home);
    return base.path;
  };
  return {
    make() {
      const dir = join(folder(), String((count += 1)));
      mkdirSync(join(dir, "tmp"), { recursive: true, mode: 0o700 });
      writeFileSync(join(dir, "empty"), "");
      return dir;
    },
    homeOf(call) {
      const dir = join(folder(), createHash("sha256").update(call).digest("hex").slice(0, 16));
      mkdirSync(dir, { recursive: true });
      return dir;
    },
    close: async () => {
      await base?.remove();
      base = null;
    },
  };
}

function begin(home: string): TemporaryFolder {
  const parent = [tmpdir(), "/tmp", "/var/tmp"].find(
    (path) => existsSync(path) && path.length <= LONGEST_PATH && !`${path}/`.startsWith(home + sep),
  );
  if (parent === undefined) throw new Error(`there is no folder for temporary files outside of ${home}; set TMPDIR`);
  return temporaryFolder(parent, "aot-places");
}
