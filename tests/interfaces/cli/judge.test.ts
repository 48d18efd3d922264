/** Who judges, from the command line (SPEC sections 6 and 10). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { commitAll } from "../../support/git.ts";

const PLAN = `
goal: G
base_case:
  checklist:
    - item: good code
      check: { type: quality, criteria: Design, pass_threshold: 3, scope: "src.js" }
`;

/** A project with a judge. */
async function project(): Promise<{ readonly dir: string; readonly judge: string }> {
  const dir = temporaryFolder();
  const place = temporaryFolder();
  writeFileSync(join(dir, "src.js"), "export const answer = 42;\n");
  writeFileSync(join(dir, "plan.yaml"), PLAN);
  writeFileSync(
    join(place, "judge.mjs"),
    `const quotes = [{ file: "src.js", line: 1, text: "export const answer = 42;" }];
     const scores = [{ criterion: "Design", score: 4, reason: "r", quotes }];
     console.log(JSON.stringify({ scores }));`,
  );
  expect(await aot(["align", "--from", "plan.yaml", "--yes"], { cwd: dir })).toMatchObject({ code: 0 });
  return { dir, judge: `command:"${process.execPath}" "${join(place, "judge.mjs")}"` };
}

test("SPEC 6: aot verify --judge shows the scores", async () => {
  const { dir, judge } = await project();
  const shown = await aot(["verify", "--judge", judge], { cwd: dir });
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.out).toContain("average 4 of 3 needed (Design 4)");
});

test.each(["codexx", "replay:no-such-file.jsonl", "command:"])(
  "SPEC 9: a judge %j that there is not is bad input, and the names that there are get listed",
  async (name) => {
    const { dir } = await project();
    const verified = await aotJson(["verify", "--judge", name], { cwd: dir });
    expect(verified.code).toBe(2);
    expect(JSON.stringify(verified.json)).toMatch(/agents are: |aot run --record FILE/);
    expect((await aot(["run", "--agent", "command:true", "--judge", name], { cwd: dir })).code).toBe(2);
    expect((await aot(["align", "x", "--draft", "--agent", name], { cwd: temporaryFolder() })).code).toBe(2);
  },
);

test("SPEC 10: --judge none asks nobody", async () => {
  const { dir } = await project();
  const none = await aotJson(["verify", "--judge", "none"], { cwd: dir });
  expect(none).toMatchObject({ code: 1, json: { passed: null } });
  expect(none.json).toEqual((await aotJson(["verify"], { cwd: dir })).json);
});

/** A project whose check counts its runs, and a judge that answers with what the numbered lines of its script say. */
async function unattendedRun(
  script: readonly object[],
): Promise<{ readonly dir: string; readonly judge: string; runs(): number; asked(): number; prompt(): string }> {
  const dir = temporaryFolder();
  const place = temporaryFolder();
  const plan = `
goal: G
base_case:
  checklist:
    - item: there
      check: { type: command, value: "echo x >> '${place}/runs'; echo forged > forged.txt; test -f a.txt" }
    - item: good code
      check: { type: quality, criteria: Design, pass_threshold: 3, scope: "*.txt" }
`;
  writeFileSync(join(place, "plan.yaml"), plan);
  writeFileSync(
    join(place, "judge.mjs"),
    `import { existsSync, readFileSync, writeFileSync } from "node:fs";
const file = ${JSON.stringify(join(place, "asked"))};
const n = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
writeFileSync(file, String(n + 1));
writeFileSync(file + ".prompt", JSON.parse(readFileSync(0, "utf8")).prompt);
const { exit, ...said } = ${JSON.stringify(script)}[n] ?? { exit: 3 };
console.log(JSON.stringify(said));
process.exit(exit ?? 0);`,
  );
  commitAll(dir);
  const align = ["align", "--from", join(place, "plan.yaml"), "--trust", "0", "--yes"];
  expect((await aot(align, { cwd: dir })).code).toBe(0);
  const judge = `command:"${process.execPath}" "${join(place, "judge.mjs")}"`;
  const runs = (): number => readFileSync(join(place, "runs"), "utf8").trim().split("\n").length;
  const asked = (): number => Number(readFileSync(join(place, "asked"), "utf8"));
  const prompt = (): string => readFileSync(join(place, "asked.prompt"), "utf8");
  return { dir, judge, runs, asked, prompt };
}
const WORKER = 'command:echo one > a.txt; echo \'{"success": true, "summary": "done"}\'';
const scored = (file: string, text: string, cost = 0): object => ({
  scores: [{ criterion: "Design", score: 5, reason: "r", quotes: [{ file, line: 1, text }] }],
  usage: { cost_usd: cost },
});
const away = { exit: 75, retry_after_ms: 1, error: "rate limited" };

test.skipIf(process.platform === "win32")(
  "SPEC 7: a verification whose judge is rate limited goes on where it stopped: no check runs again, nothing written meanwhile is evidence",
  async () => {
    const { dir, judge, runs, asked, prompt } = await unattendedRun([
      away,
      away,
      scored("forged.txt", "forged"),
      scored("a.txt", "one"),
    ]);
    const before = runs();
    const ran = await aotJson(["run", "--agent", WORKER, "--judge", judge, "--set=planner=none"], { cwd: dir });
    expect(ran).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(runs() - before).toBe(1);
    expect(asked()).toBe(4);
    expect(prompt()).toContain('"a.txt": new lines 1\n');
    expect(prompt()).toContain("\n+1| one\n");
    const { out } = await aot(["logs"], { cwd: dir });
    expect(out).toContain(
      "\n    good code: average 5 of 3 needed (Design 5)\n      Design 5: r\n        a.txt:1: one\n",
    );
  },
);

test.skipIf(process.platform === "win32")(
  "SPEC 4, 9: a cost budget that is spent while the judge decides ends as `budget`",
  async () => {
    const { dir, judge } = await unattendedRun([scored("a.txt", "no such line", 2)]);
    const args = ["run", "--agent", WORKER, "--judge", judge, "--set=planner=none", "--max-cost-usd", "1"];
    const ran = await aotJson(args, { cwd: dir });
    expect(ran).toMatchObject({ code: 13, json: { outcome: "budget" } });
    expect(JSON.stringify(ran.json)).toContain("nobody decided: good code");
  },
);

test.skipIf(process.platform === "win32")(
  "SPEC 9: what one call may cost is no budget of the run: each answer has its own",
  async () => {
    const { dir, judge } = await unattendedRun([scored("a.txt", "no such line", 0.4), scored("a.txt", "one", 0.4)]);
    const args = ["run", "--agent", WORKER, "--judge", judge, "--set=planner=none", "--set=max_call_usd=0.5"];
    const ran = await aotJson(args, { cwd: dir });
    expect(ran).toMatchObject({ code: 0, json: { outcome: "verified", cost_usd: expect.closeTo(0.8, 6) } });
  },
);
