/** The flags of `aot align` as an alignment; where a part is given they are in the place of a file's or a draft's. */
import { TRUST } from "../../core/luck.ts";
import { parseCheck } from "../../core/check-text.ts";
import { itemOf, parseAtom, type Alignment, type WantedAtom } from "../alignment.ts";
import { DURATION, DURATION_WORDS, parseDuration } from "../../core/fuel.ts";
import { runsCommand } from "../../core/verdict.ts";
import { marksOf, type Check, type ChecklistItem, type Constraints } from "../../core/state.ts";
import type { Call } from "../../command/call.ts";
import { listOf } from "../../edit/commands/edit-answer.ts";
import { Unusable, usable } from "../../command/unusable.ts";

export function alignmentFlags(call: Call): Alignment {
  const checks = checkFlags(call);
  const atoms = atomFlags(call);
  const constraints = constraintFlags(call);
  const clarifications = call.texts("clarify").map(clarificationOf);
  const scope = scopeFlags(call);
  return {
    ...given("goal", call.arg("goal")),
    ...given("background_intent", call.text("background")),
    ...given("deliverables", call.text("deliverables")),
    ...given("definition_of_done", call.text("done")),
    ...given("original_prompt", call.text("prompt")),
    ...(clarifications.length === 0 ? {} : { clarifications }),
    ...(scope === undefined ? {} : { scope }),
    ...(checks.length === 0 ? {} : { base_case: { checklist: checks } }),
    ...(atoms.length === 0 ? {} : { atoms }),
    ...(Object.keys(constraints).length === 0 ? {} : { constraints }),
    ...(call.isSet("protect") ? { protected: call.texts("protect") } : {}),
  };
}

/** The chance of a verdict by luck that the call, else the project's settings accept. @throws Unusable */
export function trustIn(call: Call): number | undefined {
  const trust = call.number("trust");
  if (trust === undefined || trust <= TRUST) return trust;
  throw new Unusable(`invalid value for --trust: ${trust}`, `write a chance from 0 to ${TRUST}, such as 0.01`);
}

/** Part by part, the first one that has it. */
export function merged(first: Alignment, second: Alignment): Alignment {
  return { ...second, ...first, constraints: { ...second.constraints, ...first.constraints } };
}

/** What is expected of tests is expected of --no-worse; where that is not given, of every command of --check. */
function checkFlags(call: Call): ChecklistItem[] {
  const must_pass = call.texts("must-pass");
  const allowing = { allow_removed: call.texts("allow-removed"), allow_changed: call.texts("allow-changed") };
  const allowances = Object.fromEntries(Object.entries(allowing).filter(([, globs]) => globs.length > 0));
  const compared = call.texts("no-worse");
  const required = (check: Check): Check =>
    check.type !== "command"
      ? check
      : { ...check, expect: "no_worse", ...(must_pass.length === 0 ? {} : { must_pass }) };
  const allowed = (check: Check): Check => (check.type === "command" ? { ...check, ...allowances } : check);
  const network = call.texts("network");
  const connected = (check: Check): Check =>
    network.length > 0 && (check.type === "command" || check.type === "not_command") ? { ...check, network } : check;
  const checks = items(call.texts("check"), false);
  const all = [
    ...(compared.length === 0 && must_pass.length > 0 ? changed(checks, required) : checks),
    ...changed(items(compared, false), required),
    ...items(call.texts("invariant"), true),
  ];
  const commands = all.filter((item) => "check" in item && item.check.type === "command");
  const [idle] = [...(must_pass.length > 0 ? ["must_pass"] : []), ...Object.keys(allowances)];
  if (idle !== undefined && commands.length === 0)
    throw new Unusable(
      `--${idle.replace("_", "-")} needs a command whose tests are meant`,
      `add --no-worse "npm test"`,
    );
  const timeout = checkSeconds(call);
  return changed(all, (check) => {
    const wide = connected(allowed(check));
    return timeout === undefined || !runsCommand(wide) ? wide : { ...wide, timeout };
  });
}

/** @throws Unusable */
function checkSeconds(call: Call): number | undefined {
  const text = call.text("check-timeout");
  const ms = text === undefined ? undefined : parseDuration(text);
  if (ms === null)
    throw new Unusable(`invalid value for --check-timeout: ${JSON.stringify(text)}`, `write ${DURATION_WORDS}`);
  return ms === undefined ? undefined : Math.ceil(ms / 1_000);
}

function changed(items: readonly ChecklistItem[], change: (check: Check) => Check): ChecklistItem[] {
  return items.map((item) => ("check" in item ? { ...item, check: change(item.check) } : item));
}

function items(texts: readonly string[], invariant: boolean): ChecklistItem[] {
  return texts.map((text) => itemOf(usable(parseCheck(text)), invariant));
}

function atomFlags(call: Call): WantedAtom[] {
  const touches = new Map(call.texts("touches").map(touchesOf));
  const probes = call.texts("probe").map((id) => id.trim());
  const atoms = call.texts("atom").map((text) => usable(parseAtom(text)));
  const named = [...[...touches.keys()].map((id) => ["touches", id]), ...probes.map((id) => ["probe", id])];
  for (const [flag = "", id = ""] of named)
    if (!atoms.some((atom) => atom.id === id))
      throw new Unusable(`--${flag} names ${id}, which is no --atom`, `name an atom given with --atom "ID: ..."`);
  return atoms.map((atom) => ({
    ...atom,
    ...marksOf({ probe: probes.includes(atom.id ?? ""), touches: touches.get(atom.id ?? "") ?? [] }),
  }));
}

function touchesOf(text: string): readonly [string, readonly string[]] {
  const equals = text.indexOf("=");
  const globs = listOf([text.slice(equals + 1)]);
  if (equals < 1 || globs.length === 0)
    throw new Unusable(`invalid value for --touches: ${JSON.stringify(text)}`, "write --touches ID=GLOB,GLOB");
  return [text.slice(0, equals).trim(), globs];
}

function clarificationOf(text: string): { readonly question: string; readonly resolution: string } {
  const equals = text.indexOf("=");
  const [question, resolution] = [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
  if (equals < 1 || question === "" || resolution === "")
    throw new Unusable(`invalid value for --clarify: ${JSON.stringify(text)}`, "write --clarify QUESTION=ANSWER");
  return { question, resolution };
}

function scopeFlags(call: Call): Alignment["scope"] {
  const [inside, outside] = [call.texts("in-scope"), call.texts("out-of-scope")];
  if (inside.length === 0 && outside.length === 0) return undefined;
  return {
    ...(inside.length === 0 ? {} : { in_scope: inside }),
    ...(outside.length === 0 ? {} : { out_of_scope: outside }),
  };
}

const NUMBERS = {
  "max-iterations": "max_iterations",
  "max-parallel-agents": "max_parallel_agents",
  "max-cost-usd": "max_cost_usd",
  "max-attempts-per-atom": "max_attempts_per_atom",
} as const;

function constraintFlags(call: Call): Partial<Constraints> {
  const numbers = Object.entries(NUMBERS).flatMap(([flag, field]) => {
    const value = call.number(flag);
    return value === undefined ? [] : [[field, value] as const];
  });
  const max_duration = call.text("max-duration");
  if (max_duration !== undefined && !DURATION.test(max_duration))
    throw new Unusable(`invalid value for --max-duration: ${JSON.stringify(max_duration)}`, `write ${DURATION_WORDS}`);
  return { ...Object.fromEntries(numbers), ...given("max_duration", max_duration) };
}

function given<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string };
}
