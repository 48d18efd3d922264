import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readMessage, revertMessage, workMessage } from "../../../src/adapters/workspace/commit-message.ts";
import { attemptName, safeName } from "../../../src/adapters/workspace/workspace-name.ts";
import { attemptOf } from "./project.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", " ", '"', "[", "\u2028", "\u0085", "a\n\nAot-Atom: b", "Aot-Reverts: x", "\r\n", "{}"),
);
/** Ids as a state file can hold them: whole characters. */
const id = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.constantFrom("A1", "a,b", "a b", '"', "[x]", "\n"));

test("SPEC 8: every trailer comes back as it was, whatever the words around it say", () => {
  fc.assert(
    fc.property(
      id,
      text,
      text,
      fc.array(text),
      fc.record({ work: fc.constant("0123abcd"), loop: id, agent: id }, { requiredKeys: [] }),
      (atom, description, summary, artifacts, more) => {
        const trailers = { attempt: `${atom}.1`, atom, workspace: "A1-1-r1", summary, artifacts, ...more };
        const message = workMessage(attemptOf(atom), description, trailers);
        expect(readMessage(message)).toEqual({ kind: "work", trailers });
        expect(message).not.toContain("\0");
        expect(message.split("\n")[0]?.length).toBeLessThan(400);
      },
    ),
  );
});

test("SPEC 7: a revert names exactly the atoms that it took out", () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1 }), fc.uniqueArray(id), text, (atoms, lost, reason) => {
      expect(readMessage(revertMessage(atoms, lost, reason))).toEqual({
        kind: "revert",
        atoms: [...atoms, ...lost],
        lost,
      });
    }),
  );
  expect(revertMessage(["A4", "A7"], [], "why")).toContain("\nAot-Reverts: A4\nAot-Reverts: A7\n");
});

test("SPEC 8: a message without trailers is somebody else's", () => {
  for (const message of ["", "fix\n", "A1: x\n\nAot-Attempt: A1.1\nAot-Atom: A1\n\nSigned-off-by: x\n"])
    expect(readMessage(message)).toEqual({ kind: "other" });
});

test("SPEC 7: names of branches are valid, bounded, and differ where ids differ", () => {
  fc.assert(
    fc.property(
      id,
      id,
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 1, max: 99 }),
      text,
      text,
      (a, b, m, n, r, q) => {
        const one = attemptName(attemptOf(a, m), r);
        expect(one).toMatch(/^[A-Za-z0-9_+][A-Za-z0-9_+-]*$/);
        expect(one.length).toBeLessThan(200);
        const bytes = (value: string): string => Buffer.from(value === "" ? "\0" : value).toString("hex");
        const same = bytes(a) === bytes(b) && m === n && bytes(r) === bytes(q);
        expect(one === attemptName(attemptOf(b, n), q)).toBe(same);
      },
    ),
  );
  expect(safeName("A4_alt")).toBe("A4_alt");
});
