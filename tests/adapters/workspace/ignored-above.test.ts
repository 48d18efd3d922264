import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ignoredAbove } from "../../../src/adapters/workspace/ignored-above.ts";
import { createInPlaceWorkspace } from "../../../src/adapters/workspace/in-place-workspace.ts";
import { findRepository } from "../../../src/adapters/workspace/repository.ts";
import { attemptOf, testProject, work, writeFiles } from "./project.ts";

function ignored(dir: string, args: readonly string[], files: readonly string[]): string[] {
  const ran = spawnSync("git", [...args, "check-ignore", "--no-index", "--stdin"], {
    cwd: dir,
    input: `${files.join("\n")}\n`,
    encoding: "utf8",
  });
  if (ran.status !== 0 && ran.status !== 1) throw new Error(ran.stderr);
  return ran.stdout.split("\n").filter((line) => line !== "");
}

test(
  "SPEC 7: rules from above ignore in the folder what they ignore in the repository (git decides)",
  { timeout: 120_000 },
  async () => {
    const top = await realpath(await mkdtemp(join(tmpdir(), "aot-ignore-")));
    onTestFinished(() => rm(top, { recursive: true, force: true }));
    const folder = join(top, "p", "q");
    await mkdir(folder, { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd: top });
    const shadow = join(top, "shadow.git");
    execFileSync("git", ["init", "-q", "--bare", shadow]);
    const files = ["x", "y", "d/x", "d/y", "d/e/x", "p/x", "q/x"];
    const segment = fc.constantFrom("p", "q", "d", "e", "x", "y", "*", "**", "?", "[px]");
    const rule = fc
      .tuple(
        fc.constantFrom("", "!"),
        fc.constantFrom("", "/"),
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("", "/"),
      )
      .map(([not, start, segments, end]) => `${not}${start}${segments.join("/")}${end}`);
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 4 }), fc.array(rule, { maxLength: 2 }), async (high, low) => {
        await writeFile(join(top, ".gitignore"), `${high.join("\n")}\n`);
        await writeFile(join(top, "p", ".gitignore"), `${low.join("\n")}\n`);
        // A folder that is ignored as a whole is none to work in.
        fc.pre(ignored(top, [], ["p/", "p/q/"]).length === 0);
        const repository = await findRepositoryOf(folder);
        await writeFile(join(shadow, "info", "exclude"), `${(await ignoredAbove(repository)).join("\n")}\n`);
        expect(ignored(folder, ["--git-dir", shadow, "--work-tree", folder], files)).toEqual(
          ignored(folder, [], files),
        );
      }),
      { numRuns: 60, examples: [[["**/?/p"], []]] },
    );
  },
);

type Repository = Parameters<typeof ignoredAbove>[0];

async function findRepositoryOf(folder: string): Promise<Repository> {
  const found = await findRepository(folder);
  if (found.ok) return found.value;
  // It has no commit, and needs none here.
  const top = join(folder, "..", "..");
  return { root: top, prefix: "p/q/", commonDir: join(top, ".git") } as Repository;
}

test("SPEC 7: in place in a folder of a repository, what the repository ignores there is neither recorded nor put back", async () => {
  const project = await testProject({ ".gitignore": "*.log\n/pkg/dist\n", "pkg/a.txt": "a\n" });
  await writeFile(join(project.root, ".git", "info", "exclude"), "private\n");
  const root = join(project.root, "pkg");
  const place = { root, stateFile: join(root, ".claude/aot-loop-state.md"), dir: join(root, ".claude/aot-loop") };
  const workspace = await createInPlaceWorkspace(project.options(place));
  await workspace.open();
  const hidden = { "x.log": "x", "dist/x": "x", private: "x" };
  const result = await work(workspace, "A1", (dir) => writeFiles(dir, { ...hidden, "b.txt": "b\n" }));
  expect(result).toMatchObject({ kind: "integrated", files: ["b.txt"] });
  await workspace.start(attemptOf("A2"));
  await writeFiles(root, { "dist/x": "built", "b.txt": "wrecked\n" });
  expect((await workspace.shelve(attemptOf("A2"), "failed")).kept).toContain(".patch");
  expect(await readFile(join(root, "dist/x"), "utf8")).toBe("built");
  expect(await readFile(join(root, "b.txt"), "utf8")).toBe("b\n");
});
