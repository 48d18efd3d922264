/**
 * Reruns a script of `package.json` without npm, whose own start often takes longer than the tests (SPEC section 6). Only where npm
 * would add nothing but variables: the script is one program, has no pre or post script, and no `.npmrc` lies beside it.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { textAt } from "../../../host/regular-file.ts";
import { SEVERAL } from "./select-tests.ts";

const SCRIPT = /^\s*npm (?:(test|t)|run(?:-script)? ([\w:.-]+))(?: (?:--silent|-s))*\s*$/;

/**
 * @param command of the check
 * @param dir its folder
 * @returns what npm would start, and the exports that go before it; null: npm is needed
 */
export function pastNpm(command: string, dir: string): { readonly script: string; readonly before: string } | null {
  const [, test, named] = SCRIPT.exec(command) ?? [];
  const name = test === undefined ? named : "test";
  if (name === undefined || process.platform === "win32") return null;
  const folders = foldersUpFrom(dir);
  const top = folders.findIndex((folder) => existsSync(join(folder, ".git")));
  if (folders.slice(0, top < 0 ? undefined : top + 1).some((folder) => existsSync(join(folder, ".npmrc")))) return null;
  const manifest = manifestOf(textAt(join(dir, "package.json")));
  const { scripts = {} } = manifest;
  const script = scripts[name];
  if (typeof script !== "string" || SEVERAL.test(script) || `pre${name}` in scripts || `post${name}` in scripts)
    return null;
  // Each of its values would be a variable.
  if ("config" in manifest) return null;
  const bins = folders.map((_, up) => `$PWD/${"../".repeat(up)}node_modules/.bin`);
  return {
    script,
    before: `export ${[`PATH="${bins.join(":")}:$PATH"`, ...variables(name, script, manifest)].join(" ")}; `,
  };
}

function foldersUpFrom(dir: string): readonly string[] {
  return dirname(dir) === dir ? [dir] : [dir, ...foldersUpFrom(dirname(dir))];
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly name?: unknown;
  readonly version?: unknown;
}

function manifestOf(text: string | null): Manifest {
  try {
    return (JSON.parse(text ?? "") as Manifest | null) ?? {};
  } catch {
    return {};
  }
}

/** Those that programs look at. */
function variables(name: string, script: string, manifest: Manifest): readonly string[] {
  const texts = { lifecycle_script: script, package_name: manifest.name, package_version: manifest.version };
  return [
    `npm_lifecycle_event=${name}`,
    ...Object.entries(texts).flatMap(([key, value]) =>
      typeof value === "string" ? [`npm_${key}='${value.replaceAll("'", `'\\''`)}'`] : [],
    ),
    `npm_command=${name === "test" ? "test" : "run"}`,
    'npm_package_json="$PWD/package.json"',
    'INIT_CWD="$PWD"',
    'npm_config_user_agent="npm"',
    'npm_node_execpath="$(command -v node)"',
    'npm_execpath="$(command -v npm)"',
  ];
}
