/** What the branches of a loop are called. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopName } from "../../src/run/place.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { stateOfAtoms } from "../support/states.ts";

test("SPEC 7: a loop's branches are named after its goal, whatever script it is written in", () => {
  const nameOf = (goal: string): string => {
    const state = stateOfAtoms(1);
    const paths = loopPaths(join(temporaryFolder(), "aot-loop-state.md"));
    mkdirSync(paths.dir);
    const name = loopName(paths, { ...state, objective: { ...state.objective, goal } }, true);
    if (!name.ok) throw new Error(name.problems[0]?.message);
    return name.value.replace(/-[0-9a-f]{4}$/, "");
  };
  expect(nameOf("Log in, with a token!")).toBe("log-in-with-a-token");
  expect(nameOf("Ümläute für Müller")).toBe("umlaute-fur-muller");
  expect(nameOf("日本語")).toBe("loop");
});
