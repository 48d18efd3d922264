/** The gates of a `loop.json`, beside its phases or nested in them (see read-definition.ts). */
import { nearest } from "../../core/nearest.ts";
import type { Check } from "../../core/state.ts";
import type { ApprovalType, Gate, Phase } from "./definition.ts";
import { under, type JsonNode, type ObjectNode } from "../../core/json-tree.ts";
import { checksIn } from "./read-checks.ts";
import { assume, deliverablesIn, firstText, listIn, refuseUnknown, trueUnlessSaid, noneTwice } from "./read-parts.ts";
import { named, type Path, type TreeReader } from "./tree-reader.ts";

/** A phase as it is in the file, by what may name it. */
export interface PlacedPhase {
  readonly phase: Phase;
  /** Beside its name, what `afterPhase` may say. */
  readonly id: string | undefined;
  readonly node: ObjectNode;
  readonly path: Path;
}

interface Entry {
  readonly node: JsonNode;
  readonly path: Path;
  /** It is nested in this phase. */
  readonly inside?: PlacedPhase;
}

/** Every gate that is read, in the order of the work: of one phase those nested in it first. */
export function gatesIn(root: ObjectNode, phases: readonly PlacedPhase[], reader: TreeReader): readonly Gate[] {
  const beside = entriesIn(root, [], reader);
  const named = new Map(beside.map((entry) => [idOf(entry.node), entry]));
  const placed = new Map<Entry, PlacedPhase>();
  const nested = phases.flatMap((inside) =>
    entriesIn(inside.node, inside.path, reader).flatMap((entry): Entry[] => {
      if (entry.node.kind !== "scalar") return [{ ...entry, inside }];
      // The name of a gate that is described beside the phases.
      const meant = named.get(entry.node.value);
      if (meant === undefined) reportNoGate(entry, [...named.keys()], reader);
      else placed.set(meant, inside);
      return [];
    }),
  );
  const entries = [...nested, ...beside.map((entry) => ({ ...entry, ...inside(placed.get(entry)) }))];
  noneTwice(entries, "id", "gates", reader);
  const read = entries.map((entry) => ({ entry, gate: gateIn(entry, phases, reader) }));
  const gates = read.flatMap(({ entry, gate }) => (gate === undefined ? [] : [{ entry, gate }]));
  warnOfPlaces(gates, phases, reader);
  return gates.map(({ gate }) => gate);
}

function inside(phase: PlacedPhase | undefined): { readonly inside?: PlacedPhase } {
  return phase === undefined ? {} : { inside: phase };
}

function entriesIn(object: ObjectNode, path: Path, reader: TreeReader): readonly Entry[] {
  return listIn(object, "gates", path, reader).map((node, index) => ({ node, path: [...path, "gates", index] }));
}

function idOf(node: JsonNode): string | number | boolean | null | undefined {
  const id = node.kind === "object" ? under(node, "id") : undefined;
  return id?.kind === "scalar" ? id.value : undefined;
}

function reportNoGate({ node, path }: Entry, ids: readonly unknown[], reader: TreeReader): void {
  const id = node.kind === "scalar" ? String(node.value) : "";
  reader.report("unknown_value", node, path, {
    message: `${named(path)} names the gate ${JSON.stringify(id)}, and there is no such gate`,
    hint: `${nearest(
      id,
      ids.filter((one) => typeof one === "string"),
    )} (below "gates"), or describe it here: {"id": ...}`,
  });
}

const KNOWN =
  "id name afterPhase required approvalType type deliverables requiredDeliverables checks guarantees criteria autoCheck condition".split(
    " ",
  );

function gateIn({ node, path, inside }: Entry, phases: readonly PlacedPhase[], reader: TreeReader): Gate | undefined {
  const object = reader.object(node, path);
  const idAt = object && reader.member(object, "id", path, "name the gate");
  const id = idAt && reader.text(idAt, [...path, "id"]);
  if (object === undefined || id === undefined) return undefined;
  refuseUnknown(object, KNOWN, path, reader);
  const after = afterIn(object, { id, path, inside }, phases, reader);
  const [name, auto_check, condition] = ["name", "autoCheck", "condition"].map((key) => firstText(object, [key]));
  const guarantees = guaranteesIn(object, path, reader);
  const gate = {
    id,
    ...(name === undefined ? {} : { name }),
    required: trueUnlessSaid(object, "required", path, reader),
    approval: approvalIn(object, path, reader),
    deliverables: ["deliverables", "requiredDeliverables"].flatMap((key) => deliverablesIn(object, key, path, reader)),
    checks: [...checksIn(object, path, reader), ...guarantees.checks],
    criteria: [...criteriaIn(object, path, reader), ...guarantees.criteria],
    ...(auto_check === undefined ? {} : { auto_check }),
    ...(condition === undefined ? {} : { condition }),
  };
  return after === undefined ? undefined : { ...gate, after };
}

