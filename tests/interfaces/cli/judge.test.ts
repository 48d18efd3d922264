/** Who judges, from the command line (SPEC sections 6 and 10). */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aot, aotJson, aotPath, cleanEnv } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

const PLAN = `
goal: G
base_case:
  checklist:
    - item: good code
      check: { type: quality, criteria: Design, pass_threshold: 3, scope: "src.js" }
`;

/** A project with a judge whose votes are 5, 2, 4, ... */
async function project(): Promise<{ readonly dir: string; readonly judge: string }> {
  const dir = temporaryFolder();
  const place = temporaryFolder();
  writeFileSync(join(dir, "src.js"), "export const answer = 42;\n");
  writeFileSync(join(dir, "plan.yaml"), PLAN);
  writeFileSync(
    join(place, "judge.mjs"),
    `import { appendFileSync, readFileSync } from "node:fs";
     appendFileSync(${JSON.stringify(join(place, "calls"))}, ".");
     const vote = readFileSync(${JSON.stringify(join(place, "calls"))}, "utf8").length;
     const quotes = [{ file: "src.js", line: 1, text: "export const answer = 42;" }];
     const scores = [{ criterion: "Design", score: [5, 2, 4][(vote - 1) % 3], reason: "r", quotes }];
     console.log(JSON.stringify({ scores }));`,
  );
  expect(await aot(["align", "--from", "plan.yaml", "--yes"], { cwd: dir })).toMatchObject({ code: 0 });
  return { dir, judge: `command:"${process.execPath}" "${join(place, "judge.mjs")}"` };
}

test("SPEC 6: aot verify --judge-votes shows the median and the spread", async () => {
  const { dir, judge } = await project();
  const shown = await aot(["verify", "--judge", judge, "--judge-votes", "3"], { cwd: dir });
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.out).toContain("average 4 of 3 needed (Design 4 [2 to 5]; median of 3 votes)");
  const { json } = await aotJson(["verify", "--judge", judge, "--judge-votes", "3"], { cwd: dir });
  expect(json["checklist"]).toMatchObject([
    { passed: true, evidence: { kind: "scores", panel: { wanted: 3, votes: [{}, {}, {}] } } },
  ]);
  expect(await aot(["verify", "--judge", judge, "--judge-votes", "0"], { cwd: dir })).toMatchObject({ code: 2 });
});

test("SPEC 10: a model whose packages are not here is reported with the command that installs them", async () => {
  const { dir } = await project();
  const verified = await aot(["verify", "--judge", "ai:no-such-provider/m"], { cwd: dir });
  expect(verified).toMatchObject({ code: 1 });
  expect(verified.out).toContain("@ai-sdk/no-such-provider");
  const ran = await aotJson(["run", "--agent", "command:true", "--judge", "ai:no-such-provider/m"], { cwd: dir });
  expect(ran).toMatchObject({ code: 17 });
  expect(JSON.stringify(ran.json)).toContain("npm install");
  expect((await aot(["verify", "--judge", "ai:openai"], { cwd: dir })).err).toContain("write ai:<provider>/<model>");
});

