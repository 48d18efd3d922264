import { counted } from "../../core/counted.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { Settings } from "../../project/config-schema.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { planPhases } from "../plan.ts";
import { runPhases } from "../run.ts";
import type { PhasesEnd, PhasesReport, PhasesRunOptions } from "../run-options.ts";
import { outcomeSentence, type OutcomeSentence } from "../../history/outcome-words.ts";
import type { Check, Outcome } from "../../core/state.ts";
import { formatDuration } from "../../core/fuel.ts";
import { AUTONOMIES } from "../core/definition.ts";
import { stateDocument } from "../core/state.ts";
import type { Extensions } from "../../history/extensions.ts";
import type { Call } from "../../command/call.ts";
import { configOf } from "../../run/commands/call-config.ts";
import { costWords, dollars } from "../../view/words.ts";
import type { Painter } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import { detached, isDetached, recorded } from "../../run/commands/detached.ts";
import type { RunTerms } from "../../run/commands/terms.ts";
import { onStage } from "../../run/commands/stage.ts";
import type { Answer, Run } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { usable } from "../../command/unusable.ts";
import { oneLine } from "../../terminal/verdict-text.ts";
import { phaseFileOf, reopenIn, stepsHere } from "./answer.ts";
import { optionsOf, withExtensions } from "../../run/commands/run-options.ts";

/** `aot phases run`. */
const PHASES_TERMS: RunTerms = {
  what: "the phase loop",
  run: "aot phases run",
  attach: "aot phases status --watch",
  status: "aot phases status",
  stop: "aot phases pause",
};

export const runPhasesWith =
  (extensions: Extensions): Run =>
  async (call) => {
    const file = phaseFileOf(call);
    if (!file.ok) return failure(file.problems);
    const config = await configOf(call, projectOf(file.value.path));
    if ("answer" in config) return config.answer;
    const typed = (words: string): string => stepsHere(words, call);
    const options = { ...phasesOptions(call, file.value, config.settings, extensions), typed };
    if (call.isSet("plan")) return await plan(options, file.value);
    if (call.isSet("detach")) return await detached(call, file.value, termsHere(call));
    return await recorded(isDetached(), file.value, () => work(call, options, file.value));
  };

