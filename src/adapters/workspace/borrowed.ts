/** Packages that programs in a checkout find outside of it, in folders of the person (SPEC section 6). */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { textAt } from "../../host/regular-file.ts";
import { errnoOf } from "../../host/write-failure.ts";
import type { AlignedFiles } from "../../verdict/agreed-files.ts";

type Borrowed = ReturnType<AlignedFiles["borrowed"]>;

/** As `AlignedFiles.borrowed`. @param top of the checkout @param file absolute path of who imports it */
export function borrowedFor(top: string, name: string, file: string): Borrowed {
  return file.endsWith(".py") ? fromUserSite(top, name) : fromAbove(top, name, file);
}

/** Node looks in all folders above. */
function fromAbove(top: string, name: string, file: string): Borrowed {
  for (let at = dirname(file); dirname(at) !== at; at = dirname(at)) {
    const folder = join(at, "node_modules");
    if (existsSync(join(folder, name))) return at.length >= top.length ? null : { folder, names: [] };
  }
  return null;
}

function fromUserSite(top: string, name: string): Borrowed {
  const isIn = (folder: string): boolean => [name, `${name}.py`].some((one) => existsSync(join(folder, one)));
  if (isIn(top) || [".venv", "venv"].some((own) => librariesIn(join(top, own)).some(isIn))) return null;
  const folder = librariesIn(join(homedir(), ".local")).find(isIn);
  if (folder === undefined) return null;
  const names = namesIn(folder).flatMap((info) => {
    const [, distribution] = /^(.+?)-[^-]*\.dist-info$/.exec(info) ?? [];
    const record = distribution === undefined ? null : textAt(join(folder, info, "RECORD"));
    return record?.match(new RegExp(`^${name}[/.]`, "m")) ? [distribution ?? ""] : [];
  });
  return { folder, names };
}

function librariesIn(home: string): readonly string[] {
  const lib = join(home, "lib");
  return namesIn(lib).flatMap((python) => (python.startsWith("python3") ? [join(lib, python, "site-packages")] : []));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    errnoOf(error);
    return [];
  }
}
