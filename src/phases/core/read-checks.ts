/** A gate's `checks` in a `loop.json`: a command line, or a check as in the state file of an AoT loop (SPEC section 6). */
import { VALUE_TYPES } from "../../core/check-types.ts";
import type { Check } from "../../core/state.ts";
import { runsCommand } from "../../core/verdict.ts";
import { under, type JsonNode, type ObjectNode } from "../../core/json-tree.ts";
import { named, type Path, type TreeReader } from "./tree-reader.ts";

export function checksIn(gate: ObjectNode, at: Path, reader: TreeReader): readonly Check[] {
  const node = under(gate, "checks");
  const path = [...at, "checks"];
  if (node === undefined || (node.kind === "scalar" && node.value === null)) return [];
  if (node.kind === "scalar") return checkIn(node, path, reader);
  return (reader.list(node, path) ?? []).flatMap((item, index) => checkIn(item, [...path, index], reader));
}

function checkIn(node: JsonNode, path: Path, reader: TreeReader): readonly Check[] {
  if (node.kind !== "object") {
    const value = reader.text(node, path);
    return value === undefined ? [] : [{ type: "command", value }];
  }
  const typeAt = reader.member(node, "type", path, `one of ${VALUE_TYPES.join(", ")}`);
  const type = VALUE_TYPES.find((one) => typeAt?.kind === "scalar" && typeAt.value === one);
  if (typeAt !== undefined && type === undefined)
    reader.report("unknown_value", typeAt, [...path, "type"], {
      message: `${named([...path, "type"])} is no kind of check`,
      hint: `one of ${VALUE_TYPES.join(", ")}`,
    });
  const valueAt = reader.member(node, "value", path, "say what is checked");
  const value = valueAt && reader.text(valueAt, [...path, "value"]);
  if (type === undefined || value === undefined) return [];
  const check: Check = { type, value };
  if (!runsCommand(check)) return [check];
  const timeout = secondsIn(node, path, reader);
  return [{ ...check, ...(timeout === undefined ? {} : { timeout }) }];
}

function secondsIn(check: ObjectNode, path: Path, reader: TreeReader): number | undefined {
  const node = under(check, "timeout");
  if (node === undefined || (node.kind === "scalar" && node.value === null)) return undefined;
  if (node.kind === "scalar" && typeof node.value === "number" && node.value > 0) return node.value;
  const at = [...path, "timeout"];
  reader.report("wrong_type", node, at, {
    message: `${named(at)} has to be seconds, above 0`,
    hint: "write a number: 300",
  });
  return undefined;
}
