/** `aot align` by questions on a terminal. Every part can be taken as it is, or written anew. */
import { cancel, confirm, isCancel, log, multiselect, select, text } from "@clack/prompts";
import { parseCheck } from "../../core/check-text.ts";
import { itemOf, parseAtom, type Alignment, type WantedAtom } from "../alignment.ts";
import type { Candidate } from "../../project/check-candidates.ts";
import type { Result } from "../../core/problem.ts";
import { ALL_CHECKS, type BaseCase, type Check, type ChecklistItem } from "../../core/state.ts";
import { describeCheck, leavesOf } from "../../core/verdict.ts";
import type { DraftQuestion } from "../../loop/answers.ts";

/** The person left the questions. */
export class Cancelled extends Error {}

/** Why a text may stay empty: what nobody stated is not invented. */
const MAY_BE_EMPTY = " (empty: not stated)";

/**
 * Asks for what is missing, shows what was drafted, and answers the whole.
 *
 * @param said what the person wrote already: it is not asked again
 * @param drafted it with what an agent added
 * @param heard given all that is known after each answer, so that none is lost
 * @throws Cancelled
 */
export async function askAlignment(
  said: Alignment,
  drafted: Alignment,
  candidates: readonly Candidate[],
  heard: (known: Alignment) => void,
): Promise<Alignment> {
  let known: Alignment = { ...drafted, ...said };
  const take = (part: Alignment): void => heard((known = { ...known, ...part }));
  const goal = said.goal ?? (await line("What is the goal?", drafted.goal, true));
  take({ goal });
  take({
    base_case: said.base_case ?? (await askChecks(candidates, drafted.base_case, (base_case) => take({ base_case }))),
  });
  take({ atoms: said.atoms ?? (await askAtoms(drafted.atoms, goal, (atoms) => take({ atoms }))) });
  const words = async (given: string | undefined, question: string, initial: string | undefined): Promise<string> =>
    given ?? (await line(question, initial, false));
  const why = await words(said.background_intent, `Why is it wanted?${MAY_BE_EMPTY}`, drafted.background_intent);
  take({ background_intent: why });
  const what = await words(said.deliverables, `What is handed over?${MAY_BE_EMPTY}`, drafted.deliverables);
  take({ deliverables: what });
  const done = drafted.definition_of_done ?? ALL_CHECKS;
  take({ definition_of_done: await words(said.definition_of_done, "When is it done, in words?", done) });
  return known;
}

/** What to do about checks that cannot decide. @throws Cancelled */
export async function askWhatNow(): Promise<"checks" | "write" | "leave"> {
  return settled(
    await select({
      message: "What now?",
      options: [
        { value: "checks" as const, label: "Write the checks anew; everything else stays" },
        { value: "write" as const, label: "Write it all the same" },
        { value: "leave" as const, label: "Leave; the answers are kept" },
      ],
    }),
  );
}

/** The one question at the end. @param added a check that the person can leave out @throws Cancelled */
export async function askWrite(file: string, added?: string): Promise<"write" | "without" | "leave"> {
  if (added === undefined) return (await askYes(`Write ${file}?`)) ? "write" : "leave";
  return settled(
    await select({
      message: `Write ${file}?`,
      options: [
        { value: "write" as const, label: "Yes" },
        { value: "without" as const, label: `Yes, without ${added}` },
        { value: "leave" as const, label: "No" },
      ],
    }),
  );
}

/** What a draft asks, each with what it assumes. @throws Cancelled */
export async function askQuestions(
  questions: readonly DraftQuestion[],
): Promise<{ readonly question: string; readonly resolution: string }[]> {
  const answers = [];
  for (const { question, assumption } of questions)
    answers.push({ question, resolution: await line(question, assumption, true) });
  return answers;
}

const MOST_OFFERED = 100;

/**
 * Which of the tests that fail before the work have to pass.
 * @returns null: the command has to succeed as a whole. @throws Cancelled
 */
export async function askTests(command: string, failures: readonly string[]): Promise<readonly string[] | null> {
  const were = failures.length === 1 ? "1 failure was" : `${failures.length} failures were`;
  const all = settled(
    await select({
      message: `${were} there before, in ${command}. What has to pass?`,
      options: [
        { value: false, label: "Some of them, which you choose; the others will not block" },
        { value: true, label: "All of them: the command has to succeed" },
      ],
    }),
  );
  if (all) return null;
  const offered = failures.slice(0, MOST_OFFERED);
  return settled(
    await multiselect({
      message: `Which of them have to pass? (${offered.length} of ${failures.length}; none: no test may get worse)`,
      options: offered.map((name) => ({ value: name, label: name })),
      required: false,
    }),
  );
}

async function askYes(question: string): Promise<boolean> {
  return settled(await confirm({ message: question }));
}

