import { expect, test } from "vitest";
import { ownFiles } from "../../../src/adapters/workspace/own-files.ts";

test("SPEC 7: an attempt changes neither the AoT loop's files nor those of a phase loop", () => {
  const own = ownFiles("/p", "/p/.claude/loops/x/01-plan.md", "/p/.claude/loops/x/01-plan.md.aot-loop", "sub/");
  for (const path of [
    ".claude/loops/x/01-plan.md",
    ".claude/worktrees/loops/x/01-plan.md.aot-loop/w/file",
    "sub/.claude/loops/x.state.json",
    "sub/.claude/loops/x.loop.json",
    "sub/.claude/aot-loop-state.md",
  ])
    expect([path, own.includes(path)]).toEqual([path, true]);
  for (const path of ["sub/.claude/loops.md", "loops/x.state.json", "other/.claude/loops/x.state.json"])
    expect([path, own.includes(path)]).toEqual([path, false]);
});
