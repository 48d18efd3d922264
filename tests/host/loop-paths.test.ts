import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_STATE_FILE, loopPaths } from "../../src/host/loop-paths.ts";

test("SPEC 8: the default state file's loop lies in .claude/aot-loop", () => {
  const paths = loopPaths(join("p", DEFAULT_STATE_FILE));
  expect(paths.state).toBe(join("p", ".claude", "aot-loop-state.md"));
  expect(paths.lock).toBe(join("p", ".claude", "aot-loop-state.md.lock"));
  expect(paths.dir).toBe(join("p", ".claude", "aot-loop"));
  expect(paths.journal).toBe(join("p", ".claude", "aot-loop", "journal.jsonl"));
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
      expect(dirname(one.dir)).toBe(dirname(one.state));
    }),
  );
});
