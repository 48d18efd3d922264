/** Guard rules hold in `aot run`, whatever client works (SPEC section 12). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countFirings } from "../../src/rules/fired.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { filesExist, setStage, type Stage } from "./stage.ts";

const HOME = process.env["HOME"];
beforeAll(() => {
  process.env["HOME"] = temporaryFolder();
});
afterAll(() => {
  if (HOME === undefined) delete process.env["HOME"];
  else process.env["HOME"] = HOME;
});

function rule(stage: Stage, name: string, ...lines: readonly string[]): void {
  mkdirSync(join(stage.root, ".claude"), { recursive: true });
  const text = ["---", `name: ${name}`, ...lines, "---", `Said by ${name}.`].join("\n");
  writeFileSync(join(stage.root, ".claude", `hookify.${name}.local.md`), text);
}
const noLog = (stage: Stage): void =>
  rule(stage, "no-log", "event: file", String.raw`pattern: console\.log`, "action: block");

test("SPEC 12: work that a rule forbids is a failed attempt, with the rule's words as nogood", async () => {
  const stage = setStage({
    files: { "old.js": "console.log('was there before')\n", ".gitignore": ".claude\n" },
    atoms: [{ id: "A1" }],
    objective: { base_case: filesExist("a.js") },
    script: {
      "A1.1": [{ write: { "a.js": "console.log(1)\n" } }],
      "A1.2": [{ write: { "a.js": "print(1)\n" }, append: { "old.js": "// and more\n" } }],
    },
  });
  noLog(stage);
  rule(stage, "shadowed", "event: file", "pattern: print", "action: block", "shadow: true");
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const failed = stage.journal().filter((line) => line.event === "attempt_failed");
  expect(failed).toMatchObject([{ attempt: "A1.1" }]);
  const [{ reason }] = stage.asked("A1.2").nogoods as [{ reason: string }];
  expect(reason).toContain("a.js: **[no-log]**\nSaid by no-log.");
  const { counts } = countFirings({ owner: "project", dir: join(stage.root, ".claude") });
  expect([counts.get("no-log")?.times, counts.get("shadowed")?.tried]).toEqual([1, 1]);
});

test("SPEC 12: a rule that comes during the run holds from then on; an attempt does not change the rules that are", async () => {
  const stage = setStage({
    files: { ".claude/hookify.kept.local.md": "---\nname: kept\nevent: file\npattern: zzz\n---\n" },
    atoms: [{ id: "A1" }],
    objective: { base_case: filesExist("a.js") },
    script: {
      "A1.1": [{ write: { "a.js": "1\n", ".claude/hookify.kept.local.md": null } }],
      "A1.2": [{ flag: "begun" }, { await: "ruled" }, { write: { "a.js": "console.log(1)\n" } }],
      "A1.3": [{ write: { "a.js": "1\n" } }],
    },
  });
  const end = stage.run();
  const waiting = setInterval(() => {
    if (!stage.isRaised("begun") || stage.isRaised("ruled")) return;
    noLog(stage);
    stage.raise("ruled");
  }, 50);
  try {
    expect(await end).toMatchObject({ exit_code: 0 });
  } finally {
    clearInterval(waiting);
  }
  const reasons = stage.asked("A1.3").nogoods.map(({ reason }) => reason);
  expect(reasons[0]).toContain("only a human may change guard rules");
  expect(reasons[1]).toContain("no-log");
});
