/** What the commands on phase loops have in common: the loop that is meant, and the answer once it was changed. */
import { relative } from "node:path";
import { actOnPhases, type ActedOn } from "../answer.ts";
import { findPhaseFile } from "../../project/find-phase-file.ts";
import type { Result } from "../../core/problem.ts";
import { commandOf, type Action } from "../core/action.ts";
import { allowedActions } from "../core/rules.ts";
import { gateAhead } from "../core/sequence.ts";
import { MOST_PROBLEMS } from "../core/tree-reader.ts";
import { stateDocument, type PhaseLoop } from "../core/state.ts";
import type { Call } from "../../command/call.ts";
import { RUN_FLAGS } from "../../run/commands/spec.ts";
import { quoted, runAgain, withoutJudge, wordsAgain } from "../../command/next-step.ts";
import { failure, problemText, type ProblemJson } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { printable } from "../../view/words.ts";
import { Unusable } from "../../command/unusable.ts";

/** Another interface's state file, reported by the environment, is not meant. */
export function namedFile(call: Call): string | undefined {
  const named = call.stateFile;
  if (named === undefined || named.endsWith(".json")) return named;
  if (named === call.io.env["AOT_STATE_FILE"]) return undefined;
  throw new Unusable(`${named} is no state file of a phase loop`, "name a .json file, or choose with --loop ID");
}

export function phaseFileOf(call: Call): Result<NamedFile> {
  const found = findPhaseFile(call.io.cwd, namedFile(call), call.text("loop"));
  if (!found.ok) return found;
  const near = relative(call.io.cwd, found.value);
  return { ok: true, value: { path: found.value, shown: near.length < found.value.length ? near : found.value } };
}

/** What the flags say of a loop that is over. @throws Unusable */
export function reopenIn(call: Call): { readonly reopen?: "retry" | "restart" } {
  const [retry, restart] = [call.isSet("retry"), call.isSet("restart")];
  if (retry && restart) throw new Unusable("--retry and --restart exclude each other", "use one of them");
  return retry ? { reopen: "retry" } : restart ? { reopen: "restart" } : {};
}

/** @param choose the action that is asked for, on what is in the file */
export async function act(
  call: Call,
  choose: (loop: PhaseLoop) => Result<Action>,
  reported: (done: ActedOn) => string,
): Promise<Answer> {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const who = call.text("by");
  const done = await actOnPhases(file.value.path, choose, who === undefined ? undefined : { who });
  if (!done.ok) return failure(done.problems, file.value.shown);
  const { action, instead, definition, loop, notes } = done.value;
  const json = { state_file: file.value.path, ...loopJson(definition, loop) };
  if (instead && action.type === "fail_gate") {
    const trouble = stepsHere(`the gate ${action.gate} failed: ${action.reason}\n${nextText(definition, loop)}`, call);
    const errors = [{ code: "refused", message: `the gate ${action.gate} failed: ${action.reason}` }];
    return { exit: 1, json: { success: false, errors, ...json }, text: "", trouble, notes };
  }
  return {
    exit: 0,
    json: { success: true, ...json },
    text: stepsHere([reported(done.value), nextText(definition, loop)].join("\n"), call),
    notes,
  };
}

/** Keys of every answer about a loop: the state as in its file, the gate that waits, the commands that are allowed. */
export function loopJson(definition: ActedOn["definition"], loop: PhaseLoop): object {
  return {
    ...stateDocument(loop),
    gate: gateAhead(definition, loop)?.id ?? null,
    allowed: allowedActions(definition, loop).map(commandOf),
  };
}

const MOST_WARNINGS = 20;

/** What a definition leaves open, as lines; the first of them where there are very many. */
export function warningLines(warnings: readonly ProblemJson[]): readonly string[] {
  const left = warnings.length - MOST_WARNINGS;
  const least = warnings.length < MOST_PROBLEMS ? "" : "at least ";
  return [
    ...warnings.slice(0, MOST_WARNINGS).map((warning) => `warning: ${problemText(warning)}`),
    ...(left > 0 ? [`warning: ${least}${left} more; \`aot phases validate --json\` lists them`] : []),
  ];
}

/** Words with the commands in them as they have to be typed here: with the loop and the agents that this call named. */
export function stepsHere(words: string, call: Call): string {
  const id = call.text("loop");
  const named = id === undefined ? "" : ` --loop ${quoted(id)}`;
  return words.replaceAll(/`aot phases ([a-z-]+)([^`]*)`/g, (whole, command: string, rest: string) => {
    if (command === "init") return whole;
    const called = `aot phases ${command}`;
    const again = command === "run" ? runAgain(called, wordsAgain(call, RUN_FLAGS)) : called;
    return `\`${/ --judge\b/.test(rest) ? withoutJudge(again) : again}${rest}${named}\``;
  });
}

/** What comes next, in a sentence; nothing that is in a name steers the terminal. */
export function nextText(definition: ActedOn["definition"], loop: PhaseLoop): string {
  return printable(nextSentence(definition, loop));
}

function nextSentence(definition: ActedOn["definition"], loop: PhaseLoop): string {
  if (loop.status === "complete") return `the loop ${loop.loop} is complete`;
  if (loop.status === "failed") return `the loop ${loop.loop} has failed; to go on: \`aot phases resume --retry\``;
  if (loop.status === "paused") return `the loop ${loop.loop} is paused; to go on: \`aot phases resume\``;
  const gate = gateAhead(definition, loop);
  if (gate !== null) {
    const files = gate.deliverables.length === 0 ? "" : ` (${gate.deliverables.join(", ")})`;
    const ways = allowedActions(definition, loop).filter((action) => "gate" in action && action.gate === gate.id);
    const shown = ways.map((action) => `\`${commandOf(action)}\``).join(", ");
    if (gate.status === "failed")
      return `the gate ${gate.id} failed: \`aot phases run\` works the phase before it once more; by hand: ${shown}`;
    return `the gate ${gate.id} waits${files}, ${gate.status}, ${gate.approvalType}${gate.required ? "" : ", optional"}: ${shown}`;
  }
  const phase = loop.phases.find((one) => one.name === loop.phase);
  const skills = phase === undefined || phase.skills.length === 0 ? "" : ` (${phase.skills.join(", ")})`;
  return phase?.status === "active"
    ? `active: ${loop.phase}${skills}`
    : `next: \`aot phases start\` begins ${loop.phase}${skills}`;
}
