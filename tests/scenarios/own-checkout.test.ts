/** The person's own checkout beside the loop: what a check may see there, and what follows from a change in it (SPEC section 6). */
import { appendFileSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runLoop } from "../../src/index.ts";
import type { RunEnd } from "../../src/run/options.ts";
import { needs } from "../support/needs.ts";
import { setStage, writeFiles, type Act, type Files, type RunOverrides, type Stage } from "./stage.ts";

const CHECK = `process.exit(require("lib") === 42 ? 0 : 1);\n`;
const FILES: Files = {
  "check.cjs": CHECK,
  "packages/lib/index.js": "module.exports = 0;\n",
  "packages/lib/package.json": `{ "name": "lib", "main": "index.js" }\n`,
  ".gitignore": "node_modules/\nbuild/\n",
};
const DONE = { success: true, summary: "done", artifacts: [] };
const MENDED = "module.exports = 42;\n";

/** A workspace whose `node_modules` leads to the person's own packages, as npm, pnpm and yarn make it. */
function linkedStage(acts: (root: string) => readonly Act[], constraints: object = {}): Stage {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints,
    files: FILES,
    objective: { base_case: { type: "command", value: `"${process.execPath}" check.cjs` } },
  });
  mkdirSync(join(stage.root, "node_modules"));
  symlinkSync(join(stage.root, "packages", "lib"), join(stage.root, "node_modules", "lib"), "junction");
  stage.rewrite({ A1: acts(stage.root), planner: [{ say: "none" }] });
  return stage;
}

function inCheckout(root: string, file: string, text: string): Act {
  const script = `require("node:fs").writeFileSync(${JSON.stringify(join(root, file))}, ${JSON.stringify(text)})`;
  return { write: { "edit.cjs": script }, sh: `"${process.execPath}" edit.cjs` };
}
/** Writes into the checkout, and leaves nothing of that in its own folder. */
function strayingTo(file: string, text: string): (root: string) => readonly Act[] {
  return (root) => [
    { ...inCheckout(root, file, text) },
    { write: { "edit.cjs": null, "note.txt": "1" }, answer: DONE },
  ];
}

test("SPEC 6: an agent that edits the person's checkout, to which the check's imports lead, is not verified; nor is the same command again", async () => {
  const stage = linkedStage(strayingTo("packages/lib/index.js", MENDED));
  for (let run = 0; run < 2; run++) {
    expect(await stage.run()).toMatchObject({ exit_code: 16, report: { outcome: "needs_confirmation" } });
    expect(stage.state().control).toMatchObject({ status: "stopped" });
    expect(stage.state().control.stop_reason).toMatch(
      /^the base case holds, but your own checkout changed while the loop was running: packages\/lib\/index\.js\. .*--accept checkout/,
    );
  }
  expect(await stage.run({ accept_checkout: true })).toMatchObject({ exit_code: 0 });
});

test("SPEC 6: put back as it was committed, the checkout has not changed: the check says what it says", async () => {
  const stage = linkedStage(strayingTo("packages/lib/index.js", MENDED), { max_iterations: 1 });
  expect(await stage.run()).toMatchObject({ exit_code: 16 });
  stage.git("checkout", "--", "packages/lib/index.js");
  // Red now where it was green, on the same tree.
  expect(await stage.run()).toMatchObject({ exit_code: 19 });
});

/** What a person does meanwhile; the checks look at none of it. */
const ACTS: Readonly<Record<string, (stage: Stage) => void>> = {
  "edits a file": ({ root }) => appendFileSync(join(root, "README.md"), "mine\n"),
  "makes a file": ({ root }) => writeFileSync(join(root, "notes.txt"), "mine\n"),
  commits: ({ git }) => git("commit", "-q", "--allow-empty", "-m", "mine"),
  pulls: ({ git, root }) => {
    git("clone", "-q", root, join(root, "..", "colleague"));
    writeFiles(join(root, "..", "colleague"), { "z.txt": "z" });
    const colleague = ["-C", join(root, "..", "colleague"), "-c", "user.name=C", "-c", "user.email=c@example.org"];
    git(...colleague, "add", "-A");
    git(...colleague, "commit", "-qm", "theirs");
    git("pull", "-q", join(root, "..", "colleague"), "main");
  },
  "installs a package": ({ root }) => writeFiles(root, { "node_modules/x/index.js": "1" }),
  builds: ({ root }) => writeFiles(root, { "build/lib.js": "1" }),
  "has an editor's settings": ({ root }) => writeFiles(root, { ".vscode/settings.json": "{}" }),
  "has a cache": ({ root }) => writeFiles(root, { "node_modules/.cache/x.json": "{}", ".DS_Store": "" }),
  fetches: ({ git }) => git("fetch", "-q", ".", "main:refs/remotes/origin/x"),
  "sets how to pull": ({ git }) => git("config", "pull.rebase", "true"),
};

