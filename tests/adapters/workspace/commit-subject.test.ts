/** SPEC 16: subjects of commits are what a maintainer of the repository would write. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { conventionOf, NO_CONVENTION, SUBJECT, subjectOf } from "../../../src/adapters/workspace/commit-subject.ts";

const plain = (...texts: string[]): string => subjectOf(texts, NO_CONVENTION, { files: [], hint: "" });
const word = fc.constantFrom("a", "queue", "the", "limit.onIdle()", "and", "`npm test -- x`", "(once", "more)", "it,");
const prose = fc.array(word, { maxLength: 40 }).map((words) => words.join(" "));
const past = fc.constantFrom("fix(limit): x", "feat: Y.", "X1-1: z", "[#2] Do", "net/http: go", "Plain", "done.");

test("COMMIT-SUBJECT-1: one line, never too long, no dots where it was cut, no quote left open", () => {
  const text = fc.oneof(prose, fc.string({ unit: "binary", maxLength: 200 }));
  fc.assert(
    fc.property(text, text, fc.array(past, { maxLength: 12 }), (one, other, last) => {
      const changed = { files: ["src/limit.ts"], hint: "refs/heads/X1-7-x" };
      const subject = subjectOf([one, other], conventionOf(last), changed);
      expect(subject.length).toBeLessThanOrEqual(SUBJECT);
      expect(subject).not.toMatch(/[\n\r]|\.\.\.$|…$/);
    }),
  );
  fc.assert(fc.property(prose, (one) => plain(`x ${one}`).split("`").length % 2 === 1));
});

const rows = (table: string): string[][] => {
  const lines = table.trim().split("\n");
  return lines.map((line) => line.split(" | ").map((cell) => cell.trim().replaceAll("¶", "\n")));
};
const LONG = "readme.md, section limit.onIdle(), and the doc comment of onIdle have to say when it is called";

test.each(
  rows(`
the first sentence | limit.onIdle() calls back. The readme says so. | - | limit.onIdle() calls back
an abbreviation ends none | Take e.g. a queue. Then go. | - | Take e.g. a queue
what is too long and no sentence gives way to the summary | ${LONG} | Added the section. Tests pass. | Add the section
else the shorter one ends at a clause | ${LONG} | - | readme.md, section limit.onIdle()
whichever that is | ${LONG} | \`limit.onIdle()\` calls its callback once nothing runs any more, and the readme says so | \`limit.onIdle()\` calls its callback once nothing runs any more
a sentence ends at a word that does not dangle | Make the queue tell whoever waits for it that nothing runs any more of the pool's own tasks | Done all | Make the queue tell whoever waits for it that nothing runs any more
never inside of a command | Make everything that is slow pass with \`npm test -- --grep ${"x".repeat(40)}\` | - | Make everything that is slow pass
a check is no subject | Make pass: npm test | I have fixed the parser. | Fix the parser
but where nobody says more | Make pass: command: npm test | done | Make npm test pass
nor is a long one | Make pass: ${"npm test ".repeat(20)} | - | Make a failing check pass
a list is not read to its end | # Add a queue¶- one¶- two | - | Add a queue
`),
)("SPEC 16: %s", (_, one = "", other = "", subject = "") => {
  expect(plain(one, other.replace(/^-$/, ""))).toBe(subject);
  expect(plain("", "\n")).toBe("");
});

test.each(
  rows(`
types | fix: a, feat(limit): b, chore: c | src/limit.js, readme.md | Added a queue. | feat(limit): add a queue
types, of a fix | fix: a, feat(limit): b, chore: c | src/a.js, src/b.js | Stop the crash | fix: stop the crash
types, of docs | fix: A, docs: B, chore: C | docs/a.md | Say more | docs: Say more
types, of tests | fix: a, feat: b, chore: c | tests/a.test.ts | Try it twice | test: try it twice
a type that is there already | fix: a, feat: b, chore: c | a.js | perf: keep it | perf: keep it
tickets, in the branch's name | [X1-1] One, [X1-9] Two, Three | a.js | add UTF-8 | [X1-7] Add UTF-8
tickets, and none is known | #1 one, #9 two, #3 three | a.js | Add it all | add it all
areas | net/http: one, net: two, os: three | net/http/server.go | Keep it open | net/http: keep it open
areas, and none fits | net/http: one, net: two, os: three | io/pipe.go | Keep it open | keep it open
capitals and dots | Add one., Fix two., three | a.js | add it all | Add it all.
small letters, but names | add one, fix two, Three | a.js | README says more | README says more
nothing that most have | fix: a, Do b, net: c, #4 d | a.js | Add it all | Add it all
too few commits | fix: a, feat: b | a.js | Add it all | Add it all
`),
)("COMMIT-SUBJECT-2: %s", (_, last = "", files = "", what = "", subject = "") => {
  const changed = { files: files.split(", "), hint: "refs/heads/X1-7-queue" };
  expect(subjectOf([what], conventionOf(last.split(", ")), changed)).toBe(subject);
});
