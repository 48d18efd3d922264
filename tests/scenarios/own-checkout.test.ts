/** The person's own checkout beside the loop: what a check may see there, and what follows from a change in it (SPEC section 6). */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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

function whenItWorks(act: () => void): NonNullable<RunOverrides["during"]> {
  return (line) => {
    if (line.event === "attempt_started") act();
  };
}

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

test("between two runs a person edits at will", async () => {
  const stage = linkedStage(() => [{ write: { "check.cjs": "process.exit(0);\n" }, answer: DONE }]);
  expect(await stage.run({ settings: { max_iterations: 0 } })).toMatchObject({ exit_code: 12 });
  writeFileSync(join(stage.root, "notes.txt"), "mine");
  rmSync(join(stage.root, "README.md"));
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
});
