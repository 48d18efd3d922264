/** What a change by hand says of itself. Pure. */
import { expect, test } from "vitest";
import { editText, type EditReport } from "../../../src/edit/commands/edit-answer.ts";

const REPORT: EditReport = { changed: true, measure: 2, resolved: [], executable_atoms: ["A1", "A2"] };

test("SPEC 10: that a loop is stopped is said once, with its reason if there is one", () => {
  const stopped = (stop_reason: string | null): EditReport => ({ ...REPORT, halt: { stop_reason } });
  expect(editText("the loop is stopped", stopped("lunch"))).toBe(
    "the loop is stopped: lunch\n2 left; executable: A1, A2",
  );
  expect(editText("the loop is stopped", stopped(null))).toBe("the loop is stopped\n2 left; executable: A1, A2");
  expect(editText("A4 failed", stopped("OR group exhausted: way"))).toBe(
    "A4 failed\nthe loop is stopped: OR group exhausted: way\n2 left; executable: A1, A2",
  );
  expect(editText("the loop is stopped", { ...REPORT, changed: false })).toContain("(it was so already)");
});
