/** KEPT-COPY-1 to -3: the copy of an open loop's files. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openJournal } from "../../../src/adapters/store/journal.ts";
import { copyFolder, forgetCopy, hasCopy, keepCopy, restoreLost } from "../../../src/adapters/store/kept-copy.ts";
import { editStateFile } from "../../../src/adapters/store/state-file.ts";
import { accepted } from "../../../src/core/problem.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import { aotPath, cleanEnv, projectWith } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

function project(): { readonly dir: string; readonly state: string; readonly journal: string; sweep(): void } {
  const { dir, state } = projectWith();
  execFileSync("git", ["init", "--quiet"], { cwd: dir });
  const sweep = (): void => rmSync(join(dir, ".claude"), { recursive: true });
  return { dir, state, journal: loopPaths(state).journal, sweep };
}

function append(journal: string, line: object): void {
  const opened = openJournal(journal, { max_bytes: 4_000 });
  if (!opened.ok || !opened.value.append([line]).ok) throw new Error("not appended");
  opened.value.close();
}

test("SPEC 8: what was kept last is what comes back, whatever was swept, set aside and written in between", () => {
  const deed = fc.oneof(
    fc.record({ what: fc.constant("journal" as const), text: fc.string({ maxLength: 900 }) }),
    fc.record({ what: fc.constant("state" as const), text: fc.string({ unit: "grapheme-ascii" }) }),
    fc.record({ what: fc.constantFrom("sweep" as const, "keep" as const), text: fc.constant("") }),
  );
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 25 }), (deeds) => {
      const { state, journal, sweep } = project();
      append(journal, { text: "first" });
      const all = (): string => {
        const older = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => journal.replace(".jsonl", `.${number}.jsonl`));
        const lines = [...older, journal].map((path) => (existsSync(path) ? readFileSync(path, "utf8") : ""));
        return lines.join("").replaceAll(/^.*"event":"note".*\n/gm, "");
      };
      keepCopy(state);
      for (const { what, text } of deeds) {
        if (what === "journal") append(journal, { text });
        if (what === "state") writeFileSync(state, `${readFileSync(state, "utf8")}\n${text}`);
        keepCopy(state, false);
        if (what !== "sweep") continue;
        const before = [readFileSync(state, "utf8"), all()];
        sweep();
        expect(restoreLost(state)).toContain("back from");
        expect([readFileSync(state, "utf8"), all()]).toEqual(before);
        expect(restoreLost(state)).toBe(null);
      }
    }),
    { numRuns: 60 },
  );
});

test("KEPT-COPY-1: a copy never replaces what is there, and what is gone from the copy's place is not there", () => {
  const { state, journal, sweep } = project();
  append(journal, { text: "first" });
  keepCopy(state);
  sweep();
  mkdirSync(join(state, ".."));
  writeFileSync(state, "newer");
  expect(restoreLost(state)).toContain("back from");
  expect([readFileSync(state, "utf8"), existsSync(journal)]).toEqual(["newer", true]);
  sweep();
  forgetCopy(state);
  expect([restoreLost(state), existsSync(state), hasCopy(state)]).toEqual([null, false, false]);
});

test("KEPT-COPY-2: several at once put it back once; an edit finds what was put back", async () => {
  const { dir, state, journal, sweep } = project();
  append(journal, { text: "first" });
  keepCopy(state);
  const before = readFileSync(state, "utf8");
  sweep();
  const said = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const child = spawn(process.execPath, [aotPath(), "status"], { cwd: dir, env: cleanEnv() });
      let err = "";
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
      expect(await once(child, "close")).toEqual([0, null]);
      return err;
    }),
  );
  expect(said.filter((text) => text.includes("back from"))).toHaveLength(1);
  expect(readFileSync(state, "utf8")).toBe(before);
  sweep();
  expect(await editStateFile(state, ({ state: found }) => accepted(found))).toMatchObject({ ok: true });
});

test("KEPT-COPY-1: it lies in git's folder of this working tree, for links, linked trees and folders of any name", () => {
  const { dir, state } = project();
  const git = (...words: string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...words], { cwd: dir });
  git("commit", "--quiet", "--allow-empty", "--message", "x");
  expect(copyFolder(state)).toContain(join(dir, ".git", "aot-loop", "at-"));
  const tree = join(temporaryFolder(), "tree");
  git("worktree", "add", "--quiet", tree);
  expect(copyFolder(join(tree, ".claude", "aot-loop-state.md"))).toContain(join(".git", "worktrees", "tree"));
  const link = join(temporaryFolder(), "link");
  symlinkSync(dir, link);
  expect(copyFolder(join(link, ".claude", "aot-loop-state.md"))).toBe(copyFolder(state));
  const long = join(dir, ...Array.from({ length: 30 }, () => "a folder"), "x.md");
  expect(copyFolder(long)?.split("/").at(-1)?.length).toBeLessThan(100);
  const moved = `${dir}-moved`;
  renameSync(dir, moved);
  expect(copyFolder(join(moved, ".claude", "aot-loop-state.md"))).toContain(join(moved, ".git", "aot-loop", "at-"));
  renameSync(moved, dir);
});
