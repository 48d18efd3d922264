/** A state file's text to a phase loop, with the place of every value. What is not known stays in the text. */
import type { Problem, Result } from "../../core/problem.ts";
import { nearest } from "../../core/nearest.ts";
import { placeOf, readJson, under, type JsonNode, type ObjectNode } from "../../core/json-tree.ts";
import type { Breach } from "./rules.ts";
import {
  GATE_STATUSES,
  LOOP_STATUSES,
  PHASE_STATUSES,
  type GateState,
  type Metric,
  type PhaseLoop,
  type PhaseState,
} from "./state.ts";
import { createTreeReader, named, type Path, type TreeReader } from "./tree-reader.ts";

/** A state file that was read: its text as it is, what stands where, and what it means. */
export interface StateText {
  readonly text: string;
  readonly root: ObjectNode;
  readonly loop: PhaseLoop;
}

const APPROVALS = ["human", "conditional", "auto"] as const;
const GENERATED = "it is written by `aot phases init`";

export function readState(text: string): Result<StateText> {
  const json = readJson(text);
  if (!json.ok) return json;
  const reader = createTreeReader(text);
  const root = reader.object(json.root, []);
  const loop = root === undefined ? undefined : loopIn(root, reader);
  if (root === undefined || loop === undefined || reader.problems.length > 0)
    return { ok: false, problems: reader.problems };
  return { ok: true, value: { text, root, loop } };
}

/** A breach of a rule as a problem, at the place where the state breaks it. */
export function breachProblem({ text, root }: StateText, { rule, path, message, hint }: Breach): Problem {
  let node: JsonNode = root;
  for (const key of path) {
    const next: JsonNode | undefined = node.kind === "object" ? under(node, key) : undefined;
    if (next === undefined) break;
    node = next;
  }
  return { code: "phase_rule", message: `rule ${rule}: ${message}`, path, hint, at: placeOf(text, node.start) };
}

function loopIn(root: ObjectNode, reader: TreeReader): PhaseLoop | undefined {
  const text = (key: string): string | undefined => textAt(root, key, [], reader);
  const [loop, version, mode, phase] = [text("loop"), text("version"), text("mode"), text("phase")];
  const status = choiceAt({ object: root, key: "status", path: [] }, LOOP_STATUSES, reader);
  const gates = entriesAt(root, "gates", reader).flatMap((entry) => gateIn(entry.key, entry.value, reader) ?? []);
  const phases = entriesAt(root, "phases", reader).flatMap((entry) => phaseIn(entry.key, entry.value, reader) ?? []);
  const [started_at, last_updated] = [text("started_at"), text("last_updated")];
  if (loop === undefined || version === undefined || mode === undefined || phase === undefined) return undefined;
  if (status === undefined || started_at === undefined || last_updated === undefined) return undefined;
  return { loop, version, mode, phase, status, gates, phases, metrics: metricsIn(root), started_at, last_updated };
}

function gateIn(id: string, node: JsonNode, reader: TreeReader): GateState | undefined {
  const path = ["gates", id];
  const object = reader.object(node, path);
  if (object === undefined) return undefined;
  const status = choiceAt({ object: object, key: "status", path: path }, GATE_STATUSES, reader);
  const required = truthAt(object, path, reader);
  const approvalType = choiceAt({ object: object, key: "approvalType", path: path }, APPROVALS, reader);
  const deliverables = textsAt(object, "deliverables", path, reader);
  const passedAt = textOrNull(object, "passedAt", path, reader);
  const skippedReason = textOrNull(object, "skippedReason", path, reader);
  if (status === undefined || required === undefined || approvalType === undefined) return undefined;
  return { id, status, required, approvalType, deliverables, passedAt, skippedReason };
}

function phaseIn(name: string, node: JsonNode, reader: TreeReader): PhaseState | undefined {
  const path = ["phases", name];
  const object = reader.object(node, path);
  if (object === undefined) return undefined;
  const status = choiceAt({ object: object, key: "status", path: path }, PHASE_STATUSES, reader);
  const required = truthAt(object, path, reader);
  const skills = textsAt(object, "skills", path, reader);
  const deliverables = textsAt(object, "deliverables", path, reader);
  const startedAt = textOrNull(object, "startedAt", path, reader);
  const completedAt = textOrNull(object, "completedAt", path, reader);
  if (status === undefined || required === undefined) return undefined;
  return { name, status, required, skills, deliverables, startedAt, completedAt };
}

function metricsIn(root: ObjectNode): readonly Metric[] {
  const node = under(root, "metrics");
  const entries = node?.kind === "object" ? node.entries : [];
  return entries.flatMap(({ key, value }) =>
    value.kind === "scalar" && typeof value.value === "number" ? [{ name: key, value: value.value }] : [],
  );
}

// ── parts ───────────────────────────────────────────────────────────────────

function entriesAt(root: ObjectNode, key: string, reader: TreeReader): ObjectNode["entries"] {
  const node = reader.member(root, key, [], GENERATED);
  return (node && reader.object(node, [key]))?.entries ?? [];
}

function textAt(object: ObjectNode, key: string, path: Path, reader: TreeReader): string | undefined {
  const node = reader.member(object, key, path, GENERATED);
  return node && reader.text(node, [...path, key], false);
}

function textOrNull(object: ObjectNode, key: string, path: Path, reader: TreeReader): string | null {
  const node = under(object, key);
  if (node === undefined || (node.kind === "scalar" && node.value === null)) return null;
  return reader.text(node, [...path, key], false) ?? null;
}

function truthAt(object: ObjectNode, path: Path, reader: TreeReader): boolean | undefined {
  const node = reader.member(object, "required", path, "write true or false");
  return node && reader.truth(node, [...path, "required"]);
}

function textsAt(object: ObjectNode, key: string, path: Path, reader: TreeReader): readonly string[] {
  const node = reader.member(object, key, path, "write a list: []");
  const items = (node && reader.list(node, [...path, key])) ?? [];
  return items.flatMap((item, index) => reader.text(item, [...path, key, index], false) ?? []);
}

function choiceAt<T extends string>(
  { object, key, path }: { readonly object: ObjectNode; readonly key: string; readonly path: Path },
  choices: readonly T[],
  reader: TreeReader,
): T | undefined {
  const node = reader.member(object, key, path, `one of ${choices.join(", ")}`);
  if (node === undefined) return undefined;
  const found = choices.find((choice) => node.kind === "scalar" && node.value === choice);
  if (found !== undefined) return found;
  const given = node.kind === "scalar" ? String(node.value) : "";
  reader.report("unknown_value", node, [...path, key], {
    message: `${named([...path, key])} is not one of its values`,
    hint: `${nearest(given, choices, "")} one of ${choices.join(", ")}`.trim(),
  });
  return undefined;
}
