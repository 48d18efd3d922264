/** SPEC 16: subjects of commits are what a maintainer of the repository would write. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SUBJECT, subjectOf } from "../../../src/adapters/workspace/commit-subject.ts";

test("COMMIT-SUBJECT-1: one line, never too long, no dots where it was cut", () => {
  const prose = fc.array(fc.constantFrom("a", "onIdle()", "it,", "\n", "x".repeat(90))).map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.oneof(prose, fc.string({ unit: "binary", maxLength: 200 })), (text) => {
      const subject = subjectOf([text]);
      expect(subject.length).toBeLessThanOrEqual(SUBJECT);
      expect(subject).not.toMatch(/[\n\r]|[^.]\.\.\.$|…$/);
      expect(text.replaceAll(/[\s\u0000-\u001f\u007f]+/g, " ")).toContain(subject.replace(/\ufffd.*$/, ""));
    }),
  );
});

test.each([
  [["feat(limit): add a queue", "Add a queue"], "feat(limit): add a queue"],
  [["", "Add a queue\n\n- one"], "Add a queue"],
  [["", "Make pass: npm test", "The parser takes empty lines"], "The parser takes empty lines"],
  [["", "Make pass: npm test", " "], "Make pass: npm test"],
  [[`Make the queue tell whoever waits for it that nothing runs, ${"x".repeat(20)}`], /that nothing runs$/],
  [["", "\n"], /^$/],
])(
  "SPEC 16: what a worker says, else the description, but where that says only which check is to pass: %j",
  (texts, subject) => {
    expect(subjectOf(texts)).toMatch(subject);
  },
);
