/**
 * `loop.json` to a loop definition (SPEC section 11). Real files vary: what can be understood in one way only is,
 * and what had to be assumed is said.
 *
 * READ-DEFINITION-1 a file is refused only where nothing unambiguous can be made of it;
 * READ-DEFINITION-2 nothing is assumed silently: each assumption is a warning with its place, and the safest one is
 *    taken (a gate nobody said how to pass waits for a person, a phase nobody called optional is required).
 */
import { nearest } from "../../core/nearest.ts";
import type { Problem } from "../../core/problem.ts";
import {
  AUTONOMIES,
  type ApprovalType,
  type Autonomy,
  type Gate,
  type LoopDefinition,
  type Phase,
  type Skill,
} from "./definition.ts";
import { readJson, under, type JsonNode, type ObjectNode } from "./json-tree.ts";
import { checksIn } from "./read-checks.ts";
import { createTreeReader, named, type Path, type TreeReader } from "./tree-reader.ts";

export type ReadDefinition =
  | { readonly ok: true; readonly definition: LoopDefinition; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/** What stands for a version where the file has none. */
const NO_VERSION = "0.0.0";

/** @param text of a `loop.json`. Places in problems and warnings are those in it. */
export function readDefinition(text: string): ReadDefinition {
  const json = readJson(text);
  if (!json.ok) return { ...json, warnings: [] };
  const reader = createTreeReader(text);
  const root = reader.object(json.root, []);
  const definition = root === undefined ? undefined : definitionIn(root, reader);
  const { problems, warnings } = reader;
  return definition === undefined || problems.length > 0
    ? { ok: false, problems, warnings }
    : { ok: true, definition, warnings };
}

function definitionIn(root: ObjectNode, reader: TreeReader): LoopDefinition | undefined {
  const idAt = reader.member(root, "id", [], 'name the loop: "id": "my-loop"');
  const id = idAt === undefined ? undefined : loopId(idAt, reader);
  const phases = phasesIn(root, reader);
  const read = gatesIn(root, reader);
  placeGates(root, phases, read, reader);
  const gates = read.filter((gate) => gate !== undefined);
  if (id === undefined) return undefined;
  const name = optionalText(root, "name");
  return {
    id,
    ...(name === undefined ? {} : { name }),
    version: versionIn(root, reader),
    mode: modeIn(root, reader),
    autonomy: autonomyIn(root, reader),
    phases,
    gates,
  };
}

/** What can name a loop's files. */
export const LOOP_ID = /^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}$/u;
export const LOOP_ID_WORDS =
  "use letters, digits, dots, hyphens and underscores, at most 100, and begin with a letter or a digit";

/** It names a file, so it may not lead anywhere. */
function loopId(node: JsonNode, reader: TreeReader): string | undefined {
  const id = reader.text(node, ["id"]);
  if (id === undefined || LOOP_ID.test(id)) return id;
  reader.report("unknown_value", node, ["id"], { message: "id cannot name a state file", hint: LOOP_ID_WORDS });
  return undefined;
}

function versionIn(root: ObjectNode, reader: TreeReader): string {
  const node = under(root, "version");
  if (node?.kind === "scalar" && (typeof node.value === "string" || typeof node.value === "number"))
    return String(node.value);
  assume(reader, { at: node ?? root, path: ["version"], found: node }, JSON.stringify(NO_VERSION));
  return NO_VERSION;
}

function modeIn(root: ObjectNode, reader: TreeReader): string | null {
  const defaults = under(root, "defaults");
  const node = defaults?.kind === "object" ? under(defaults, "mode") : undefined;
  if (node?.kind === "scalar" && typeof node.value === "string" && node.value !== "") return node.value;
  reader.warn("missing_field", node ?? defaults ?? root, ["defaults", "mode"], {
    message: "defaults.mode is missing",
    hint: "say it with --mode when the loop begins",
  });
  return null;
}

function autonomyIn(root: ObjectNode, reader: TreeReader): Autonomy {
  const defaults = under(root, "defaults");
  const node = defaults?.kind === "object" ? under(defaults, "autonomy") : undefined;
  const known = AUTONOMIES.find((autonomy) => node?.kind === "scalar" && node.value === autonomy);
  if (known !== undefined) return known;
  if (node !== undefined)
    assume(reader, { at: node, path: ["defaults", "autonomy"], found: node }, '"supervised"', AUTONOMIES);
  return "supervised";
}

