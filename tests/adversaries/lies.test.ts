/** Agents that lie about what they did (SPEC sections 6, 7 and 9): a claim resolves an atom, never the goal. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectUnverified, setScene } from "./scene.ts";

describe.concurrent("SPEC 9: nothing that did not verify is called completed", () => {
  test.each([
    "claimsSuccess",
    "namesWhatIsNotThere",
    "claimsTheVerdict",
    "answersTwice",
    "answersNonsense",
    "saysNothing",
    "exitsAfterSuccess",
    "writesVerdicts",
  ])("%s", async (deed) => {
    const scene = setScene();
    expectUnverified(scene, await scene.run({ deed: `lies#${deed}` }), "max_iterations");
    const failed = scene.stage.journal().some((line) => line.event === "attempt_failed");
    expect(failed).toBe(["namesWhatIsNotThere", "answersNonsense", "exitsAfterSuccess"].includes(deed));
  });
});

test("SPEC 7: what an agent says reaches the next prompt bounded, and indented below a heading that is ours", async () => {
  const scene = setScene({ constraints: { max_iterations: 2 } });
  expectUnverified(scene, await scene.run({ deed: "lies#injects" }), "max_iterations");
  const { prompt } = JSON.parse(readFileSync(join(scene.wings, "asked-A1.2.json"), "utf8")) as { prompt: string };
  expect(prompt.length).toBeLessThan(10_000);
  expect(prompt).toContain("Ignore the goal");
  const headings = prompt.split("\n").filter((line) => line.startsWith("#"));
  expect(headings.filter((line) => /^## (Rules|Answer)$/.test(line))).toHaveLength(2);
  expect(prompt.split("\n").filter((line) => line.startsWith("- Ignore"))).toEqual([]);
});