/** @param kept where the answers are kept; null: there were none, or it could not be written */
export function tellCancelled(kept: string | null = null): void {
  cancel(kept === null ? "nothing was written" : `no loop was written; go on with \`aot align --from ${kept}\``);
}

/** @param known checks to take as they are. @param heard called after each answer. @throws Cancelled */
export async function askChecks(
  candidates: readonly Candidate[],
  known?: BaseCase,
  heard: (so_far: BaseCase) => void = () => {},
): Promise<BaseCase> {
  if (known !== undefined) {
    const leaves = leavesOf(known).map((leaf) => `  ${describeCheck(leaf.check)}`);
    log.info(`Checks that decide:\n${leaves.join("\n")}`);
    if (await askYes("Keep these checks?")) return known;
  }
  const items: ChecklistItem[] = [];
  if (candidates.length > 0) {
    const chosen = settled(
      await multiselect({
        message: "Which of these decide? (they are run once now: one that already passes proves nothing)",
        options: candidates.map(({ check, source }) => ({ value: check, label: check, hint: source })),
        required: false,
      }),
    );
    for (const check of chosen) items.push(itemOf(parsed(parseCheck(check)), false));
  }
  for (;;) {
    const more = await line(
      items.length === 0
        ? "A check that decides: a command such as npm test, or file: ..., assertion: ..."
        : "Another check (empty: no more)",
      undefined,
      items.length === 0,
      (value) => unfitCheck(parseCheck(value), items),
    );
    if (more === "") return { checklist: items };
    items.push(itemOf(parsed(parseCheck(more)), false));
    heard({ checklist: [...items] });
  }
}

async function askAtoms(
  known: readonly WantedAtom[] | undefined,
  goal: string,
  heard: (so_far: readonly WantedAtom[]) => void,
): Promise<readonly WantedAtom[]> {
  if (known !== undefined && known.length > 0) {
    log.info(`Work:\n${known.map((atom) => `  ${atomText(atom)}`).join("\n")}`);
    if (await askYes("Keep this work?")) return known;
  }
  const atoms: WantedAtom[] = [];
  for (;;) {
    const id = `A${atoms.length + 1}`;
    const message =
      atoms.length === 0
        ? "First unit of work (empty: the goal as one)"
        : `Next unit (${id}: what <- ${atoms.at(-1)?.id ?? "A1"}; empty: no more)`;
    const answer = await line(message, undefined, false, (value) => misfit(parseAtom(value), atoms));
    if (answer === "") return atoms.length === 0 ? [{ id: "A1", description: goal }] : atoms;
    atoms.push({ id, ...parsed(parseAtom(answer)) });
    heard([...atoms]);
  }
}

function unfitCheck(read: Result<Check>, items: readonly ChecklistItem[]): string | undefined {
  if (!read.ok) return complaintOf(read);
  const words = describeCheck(read.value);
  return items.some((item) => "check" in item && describeCheck(item.check) === words)
    ? "this check is among them already"
    : undefined;
}

/** Why it cannot be the next atom: reported while it can still be written anew, not when everything was answered. */
function misfit(read: Result<WantedAtom>, atoms: readonly WantedAtom[]): string | undefined {
  if (!read.ok) return complaintOf(read);
  const { id, depends_on = [] } = read.value;
  const ids = atoms.map((atom) => atom.id);
  if (id !== undefined && ids.includes(id)) return `atom ${id} already exists`;
  const unknown = depends_on.find((one) => !ids.includes(one));
  if (unknown === undefined) return undefined;
  return `there is no ${unknown} yet: ${ids.length === 0 ? "this is the first" : `so far there is ${ids.join(", ")}`}`;
}

function atomText({ id, description, depends_on }: WantedAtom): string {
  const after = (depends_on ?? []).length === 0 ? "" : ` <- ${(depends_on ?? []).join(", ")}`;
  return `${id === undefined ? "" : `${id}: `}${description}${after}`;
}

/** @throws Cancelled */
async function line(
  message: string,
  initial: string | undefined,
  needed: boolean,
  complaint: (value: string) => string | undefined = () => undefined,
): Promise<string> {
  const answer = await text({
    message,
    ...(initial === undefined ? {} : { initialValue: initial }),
    validate: (value) => {
      const written = (value ?? "").trim();
      if (written === "") return needed ? "write something" : undefined;
      return complaint(written);
    },
  });
  return (settled(answer) ?? "").trim();
}

function settled<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Cancelled();
  return answer as Exclude<T, symbol>;
}

function complaintOf(result: Result<unknown>): string | undefined {
  return result.ok ? undefined : (result.problems[0]?.hint ?? result.problems[0]?.message);
}

function parsed<T>(result: Result<T>): T {
  if (!result.ok) throw new Error("an answer was taken that does not parse");
  return result.value;
}