// ── phases ──────────────────────────────────────────────────────────────────

function phasesIn(root: ObjectNode, reader: TreeReader): readonly Phase[] {
  const node = reader.member(root, "phases", [], 'list the phases: "phases": [{"name": "INIT", ...}]');
  const items = node === undefined ? undefined : reader.list(node, ["phases"]);
  if (node === undefined || items === undefined) return [];
  if (items.length === 0)
    reader.report("empty_list", node, ["phases"], {
      message: "phases is empty",
      hint: "a loop needs at least one phase",
    });
  const phases = items.flatMap((item, index) => phaseIn(item, ["phases", index], reader) ?? []);
  noneTwice(items, "name", "phases", reader);
  return phases;
}

function phaseIn(node: JsonNode, path: Path, reader: TreeReader): Phase | undefined {
  const object = reader.object(node, path);
  const nameAt = object && reader.member(object, "name", path, "name the phase");
  const name = nameAt && reader.text(nameAt, [...path, "name"]);
  if (object === undefined || name === undefined) return undefined;
  const notes = optionalText(object, "notes");
  const aot = under(object, "aot");
  const isLoop = aot !== undefined && !isNull(aot) && reader.object(aot, [...path, "aot"]) !== undefined;
  return {
    name,
    required: trueUnlessSaid(object, "required", path, reader),
    skills: listIn(object, "skills", path, reader).flatMap(
      (item, index) => skillIn(item, [...path, "skills", index], reader) ?? [],
    ),
    deliverables: deliverablesIn(object, path, reader),
    ...(isLoop ? { aot: reader.sourceOf(aot) } : {}),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** A skill is its name, or an object that holds it. */
function skillIn(node: JsonNode, path: Path, reader: TreeReader): Skill | undefined {
  if (node.kind !== "object") {
    const id = reader.text(node, path);
    return id === undefined ? undefined : { id, required: true };
  }
  const id = firstText(node, ["skillId", "id", "name", "skill"]);
  if (id !== undefined) {
    const required = under(node, "required");
    return { id, required: required?.kind !== "scalar" || required.value !== false };
  }
  reader.report("missing_field", node, [...path, "skillId"], {
    message: `${named(path)} does not name its skill`,
    hint: 'write "skillId": "..."',
  });
  return undefined;
}

// ── gates ───────────────────────────────────────────────────────────────────

/** One for each entry of the file; undefined: it could not be read. */
function gatesIn(root: ObjectNode, reader: TreeReader): readonly (Gate | undefined)[] {
  const items = listIn(root, "gates", [], reader);
  noneTwice(items, "id", "gates", reader);
  return items.map((item, index) => gateIn(item, ["gates", index], reader));
}

function gateIn(node: JsonNode, path: Path, reader: TreeReader): Gate | undefined {
  const object = reader.object(node, path);
  const idAt = object && reader.member(object, "id", path, "name the gate");
  const id = idAt && reader.text(idAt, [...path, "id"]);
  const afterAt = object && reader.member(object, "afterPhase", path, "name the phase that it belongs after");
  const after = afterAt && reader.text(afterAt, [...path, "afterPhase"]);
  if (object === undefined || id === undefined || after === undefined) return undefined;
  const [name, auto_check, condition] = ["name", "autoCheck", "condition"].map((key) => optionalText(object, key));
  return {
    id,
    ...(name === undefined ? {} : { name }),
    after,
    required: trueUnlessSaid(object, "required", path, reader),
    approval: approvalIn(object, path, reader),
    deliverables: deliverablesIn(object, path, reader),
    checks: checksIn(object, path, reader),
    ...(auto_check === undefined ? {} : { auto_check }),
    ...(condition === undefined ? {} : { condition }),
  };
}

const APPROVALS: Readonly<Record<string, ApprovalType>> = {
  human: "human",
  conditional: "conditional",
  auto: "auto",
  automated: "auto",
};

function approvalIn(gate: ObjectNode, path: Path, reader: TreeReader): ApprovalType {
  const node = under(gate, "approvalType");
  const value = node?.kind === "scalar" && typeof node.value === "string" ? node.value : "";
  const known = Object.hasOwn(APPROVALS, value) ? APPROVALS[value] : undefined;
  if (known !== undefined) return known;
  assume(reader, { at: node ?? gate, path: [...path, "approvalType"], found: node }, '"human"', Object.keys(APPROVALS));
  return "human";
}

function deliverablesIn(object: ObjectNode, path: Path, reader: TreeReader): readonly string[] {
  return listIn(object, "deliverables", path, reader).flatMap(
    (item, at) => deliverableIn(item, [...path, "deliverables", at], reader) ?? [],
  );
}

function deliverableIn(node: JsonNode, path: Path, reader: TreeReader): string | undefined {
  const named = node.kind === "object" ? firstText(node, ["file", "path", "name", "id"]) : undefined;
  return named ?? reader.text(node, path);
}

/** What gates and phases say of each other. @param gates those of `gatesIn` */
function placeGates(
  root: ObjectNode,
  phases: readonly Phase[],
  gates: readonly (Gate | undefined)[],
  reader: TreeReader,
): void {
  const byName = new Map(phases.map((phase) => [phase.name, phase]));
  const list = under(root, "gates");
  const nodes = list?.kind === "list" ? list.items : [];
  const seen = new Map<string, string>();
  for (const [index, node] of nodes.entries()) {
    const after = node.kind === "object" ? under(node, "afterPhase") : undefined;
    const gate = gates[index];
    if (after === undefined || gate === undefined) continue;
    const path = ["gates", index, "afterPhase"];
    const phase = byName.get(gate.after);
    if (phase === undefined)
      reader.report("unknown_phase", after, path, {
        message: `the gate ${gate.id} belongs after ${JSON.stringify(gate.after)}, and there is no such phase`,
        hint: nearest(gate.after, byName.keys()),
      });
    else if (gate.required && !phase.required)
      reader.warn("phase_rule", after, path, {
        message: `the gate ${gate.id} is required, and the phase ${phase.name} before it is not`,
        hint: "it has to be passed, or skipped with a reason, also when the phase is skipped",
      });
    const earlier = seen.get(gate.after);
    if (earlier !== undefined)
      reader.warn("phase_rule", after, path, {
        message: `the gate ${gate.id} belongs after ${gate.after}, as ${earlier} does`,
        hint: "all of them have to be settled, in the file's order",
      });
    seen.set(gate.after, gate.id);
  }
}

// ── parts ───────────────────────────────────────────────────────────────────

function noneTwice(items: readonly JsonNode[], key: string, list: "phases" | "gates", reader: TreeReader): void {
  const what = list.slice(0, -1);
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const node = item.kind === "object" ? under(item, key) : undefined;
    if (node?.kind !== "scalar" || typeof node.value !== "string") continue;
    const earlier = first.get(node.value);
    if (earlier === undefined) first.set(node.value, index);
    else
      reader.report("duplicate_id", node, [list, index, key], {
        message: `two ${what}s are called ${JSON.stringify(node.value)}: ${list}[${earlier}] and ${list}[${index}]`,
        hint: `give each ${what} a name of its own`,
      });
  }
}

/** The items under a key; none where it is absent or null. */
function listIn(object: ObjectNode, key: string, path: Path, reader: TreeReader): readonly JsonNode[] {
  const node = under(object, key);
  return node === undefined || isNull(node) ? [] : (reader.list(node, [...path, key]) ?? []);
}

function trueUnlessSaid(object: ObjectNode, key: string, path: Path, reader: TreeReader): boolean {
  const node = under(object, key);
  if (node !== undefined && !isNull(node)) return reader.truth(node, [...path, key]) ?? true;
  assume(reader, { at: node ?? object, path: [...path, key], found: node }, "true");
  return true;
}

function optionalText(object: ObjectNode, key: string): string | undefined {
  return firstText(object, [key]);
}

function firstText(object: ObjectNode, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const node = under(object, key);
    if (node?.kind === "scalar" && typeof node.value === "string" && node.value.trim() !== "") return node.value;
  }
  return undefined;
}

/** READ-DEFINITION-2. @param known what would be understood, where that is a few words */
function assume(
  reader: TreeReader,
  { at, path, found }: { readonly at: JsonNode; readonly path: Path; readonly found: JsonNode | undefined },
  value: string,
  known: readonly string[] = [],
): void {
  const words = known.length === 0 ? "" : `: one of ${known.join(", ")}`;
  reader.warn(found === undefined ? "missing_field" : "unknown_value", at, path, {
    message: `${named(path)} ${found === undefined ? "is missing" : "is not understood"}: ${value} is assumed`,
    hint: `write it down if it is something else${words}`,
  });
}

function isNull(node: JsonNode): boolean {
  return node.kind === "scalar" && node.value === null;
}
