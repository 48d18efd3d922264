/**
 * Where a phase's skills are described (SPEC section 11): as a Claude Code skill (`<id>/SKILL.md`) or as a Markdown file
 * (`<id>.md`), in the first folder that has one. Without any the skill's name is the instruction.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve, sep } from "node:path";

export interface SkillText {
  readonly id: string;
  readonly required: boolean;
  /** Absolute path of the file that describes it; null: nobody does. */
  readonly path: string | null;
  /** What is in that file, without its frontmatter. */
  readonly text: string;
}

const MOST_BYTES = 256 * 1024;

/**
 * The folders that are looked through, in this order: those that were named, the project's, the person's own.
 * @param named absolute, or relative to the project
 */
export function skillFolders(project: string, named: readonly string[], home: string = homedir()): readonly string[] {
  return [
    ...named.map((folder) => resolve(project, folder)),
    join(project, ".claude", "skills"),
    join(project, "skills"),
    join(home, ".claude", "skills"),
  ];
}

export function findSkill(id: string, required: boolean, folders: readonly string[]): SkillText {
  // It may name a file, and never lead out of its folder.
  const names = /^[^/\\\0]+$/.test(id) && id !== "." && id !== ".." ? [join(id, "SKILL.md"), `${id}.md`] : [];
  for (const folder of folders)
    for (const name of names) {
      const path = join(folder, name);
      const text = textIn(path, folder);
      if (text !== null) return { id, required, path, text: withoutFrontmatter(text) };
    }
  return { id, required, path: null, text: "" };
}

function textIn(path: string, folder: string): string | null {
  try {
    if (!statSync(path).isFile() || statSync(path).size > MOST_BYTES) return null;
    // The file system may not tell "a" from "A", or follow a link elsewhere: what was asked for is in this folder.
    return realpathSync(path).startsWith(realpathSync(folder) + sep) ? readFileSync(path, "utf8") : null;
  } catch {
    return null;
  }
}

function withoutFrontmatter(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "")
    .trim();
}
