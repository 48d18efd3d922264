/** Whose words they are: quotes, code and what was pasted are not the agent's own. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOLE, readSpeech } from "../../../src/rules/analyze/speech.ts";

const own = (text: string): readonly string[] => readSpeech(text).map((one) => one.text);

describe("SPEECH-1: not read as something that is said", () => {
  test.each([
    ["double quotes", 'he wrote "no, stop it" there', `he wrote ${HOLE} there`],
    ["single quotes", "the text 'no, stop' is fine", `the text ${HOLE} is fine`],
    ["an apostrophe is none", "don't say it's wrong", "don't say it's wrong"],
    ["typographic quotes", "„nein“ und “no” y «no»", `${HOLE} und ${HOLE} y ${HOLE}`],
    ["Japanese quotes", "「違います」と出ます", `${HOLE}と出ます`],
    ["code", "make it `no!` please", `make it ${HOLE} please`],
    ["what is not closed", 'an inch is 1" long', 'an inch is 1" long'],
  ])("%s", (_, text, expected) => expect(own(text)).toEqual([expected]));

  test.each([
    ["a fence", "see\n```\nno, stop\n```\nok", ["see", "ok"]],
    ["a citation", "> no, stop\nfine", ["fine"]],
    ["a stack trace", "it says\n    at stop (a.js:1:2)\nwhy", ["it says", "why"]],
    ["a log with times", "2026-01-01 10:00:00 WARN stop\nhm", ["hm"]],
    ["a chat", "Anna: no, stop\nBob: why\nhm", ["hm"]],
    [
      "a list of the person's own is none of these",
      "two things:\n- no tabs\n- stop it",
      ["two things:", "no tabs", "stop it"],
    ],
    ["a label of the person's own", "Note: no tabs", ["note: no tabs"]],
  ])("%s", (_, text, expected) => expect(own(text)).toEqual(expected));
});

test("a sentence is quoted as it was typed", () => {
  const [first, second] = readSpeech('No, use "pnpm" here. `npm` is wrong!');
  expect(first?.quote).toBe('No, use "pnpm" here.');
  expect(second).toMatchObject({ quote: "`npm` is wrong!", question: false });
});

test("SPEECH-2: any text is read, and no more of it than a person writes", () => {
  const piece = fc.constantFrom(..."\"¦'¦`¦«¦“¦\n¦> ¦```\n¦a: ¦no ¦¤¦  at x:1¦。¦日¦🙂¦.".split("¦"));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      for (const { text, quote } of readSpeech(pieces.join("")))
        expect([text.length > 0, quote.length > 0]).toEqual([true, true]);
    }),
  );
  for (const text of ["'", '"', "`a", "«", "x ", "(", "a.b"])
    expect(readSpeech(text.repeat(300_000)).length).toBeLessThan(20_000);
});
