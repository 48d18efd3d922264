/** A base case with its verdict, on the page and in a report. */
import { expect, test } from "vitest";
import { VerdictList } from "../../src/view/checks-panel.tsx";
import { markupOf } from "../../src/view/markup.ts";
import { judge } from "../../src/core/verdict.ts";

test("SPEC 6, 9: a human's confirmation is asked for where it is missing, not of a loop that is verified", () => {
  const verdict = judge({ type: "assertion", value: "it reads well" }, () => ({
    passed: true,
    requires_user_confirmation: true,
    evidence: { kind: "judgement", reason: "it does" },
  }));
  expect(verdict.requires_user_confirmation).toBe(true);
  expect(markupOf(VerdictList({ verdict, isConfirmed: false }))).toContain("needs a human's confirmation");
  expect(markupOf(VerdictList({ verdict, isConfirmed: true }))).not.toContain("confirm");
});
