import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_STATE_FILE, loopFolders, loopPaths, worktreesOf } from "../../src/host/loop-paths.ts";

test("SPEC 8: the default state file's loop lies in .claude/aot-loop", () => {
  const paths = loopPaths(join("p", DEFAULT_STATE_FILE));
  expect(paths.state).toBe(join("p", ".claude", "aot-loop-state.md"));
  expect(paths.lock).toBe(join("p", ".claude", "aot-loop-state.md.lock"));
  expect(paths.dir).toBe(join("p", ".claude", "aot-loop"));
  expect(paths.journal).toBe(join("p", ".claude", "aot-loop", "journal.jsonl"));
});

// As Claude Code 2.1 was seen to do: below .claude its tools write nothing, but for .claude/worktrees.
test("SPEC 7: attempts work where every client may write", () => {
  const { worktrees, dir } = loopPaths(join("p", DEFAULT_STATE_FILE));
  expect(worktrees).toBe(join("p", ".claude", "worktrees", "aot-loop"));
  expect(worktreesOf(dir)).toBe(worktrees);
  expect(loopPaths(join("p", ".claude", "b.md")).worktrees).toBe(join("p", ".claude", "worktrees", "b.md.aot-loop"));
  expect(loopPaths(join("p", "b.md")).worktrees).toBe(join("p", "b.md.aot-loop", "worktrees"));
  expect(loopPaths(join("p", ".claude", "loops", "x", "b.md")).worktrees).toBe(
    join("p", ".claude", "worktrees", "loops", "x", "b.md.aot-loop"),
  );
  const inWorktree = join("p", ".claude", "worktrees", "w", "b.md");
  expect(loopPaths(inWorktree).worktrees).toBe(join(`${inWorktree}.aot-loop`, "worktrees"));
});

test("two state files never share a folder or a lock, and everything lies beside the state file", () => {
  const name = fc.oneof(
    fc.stringMatching(/^[a-z][a-z.]{0,7}$/),
    fc.constantFrom("aot-loop-state.md", "aot-loop", "a.md", "a.txt", "a", "a.aot-loop"),
  );
  fc.assert(
    fc.property(name, name, (a, b) => {
      fc.pre(a !== b);
      const [one, other] = [loopPaths(join("p", a)), loopPaths(join("p", b))];
      expect(new Set([one.dir, one.lock, other.dir, other.lock]).size).toBe(4);
      expect(one.worktrees).not.toBe(other.worktrees);
      expect(dirname(one.dir)).toBe(dirname(one.state));
    }),
  );
});

test("the folders of the loop's own on the way to one of them; none for a person's", () => {
  const dir = join("p", ".claude", "aot-loop");
  expect(loopFolders(dir)).toEqual([dir]);
  expect(loopFolders(join(dir, "logs", "x"))).toEqual([dir, join(dir, "logs"), join(dir, "logs", "x")]);
  expect(loopFolders(join("p", "s.md.aot-loop", "requests"))).toHaveLength(2);
  // A project of that name.
  expect(loopFolders(join("aot-loop", ".claude", "aot-loop"))).toEqual([join("aot-loop", ".claude", "aot-loop")]);
  expect(loopFolders(join("p", ".claude"))).toEqual([]);
});
