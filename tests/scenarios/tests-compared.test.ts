/** A verdict compares tests with those of the alignment, whatever becomes of the record of them (SPEC section 6). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { alignLoop } from "../../src/index.ts";
import { setStage, type Act, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 120_000 });

const SUITE = `import { readFileSync } from "node:fs";
const tests = Object.entries(JSON.parse(readFileSync("tests.json", "utf8")));
console.log("TAP version 13");
tests.forEach(([name, outcome], i) => console.log((outcome === "fail" ? "not ok " : "ok ") + (i + 1) + " - " + name + (outcome === "skip" ? " # SKIP" : "")));
console.log("1.." + tests.length);
process.exit(tests.some(([, outcome]) => outcome === "fail") ? 1 : 0);
`;
const BEFORE = { stays: "ok", wanted: "fail", legacy: "fail" };

async function aligned(): Promise<Stage> {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    files: { "suite.mjs": SUITE, "tests.json": JSON.stringify(BEFORE), ".gitignore": ".claude\n" },
  });
  const check = {
    type: "command",
    value: `"${process.execPath}" suite.mjs`,
    expect: "no_worse",
    must_pass: ["wanted"],
  } as const;
  const done = await alignLoop(
    { goal: "wanted works", base_case: check, constraints: { max_iterations: 1, max_stall_count: 1 } },
    { stateFile: stage.stateFile, force: true },
  );
  expect(done).toMatchObject({ ok: true });
  expect(existsSync(recordOf(stage))).toBe(true);
  return stage;
}

function recordOf(stage: Stage): string {
  return join(stage.root, ".claude", "aot-loop", "tests.json");
}

async function outcomeOf(stage: Stage, tests: object, act: Act = {}): Promise<string> {
  stage.rewrite({ A1: [{ write: { "tests.json": JSON.stringify(tests) }, ...act }] });
  const end = await stage.run();
  return end.ok ? end.report.outcome : "no run";
}

/** A line for any shell. @param code of a program, where `record` is the path of the record */
function node(stage: Stage, code: string): Act {
  const program = `const fs = require("fs"), record = ${JSON.stringify(recordOf(stage))}; ${code}`;
  return { sh: `"${process.execPath}" -e '${program}'` };
}

test("SPEC 6: old failures do not block the work, and the record may be gone", async () => {
  const done = { ...BEFORE, wanted: "ok" };
  expect(await outcomeOf(await aligned(), done)).toBe("verified");
  const robbed = await aligned();
  expect(await outcomeOf(robbed, done, node(robbed, "fs.rmSync(record)"))).toBe("verified");
});

test("TEST-RECORD-2: a test that is gone or broken is seen although its record was deleted or changed", async () => {
  const gone = { wanted: "ok", legacy: "fail" };
  const robbed = await aligned();
  expect(await outcomeOf(robbed, gone, node(robbed, "fs.rmSync(record)"))).not.toBe("verified");
  const forged = await aligned();
  const change = 'fs.writeFileSync(record, String(fs.readFileSync(record)).replace(/."stays",1,0,0.,/, ""))';
  expect(await outcomeOf(forged, gone, node(forged, change))).not.toBe("verified");
  const broken = await aligned();
  const worse = { ...BEFORE, wanted: "ok", stays: "fail" };
  expect(await outcomeOf(broken, worse, node(broken, "fs.rmSync(record)"))).not.toBe("verified");
  const lines = JSON.stringify(broken.journal().filter(({ event }) => event === "base_case_checked"));
  expect(lines).toContain('"failing":{"total":1,"names":["stays"]}');
});
