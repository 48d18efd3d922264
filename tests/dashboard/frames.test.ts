/** SPEC 8 and 10: what happened can be looked at again, from the journal alone and the newest state. */
import type { AnyLine } from "../../src/core/journal-line.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { firstFrame, nextFrame, type Frame } from "../../src/dashboard/frames.ts";
import type { State } from "../../src/core/state.ts";
import { anyState, stateOf } from "../support/loops.ts";
import { walk, type Hazards } from "../support/walk.ts";
import { decodeLines } from "../../src/core/decode-line.ts";

const rolls = fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 120 });

/** What a frame says of a state. */
function reported(state: State): object {
  const { status, iteration, stall_count, outcome = null } = state.control;
  return {
    atoms: Object.fromEntries(state.atoms.map((atom) => [atom.id, atom.status])),
    groups: state.or_groups.map(({ name, choices, selected, failed }) => ({ name, choices, selected, failed })),
    splits: state.decompositions.map(({ parent, children }) => ({ parent, children })),
    control: { status, iteration, stall_count, outcome },
  };
}

function folded(shape: State, lines: readonly AnyLine[]): Frame {
  return lines.reduce((frame: Frame, line) => nextFrame(frame, line, shape), firstFrame(shape, lines));
}

/** As they come out of a file. */
function read(lines: readonly object[]): readonly AnyLine[] {
  return decodeLines(lines.map((line): unknown => JSON.parse(JSON.stringify(line))));
}

function law(hazards: Hazards, runs: number): void {
  fc.assert(
    fc.property(anyState(7), rolls, (start, dice) => {
      const { loop, lines, finished } = walk(start, dice, hazards);
      fc.pre(finished);
      expect(reported(folded(loop.state, read(lines)).state)).toEqual(reported(loop.state));
    }),
    { numRuns: runs, endOnFailure: true },
  );
}

test("FRAMES-1: the fold of all lines is the state", () => {
  law({ stops: true, resumes: 2, echoes: true, lost: true }, 400);
});

test("FRAMES-1: the same with redirects in between", () => {
  law({ redirects: true, stops: true, resumes: 2, lost: true }, 400);
});

test("FRAMES-1: the same with crashes in between", () => {
  law({ crashes: true, stops: true, resumes: 1, lost: true }, 400);
});

test("FRAMES-1: the beginning is the state before the first line", () => {
  fc.assert(
    fc.property(anyState(7), rolls, (start, dice) => {
      const { loop, lines } = walk(start, dice, { stops: true, resumes: 1 });
      expect(reported(firstFrame(loop.state, read(lines)).state)).toMatchObject({
        atoms: Object.fromEntries(start.atoms.map((atom) => [atom.id, atom.status])),
        control: { status: "pending", iteration: 0 },
      });
    }),
    { numRuns: 200 },
  );
});

test("FRAMES-2: lines that fit nothing, or are none of ours, change nothing and break nothing", () => {
  const shape = stateOf({ atoms: [{ id: "A1" }], groups: [{ name: "g", choices: ["A1"] }] });
  const events = "run_started attempt_started attempt_failed atom_resolved atom_reset choice_given_up choice_selected";
  const more = "redirected atoms_added atom_decomposed halted a_later_version_s constructor toString valueOf";
  const event = fc.constantFrom(...`${events} ${more}`.split(" "));
  const value = fc.oneof(fc.string(), fc.constant(null), fc.integer(), fc.constant(["B"]), fc.constant([null]));
  const plain = fc.record(
    { event, atom: value, attempt: value, or_group: value, choice: value, children: value, atoms: value, from: value },
    { requiredKeys: ["event"] },
  );
  const kind = fc.constantFrom("set", "limit", "add", "remove", "choose", "rebind", "of_a_later_version");
  const redirect = fc.oneof(value, fc.record({ kind, id: value, field: value, value, depends_on: value }));
  const asked = fc.record({ event: fc.constant("redirect_requested"), redirect }, { requiredKeys: ["event"] });
  const line = fc.oneof({ weight: 3, arbitrary: plain }, asked);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      expect(folded(shape, decodeLines(lines)).state.atoms.length).toBeGreaterThan(0);
    }),
    { numRuns: 2_000 },
  );
});
