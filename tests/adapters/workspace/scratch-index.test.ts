/** SCRATCH-INDEX: an agent that deletes the loop's folder of indexes does no harm to its neighbours' work. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchIndexes } from "../../../src/adapters/workspace/scratch-index.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { attemptOf, created, gitIn, testProject, work, workOf, type Project } from "./project.ts";

/** One is in the commit though git ignores it: who begins with an empty index takes it for deleted. */
const FILES = { "a.txt": "a\n", "sub/kept.log": "kept\n" };

interface Scene {
  readonly project: Project;
  readonly workspace: Workspace;
  deleteScratch(): void;
}

async function scene(settings: (project: Project) => void = () => {}): Promise<Scene> {
  const project = await testProject(FILES);
  writeFileSync(join(project.root, ".gitignore"), "*.log\n.claude\n");
  project.git("add", ".gitignore");
  project.git("commit", "-qm", "second");
  settings(project);
  const workspace = await created(project.options());
  onTestFinished(() => workspace.close());
  await workspace.open();
  return { project, workspace, deleteScratch: () => rmSync(scratchOf(project), { recursive: true, force: true }) };
}

function scratchOf({ root }: Project): string {
  return join(root, ".claude/aot-loop/scratch");
}

const write = (name: string) => (dir: string) => writeFile(join(dir, name), "honest\n");

/** What the integration branch has beyond the person's commit. */
function changed({ root }: Project): string {
  return gitIn(root, "diff", "--name-status", "main", "aot/demo/integration");
}

test("deleted before an attempt: it starts, and its work is integrated", async () => {
  const { project, workspace, deleteScratch } = await scene();
  deleteScratch();
  expect(await work(workspace, "B1", write("b.txt"))).toMatchObject({ kind: "integrated" });
  expect(changed(project)).toBe("A\tb.txt");
});

test("deleted while attempts work: the work of each is integrated, and nothing else", async () => {
  const { project, workspace, deleteScratch } = await scene();
  const attempts = ["B1", "C1"].map((atom) => attemptOf(atom));
  for (const attempt of attempts) await write(`${attempt.atom}.txt`)((await workspace.start(attempt)).dir);
  deleteScratch();
  const ended = await Promise.all(attempts.map((attempt) => workspace.integrate(attempt, workOf(attempt.atom))));
  expect(ended).toMatchObject([{ kind: "integrated" }, { kind: "integrated" }]);
  expect(changed(project)).toBe("A\tB1.txt\nA\tC1.txt");
});

test("deleted after an attempt: the next one finds all files in its folder", async () => {
  const { project, workspace, deleteScratch } = await scene();
  await work(workspace, "B1", write("b.txt"));
  deleteScratch();
  let found = "";
  const ended = await work(workspace, "C1", async (dir) => {
    found = await readFile(join(dir, "sub/kept.log"), "utf8");
    await write("c.txt")(dir);
  });
  expect(ended).toMatchObject({ kind: "integrated" });
  expect([found, changed(project)]).toEqual(["kept\n", "A\tb.txt\nA\tc.txt"]);
});

/** A filter of the repository deletes the folder, and makes it anew, while git reads a file: so often. */
function deletedWhileRead(project: Project, times: number): void {
  const left = join(project.root, ".git", "left");
  const filter = join(project.root, ".git", "filter.mjs");
  writeFileSync(
    filter,
    `import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
const left = Number(readFileSync(${JSON.stringify(left)}, "utf8"));
if (left > 0) {
  rmSync(${JSON.stringify(scratchOf(project))}, { recursive: true, force: true });
  mkdirSync(${JSON.stringify(scratchOf(project))});
}
writeFileSync(${JSON.stringify(left)}, String(left - 1));
process.stdin.pipe(process.stdout);
`,
  );
  writeFileSync(left, String(times));
  mkdirSync(join(project.root, ".git", "info"), { recursive: true });
  writeFileSync(join(project.root, ".git", "info", "attributes"), "b.txt filter=deletes\n");
  project.git("config", "filter.deletes.clean", `"${process.execPath}" "${filter}"`);
}

test("deleted while git reads an attempt's folder: it is read again", async () => {
  const { project, workspace } = await scene((place) => deletedWhileRead(place, 2));
  expect(await work(workspace, "B1", write("b.txt"))).toMatchObject({ kind: "integrated" });
  expect(changed(project)).toBe("A\tb.txt");
});

test("deleted again and again: the attempt fails, the run does not, and nothing wrong is integrated", async () => {
  const { project, workspace } = await scene((place) => deletedWhileRead(place, 1_000));
  expect(await work(workspace, "B1", write("b.txt"))).toMatchObject({ kind: "failed" });
  expect(await work(workspace, "C1", write("c.txt"))).toMatchObject({ kind: "integrated" });
  expect(changed(project)).toBe("A\tc.txt");
});

test("SCRATCH-INDEX-1: each index has a folder to itself", () => {
  let count = 0;
  const scratch = join(temporaryFolder(), "demo.aot-loop", "scratch");
  const scratchIndex = scratchIndexes(scratch, () => String(++count));
  const one = scratchIndex();
  rmSync(scratch, { recursive: true });
  expect(dirname(scratchIndex())).not.toBe(dirname(one));
});
