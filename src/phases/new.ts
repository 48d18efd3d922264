/** A new loop definition from the words of a person (SPEC section 11). */
import { accepted, refused, type Problem, type Result } from "../core/problem.ts";
import type { WantedCheck, WantedGate, WantedLoop, WantedPhase } from "./core/wanted-loop.ts";
import { readDefinition } from "./core/read-definition.ts";

const PHASE = /^([^:?]+?)\s*(\?)?\s*(?::(.*))?$/s;
const GATE = /^([^<(?]+?)\s*(\?)?\s*(?:\((human|auto|conditional)\))?\s*<-\s*([^:]+?)\s*(?::(.*))?$/s;

/** `NAME: skill, skill`; `NAME?` is optional. */
export function parsePhase(text: string): Result<WantedPhase> {
  const [, name, optional, skills] = PHASE.exec(text.trim()) ?? [];
  // Skills without the colon before them would all become the name.
  if (name === undefined || name.includes(","))
    return refused(`${JSON.stringify(text)} is no phase`, "write `NAME: skill, skill`; `NAME?` makes it optional");
  return accepted({ name, required: optional === undefined, skills: parts(skills) });
}

/** `ID <- PHASE: file, file`; `ID?` is optional, `ID (auto)` and `ID (conditional)` need no person. */
export function parseGate(text: string): Result<WantedGate> {
  const [, id, optional, approval, after, files] = GATE.exec(text.trim()) ?? [];
  if (id === undefined || after === undefined)
    return refused(
      `${JSON.stringify(text)} is no gate`,
      "write `ID <- PHASE: file, file`, with `(auto)` or `(conditional)` behind the id",
    );
  const kind = approval === "auto" || approval === "conditional" ? approval : "human";
  return accepted({
    id,
    required: optional === undefined,
    approval: kind,
    after,
    deliverables: parts(files),
    checks: [],
  });
}

/** `GATE: command`. */
export function parseGateCheck(text: string): Result<WantedCheck> {
  const [, gate, command] = /^([^:]+?)\s*:\s*(\S.*)$/s.exec(text) ?? [];
  return gate === undefined || command === undefined
    ? refused(`${JSON.stringify(text)} is no check of a gate`, "write `GATE: command`, such as `ship: npm test`")
    : accepted({ gate, command });
}

/** The gates with their checks; refused where a check is of no gate, or of one that only a person passes. */
export function withChecks(
  gates: readonly WantedGate[],
  checks: readonly WantedCheck[],
): Result<readonly WantedGate[]> {
  for (const { gate, command } of checks) {
    const wanted = gates.find(({ id }) => id === gate);
    if (wanted === undefined)
      return refused(
        `there is no gate ${gate} for the check ${command}`,
        gates.length === 0 ? "say it with --gate" : `gates: ${gates.map(({ id }) => id).join(", ")}`,
      );
    if (wanted.approval === "human")
      return refused(
        `only a human passes the gate ${gate}: nothing checks it`,
        `write \`${gate} (auto) <- ${wanted.after}\` for a gate that checks pass`,
      );
  }
  return accepted(
    gates.map((gate) => ({ ...gate, checks: checks.flatMap((one) => (one.gate === gate.id ? [one.command] : [])) })),
  );
}

/** The text of its `loop.json`, or what is wrong with it. */
export function definitionText(loop: WantedLoop): Result<string> {
  const { id, name, mode, autonomy = "supervised", phases, gates } = loop;
  const value = {
    $schema: "./node_modules/aot-loop/schemas/loop.schema.json",
    id,
    name: name ?? id,
    version: "1.0.0",
    phases: phases.map((phase) => ({ name: phase.name, skills: phase.skills, required: phase.required })),
    gates: gates.map((gate) => ({
      id: gate.id,
      afterPhase: gate.after,
      required: gate.required,
      approvalType: gate.approval,
      deliverables: gate.deliverables,
      ...(gate.checks.length === 0 ? {} : { checks: gate.checks }),
    })),
    defaults: { mode, autonomy },
  };
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const read = readDefinition(text);
  if (read.ok) return accepted(text);
  // Nobody sees the text that the places are in.
  return { ok: false, problems: read.problems.map(({ at: _, path: __, ...problem }): Problem => problem) };
}

function parts(list: string | undefined): readonly string[] {
  return (list ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
