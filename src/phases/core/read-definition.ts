/**
 * `loop.json` to a loop definition (SPEC section 11). Real files vary: what can be understood in one way only is,
 * and what had to be assumed is said.
 *
 * READ-DEFINITION-1 a file is refused only where nothing unambiguous can be made of it;
 * READ-DEFINITION-2 nothing is assumed silently: each assumption is a warning with its place, and the safest one is
 *    taken (a gate nobody said how to pass waits for a person, a phase nobody called optional is required);
 * READ-DEFINITION-3 a key that is not read and looks like a gate, a deliverable or a check is refused by name: nobody's
 *    gate is dropped.
 */
import type { Problem } from "../../core/problem.ts";
import { AUTONOMIES, type Autonomy, type LoopDefinition, type Skill } from "./definition.ts";
import { readJson, under, type JsonNode, type ObjectNode } from "../../core/json-tree.ts";
import { gatesIn, type PlacedPhase } from "./read-gates.ts";
import {
  assume,
  deliverablesIn,
  firstText,
  isNull,
  isProse,
  listIn,
  refuseUnknown,
  trueUnlessSaid,
  noneTwice,
} from "./read-parts.ts";
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
  refuseUnknown(root, ROOT, [], reader);
  const phases = phasesIn(root, reader);
  const gates = gatesIn(root, phases, reader);
  if (id === undefined) return undefined;
  const name = firstText(root, ["name"]);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    version: versionIn(root, reader),
    mode: modeIn(root, reader),
    autonomy: autonomyIn(root, reader),
    phases: phases.map(({ phase }) => phase),
    gates,
  };
}

/** Keys that say something about gates and are read. */
const ROOT = ["gates"];

/** What can name a loop's files. */
const LOOP_ID = /^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}$/u;
const LOOP_ID_WORDS =
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

/** `defaults.KEY`, or beside them under its own name. */
function defaultIn(root: ObjectNode, key: string, alone: string): { at: JsonNode; path: Path; found?: JsonNode } {
  const defaults = under(root, "defaults");
  const inside = defaults?.kind === "object" ? under(defaults, key) : undefined;
  const found = inside ?? under(root, alone);
  const path = inside === undefined && found !== undefined ? [alone] : ["defaults", key];
  return { at: found ?? defaults ?? root, path, ...(found === undefined ? {} : { found }) };
}

function modeIn(root: ObjectNode, reader: TreeReader): string | null {
  const { at, path, found } = defaultIn(root, "mode", "defaultMode");
  if (found?.kind === "scalar" && typeof found.value === "string" && found.value !== "") return found.value;
  reader.warn("missing_field", at, path, {
    message: "defaults.mode is missing",
    hint: "say it with --mode when the loop begins",
  });
  return null;
}

function autonomyIn(root: ObjectNode, reader: TreeReader): Autonomy {
  const { at, path, found } = defaultIn(root, "autonomy", "defaultAutonomy");
  const known = AUTONOMIES.find((autonomy) => found?.kind === "scalar" && found.value === autonomy);
  if (known !== undefined) return known;
  if (found !== undefined) assume(reader, { at, path, found }, '"supervised"', AUTONOMIES);
  return "supervised";
}

// ── phases ──────────────────────────────────────────────────────────────────

function phasesIn(root: ObjectNode, reader: TreeReader): readonly PlacedPhase[] {
  const node = reader.member(root, "phases", [], 'list the phases: "phases": [{"name": "INIT", ...}]');
  const items = node === undefined ? undefined : reader.list(node, ["phases"]);
  if (node === undefined || items === undefined) return [];
  if (items.length === 0)
    reader.report("empty_list", node, ["phases"], {
      message: "phases is empty",
      hint: "a loop needs at least one phase",
    });
  const phases = items.flatMap((item, index) => phaseIn(item, ["phases", index], reader) ?? []);
  const placed = items.map((item, index) => ({ node: item, path: ["phases", index] }));
  noneTwice(placed, "name", "phases", reader);
  noneTwice(placed, "id", "phases", reader);
  return phases;
}

const KNOWN_LISTS = ["gates", "deliverables", "requiredDeliverables"];

function phaseIn(node: JsonNode, path: Path, reader: TreeReader): PlacedPhase | undefined {
  const object = reader.object(node, path);
  const nameAt = object && reader.member(object, "name", path, "name the phase");
  const name = nameAt && reader.text(nameAt, [...path, "name"]);
  if (object === undefined || name === undefined) return undefined;
  refuseUnknown(object, KNOWN_LISTS, path, reader);
  const notes = firstText(object, ["notes"]);
  const aot = under(object, "aot");
  const isLoop = aot !== undefined && !isNull(aot) && reader.object(aot, [...path, "aot"]) !== undefined;
  const deliverables = [
    ...deliverablesIn(object, "deliverables", path, reader),
    ...deliverablesIn(object, "requiredDeliverables", path, reader),
  ];
  const results = deliverables.filter(isProse);
  if (results.length > 0)
    reader.warn("unknown_value", object, [...path, "deliverables"], {
      message: `no file: ${results.map((text) => JSON.stringify(text)).join(", ")}. The agents are asked for it, and nothing checks that it is there`,
      hint: "name a file to have it checked",
    });
  const phase = {
    name,
    required: trueUnlessSaid(object, "required", path, reader),
    skills: listIn(object, "skills", path, reader).flatMap(
      (item, index) => skillIn(item, [...path, "skills", index], reader) ?? [],
    ),
    deliverables: deliverables.filter((text) => !isProse(text)),
    results,
    ...(isLoop ? { aot: reader.sourceOf(aot) } : {}),
    ...(notes === undefined ? {} : { notes }),
  };
  return { phase, id: firstText(object, ["id"]), node: object, path };
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
