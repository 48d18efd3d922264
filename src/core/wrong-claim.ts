/**
 * A claim of success that a verdict refutes (SPEC sections 6 and 7). Where one atom is to blame, code needs no planner.
 *
 * WRONG-CLAIM-1 to blame is the only live leaf, or the one whose files every failing leaf names, and no other's files. Never one that
 *    nobody attempted, nor where a person's word stands in place of its claim, or of the goal that it was made for;
 * WRONG-CLAIM-2 it is a failure of the attempt: a choice gives way to the next. Where there is none the atom is tried again while it
 *    has attempts left; from its second failure on it is work for a planner;
 * WRONG-CLAIM-3 it is new work, counted and credited as a re-plan is.
 */
import { failAtom, reopenAtom, type Change } from "./backtrack.ts";
import { asNewWork, leavesText, LONGEST_EVIDENCE, MOST_LESSONS } from "./base-case-end.ts";
import { failuresOf } from "./blame.ts";
import { describeCheck, failingLeaves, type LeafVerdict } from "./verdict.ts";
import { attemptId, type Nogood } from "./event.ts";
import { exhaustedGroups, isLive } from "./fate.ts";
import { idAt, isContainer, NONE } from "./graph.ts";
import { currentVerdict, memoryOf, type Loop } from "./loop.ts";
import { askOfFailure } from "./question.ts";
import { isSpent } from "./schedule.ts";
import { addNogood, applyChange, type StepDraft } from "./step-draft.ts";
import { evidenceText } from "./telling.ts";
import { at } from "./vec.ts";

/** True: the claim that was wrong is taken back, and its work on the way out. */
export function takeBackClaim(draft: StepDraft): boolean {
  const verdict = currentVerdict(draft.loop.run);
  const failing = verdict?.passed === false ? failingLeaves(verdict) : [];
  const index = suspectOf(draft.loop, failing);
  if (index === NONE) return false;
  const lesson = lessonOf(draft.loop, index, failing);
  const change = changeOf(draft, index, lesson.reason);
  if (change === null) return false;
  asNewWork(draft, () => {
    addNogood(draft, lesson);
    draft.facts.push({ fact: "atom_reset", atom: lesson.atom, reason: lesson.reason, lessons: [lesson] });
    applyChange(draft, change, lesson.reason);
  });
  askOfFailure(draft, lesson.atom);
  return true;
}

/** WRONG-CLAIM-1; NONE: nobody knows, or it failed too often. What could not be run, or answers both ways, refutes nobody. */
function suspectOf({ state, view: { graph }, run }: Loop, failing: readonly LeafVerdict[]): number {
  if (failing.some(({ passed, evidence }) => passed !== false || evidence.kind === "error")) return NONE;
  const done = [...graph.ids.keys()].filter((index) => !isContainer(graph, index) && isLive(state, graph, index));
  const named = failing.map((leaf) => {
    const said = saidBy(leaf);
    return done.filter((index) => at(state.atoms, index).binding?.artifacts.some((file) => isNamed(file, said)));
  });
  const isBlamed = (index: number): boolean => named.every(([by, ...others]) => by === index && others.length === 0);
  const index = failing.length === 0 ? undefined : done.length === 1 ? done[0] : done.find(isBlamed);
  if (index === undefined) return NONE;
  const { id, binding } = at(state.atoms, index);
  const memory = memoryOf(run, id);
  const isOverruled = state.corrections.some(
    ({ type, changes = [] }) => type === "objective_change" || changes.some(({ field }) => field === `bindings.${id}`),
  );
  const isClaim = binding !== undefined && memory.attempts > 0 && !isOverruled;
  return isClaim && failuresOf(memory, id).length < 1 ? index : NONE;
}

function saidBy({ check, evidence }: LeafVerdict): string {
  const said = evidence.kind === "command" ? evidenceText(evidence, LONGEST_EVIDENCE) : textIn(evidence);
  return `${textIn(check)}\n${said}`.replaceAll("\\", "/");
}

function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? Object.values(value).map(textIn).join("\n") : "";
}

/** Whether a text names a file, and not another one whose name begins or ends alike. */
function isNamed(file: string, text: string): boolean {
  const plain = file.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return /[./]/.test(file) && new RegExp(String.raw`(?<![\w.-])${plain}(?![\w/-]|\.\w)`).test(text);
}

const LONGEST_REPORT = 300;

function lessonOf({ state, run }: Loop, index: number, failing: readonly LeafVerdict[]): Nogood {
  const { id, binding } = at(state.atoms, index);
  const shown = failing.slice(0, MOST_LESSONS);
  return {
    atom: id,
    attempt: attemptId(id, memoryOf(run, id).attempts),
    reason: `claimed success, and ${shown.map(({ check }) => describeCheck(check)).join("; ")} ${shown.length === 1 ? "does" : "do"} not pass`,
    evidence: `${leavesText(failing)}\nIt had reported: ${(binding?.summary ?? "").slice(0, LONGEST_REPORT)}`,
  };
}

/** WRONG-CLAIM-2; null: there is no way left to go. */
function changeOf({ loop, now }: StepDraft, index: number, reason: string): Change | null {
  const { state, view } = loop;
  const { graph } = view;
  const spent = isSpent(loop, index);
  const open = reopenAtom(state, graph, index);
  const failed = failAtom(open, graph, index, { reason, retry: false, spent, now });
  if (failed.facts.length > 0 && exhaustedGroups(failed.state, graph).length === 0) return failed;
  return spent ? null : { state: open, facts: [], reset: [index], revert: [idAt(graph, index)] };
}
