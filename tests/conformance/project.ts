/** A person's project and an agent, for goals that are typed at the command line. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../support/bundle.ts";
import { commitAll, gitIn } from "../support/git.ts";

export interface Project {
  readonly dir: string;
  /** What `--agent` takes. */
  readonly agent: string;
  git(...args: string[]): string;
}

/** @param at folder below the repository's; @param agent a module: what to do with `role`, `atom` and `writeFileSync` */
export function projectWith(
  files: Readonly<Record<string, string>>,
  { at = ".", inGit = true, agent = "" } = {},
): Project {
  const dir = join(temporaryFolder(), at);
  const program = join(temporaryFolder(), "agent.mjs");
  writeFileSync(
    program,
    `import { readFileSync, writeFileSync } from "node:fs";
    const { role, atom } = JSON.parse(readFileSync(0, "utf8"));
    ${agent === "" ? WRITES : agent}`,
  );
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  if (inGit) commitAll(at === "." ? dir : join(dir, ".."));
  return { dir, agent: `command:"${process.execPath}" "${program}"`, git: (...args) => gitIn(dir, ...args) };
}

/** Makes the file that the atom's description names. */
export const WRITES = `writeFileSync(atom.description, "made\\n");
    console.log(JSON.stringify({ success: true, summary: "made", artifacts: [] }));`;
