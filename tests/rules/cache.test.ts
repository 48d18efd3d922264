/** What is kept of rule files beside them is never a second truth (SPEC section 12). */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { loadCandidates, loadRules } from "../../src/rules/load.ts";
import { rulePaths, type RuleFolder } from "../../src/rules/place.ts";
import { matchRules } from "../../src/rules/match/match.ts";
import { promptSubject, toolSubject } from "../../src/rules/match/subject.ts";
import { temporaryFolder } from "../support/bundle.ts";

let folder: RuleFolder;
beforeEach(() => {
  folder = { owner: "project", dir: join(temporaryFolder(), ".claude") };
  mkdirSync(folder.dir);
});
const fileOf = (name: string): string => join(folder.dir, `hookify.${name}.local.md`);
/** As the quick front finds it. */
const marked = (): RuleFolder => {
  const [, , stamp = ""] = existsSync(rulePaths(folder).mark)
    ? readFileSync(rulePaths(folder).mark, "utf8").split(" ")
    : [];
  return { ...folder, stamp };
};
const names = async (): Promise<readonly (string | undefined)[]> =>
  (await loadRules([folder])).map(({ rule }) => rule?.name);

const PATTERNS = ["foo|bar", "a+b", String.raw`\bx\b`, "(?=q)", "é", "K", ".", "FOO.*9", "[ab]c", "x{2}", "tab\tbed"];
const lines = fc.record({
  event: fc.constantFrom("bash", "prompt", "all", "[bash, file]"),
  conditions: fc.array(
    fc.tuple(
      fc.constantFrom("command", "prompt", "nothing"),
      fc.constantFrom("regex_match", "not_regex_match", "contains"),
      fc.constantFrom(...PATTERNS),
    ),
    { minLength: 1, maxLength: 3 },
  ),
});

test("LOAD-4: what the cache leaves out for an action could not have fired on it", async () => {
  const texts = fc.array(fc.constantFrom("foo", "BAR", "ab", "x", "xx", " ", "é", "\u212a", "9", "qc", "tab\tbed"), {
    maxLength: 4,
  });
  let fired = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(lines, { minLength: 1, maxLength: 5 }), texts, async (rules, parts) => {
      rmSync(folder.dir, { recursive: true });
      mkdirSync(folder.dir);
      for (const [at, { event, conditions }] of rules.entries()) {
        const listed = conditions.map(
          ([field, operator, pattern]) =>
            `- {field: ${field}, operator: ${operator}, pattern: ${JSON.stringify(pattern)}}`,
        );
        writeFileSync(fileOf(String(at)), ["---", `event: ${event}`, "conditions:", ...listed, "---"].join("\n"));
      }
      const all = (await loadRules([folder])).flatMap(({ rule }) => rule ?? []);
      for (const subject of [toolSubject("Bash", { command: parts.join("") }), promptSubject(parts.join(""))]) {
        const candidates = (loadCandidates([marked()], subject) ?? []).flatMap(({ rule }) => rule ?? []);
        const [full, few] = [await matchRules(all, subject), await matchRules(candidates, subject)];
        expect(few.map(({ rule }) => rule)).toEqual(full.map(({ rule }) => rule));
        fired += full.length;
      }
    }),
    { numRuns: 300 },
  );
  expect(fired).toBeGreaterThan(0);
});

test("LOAD-1: a file that was written in place, with its length and its time as before, is read anew", async () => {
  writeFileSync(fileOf("a"), "---\nname: one\npattern: x\n---\n");
  expect(await names()).toEqual(["one"]);
  const { atime, mtime } = statSync(fileOf("a"));
  const text = readFileSync(fileOf("a"), "utf8");
  writeFileSync(fileOf("a"), text.replace("one", "two"));
  utimesSync(fileOf("a"), atime, mtime);
  expect(await names()).toEqual(["two"]);
});

test("a cache that is gone, damaged or of another version changes nothing", async () => {
  writeFileSync(fileOf("a"), "---\nname: one\npattern: x\n---\n");
  const subject = promptSubject("x");
  const { cache } = rulePaths(folder);
  expect(loadCandidates([marked()], subject)).toBeNull();
  await names();
  expect(loadCandidates([marked()], subject)).toHaveLength(1);
  for (const damage of [
    "",
    "aot-rules 1\n",
    `aot-rules 9 ${marked().stamp} 2\n[{`,
    `aot-rules 9 ${marked().stamp} 0\n[]`,
    "aot-rules 9 x\n",
    "\u0000",
  ]) {
    writeFileSync(cache, damage);
    expect([damage, loadCandidates([marked()], subject)]).toEqual([damage, null]);
    expect(await names()).toEqual(["one"]);
    expect(loadCandidates([marked()], subject)).toHaveLength(1);
  }
});

test("LOAD-4: a mark vouches for the cache that it was made with, and for no other; the two are brought together again", async () => {
  writeFileSync(fileOf("a"), "---\nname: one\npattern: x\n---\n");
  await names();
  const subject = promptSubject("x");
  const { mark, cache } = rulePaths(folder);
  const [before, read] = [marked(), readFileSync(cache, "utf8")];
  expect(loadCandidates([folder], subject)).toBeNull();
  expect(loadCandidates([before], subject)).toHaveLength(1);
  writeFileSync(fileOf("a"), "---\nname: two\npattern: x\n---\n");
  await names();
  expect(marked().stamp).not.toBe(before.stamp);
  expect(loadCandidates([before], subject)).toBeNull();
  // As if the files had come to stand as they do while the first of them was still being written.
  const text = readFileSync(mark, "utf8");
  writeFileSync(cache, read);
  expect(loadCandidates([marked()], subject)).toBeNull();
  expect(await names()).toEqual(["two"]);
  writeFileSync(mark, text.replace(marked().stamp ?? "", before.stamp ?? ""));
  expect(loadCandidates([marked()], subject)).toBeNull();
  expect(await names()).toEqual(["two"]);
  expect(loadCandidates([marked()], subject)).toHaveLength(1);
});