/** The name of its phase. */
function afterIn(
  gate: ObjectNode,
  at: { readonly id: string; readonly path: Path; readonly inside: PlacedPhase | undefined },
  phases: readonly PlacedPhase[],
  reader: TreeReader,
): string | undefined {
  const path = [...at.path, "afterPhase"];
  if (at.inside !== undefined && under(gate, "afterPhase") === undefined) return at.inside.phase.name;
  const node = reader.member(gate, "afterPhase", at.path, "name the phase that it belongs after");
  const after = node && reader.text(node, path);
  if (node === undefined || after === undefined) return undefined;
  const meant = phases.find(({ phase }) => phase.name === after) ?? phases.find(({ id }) => id === after);
  if (meant === undefined)
    reader.report("unknown_phase", node, path, {
      message: `the gate ${at.id} belongs after ${JSON.stringify(after)}, and there is no such phase`,
      hint: nearest(
        after,
        phases.map(({ phase }) => phase.name),
      ),
    });
  else if (at.inside !== undefined && at.inside !== meant)
    reader.report("unknown_phase", node, path, {
      message: `the gate ${at.id} is in the phase ${at.inside.phase.name} and says that it belongs after ${after}`,
      hint: "take one of them away",
    });
  return meant?.phase.name;
}

const APPROVALS: Readonly<Record<string, ApprovalType>> = {
  human: "human",
  manual: "human",
  conditional: "conditional",
  auto: "auto",
  automated: "auto",
  automatic: "auto",
};
export const APPROVAL_NAMES = Object.keys(APPROVALS);

/** `type` is another name of it. */
function approvalIn(gate: ObjectNode, path: Path, reader: TreeReader): ApprovalType {
  const key = under(gate, "approvalType") === undefined && under(gate, "type") !== undefined ? "type" : "approvalType";
  const node = under(gate, key);
  const value = node?.kind === "scalar" && typeof node.value === "string" ? node.value : "";
  const known = Object.hasOwn(APPROVALS, value) ? APPROVALS[value] : undefined;
  if (known !== undefined) return known;
  assume(reader, { at: node ?? gate, path: [...path, key], found: node }, '"human"', APPROVAL_NAMES);
  return "human";
}

function criteriaIn(gate: ObjectNode, path: Path, reader: TreeReader): readonly string[] {
  const node = under(gate, "criteria");
  if (node?.kind === "scalar" && typeof node.value === "string") return [node.value];
  return listIn(gate, "criteria", path, reader).flatMap(
    (item, index) => reader.text(item, [...path, "criteria", index]) ?? [],
  );
}

interface Guarantees {
  readonly checks: readonly Check[];
  readonly criteria: readonly string[];
}

/** `{type: file_exists, path}` is a check; what only has a description is decided by who looks. */
function guaranteesIn(gate: ObjectNode, path: Path, reader: TreeReader): Guarantees {
  const checks: Check[] = [];
  const criteria: string[] = [];
  for (const [index, item] of listIn(gate, "guarantees", path, reader).entries()) {
    const at = [...path, "guarantees", index];
    const [file, command, words] =
      item.kind === "object"
        ? [firstText(item, ["path", "file"]), firstText(item, ["command"]), firstText(item, ["description", "name"])]
        : [undefined, undefined, reader.text(item, at)];
    if (file !== undefined) checks.push({ type: "file", value: file });
    else if (command !== undefined) checks.push({ type: "command", value: command });
    else if (words !== undefined) criteria.push(words);
    else if (item.kind === "object")
      reader.report("missing_field", item, at, {
        message: `${named(at)} does not say what is guaranteed`,
        hint: 'write "path", "command" or "description"',
      });
  }
  return { checks, criteria };
}

/** What gates and phases say of each other. */
function warnOfPlaces(
  gates: readonly { readonly entry: Entry; readonly gate: Gate }[],
  phases: readonly PlacedPhase[],
  reader: TreeReader,
): void {
  const seen = new Map<string, string>();
  for (const { entry, gate } of gates) {
    const path = [...entry.path, "afterPhase"];
    const phase = phases.find((one) => one.phase.name === gate.after)?.phase;
    if (gate.required && phase?.required === false)
      reader.warn("phase_rule", entry.node, path, {
        message: `the gate ${gate.id} is required, and the phase ${phase.name} before it is not`,
        hint: "it has to be passed, or skipped with a reason, also when the phase is skipped",
      });
    const earlier = seen.get(gate.after);
    if (earlier !== undefined)
      reader.warn("phase_rule", entry.node, path, {
        message: `the gate ${gate.id} belongs after ${gate.after}, as ${earlier} does`,
        hint: "all of them have to be settled, in the file's order",
      });
    seen.set(gate.after, gate.id);
  }
}
