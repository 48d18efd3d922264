import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { printState } from "../../src/statefile/print.ts";
import { documentOf, validState } from "./samples.ts";

const RUNS = { numRuns: 300 };

test("the states that the laws are tried on are valid", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(validState, (state) => {
      expect(checkInvariants(state)).toEqual([]);
    }),
    RUNS,
  );
});

test("SPEC 2: a created file is read back as the same state", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(validState, fc.string(), (given, prompt) => {
      const text = createStateText(given, prompt);
      const { original_prompt: _, ...objective } = given.objective;
      const typed = prompt.trim() === "" ? {} : { original_prompt: prompt.trim() };
      const state = { ...given, objective: { ...objective, ...typed } };
      expect(documentOf(text).state).toStrictEqual(state);
    }),
    RUNS,
  );
});

test("printing the state that was read gives the text that was read", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(validState, (state) => {
      const text = createStateText(state, "p");
      const document = documentOf(text);
      expect(printState(document, document.state)).toEqual({ ok: true, value: text });
      expect(printState(document, structuredClone(state))).toEqual({ ok: true, value: text });
    }),
    RUNS,
  );
});

test("from any state to any other: what is printed is read back", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(validState, validState, (before, after) => {
      const printed = printState(documentOf(createStateText(before, "p")), after);
      if (!printed.ok) throw new Error(JSON.stringify(printed.problems));
      expect(documentOf(printed.value).state).toStrictEqual(after);
    }),
    RUNS,
  );
});
