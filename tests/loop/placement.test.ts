import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Effect } from "../../src/core/effect.ts";
import { labelsFor, readWantedLabels, TASK_KINDS } from "../../src/loop/placement.ts";

const attempt = { id: "A.1", atom: "A", number: 1, iteration: 1 };
const EFFECTS: Readonly<Record<(typeof TASK_KINDS)[number], Effect>> = {
  worker: { type: "start_attempt", attempt: { ...attempt, role: "worker" }, nogoods: [] },
  probe: { type: "start_attempt", attempt: { ...attempt, role: "probe" }, nogoods: [] },
  check: { type: "check_base_case" },
  planner: { type: "replan", failing: [] },
};
const label = fc.constantFrom("gpu", "docker", "claude");

test("SPEC 13: a task asks for what all ask for and for what its kind asks for, in one order; integrations ask for nothing", () => {
  const wanted = fc.array(fc.tuple(fc.constantFrom(null, ...TASK_KINDS), label), { maxLength: 8 });
  fc.assert(
    fc.property(wanted, (all) => {
      const read = readWantedLabels(all.map(([kind, one]) => (kind === null ? one : `${kind}=${one}`)));
      if (!read.ok) throw new Error("they are labels");
      for (const kind of TASK_KINDS) {
        const due = all.flatMap(([of, one]) => (of === null || of === kind ? [one] : []));
        expect(labelsFor(read.value, EFFECTS[kind])).toEqual([...new Set(due)].toSorted());
      }
      expect(labelsFor(read.value, { type: "revert", atoms: [], reason: "" })).toEqual([]);
    }),
  );
});

test("SPEC 13: a kind that there is not is reported, and so is what is no label", () => {
  expect(readWantedLabels([])).toEqual({ ok: true, value: {} });
  for (const wrong of ["judge=gpu", "worker=", "=gpu", "worker=a=b", "GPU"])
    expect(readWantedLabels([wrong])).toMatchObject({ ok: false, problems: [{ hint: expect.any(String) }] });
  const many = ["a", "b", "c", "check=d", "check=e", "check=f"];
  expect(readWantedLabels(many)).toMatchObject({ ok: false });
  expect(readWantedLabels([...many.slice(0, 5), "worker=f"])).toMatchObject({ ok: true });
});
