/** The analyzer on the labelled corpus (SPEC section 12): what the bench `analyzer` prints, as floors. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { judgements, tallyOf } from "../../../benches/analyzer/score.mjs";
import { matchRules } from "../../../src/rules/match/match.ts";
import { readRule } from "../../../src/rules/match/read-rule.ts";
import { toolSubject } from "../../../src/rules/match/subject.ts";
import { wantedRule } from "../../../src/rules/analyze.ts";
import { ruleText } from "../../../src/rules/edit.ts";
import { intervalOf } from "../../../benches/stall/study.mjs";
import { createReader } from "../../../src/rules/analyze/read/reader.ts";
import { createFindings } from "../../../src/rules/analyze/findings.ts";
import type { Proposal } from "../../../src/rules/analyze/proposal.ts";
import { createSession } from "../../../src/rules/analyze/session.ts";
import { tableOf } from "../../support/docs.ts";
import { readCorpus, type LabelledTranscript } from "../../fixtures/transcripts/corpus.mjs";

const ANALYZER = { createFindings, createSession, createReader };
const tuned = readCorpus("tuned");
const heldOut = readCorpus("held-out");

test("the corpus has at least 60 transcripts, half of them traps, in five languages, and names none twice", () => {
  const all = [...tuned, ...heldOut];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(120);
  const traps = all.filter(({ expected }) => expected.length === 0);
  expect(traps.length / all.length).toBeGreaterThanOrEqual(0.48);
  for (const { name, expected, lines } of all) {
    expect([name, name.startsWith("trap-")]).toEqual([name, expected.length === 0]);
    const ids = new Set(lines.flatMap((line) => callsIn(line).map(({ id }) => id)));
    for (const { calls } of expected) for (const call of calls) expect([name, ids.has(call)]).toEqual([name, true]);
  }
});

test("SPEC 12: the same transcripts give the same findings", () => {
  const twice = [1, 2].map(() => JSON.stringify(judgements(ANALYZER, tuned).map(({ findings }) => findings)));
  expect(twice[0]).toBe(twice[1]);
});

test("PROPOSAL-1: every proposed rule is a rule file that is read, and matches the call that it was made from", async () => {
  let rules = 0;
  for (const { findings, name } of judgements(ANALYZER, [...tuned, ...heldOut]))
    for (const { rule, calls } of findings) {
      if (rule === null) continue;
      const read = readRule(fileOf(rule), `hookify.${rule.name}.local.md`);
      if (!read.ok) throw new Error(`${name}: ${JSON.stringify(read.problems)}`);
      expect([name, read.value.warnings]).toEqual([name, []]);
      expect(read.value.rule).toMatchObject({ name: rule.name, message: rule.message, action: rule.action });
      const [made] = calls;
      const call = allCalls.get(`${name} ${made}`);
      const found = await matchRules([read.value.rule], toolSubject(call?.tool ?? "", call?.input ?? {}));
      expect([name, rule.conditions, found.length]).toEqual([name, rule.conditions, 1]);
      rules++;
    }
  expect(rules).toBeGreaterThan(50);
});

test("a rule is not wider than it says: it leaves alone what does something else", async () => {
  const harmless = ["ls -la", "git status", "cat README.md", "echo done", "node index.js", "git log --oneline -5"];
  for (const { findings, name } of judgements(ANALYZER, tuned))
    for (const { rule } of findings) {
      const read = rule === null ? null : readRule(fileOf(rule), "x");
      if (read === null || !read.ok) continue;
      for (const command of harmless)
        expect([name, command, await matchRules([read.value.rule], toolSubject("Bash", { command }))]).toEqual([
          name,
          command,
          [],
        ]);
      const elsewhere = toolSubject("Edit", { file_path: "/elsewhere/notes.txt", new_string: "words" });
      expect([name, await matchRules([read.value.rule], elsewhere)]).toEqual([name, []]);
    }
});

describe("SPEC 12: precision and recall", () => {
  test.each([
    ["tuned", tuned, 0.97, 0.95],
    ["held-out", heldOut, 0.85, 0.8],
  ] as const)("%s", (_, part, precision, recall) => {
    const tally = tallyOf(judgements(ANALYZER, part));
    expect(tally.right / (tally.right + tally.wrong)).toBeGreaterThanOrEqual(precision);
    expect(tally.met / tally.expected).toBeGreaterThanOrEqual(recall);
  });

  test("docs/analyzer.md tells the figures as they are", () => {
    const page = readFileSync("docs/analyzer.md", "utf8");
    const all = judgements(ANALYZER, [...tuned, ...heldOut]);
    expect(page).toContain(`${all.length} short sessions`);
    for (const [part, label] of [
      ["tuned", "tuned"],
      ["held-out", "held out"],
    ]) {
      const tally = tallyOf(all.filter((one) => one.part === part));
      const share = (right: number, of: number): string => {
        const [low, high] = intervalOf(right, of) ?? [];
        return `${((100 * right) / of).toFixed(0)} % (${of}: ${low} to ${high})`;
      };
      const row = [
        label,
        tally.transcripts,
        `${tally.fooled} of ${tally.traps}`,
        share(tally.right, tally.right + tally.wrong),
        share(tally.met, tally.expected),
      ];
      expect(tableOf(page, "part").map((cells) => cells.join(" | "))).toContain(row.join(" | "));
    }
  });
});

/** The rule as it would be written. */
function fileOf(proposal: Proposal): string {
  const text = ruleText(wantedRule(proposal, false));
  if (!text.ok) throw new Error(`${proposal.name}: ${JSON.stringify(text.problems)}`);
  return text.value;
}

interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

function callsIn(line: string): readonly Call[] {
  const reading = createReader()(line);
  return reading.kind === "entries" ? reading.entries.flatMap((entry) => (entry.kind === "call" ? [entry] : [])) : [];
}

const allCalls = new Map(
  [...tuned, ...heldOut].flatMap(({ name, lines }: LabelledTranscript) =>
    lines.flatMap((line) => callsIn(line).map((call) => [`${name} ${call.id}`, call] as const)),
  ),
);
