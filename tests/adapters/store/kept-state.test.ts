/** SPEC 2, in a process that lives long: what is kept is never a second truth. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keepingStateFile } from "../../../src/adapters/store/kept-state.ts";
import { loadStateFile, type StateFile } from "../../../src/adapters/store/state-file.ts";
import { addBinding } from "../../../src/core/operations.ts";
import { accepted } from "../../../src/core/problem.ts";
import type { AtomStatus } from "../../../src/core/state.ts";
import { updateAtom } from "../../../src/core/update-atom.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { LOOP } from "../../support/loop-fixture.ts";

function update(file: StateFile, path: string, id: string, status: AtomStatus): unknown {
  return file.edit(path, ({ state }) => {
    const done = updateAtom(state, id, status);
    if (!done.ok) return done;
    const bound =
      status === "resolved" ? addBinding(done.value.state, id, { summary: `did ${id}`, artifacts: [] }) : done;
    return bound.ok ? accepted(bound.value.state) : bound;
  });
}

const atom = fc.constantFrom("A1", "A2", "A4", "A6");
const status = fc.constantFrom<AtomStatus>("pending", "in_progress", "resolved");
/** Who does it: the keeper, another process with the lock, or an editor that knows nothing of locks. */
const steps = fc.oneof(
  fc.record({ who: fc.constant("keeper" as const), atom, status }),
  fc.record({ who: fc.constant("other" as const), atom, status }),
  fc.record({
    who: fc.constant("editor" as const),
    from: fc.string({ minLength: 1, maxLength: 3 }),
    to: fc.string({ maxLength: 3 }),
  }),
  fc.record({ who: fc.constant("undo" as const) }),
);

test("law K1: whoever writes the file, it is read and edited as by somebody who keeps nothing", async () => {
  const folder = temporaryFolder();
  const fresh = await loadStateFile();
  let number = 0;
  let written = 0;
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 12 }), (many) => {
      const [kept, plain] = [join(folder, `k${number}.md`), join(folder, `p${number++}.md`)];
      for (const path of [kept, plain]) writeFileSync(path, LOOP);
      const keeper = keepingStateFile();
      for (const step of many) {
        if (step.who === "keeper") {
          const answers = [update(keeper, kept, step.atom, step.status), update(fresh, plain, step.atom, step.status)];
          const told = answers.map((answer) => JSON.stringify(answer).replaceAll(kept, "F").replaceAll(plain, "F"));
          expect(told[0]).toBe(told[1]);
          if (told[0]?.includes('"changed":true') === true) written++;
        } else
          for (const path of [kept, plain])
            if (step.who === "other") update(fresh, path, step.atom, step.status);
            else
              writeFileSync(
                path,
                step.who === "undo" ? LOOP : readFileSync(path, "utf8").replace(step.from, () => step.to),
              );
        expect(readFileSync(kept, "utf8")).toBe(readFileSync(plain, "utf8"));
        const [mine, theirs] = [keeper.read(kept), fresh.read(plain)];
        expect(JSON.stringify(mine).replaceAll(kept, "F")).toBe(JSON.stringify(theirs).replaceAll(plain, "F"));
      }
    }),
    { numRuns: 60 },
  );
  expect(written).toBeGreaterThan(20);
});

test("what was read or written last is not read again", () => {
  const path = join(temporaryFolder(), "s.md");
  writeFileSync(path, LOOP);
  const keeper = keepingStateFile();
  const first = keeper.read(path);
  const again = keeper.read(path);
  if (!first.ok || !again.ok) throw new Error("it is valid");
  expect(again.value).toBe(first.value);
  update(keeper, path, "A1", "in_progress");
  const [one, two] = [keeper.read(path), keeper.read(path)];
  if (!one.ok || !two.ok) throw new Error("it is valid");
  expect(one.value).toBe(two.value);
  expect(one.value.text).toBe(readFileSync(path, "utf8"));
});
