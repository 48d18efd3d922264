/** Taking atoms out of a history (SPEC section 7; TREE-WITHOUT-1 to 3). */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { workMessage } from "../../../src/adapters/workspace/commit-message.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { attemptOf, created, integratedFiles, opened, testProject, work, writeFiles, type Project } from "./project.ts";

const project = (): Promise<Project> => testProject({ "a.txt": "a\n" });

/** A history of attempts, each writing one file, without the cost of working them. */
async function withHistory(
  here: Project,
  commits: readonly { readonly atom: string; readonly file: string; readonly text: string }[],
): Promise<Workspace> {
  await (await opened(here)).close();
  const stream = commits.map(({ atom, file, text }, i) => {
    const message = workMessage(attemptOf(atom), atom, {
      attempt: `${atom}.1`,
      atom,
      workspace: `${atom}-1-r1`,
      summary: atom,
      artifacts: [],
    });
    const head = i === 0 ? "from refs/heads/aot/demo/integration^0\n" : "";
    return `commit refs/heads/aot/demo/integration\ncommitter X <x@y> ${1_700_000_000 + i} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n${head}M 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  });
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: here.root,
    input: stream.join(""),
    stdio: ["pipe", "pipe", "pipe"],
  });
  return opened(here, { run: "r2" });
}

test("SPEC 7: out of 200 atoms one goes and 199 stay", async () => {
  const here = await project();
  const atoms = Array.from({ length: 200 }, (_, i) => `A${i}`);
  const workspace = await withHistory(
    here,
    atoms.map((atom) => ({ atom, file: `dir/${atom}.txt`, text: atom })),
  );
  expect((await workspace.revert(["A7", "A150"], "given up")).lost).toEqual([]);
  const expected = Object.fromEntries(
    atoms.map((atom) => [`dir/${atom}.txt`, atom === "A7" || atom === "A150" ? undefined : atom]),
  );
  expect(await integratedFiles(workspace, Object.keys(expected))).toEqual(expected);
  await workspace.close();
  const later = await created(here.options({ run: "r3" }));
  expect((await later.open()).integrated).toHaveLength(198);
});

test(
  "SPEC 7: of a chain of 30 that is on one atom everything is lost, and the rest stays",
  { timeout: 60_000 },
  async () => {
    const here = await project();
    const chain = Array.from({ length: 30 }, (_, i) => ({ atom: `C${i}`, file: "chain.txt", text: `version ${i}\n` }));
    const workspace = await withHistory(here, [
      ...chain.slice(0, 15),
      { atom: "F", file: "free.txt", text: "free" },
      ...chain.slice(15),
    ]);
    const { lost } = await workspace.revert(["C0"], "given up");
    expect([...lost].sort()).toEqual(
      chain
        .slice(1)
        .map(({ atom }) => atom)
        .sort(),
    );
    expect(await integratedFiles(workspace, ["chain.txt", "free.txt"])).toEqual({
      "chain.txt": undefined,
      "free.txt": "free",
    });
  },
);

test("SPEC 7: what was taken out is still in the branch's history: it only moves forward", async () => {
  const here = await project();
  const workspace = await opened(here);
  const done = await work(workspace, "A1", (dir) => writeFiles(dir, { "x.txt": "x\n" }));
  await workspace.revert(["A1"], "out");
  const commit = done.kind === "integrated" ? done.commit : null;
  expect(here.git("merge-base", "--is-ancestor", commit ?? "", "aot/demo/integration")).toBe("");
  expect(here.git("log", "-1", "--format=%B", "aot/demo/integration")).toContain("Aot-Reverts: A1");
});
