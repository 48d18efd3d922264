/** A journal reported line by line, without what differs from run to run: times, run ids, commits, places, costs. */
import type { JournalLine } from "../../src/core/journal.ts";

/** What happened, in order, one short line each. Writing the state file and notes are left out: when they come is chance. */
export function storyOf(lines: readonly JournalLine[]): string {
  return `\n${lines
    .flatMap((line) => {
      const reported = tell(line);
      return reported === null ? [] : [reported];
    })
    .join("\n")}\n`;
}

function tell(line: JournalLine): string | null {
  switch (line.event) {
    case "state_saved":
    case "note":
    case "run_ended":
    case "attempt_aborted":
    case "aligned":
      return null;
    case "run_started":
      return `run started, ${line.from}${line.integrated === undefined ? "" : `, adopts ${line.integrated.map((work) => work.attempt).join(" ")}`}`;
    case "iteration_opened":
      return `[${line.iteration}]`;
    case "attempt_started":
      return `  ${line.attempt} starts${line.role === "probe" ? ", a probe" : ""}${line.iteration === 0 ? "" : ` (${line.iteration})`}`;
    case "work_succeeded":
      return `  ${line.attempt} succeeded`;
    case "attempt_integrated":
      return `  ${line.attempt} integrated: ${line.artifacts.join(" ") || "nothing"}`;
    case "attempt_failed":
      return `  ${line.attempt} failed, ${line.kind}: ${line.reason}`;
    case "attempt_discarded":
      return `  ${line.attempt} discarded: ${line.reason}`;
    case "work_split":
      return `  ${line.attempt} splits: ${line.reason}`;
    case "split_refused":
      return `  ${line.attempt} split refused: ${line.reason}`;
    case "probe_feasible":
      return `  ${line.attempt} feasible: ${line.findings}`;
    case "agent_unavailable":
      return `  ${line.attempt} unavailable`;
    case "atom_resolved":
      return `  ${line.atom} resolved, M=${line.measure}`;
    case "atom_decomposed":
      return `  ${line.atom} -> ${line.children.join(" ")}, M=${line.measure}`;
    case "atom_reset":
      return `  ${line.atom} reset: ${line.reason}`;
    case "choice_given_up":
      return `  ${line.or_group}: ${line.choice} given up, M=${line.measure}`;
    case "choice_selected":
      return `  ${line.or_group}: ${line.choice} selected`;
    case "group_exhausted":
      return `  ${line.or_group} exhausted`;
    case "work_reverted":
      return `  ${line.commit === null ? "nothing to revert" : "reverted"}${line.lost.length === 0 ? "" : `, lost ${line.lost.join(" ")}`}`;
    case "atoms_added":
      return `  added ${line.atoms.map((atom) => `${atom.id} (${atom.description})`).join(", ")}, M=${line.measure}`;
    case "iteration_judged":
      return `  [${line.iteration}] judged: ${line.movement}, M=${line.measure}${line.stall_count === 0 ? "" : `, stalls ${line.stall_count}`}`;
    case "base_case_checked":
      return `  base case: ${String(line.verdict.passed)}`;
    case "halted":
      return `halted, ${line.outcome}: ${line.message}`;
    case "redirected":
      return `  redirected: ${line.description}`;
    case "redirect_refused":
      return `  redirect refused: ${line.reason}`;
    case "stop_requested":
      return `  stop requested: ${line.reason}`;
    case "tampered":
      return `  tampered: ${line.files.join(" ")}`;
    default:
      return `  ${line.event}`;
  }
}
