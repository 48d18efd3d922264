/**
 * How a client starts this server (SPEC section 10): by the paths of the Node that runs and of this program. A package's name
 * would do for whoever owns that name in a registry.
 */
import { realpathSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { accepted, refused, type Result } from "../core/problem.ts";
import { isMissing } from "../adapters/store/file-bytes.ts";
import type { ServerEntry } from "./entry.ts";

export interface OwnServer {
  readonly entry: ServerEntry;
  /** A warning: what will make the entry wrong one day. Null: nothing known. */
  readonly note: string | null;
}

/** Where npx, pnpm dlx, yarn dlx and bunx keep what they run. */
const RUNNER_CACHE = /[\\/](?:_npx|dlx|dlx-[^\\/]+|bunx-[^\\/]+)[\\/](?:.*[\\/])?node_modules[\\/]/;
/** A folder that is named for a version: the next one has another name. */
const VERSIONED = /[\\/](?:[^\\/]*@)?v?\d+\.\d+\.\d+[^\\/]*[\\/]/;
/** Homebrew's folder of one version of a formula; `opt/FORMULA` leads to the one that is installed. */
const CELLAR = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/(.*)$/;

/**
 * @param node the path of the Node that runs
 * @param script the program that it runs
 * @returns refused where the program lies in a cache of a package runner
 */
export function ownServer(node: string, script: string): Result<OwnServer> {
  const program = stable(realpathSync(script));
  if (RUNNER_CACHE.test(program))
    return refused(
      `this aot is ${program}, which a package runner keeps for a while only`,
      "install it where it stays: `npm ci && npm install -g .` in its checkout, then `aot mcp install`",
    );
  const command = stable(node);
  const passing = [command, program].find((path) => VERSIONED.test(path));
  const note =
    passing === undefined
      ? null
      : `${passing} is in the folder of one version: run this again after an upgrade; \`aot doctor\` warns when it is gone`;
  return accepted({ entry: { command, args: [program, "mcp"] }, note });
}

function stable(path: string): string {
  const [, prefix, formula, rest] = CELLAR.exec(path) ?? [];
  const linked = `${prefix}/opt/${formula}/${rest}`;
  try {
    return prefix !== undefined && realpathSync(linked) === realpathSync(path) ? linked : path;
  } catch {
    // Not linked: a formula may be kept without it.
    return path;
  }
}

/** Programs that start a package by its name, from a registry if it is not there. */
const RUNNER = /^(?:npx|pnpx|bunx)(?:\.cmd|\.exe)?$/i;
const OWN_PACKAGE = /^aot-loop(?:@|$)/;

/** What is wrong with an entry that some aot wrote; null: nothing. */
export function whatIsWrongWith({ command, args }: ServerEntry): string | null {
  const words = [command, ...args];
  if (words.some((word) => RUNNER.test(basename(word)) || OWN_PACKAGE.test(word)))
    return `starts it by a package's name (\`${words.join(" ")}\`): no registry has that package, and whoever takes the name runs code here`;
  const gone = words.slice(0, 2).find((word) => isAbsolute(word) && isMissing(word));
  return gone === undefined ? null : `starts it from ${gone}, which is not there`;
}
