/** The report of a run of a phase loop as JUnit XML: the run, its phases and its gates as suites. Pure. */
import { describeProblems } from "../core/problem.ts";
import type { GateState, PhaseState } from "./core/state.ts";
import { brokenSuite, junitText, type Case } from "../run/junit.ts";
import type { PhasesEnd, PhasesReport } from "./run-options.ts";

const MILLISECONDS = 1_000;

/** One suite for the run itself, so that a CI server is red until the loop is complete. */
export function phasesJunitOf(end: PhasesEnd): string {
  if (!end.ok) return junitText("aot phases run", [brokenSuite("complete", describeProblems(end.problems))], 0);
  const { report } = end;
  const seconds = report.spent.active_ms / MILLISECONDS;
  const suites = [
    { name: "run", cases: [runCase(report, seconds)] },
    { name: "phases", cases: report.loop.phases.map((phase) => phaseCase(phase, report)) },
    { name: "gates", cases: report.loop.gates.map((gate) => gateCase(gate, report)) },
  ];
  return junitText(report.loop.loop, suites, seconds);
}

function runCase({ outcome, message, next_step }: PhasesReport, seconds: number): Case {
  const complete = outcome === "verified";
  return {
    name: complete ? "complete" : `complete (${outcome})`,
    seconds,
    state: complete ? "passed" : "failed",
    message,
    evidence: `${message}\n${next_step}`,
  };
}

function phaseCase({ name, status, deliverables }: PhaseState, { worked, message }: PhasesReport): Case {
  if (status === "complete") return { name, state: "passed", evidence: deliverables.join("\n") };
  const tried = worked.findLast(({ phase }) => phase === name);
  if (status !== "active" || tried === undefined || tried.outcome === "verified")
    return { name, state: "skipped", message: status === "skipped" ? "skipped" : `not done: ${status}` };
  return { name, state: "failed", message: `${tried.outcome}: ${message}`, evidence: tried.state_file };
}

function gateCase({ id, status, skippedReason }: GateState, { answers, message, gate }: PhasesReport): Case {
  const answer = answers.findLast((one) => one.gate === id);
  const said = answer === undefined ? "" : `${answer.answer} by ${answer.who}, ${answer.when}`;
  if (status === "passed") return { name: id, state: "passed", evidence: said };
  if (status === "skipped") return { name: id, state: "skipped", message: `skipped: ${skippedReason ?? ""}` };
  if (status === "failed") return { name: id, state: "failed", message: answer?.reason ?? "it failed", evidence: said };
  return { name: id, state: "skipped", message: gate === id ? message : "not reached" };
}
