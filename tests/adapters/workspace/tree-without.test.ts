/** Taking atoms out of a history (SPEC section 7; TREE-WITHOUT-1 to 3). */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { workMessage } from "../../../src/adapters/workspace/commit-message.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { attemptOf, integratedFiles, opened, testProject, work, workOf, writeFiles, type Project } from "./project.ts";

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

test("SPEC 7: what was taken out does not come back with work that began on it", async () => {
  const here = await project();
  const workspace = await opened(here);
  await work(workspace, "A1", (dir) => writeFiles(dir, { "x.txt": "x\n" }));
  const later = attemptOf("B1");
  const { dir } = await workspace.start(later);
  await writeFiles(dir, { "y.txt": "y\n" });
  await workspace.revert(["A1"], "out");
  expect((await workspace.integrate(later, workOf("B1"))).kind).toBe("integrated");
  expect(here.loop("ls-tree", "--name-only", "aot/demo/integration").split("\n")).toContain("y.txt");
  expect(here.loop("ls-tree", "--name-only", "aot/demo/integration").split("\n")).not.toContain("x.txt");
  await workspace.close();
});

test("SPEC 7: what is taken out at the end of the branch leaves no commit in it, and is kept as its attempt's", async () => {
  const here = await project();
  const workspace = await opened(here);
  const base = here.loop("rev-parse", "aot/demo/integration");
  const done = await work(workspace, "A1", (dir) => writeFiles(dir, { "x.txt": "x\n" }));
  const commit = done.kind === "integrated" ? done.commit : null;
  expect(await workspace.revert(["A1"], "out")).toEqual({ commit: base, lost: [], gone: [commit] });
  expect(here.loop("rev-parse", "aot/demo/integration")).toBe(base);
  const kept = await workspace.kept?.(["A1.1"]);
  expect(here.loop("rev-parse", kept?.get("A1.1")?.name ?? "")).toBe(commit);
});