/** Its work is right; `act` is done while it works. */
function besideWork(act: (stage: Stage) => void): { readonly stage: Stage; run(more?: RunOverrides): Promise<RunEnd> } {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    files: { ...FILES, "check.cjs": `process.exit(1);\n` },
    objective: { base_case: { type: "command", value: `"${process.execPath}" check.cjs` } },
    script: { A1: [{ write: { "check.cjs": "process.exit(0);\n" }, answer: DONE }] },
  });
  return { stage, run: (more) => stage.run({ ...more, during: whenItWorks(() => act(stage)) }) };
}

function whenItWorks(act: () => void): NonNullable<RunOverrides["during"]> {
  return (line) => {
    if (line.event === "attempt_started") act();
  };
}

test.each(Object.keys(ACTS))("SPEC 6: a person who %s beside the loop is in nobody's way", async (name) => {
  const { stage, run } = besideWork((there) => ACTS[name]?.(there));
  const before = stage.git("rev-parse", "HEAD");
  const end = await run();
  expect(end).toMatchObject({ exit_code: 0, report: { outcome: "verified" } });
  const isMerged =
    stage.git("rev-parse", "HEAD~1").trim() === before && stage.read("check.cjs") === "process.exit(0);\n";
  // A branch that moved is the person's: the work is named.
  if (["commits", "pulls"].includes(name)) expect(end.ok && end.report.place).toMatch(/To take it: git merge aot\//);
  else expect(isMerged).toBe(true);
  // Refs come and go.
  if (name !== "commits" && name !== "fetches")
    expect(end.ok && end.report.place).toMatch(/^Changed in your checkout during the run, not by integration: /);
});

test("SPEC 6: what a confined check cannot see forbids nothing", async () => {
  needs("bwrap", "unshare");
  const stage = linkedStage(() => []);
  const end = await stage.run({
    sandbox: { setting: "require" },
    agent: "command:echo 'process.exit(0);' > check.cjs",
    during: whenItWorks(() => writeFiles(stage.root, { "packages/lib/index.js": MENDED })),
  });
  expect(end).toMatchObject({ exit_code: 0 });
  expect(end.ok && end.report.place).toContain("packages/lib/index.js");
});

test("SPEC 6: two loops in one repository both verify, neither takes the other's files for anybody's, and nothing is lost", async () => {
  const { stage } = besideWork(() => {});
  stage.rewrite({ A1: [{ write: { "check.cjs": "process.exit(0);\n" }, await: "both", answer: DONE }] });
  const options = ["one", "two"].map((name) => ({
    ...stage.options(),
    stateFile: join(stage.root, `.claude/${name}.md`),
  }));
  for (const { stateFile } of options) copyFileSync(stage.stateFile, stateFile);
  rmSync(stage.stateFile);
  let started = 0;
  const during = whenItWorks(() => (++started === 2 ? stage.raise("both") : undefined));
  const ends = await Promise.all(options.map((each) => runLoop(each, { line: (line) => during(line, NO_CONTROL) })));
  expect(ends).toMatchObject([{ exit_code: 0 }, { exit_code: 0 }]);
  const places = ends.map((end) => (end.ok ? end.report.place : ""));
  expect(places.join("\n")).not.toMatch(/\.claude|info\/exclude/);
  expect(places.filter((place) => place.includes("now holds the verified work"))).toHaveLength(1);
  // Where both are handed over at one moment the second one may meet files that the first is about to track.
  expect(places.filter((place) => /To take it: .*git merge .*aot\//.test(place))).toHaveLength(1);
});

const NO_CONTROL = { stop: (): void => {}, kill: (): void => {}, note: (): void => {} };

test("between two runs a person edits at will", async () => {
  const stage = linkedStage(() => [{ write: { "check.cjs": "process.exit(0);\n" }, answer: DONE }]);
  expect(await stage.run({ settings: { max_iterations: 0 } })).toMatchObject({ exit_code: 12 });
  writeFileSync(join(stage.root, "notes.txt"), "mine");
  rmSync(join(stage.root, "README.md"));
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
});
