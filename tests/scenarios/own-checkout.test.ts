/** The person's own checkout beside the loop: what a check may see there, and what follows from a change in it (SPEC section 6). */
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setStage, type Act, type Files, type Stage } from "./stage.ts";

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
      /^the base case holds, but your own checkout changed while the loop was running: packages\/lib\/index\.js\. .*--accept-checkout/,
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

for (const [what, file, hide] of [
  ["ignored", "build/lib.js", (): void => {}],
  [
    "in info/exclude",
    "hidden.js",
    (stage: Stage) => appendFileSync(join(stage.root, ".git/info/exclude"), "hidden.js\n"),
  ],
  [
    "assumed unchanged",
    "README.md",
    (stage: Stage) => void stage.git("update-index", "--assume-unchanged", "README.md"),
  ],
  [
    "not in the worktree",
    "README.md",
    (stage: Stage) => void stage.git("update-index", "--skip-worktree", "README.md"),
  ],
  ["a hook", ".git/hooks/post-checkout", (): void => {}],
  ["git's attributes", ".git/info/attributes", (): void => {}],
  ["bytecode of the project", "packages/__pycache__/lib.cpython-312.pyc", (): void => {}],
] as const)
  test(`SPEC 6: what changed in the person's checkout counts, also ${what}`, async () => {
    const stage = linkedStage((root) => [
      ...strayingTo(file, "changed\n")(root).slice(0, 1),
      { write: { "edit.cjs": null, "check.cjs": "process.exit(0);\n" }, answer: DONE },
    ]);
    hide(stage);
    mkdirSync(join(stage.root, file, ".."), { recursive: true });
    expect(await stage.run()).toMatchObject({ exit_code: 16 });
    expect(stage.state().control.stop_reason).toContain(file);
  });

test("caches that tools write by themselves are reported and forbid nothing", async () => {
  const stage = linkedStage((root) => [
    ...strayingTo("node_modules/.cache/x.json", "{}")(root).slice(0, 1),
    { write: { "edit.cjs": null, "check.cjs": "process.exit(0);\n" }, answer: DONE },
  ]);
  mkdirSync(join(stage.root, "node_modules", ".cache"));
  const end = await stage.run();
  expect(end).toMatchObject({ exit_code: 0 });
  expect(end.ok && end.report.place).toMatch(
    /^Changed in your checkout during the run, which forbids nothing: .*node_modules\/\.cache\/x\.json/,
  );
});

test("between two runs a person edits at will", async () => {
  const stage = linkedStage(() => [{ write: { "check.cjs": "process.exit(0);\n" }, answer: DONE }]);
  expect(await stage.run({ settings: { max_iterations: 0 } })).toMatchObject({ exit_code: 12 });
  writeFileSync(join(stage.root, "notes.txt"), "mine");
  rmSync(join(stage.root, "README.md"));
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
});
