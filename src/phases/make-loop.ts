/** A new phase loop as files: its definition, a page, a client's command, and a stub for each skill that nobody described. */
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { makeFolder } from "../adapters/store/file-bytes.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { loopCommand, loopPage, skillStub } from "./core/loop-pages.ts";
import type { LoopDefinition } from "./core/definition.ts";
import { writeDefinitionFile } from "./file.ts";
import { findSkill, skillFolders } from "./phase-skills.ts";

export interface NewFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

export interface MadeLoop {
  /** The definition first. */
  readonly files: readonly NewFile[];
  /** Skills that get a stub. */
  readonly undescribed: readonly string[];
}

/** Writes nothing. @param project where it is made. @param text the definition's. @param skills what they do, by id */
export function filesOf(
  project: string,
  text: string,
  definition: LoopDefinition,
  skills: ReadonlyMap<string, string>,
): MadeLoop {
  const { id, phases } = definition;
  const file = `${id}.loop.json`;
  const places = skillFolders(project, []);
  const wanted = [...new Set(phases.flatMap((phase) => phase.skills.map((skill) => skill.id)))];
  const undescribed = wanted.filter((skill) => findSkill(skill, true, places).path === null);
  return {
    files: [
      { path: join(project, file), text },
      { path: join(project, `${id}.LOOP.md`), text: loopPage(definition, file, skills) },
      { path: join(project, ".claude", "commands", `${id}.md`), text: loopCommand(definition, file) },
      ...undescribed.map((skill) => ({
        path: join(project, ".claude", "skills", skill, "SKILL.md"),
        text: skillStub(skill, skills.get(skill) ?? skill.replaceAll("-", " ")),
      })),
    ],
    undescribed,
  };
}

/** All or none where a file is in the way, unless `replace`. */
export function writeFiles(project: string, files: readonly NewFile[], replace: boolean): Result<null> {
  const there = replace ? [] : files.filter(({ path }) => existsSync(path));
  if (there.length > 0)
    return refused(
      `already there: ${there.map(({ path }) => relative(project, path)).join(", ")}`,
      "choose another id, or replace them with --force",
    );
  for (const { path, text } of files) {
    const folder = makeFolder(join(path, ".."));
    const written = folder.ok ? writeDefinitionFile(path, text) : folder;
    if (!written.ok) return written;
  }
  return accepted(null);
}

const MOST_SKILLS = 200;

/** Ids of the skills of a folder, by name; none: there is no such folder. */
export function skillsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const ids = readdirSync(folder)
    .toSorted()
    .slice(0, MOST_SKILLS)
    .map((name) => name.replace(/\.md$/, ""));
  return ids.filter((id) => findSkill(id, true, [folder]).path !== null);
}
