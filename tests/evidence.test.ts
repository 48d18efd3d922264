/** `npm run evidence`: what a campaign showed stands as long as the files that it rests on are the same. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CAMPAIGNS } from "../evidence/campaigns.mjs";
import { temporaryFolder } from "./support/bundle.ts";

const SCRIPT = fileURLToPath(new URL("../scripts/evidence.mjs", import.meta.url));

/** A repository with one campaign that prints `says` and rests on `code/`. */
function project(says = "all 3 held", more = ""): string {
  const dir = temporaryFolder();
  const git = (...words: readonly string[]): void => void execFileSync("git", words, { cwd: dir });
  git("init", "-q");
  for (const folder of ["code", "evidence"]) mkdirSync(join(dir, folder));
  writeFileSync(join(dir, "code/a.ts"), "1");
  writeFileSync(
    join(dir, "evidence/campaigns.mjs"),
    `const run = [["-e", ${JSON.stringify(`console.log("noise\\n${says}");${more}`)}]];
    export const CAMPAIGNS = [{ name: "one", shows: "it holds", rests_on: ["code"], sample: run, full: run, figures: /^all / }];`,
  );
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first");
  return dir;
}

function evidence(dir: string, ...words: readonly string[]): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], { cwd: dir, encoding: "utf8" });
  return { code: status, said: stdout + stderr };
}

test("what was shown stands until a file that it rests on changes", () => {
  const dir = project();
  expect(evidence(dir, "--list").said).toBe("not shown since ever: one; npm run evidence -- one\n");
  expect(evidence(dir)).toMatchObject({ code: 0, said: expect.stringContaining("one: shown") });
  expect(JSON.parse(readFileSync(join(dir, "evidence/one.json"), "utf8"))).toMatchObject({
    shows: "it holds",
    sample: { figures: ["all 3 held"] },
  });
  expect(evidence(dir).said).toMatch(/^shown: one, at \w{8}, [-\d]+: all 3 held\n$/);
  writeFileSync(join(dir, "beside.ts"), "1");
  expect(evidence(dir, "--list").said).toMatch(/^shown: one/);
  for (const change of [
    ["code/a.ts", "2"],
    ["code/new.ts", "1"],
  ] as const) {
    writeFileSync(join(dir, change[0]), change[1]);
    expect(evidence(dir, "--list").said).toMatch(/^not shown since \w{8}: one; npm run evidence -- one\n$/);
    expect(evidence(dir).said).toContain("one: shown");
  }
});

test("the gate runs what is stale and fits, names the rest, and records nothing", () => {
  const dir = project();
  expect(evidence(dir, "--within", "5").said).toBe("not shown since ever: one; npm run evidence -- one\n");
  const ran = evidence(dir, "--within", "1000", "--report", "report.json");
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining("one: shown") });
  expect(JSON.parse(readFileSync(join(dir, "report.json"), "utf8"))).toMatchObject({
    testResults: [{ assertionResults: [{ fullName: "evidence: one", status: "passed" }] }],
  });
  expect(existsSync(join(dir, "evidence/one.json"))).toBe(false);
});

test("a campaign that fails is a failure, and what it printed is no evidence", () => {
  const dir = project("all 3 held", "process.exitCode = 3");
  expect(evidence(dir)).toMatchObject({ code: 1, said: expect.stringContaining("one: FAILED with 3") });
  expect(existsSync(join(dir, "evidence/one.json"))).toBe(false);
});

test("a sample is no evidence for the whole, the whole is for a sample", () => {
  const dir = project();
  evidence(dir);
  expect(evidence(dir, "--full").said).toContain("one: shown");
  expect(evidence(dir, "--full").said).toMatch(/^shown: one/);
  expect(evidence(dir, "--list").said).toMatch(/^shown: one/);
});

test("every campaign rests on places that exist", () => {
  for (const { name, rests_on } of CAMPAIGNS)
    expect([name, rests_on.filter((place) => !existsSync(place))]).toEqual([name, []]);
});