test("SPEC 6, 10: a model without a client, through the real SDK: three votes, the median; it is shown the file and nothing of the work", async () => {
  const { dir } = await project();
  const asked: string[] = [];
  const scores = [5, 2, 4];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      asked.push(body);
      const quotes = [{ file: "src.js", line: 1, text: "export const answer = 42;" }];
      const vote = { scores: [{ criterion: "Design", score: scores[(asked.length - 1) % 3], reason: "r", quotes }] };
      const content = [{ type: "output_text", text: JSON.stringify(vote), annotations: [] }];
      const output = [{ type: "message", id: "m", status: "completed", role: "assistant", content }];
      const usage = { input_tokens: 50, output_tokens: 7, total_tokens: 57 };
      response.setHeader("Content-Type", "application/json");
      response.end(
        JSON.stringify({ id: "r", object: "response", created_at: 1, status: "completed", model: "m", output, usage }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const words = ["verify", "--judge", "ai:openai/m", "--judge-votes", "3", "--json"];
  const child = spawn(process.execPath, [aotPath(), ...words], {
    cwd: dir,
    env: cleanEnv({ OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  child.stdout.on("data", (part: Buffer) => (out += part.toString()));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(JSON.parse(out)).toMatchObject({
    passed: true,
    checklist: [{ evidence: { kind: "scores", average: 4, panel: { wanted: 3, votes: [{}, {}, {}] } } }],
  });
  expect(asked).toHaveLength(3);
  for (const body of asked) expect(body).toContain("export const answer = 42;");
});

test.each(["codexx", "ai", "ai:openai", "replay:no-such-file.jsonl", "command:"])(
  "SPEC 9: a judge %j that there is not is bad input, and the names that there are get listed",
  async (name) => {
    const { dir } = await project();
    const verified = await aotJson(["verify", "--judge", name], { cwd: dir });
    expect(verified.code).toBe(2);
    expect(JSON.stringify(verified.json)).toMatch(
      /agents are: .*ai:<provider>|write ai:<provider>|aot run --record FILE/,
    );
    expect((await aot(["run", "--agent", "command:true", "--judge", name], { cwd: dir })).code).toBe(2);
    if (!name.startsWith("ai"))
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
): Promise<{ readonly dir: string; readonly judge: string; runs(): number }> {
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
const { exit, ...said } = ${JSON.stringify(script)}[n] ?? { exit: 3 };
console.log(JSON.stringify(said));
process.exit(exit ?? 0);`,
  );
  spawnSync("git", ["init", "--quiet", dir]);
  spawnSync("git", [
    "-C",
    dir,
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@localhost",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "0",
  ]);
  const align = ["align", "--from", join(place, "plan.yaml"), "--trust", "0", "--yes"];
  expect((await aot(align, { cwd: dir })).code).toBe(0);
  const judge = `command:"${process.execPath}" "${join(place, "judge.mjs")}"`;
  const runs = (): number => readFileSync(join(place, "runs"), "utf8").trim().split("\n").length;
  return { dir, judge, runs };
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
    const { dir, judge, runs } = await unattendedRun([
      away,
      away,
      scored("forged.txt", "forged"),
      scored("a.txt", "one"),
    ]);
    const before = runs();
    const ran = await aotJson(["run", "--agent", WORKER, "--judge", judge, "--planner", "none"], { cwd: dir });
    expect(ran).toMatchObject({ code: 0, json: { outcome: "verified" } });
    expect(runs() - before).toBe(1);
    expect(JSON.stringify(ran.json)).toContain("forged.txt");
  },
);

test.skipIf(process.platform === "win32").each([
  ["the first vote of three", [scored("a.txt", "one", 2)], ["--judge-votes", "3"]],
  ["a vote that is void", [scored("a.txt", "no such line", 2)], []],
])("SPEC 4, 9: a cost budget that is spent while the judge decides ends as `budget`: %s", async (_, script, flags) => {
  const { dir, judge } = await unattendedRun(script);
  const args = ["run", "--agent", WORKER, "--judge", judge, "--planner", "none", "--max-cost-usd", "1", ...flags];
  const ran = await aotJson(args, { cwd: dir });
  expect(ran).toMatchObject({ code: 13, json: { outcome: "budget" } });
  expect(JSON.stringify(ran.json)).toContain("nobody decided: good code");
});

test.skipIf(process.platform === "win32")(
  "SPEC 9: what one call may cost is no budget of the run: each leaf and vote has its own",
  async () => {
    const { dir, judge } = await unattendedRun([1, 2, 3].map(() => scored("a.txt", "one", 0.4)));
    const args = ["run", "--agent", WORKER, "--judge", judge, "--planner", "none", "--judge-votes", "3"];
    const ran = await aotJson([...args, "--max-call-usd", "0.5"], { cwd: dir });
    expect(ran).toMatchObject({ code: 0, json: { outcome: "verified", cost_usd: expect.closeTo(1.2, 6) } });
  },
);
