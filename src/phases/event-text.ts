/** A line of a phase loop's journal in a person's words. Pure. */
import { BY_HAND, type AnyLine } from "../core/journal-line.ts";
import { because, describeEvent, listed, say, sentence, type EventWords } from "../terminal/event-text.ts";
import { oneLine } from "../terminal/verdict-text.ts";
import { phaseLine, type PhaseLine, type PhaseLineOf } from "./core/phase-line.ts";

export function describePhaseEvent(line: AnyLine): EventWords {
  const read = phaseLine(line);
  return read === null ? describeEvent(line) : ofPhases(read.event, read);
}

const OF_PHASES: { readonly [E in PhaseLine["event"]]: (line: PhaseLineOf<E>) => EventWords } = {
  phases_begun: (line) => say(`phase loop begun, ${oneLine(line.mode)}`, "bold"),
  phases_run: (line) => say(`run ${oneLine(line.run)} started`, "bold"),
  phases_halted: (line) =>
    say(`halted${line.outcome === undefined ? "" : ` (${line.outcome})`}: ${sentence(line.message)}`, "bold"),
  phase_work: (line) => say(`${phase(line)} gets a loop of its own: ${oneLine(line.file)}`, "dim"),
  phase_worked: (line) => say(`${phase(line)} is worked by ${oneLine(line.file)}`),
  start_phase: (line) => say(`${phase(line)} begins`),
  complete_phase: (line) => say(`${phase(line)} is complete${because(listed(line.deliverables))}`, "green"),
  fail_phase: (line) => say(`${phase(line)} failed${because(line.reason)}`, "red"),
  skip_phase: (line) => say(`${phase(line)} is skipped${because(line.reason)}`, "yellow"),
  gate_looked_at: (line) =>
    say(`${gate(line)} looked at: ${line.passed ? "it holds" : "it does not hold"}${because(line.reason)}`),
  pass_gate: (line) => say(`${gate(line)} is passed by ${answerer(line)}`, "green"),
  fail_gate: (line) => say(`${gate(line)} failed by ${answerer(line)}${because(line.reason)}`, "red"),
  retry_gate: (line) => say(`${gate(line)} is pending again`),
  skip_gate: (line) => say(`${gate(line)} is skipped by ${answerer(line)}${because(line.reason)}`, "yellow"),
  pause: () => say("paused", "yellow"),
  resume: (line) => say(line.reopen === undefined ? "resumed" : `begun again (${line.reopen})`),
  fail_loop: (line) => say(`the loop failed${because(line.reason)}`, "red"),
  count: (line) => say(`${oneLine(line.metric)}: ${line.by === true ? "+" : ""}${line.value}`, "dim"),
};

function ofPhases<E extends PhaseLine["event"]>(event: E, line: PhaseLineOf<E>): EventWords {
  return OF_PHASES[event](line);
}

function phase({ phase }: { readonly phase: string }): string {
  return `phase ${oneLine(phase)}`;
}

function gate({ gate }: { readonly gate: string }): string {
  return `gate ${oneLine(gate)}`;
}

/** Who answered at a gate: a person by name, or its checks. */
function answerer(line: Extract<PhaseLine, { readonly who?: string }>): string {
  const isCheck = ("by" in line && line.by === "check") || line.run !== BY_HAND;
  return oneLine(line.who ?? "") || (isCheck ? "its checks" : "a person");
}
