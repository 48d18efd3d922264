/** Definitions for tests: each peculiarity of real files in one of them, and generated ones. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { AUTONOMIES, type LoopDefinition } from "../../../src/phases/core/definition.ts";
import { readDefinition } from "../../../src/phases/core/read-definition.ts";

const gate = (id: string, afterPhase: string, more: object = {}): object => ({
  id,
  name: `The ${id}`,
  afterPhase,
  required: true,
  approvalType: "human",
  deliverables: [`${id.toUpperCase()}.md`],
  ...more,
});

/** Plain, with every kind of gate, an optional phase, and keys that mean nothing to a phase loop. */
export const GARDEN = {
  id: "garden-loop",
  name: "Garden Loop",
  version: "2.1.0",
  description: "From a bare plot to a harvest.",
  phases: [
    { name: "PLAN", skills: ["survey", "draw"], required: true },
    { name: "DIG", skills: ["spade"], required: true },
    { name: "FENCE", skills: [], required: false },
    { name: "HARVEST", skills: ["basket"], required: true },
  ],
  gates: [
    gate("plan-gate", "PLAN", { deliverables: ["PLAN.md", "BUDGET.md"] }),
    gate("soil-gate", "DIG", { approvalType: "auto", deliverables: [], autoCheck: "soil is loose" }),
    gate("market-gate", "HARVEST", {
      required: false,
      approvalType: "conditional",
      deliverables: [],
      condition: "no market",
    }),
  ],
  defaults: { mode: "greenfield", autonomy: "supervised" },
  ui: { theme: "green", layout: "dashboard", features: { timeline: true } },
  skillUI: { survey: { displayName: "Survey", icon: "eye", outputDisplay: "markdown" } },
  metadata: { tags: ["garden"], changelog: { "2.1.0": "a fence" }, category: "outdoors" },
};

/** Skills as objects, `automated`, a tier and no mode, `iterative`, notes, descriptions; two gates after one phase. */
export const KITCHEN = {
  id: "kitchen-loop",
  version: "1.0.0",
  iterative: true,
  phases: [
    {
      name: "Mise en place",
      skills: [{ skillId: "chop", required: true }, { skillId: "weigh", required: false }, "wash"],
      required: false,
      notes: "only before the first dish",
    },
    { name: "2", skills: [{ skillId: "fry", required: true }], required: true, order: 2 },
    { name: "1", skills: ["serve"], required: true },
  ],
  gates: [
    gate("taste", "2", { approvalType: "automated", description: "salt?", autoCheck: "salt in range" }),
    gate("look", "2", { deliverables: [] }),
    gate("clean", "Mise en place", { approvalType: "conditional" }),
  ],
  defaults: { tier: "mvp", autonomy: "full" },
};

/** As little as can be said. */
export const BARE = { id: "bare", phases: [{ name: "ONLY" }] };

export const OWN: Readonly<Record<string, object>> = { GARDEN, KITCHEN, BARE };

/** Folders of real definitions, separated as PATH is; they are no part of this repository. */
const ELSEWHERE = process.env["AOT_TEST_LOOPS"] ?? "";
export const whyNoRealLoops = ELSEWHERE === "" ? "AOT_TEST_LOOPS names no folder of loop definitions" : null;

/** Name and text of each definition at hand: those of this file, and real ones where a folder is named. */
export function textsAtHand(): readonly (readonly [string, string])[] {
  const own = Object.entries(OWN).map(([name, value]) => [name, JSON.stringify(value, null, 2)] as const);
  const real = ELSEWHERE.split(process.platform === "win32" ? ";" : ":")
    .filter((folder) => folder !== "" && existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith(".json"))
        .map((file) => join(folder, file)),
    );
  return [...own, ...real.map((file) => [file, readFileSync(file, "utf8")] as const)];
}

export function definitionOf(value: object | string): LoopDefinition {
  const read = readDefinition(typeof value === "string" ? value : JSON.stringify(value));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.definition;
}

const word = fc.constantFrom("INIT", "BUILD", "1", "10", "2", "__proto__", "toString", "Ü b", "SHIP", "é", '"q"');

const approvals = fc.constantFrom("human" as const, "conditional" as const, "auto" as const);
const skill = fc.record({ id: fc.string(), required: fc.constant(true) });
const phase = fc.record({
  name: word,
  required: fc.boolean(),
  skills: fc.array(skill, { maxLength: 2 }),
  deliverables: fc.array(fc.string(), { maxLength: 1 }),
  results: fc.constant([]),
});
const someGate = fc.record({
  id: word,
  after: fc.nat(),
  required: fc.boolean(),
  approval: approvals,
  deliverables: fc.array(fc.string(), { maxLength: 2 }),
  checks: fc.array(fc.record({ type: fc.constant("command" as const), value: fc.constant("true") }), { maxLength: 1 }),
  criteria: fc.constant([]),
});

/** Any small definition. */
export const definitions: fc.Arbitrary<LoopDefinition> = fc
  .record({
    phases: fc.uniqueArray(phase, { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
    gates: fc.uniqueArray(someGate, { maxLength: 4, selector: ({ id }) => id }),
    mode: fc.option(fc.string({ minLength: 1 })),
    autonomy: fc.constantFrom(...AUTONOMIES),
  })
  .map(({ phases, gates, mode, autonomy }) => ({
    id: "drawn",
    version: "1",
    mode,
    autonomy,
    phases,
    gates: gates.map((one) => ({ ...one, after: phases[one.after % phases.length]?.name ?? "" })),
  }));

/** The second that many seconds after the beginning. */
export function second(count: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `2026-01-01T${two(Math.floor(count / 3600) % 24)}:${two(Math.floor(count / 60) % 60)}:${two(count % 60)}.000Z`;
}
