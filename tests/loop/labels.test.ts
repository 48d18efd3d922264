import * as fc from "fast-check";
import { expect, test } from "vitest";
import { choicesOf, MOST_LABELS, readLabels } from "../../src/loop/labels.ts";

const label = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,8}$/);

test("SPEC 13: a worker is known by every choice of its labels, each once and in one order", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(label, { maxLength: MOST_LABELS }),
      fc.uniqueArray(label, { maxLength: 3 }),
      (own, wanted) => {
        const read = readLabels(own.toReversed());
        const asked = readLabels(wanted);
        if (!read.ok || !asked.ok) throw new Error("they are labels");
        const known = choicesOf(read.value).map((choice) => choice.join("."));
        expect(known).toHaveLength(2 ** own.length - 1);
        expect(new Set(known).size).toBe(known.length);
        const has = wanted.length > 0 && wanted.every((one) => own.includes(one));
        expect(known.includes(asked.value.join("."))).toBe(has);
      },
    ),
  );
});

test("SPEC 13: what is no label is reported, and so are too many", () => {
  expect(readLabels(["gpu", "claude", "gpu"])).toEqual({ ok: true, value: ["claude", "gpu"] });
  for (const wrong of ["", "GPU", "a.b", "a b", "-x", "x".repeat(31)])
    expect(readLabels([wrong])).toMatchObject({ ok: false, problems: [{ hint: expect.stringContaining("gpu") }] });
  expect(readLabels(["a", "b", "c", "d", "e", "f"])).toMatchObject({ ok: false });
});