/** @throws Unusable */
function phasesOptions(call: Call, file: NamedFile, settings: Settings, extensions: Extensions): PhasesRunOptions {
  const { stateFile, restart: _, notify, ...run } = withExtensions(optionsOf(call, file, settings), extensions);
  const autonomy = AUTONOMIES.find((one) => one === call.text("autonomy"));
  const task = call.text("task");
  return {
    stateFile,
    run,
    skills: call.texts("skills"),
    checks: checksIn([...(settings.gate_checks ?? []), ...call.texts("check")]),
    wait: call.isSet("wait"),
    ...(notify === undefined ? {} : { notify }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(task === undefined ? {} : { task }),
    ...reopenIn(call),
  };
}

/** `GATE: command`. */
function parseGateCheck(text: string): Result<{ readonly gate: string; readonly command: string }> {
  const [, gate, command] = /^([^:]+?)\s*:\s*(\S.*)$/s.exec(text) ?? [];
  return gate === undefined || command === undefined
    ? refused(`${JSON.stringify(text)} is no check of a gate`, "write `GATE: command`, such as `ship: npm test`")
    : accepted({ gate, command });
}

/** @throws Unusable */
function checksIn(texts: readonly string[]): ReadonlyMap<string, readonly Check[]> {
  const checks = new Map<string, readonly Check[]>();
  for (const text of texts) {
    const { gate, command } = usable(parseGateCheck(text));
    checks.set(gate, [...(checks.get(gate) ?? []), { type: "command", value: command }]);
  }
  return checks;
}

async function plan(options: PhasesRunOptions, file: NamedFile): Promise<Answer> {
  const planned = await planPhases(options);
  if (!planned.ok) return { ...failure(planned.problems, file.shown), exit: planned.exit_code };
  const { ok: _, ...worst } = planned;
  const { agent, phases, iterations, agent_calls, cost_usd, cost_left_usd } = worst;
  const rows = phases.map(
    ({ phase, rounds, iterations: most, agent_calls: calls }) =>
      `  ${phase}  worked ${rounds === 1 ? "once" : `${rounds} times`}, ${counted(most, "iteration")}, ${counted(calls, "call")}`,
  );
  const cost = cost_usd === null ? "price unknown: cap a call with --set max_call_usd=N" : dollars(cost_usd);
  const left = cost_left_usd === null ? "" : `; the limit leaves ${dollars(cost_left_usd)}`;
  const text = [
    `at most, with ${agent}:`,
    "",
    ...rows,
    "",
    `${counted(iterations, "iteration")}, ${counted(agent_calls, "call")}, ${cost}${left}`,
  ];
  return { exit: 0, json: { success: true, ...worst }, text: text.join("\n") };
}

async function work(call: Call, options: PhasesRunOptions, file: NamedFile): Promise<Answer> {
  return await onStage(
    call,
    { file },
    ({ view, warn, line, signals, paint }) => {
      const tell = (message: string): void => view.say(paint("bold", message));
      return runPhases({ ...options, run: { ...options.run, warn } }, { line, tell, started: signals.attach });
    },
    (end, paint) => answerTo(end, file, paint),
  );
}

function termsHere(call: Call): RunTerms {
  const { what, run: again, attach, status, stop } = PHASES_TERMS;
  const here = (command: string): string => stepsHere(`\`${command}\``, call).slice(1, -1);
  return { what, run: here(again), attach: here(attach), status: here(status), stop: here(stop) };
}

function answerTo(end: PhasesEnd, file: NamedFile, paint: Painter): Answer {
  if (!end.ok) return { ...failure(end.problems, file.shown), exit: end.exit_code };
  const { exit_code, report } = end;
  const { loop, ...rest } = report;
  const json = { success: exit_code === 0, state_file: file.path, ...rest, exit_code, ...stateDocument(loop) };
  return { exit: exit_code, json, text: receiptOf(report, paint) };
}

const WORDS = { verified: "Complete", needs_confirmation: "A person is needed" } as const;

/** The loop of a phase says what it came to; a phase loop of its own knows two ends more. */
function haltSentence(outcome: Outcome, message: string): OutcomeSentence {
  if (outcome === "verified" || outcome === "needs_confirmation")
    return { words: WORDS[outcome], reason: `: ${message}` };
  const [lead, phase] = /^the phase ([^\s:]+): /.exec(message) ?? ["", ""];
  const { words, reason } = outcomeSentence(outcome, message.slice(lead.length));
  return { words: phase === "" ? words : words.replace("Stopped", `Stopped in the phase ${phase}`), reason };
}

function receiptOf({ loop, outcome, message, next_step, worked, spent, notes }: PhasesReport, paint: Painter): string {
  const { words, reason } = haltSentence(outcome, oneLine(message, 2_000));
  const rows = worked.map(
    ({ phase, outcome: came, attempts, failures, state_file }) =>
      `  ${phase}  ${came}, ${counted(attempts, "attempt")}, ${failures} failed  ${paint("dim", state_file)}`,
  );
  const { active_ms, cost_usd, iterations, tokens } = spent;
  return [
    "",
    paint("bold", `${loop.loop} ${loop.version} (${loop.mode})`),
    `${paint(outcome === "verified" ? "green" : "yellow", words)}${reason}`,
    ...(rows.length === 0 ? [] : ["", paint("dim", "worked"), ...rows]),
    ...(notes.length === 0 ? [] : ["", paint("dim", "notes"), ...notes.map((note) => `  ${oneLine(note)}`)]),
    "",
    `${counted(iterations, "iteration")}, ${formatDuration(active_ms)} and ${costWords(cost_usd)}${tokens === 0 ? "" : `, ${tokens} tokens`} in all`,
    paint("bold", `next: ${next_step}`),
  ].join("\n");
}
