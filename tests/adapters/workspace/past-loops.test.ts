/** What loops leave in a repository: nothing goes by itself (SPEC section 7). */
import { expect, test } from "vitest";
import { pastLoops } from "../../../src/adapters/workspace/past-loops.ts";
import { findRepository } from "../../../src/adapters/workspace/repository.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { attemptOf, created, testProject, workOf, writeFiles, type Project } from "./project.ts";

const project = (): Promise<Project> => testProject({ "a.txt": "a\n" });

/** A loop of which one attempt was integrated behind another (its own change is kept), and a third one failed. */
async function worked(here: Project, loop: string): Promise<Workspace> {
  const workspace = await created(here.options({ loop }));
  await workspace.open();
  const [one, two, three] = [attemptOf("A1"), attemptOf("A2"), attemptOf("A3")];
  for (const attempt of [one, two, three])
    await writeFiles((await workspace.start(attempt)).dir, { [`${loop}-${attempt.atom}.txt`]: "x" });
  await workspace.integrate(one, workOf("A1"));
  await workspace.integrate(two, workOf("A2"));
  await workspace.shelve(three, "failed");
  return workspace;
}

const refsOf = (here: Project, ...patterns: string[]): string[] =>
  here
    .git("for-each-ref", "--format=%(refname)", ...patterns)
    .split("\n")
    .filter((name) => name !== "");

test("SPEC 7: what earlier goals left stays, and is named by goal", async () => {
  const here = await project();
  const first = await worked(here, "first");
  await first.finish("verified");
  await first.close();
  const second = await worked(here, "second");
  await second.close();
  for (const loop of ["first", "second"])
    expect(refsOf(here, `refs/heads/aot/${loop}/`), "integrated and kept work").toHaveLength(2);
  const repository = await findRepository(here.root);
  if (!repository.ok) throw new Error(repository.problem.message);
  expect((await pastLoops(repository.value.git, "second")).map(({ loop }) => loop)).toEqual(["first"]);
});

test("SPEC 7: what changes once more in the person's checkout while the run is active is reported, what stays is not", async () => {
  const here = await project();
  await here.write({ "a.txt": "mine\n", "same.txt": "s", "folder/in": "1", "gone.txt": "g", "old/in": "1" });
  const workspace = await worked(here, "first");
  await here.write({ "a.txt": "not mine\n", "folder/in": "12", "new.txt": "n" });
  here.git("clean", "-fq", "gone.txt");
  const { message } = await workspace.finish("stalled");
  const [, reported = ""] = /not by integration: (.*?)\. /.exec(message) ?? [];
  expect(reported.split(", ").toSorted()).toEqual(["a.txt", "folder/in", "gone.txt", "new.txt"]);
  await workspace.close();
});
