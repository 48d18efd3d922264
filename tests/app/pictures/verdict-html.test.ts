/** A base case in a report. Pure. */
import { expect, test } from "vitest";
import { verdictHtml } from "../../../src/app/pictures/verdict-html.ts";
import { judge } from "../../../src/core/verdict.ts";

test("SPEC 6, 9: a person's yes is asked for where it is missing, not in the report of a loop that is verified", () => {
  const base_case = { type: "assertion", value: "it reads well" } as const;
  const verdict = judge(base_case, () => ({
    passed: true,
    requires_user_confirmation: true,
    evidence: { kind: "judgement", reason: "it does" },
  }));
  expect(verdict.requires_user_confirmation).toBe(true);
  expect(verdictHtml(base_case, verdict, "needs_confirmation")).toContain("needs a person’s yes");
  expect(verdictHtml(base_case, verdict, "verified")).not.toContain("needs a person’s yes");
});
