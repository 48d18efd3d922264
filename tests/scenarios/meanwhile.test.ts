/** What a person commits between two runs is what the next one works on (MEANWHILE-1 to 3), and what they do to HEAD. */
import { expect, test } from "vitest";
import { filesExist, setStage, writeFiles, type Files, type RunOverrides, type Stage } from "./stage.ts";

/** A1 writes a file of its own; A2 can do nothing without the file `fixed`, which is missing. */
function stuck(...atoms: readonly string[]): Stage {
  const made = { A1: "a.txt", A2: "b.txt" };
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2" }].filter(({ id }) => atoms.includes(id)),
    constraints: { max_iterations: 1, max_parallel_agents: 2 },
    objective: { base_case: filesExist("fixed", ...(atoms.includes("A1") ? [made.A1] : []), made.A2) },
  });
  return stage;
}

const AGENT = `command:node -e '
  const { readFileSync, existsSync, writeFileSync } = require("node:fs");
  const { atom } = JSON.parse(readFileSync(0, "utf8"));
  if (atom.id === "A1") writeFileSync("a.txt", "1");
  else if (existsSync("fixed")) writeFileSync("b.txt", "1");
  else process.exit(1);
'`;

function commit(stage: Stage, files: Files): string {
  writeFiles(stage.root, files);
  stage.git("add", ...Object.keys(files));
  stage.git("commit", "-qm", "the person's");
  return stage.git("rev-parse", "HEAD");
}

/** As far as it comes; then the person commits, and it is run again. */
async function again(stage: Stage, files: Files, how: RunOverrides = {}): Promise<{ place: string; theirs: string }> {
  expect(await stage.run({ agent: AGENT })).toMatchObject({ exit_code: 12 });
  stage.edit((text) => text.replace("max_iterations: 1", "max_iterations: 2"));
  const theirs = commit(stage, files);
  const end = await stage.run({ agent: AGENT, accept_goal: true, ...how });
  expect(end).toMatchObject({ exit_code: 0 });
  return { place: end.ok ? end.report.place : "", theirs };
}

test("MEANWHILE-1: where nothing was integrated the next run starts from what the person committed", async () => {
  const stage = stuck("A2");
  const { theirs } = await again(stage, { fixed: "" });
  expect(stage.git("rev-parse", "HEAD~1")).toBe(theirs);
  expect(stage.read("b.txt")).toBe("1");
});

test.each([false, true])(
  "MEANWHILE-2: else it is merged, and the work is handed over; squashed: %s",
  async (squash) => {
    const stage = stuck("A1", "A2");
    const { theirs } = await again(stage, { fixed: "" }, { commits: { squash, hooks: true } });
    expect([stage.read("a.txt"), stage.read("b.txt")]).toEqual(["1", "1"]);
    stage.git("merge-base", "--is-ancestor", theirs, "HEAD");
    if (squash) expect(stage.git("log", "-1", "--format=%P %(trailers:key=Co-authored-by)")).toBe(theirs);
  },
);

test("MEANWHILE-3: what does not merge is named, and nothing of it is lost", async () => {
  const stage = stuck("A1", "A2");
  const ran = await stage.run({ agent: AGENT });
  expect(ran).toMatchObject({ exit_code: 12 });
  const theirs = commit(stage, { "a.txt": "theirs", fixed: "" });
  stage.edit((text) => text.replace("max_iterations: 1", "max_iterations: 2"));
  expect(await stage.run({ agent: AGENT, accept_goal: true })).toMatchObject({ exit_code: 12 });
  const notes = stage.journal().flatMap((line) => (line.event === "note" ? [line.message] : []));
  expect(notes.join("\n")).toMatch(/main is at [0-9a-f]{10} now, which does not merge .*\(a\.txt\): the loop goes on/);
  expect(stage.git("rev-parse", "HEAD")).toBe(theirs);
  expect(stage.integrated("a.txt")).toBe("1");
});

test("SPEC 7: a HEAD without a commit at the end is named with the way out", async () => {
  const stage = stuck("A1");
  stage.edit((text) => text.replaceAll("fixed", "README.md").replaceAll("b.txt", "a.txt"));
  const end = await stage.run({
    agent: AGENT,
    during: (line) => {
      if (line.event === "attempt_started") stage.git("checkout", "-q", "--orphan", "fresh");
    },
  });
  expect(end).toMatchObject({ exit_code: 0 });
  expect(end.ok && end.report.place).toMatch(
    /your checkout is on fresh .* To take it: git checkout main, then git merge aot\//,
  );
  stage.git("checkout", "-q", "main");
  stage.git("merge", "-q", stage.branch());
  expect(stage.read("a.txt")).toBe("1");
});
