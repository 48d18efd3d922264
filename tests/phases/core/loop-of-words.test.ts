/** A phase loop made from words or skills (SPEC section 11). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { composeLoop, loopOfSkills, slug } from "../../../src/phases/core/loop-of-words.ts";
import { definitionText } from "../../../src/phases/new.ts";

const mode = "greenfield";

describe("from a description", () => {
  test("steps become phases; what a person approves and a command that has to pass become gates", () => {
    const made = composeLoop("Release: write the notes, then I approve it, bump it; `npm test` passes -> publish.", {
      mode,
    });
    expect(made?.loop).toMatchObject({
      id: "release",
      name: "Release",
      phases: [{ name: "WRITE-NOTES", skills: ["write-notes"] }, { name: "BUMP" }, { name: "PUBLISH" }],
      gates: [
        { after: "WRITE-NOTES", approval: "human" },
        { after: "BUMP", approval: "auto", checks: ["npm test"] },
      ],
    });
    expect(made?.skills.get("publish")).toBe("publish");
  });

  test("a list of lines; a step that repeats has a name of its own; nothing is no loop", () => {
    const made = composeLoop("1. build\n2. test\n3. build\n- sign-off", { mode });
    const names = made?.loop.phases.map(({ name }) => name) ?? [];
    expect(names).toEqual(["BUILD", "TEST", expect.stringMatching(/^BUILD.2$/)]);
    expect(made?.loop.gates).toMatchObject([{ after: names[2], approval: "human" }]);
    expect(composeLoop(" ,; ", { mode })).toBeNull();
  });

  test("LOOP-OF-WORDS-1: whatever the words, what is made is a valid definition, and each wish for approval is a human gate", () => {
    const step = fc.oneof(
      fc.constantFrom("build it", "I approve", "`make check` passes", "Größe ändern", "sign-off by legal"),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const made = composeLoop(steps.join(", "), { mode });
        if (made === null) return;
        expect(definitionText(made.loop)).toMatchObject({ ok: true });
        const phases = made.loop.phases.length;
        const approvals = steps.slice(1).filter((one) => one === "I approve").length;
        if (steps[0] === "build it")
          expect(made.loop.gates.filter(({ approval }) => approval === "human").length).toBeGreaterThanOrEqual(
            approvals,
          );
        expect(phases).toBeGreaterThan(0);
      }),
    );
  });

  test("a name is of the first words that say something, and never empty", () => {
    expect(slug("the set-up of a new project, whole")).toBe("set-up-new-project");
    expect(slug("!?")).toBe("loop");
  });
});

test("from skills: those of one phase together, the others one each", () => {
  const made = loopOfSkills(
    [
      { id: "spec", description: "write it", phase: "INIT" },
      { id: "alone", description: "by itself" },
      { id: "plan", description: "plan it", phase: "INIT" },
    ],
    { id: "mine", mode },
  );
  expect(made?.loop.phases).toEqual([
    { name: "INIT", required: true, skills: ["spec", "plan"] },
    { name: "ALONE", required: true, skills: ["alone"] },
  ]);
  expect(loopOfSkills([], { id: "mine", mode })).toBeNull();
});
