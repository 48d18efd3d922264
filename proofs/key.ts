/**
 * The key of a world: two worlds with one key have the same future. Left out is what decides nothing: texts, times,
 * the trail, corrections and lessons. `tests/proofs/key.test.ts`
 * explores small loops with all of it in the key, and finds the same worlds.
 */
import type { Answers } from "../src/core/tree-answers.ts";
import { revertsDue } from "../src/core/lost-work.ts";
import { failuresOf } from "../src/core/blame.ts";
import { memoryOf, type AtomMemory, type Loop, type Run } from "../src/core/loop.ts";
import { confirmedItems } from "../src/core/persons-word.ts";
import type { Atom, State } from "../src/core/state.ts";
import { at } from "../src/core/vec.ts";
import { failingLeaves } from "../src/core/verdict.ts";
import { inWords } from "../world/redirects.ts";
import { recall, tipOf } from "../world/world.ts";
import type { World } from "./world.ts";

/**
 * Where each field of a run is: in the key, left out since it decides nothing, or the same in every world of a scene. A
 * new field does not compile before somebody has decided.
 */
export const FIELDS_OF_RUN: Readonly<Record<keyof Run, "key" | "decides nothing" | "same">> = {
  id: "decides nothing",
  settings: "key",
  started_at: "same",
  earlier_ms: "same",
  now: "same",
  cost_usd: "key",
  tokens: "key",
  deaths: "key",
  memory: "key",
  iterations: "key",
  attempts: "key",
  check: "key",
  planner: "key",
  questions: "key",
  check_due: "key",
  checked: "key",
  answers: "key",
  judged: "decides nothing",
  plans: "decides nothing",
  integrations: "key",
  reverting: "key",
  redirects: "key",
  held: "same",
  tampered: "key",
  unavailable: "key",
  needs_person: "key",
  halted: "key",
};

/** @param whole with everything that is left out otherwise, but for times */
export function keyOf(world: World, whole = false): string {
  const { phase, hazards, paid, loop, branch } = world;
  const { crashes, stops, redirects, resumes, growths, losses } = hazards;
  if (phase === "ended" && !whole && isOver(world)) return "over";
  const parts = [
    phase,
    `${crashes}${stops}${redirects}${resumes}${growths}${losses}`,
    `${paid.iteration}/${paid.attempts}`,
    branch.map((work) => work.atom).join(),
    keyOfAnswers(world),
    world.confirmedOn === null ? "" : `c${world.confirmedOn === tipOf(branch)}`,
  ];
  if (phase === "up" || phase === "halted") parts.push(keyOfLoop(loop), keyOfWork(world));
  if (phase === "down" || phase === "ended" || crashes > 0) parts.push(keyOfDisk(world));
  if (whole) parts.push(JSON.stringify([world.file, loop.state, [...loop.run.memory], tipOf(branch)]));
  return parts.join("|");
}

/** Nobody can take it up any more. */
function isOver({ file, hazards }: World): boolean {
  return file.control.status === "completed" || (hazards.resumes === 0 && hazards.redirects === 0);
}

/**
 * What was answered on each tree that the branch may hold again, and what the loop and the journal know of it. Attempts are
 * named by their place: no two have one.
 */
function keyOfAnswers(world: World): string {
  const { answered, branch, queue, loop, phase, journal } = world;
  if (answered.size === 0) return "";
  const landing = queue.flatMap((effect) => (effect.type === "integrate" ? [effect.attempt.id] : []));
  const places = new Map([...branch.map((work) => work.attempt), ...landing].map((id, place) => [id, place]));
  const known = phase === "up" || phase === "halted" ? loop.run.answers : (recall(journal).memory.answers ?? []);
  const parts: string[] = [];
  for (const [tip, answers] of answered) {
    const attempts = tip === "" ? [] : tip.split(" ");
    if (!attempts.every((id) => places.has(id))) continue;
    const there = known.flatMap(({ trees }) => trees.filter(({ tree }) => tree === tip));
    const reported = there.map(({ passed, failed }) => `${passed !== undefined}${failed !== undefined}`);
    parts.push(
      `${attempts.map((id) => places.get(id)).join(".")}:${[...answers].toSorted().join()}:${reported.join()}`,
    );
  }
  return `${parts.toSorted().join(" ")}${world.trust === 0 ? "" : keyOfCounts(world, known)}`;
}

/** Where passes are counted: how a check stood on other trees matters on each one. */
function keyOfCounts({ answered }: World, known: Answers): string {
  const there = known.map(({ green, trees }) => {
    const [first = "", ...others] = trees.map(
      ({ passed, failed, passes = 1, fails = 1 }) =>
        `${passed === undefined ? 0 : passes}:${failed === undefined ? 0 : fails}`,
    );
    return `${green}${first}|${others.toSorted().join()}`;
  });
  return `#${[...answered.values()].map((answers) => answers.size).join()}#${there.join()}`;
}

/** What is under way outside the loop; which agents are running follows from the loop (rule AGENTS). */
function keyOfWork({ queue, checking, checked, branch }: World): string {
  const waiting = queue.map((effect) =>
    effect.type === "integrate" ? effect.attempt.atom : `-${effect.atoms.join()}`,
  );
  const tip = tipOf(branch);
  const seen = checking === null ? "" : `c${checking === tip}`;
  return `${waiting.join(" ")};${seen};${checked === null ? "" : `${checked.passed}${checked.tip === tip}`}`;
}

/** What the next run finds: the state file, what the journal knows beside it, and which work it calls settled. */
function keyOfDisk(world: World): string {
  const { file, flushed, journal, loop, branch } = world;
  const known = recall(journal);
  const { memory } = known;
  const parts = [
    file === loop.state ? "=" : keyOfState(file),
    flushed,
    known.iteration,
    known.judged === null ? "" : `${known.judged.measure}.${known.judged.lowest}.${known.judged.stall_count}`,
    known.integrated.map((work) => work.atom).join(),
    known.reset.join(),
    revertsDue(known, file).join(),
    known.unfinished === null,
    world.reverts.flatMap(({ commit, lost }) => (known.reverted.has(commit) ? [] : [`[${lost.join()}]`])).join(""),
    branch
      .map((work) => (known.settled.has(work.attempt) ? "s" : known.started.has(work.attempt) ? "u" : "-"))
      .join(""),
    Object.keys(memory.probed).join(),
    JSON.stringify(memory.attempts),
    Object.keys(memory.attempts)
      .map((id) => Math.min(2, failuresOf({ attempts: 0, nogoods: memory.nogoods }, id).length))
      .join(""),
  ];
  return world.phase === "up" || world.phase === "halted" ? parts.join(";") : `${keyOfState(file)};${parts.join(";")}`;
}

function keyOfLoop({ state, run }: Loop): string {
  const { check, planner, checked } = run;
  return [
    keyOfState(state),
    run.attempts
      .map(
        ({ attempt, phase, discarded }) =>
          `${attempt.atom}${attempt.role[0]}${attempt.iteration}${phase[0]}${discarded ? "x" : ""}`,
      )
      .join(),
    run.iterations
      .map(
        (open) =>
          `${open.number}.${open.issued}.${open.running}.${open.interrupted}.${open.before}.${open.low}.${open.failing}${open.credited ? "c" : ""}${open.atoms.join("")}`,
      )
      .join(),
    check === null ? "" : `c${check.integrations === run.integrations}${check.aborting === true ? "x" : ""}`,
    planner === null
      ? ""
      : `${planner.kind[0]}${planner.kind === "asking" ? planner.atom : ""}${planner.aborting === true ? "x" : ""}`,
    checked === null
      ? ""
      : `${checked.verdict.passed}${checked.verdict.requires_user_confirmation}${checked.progress === true ? "p" : ""}${failingLeaves(
          checked.verdict,
        )
          .map(({ evidence }) => ("reason" in evidence ? evidence.reason : ""))
          .join("/")}${failingLeaves(checked.verdict).length}${checked.integrations === run.integrations}`,
    run.questions.map((request) => request.atom).join(),
    `${run.check_due}${run.reverting}`,
    run.redirects.map(inWords).join(),
    `${run.tampered.length}${run.unavailable === null}${run.needs_person === null}${run.halted}${run.settings.parallel}${run.deaths}${run.cost_usd}${run.tokens}`,
    state.atoms.map(({ id }) => keyOfMemory(memoryOf(run, id), id)).join("."),
    [...run.memory]
      .flatMap(([id, memory]) =>
        state.atoms.some((atom) => atom.id === id) ? [] : [`${id}${keyOfMemory(memory, id)}`],
      )
      .join(),
  ].join(";");
}

/** Up to the second failure it matters how many there were. */
function keyOfMemory(memory: AtomMemory, id: string): string {
  const failures = Math.min(2, failuresOf(memory, id).length);
  const conflicted = memory.nogoods.some(({ files }) => files !== undefined);
  return `${memory.findings === undefined ? "" : "f"}${memory.attempts}x${failures}${conflicted ? "c" : ""}`;
}

function keyOfState({ control, atoms, or_groups, decompositions, objective, corrections }: State): string {
  let key = `${control.status[0]}${control.iteration}.${control.stall_count}.${control.prev_pending_count}.${control.low_water}.${control.fewest_failing}${(control.replans ?? 0) > 0 ? "r" : ""}${control.asked?.join() ?? ""}${control.stop_requested ? "S" : ""}${control.redirect_requested ? "R" : ""}${control.outcome ?? ""};`;
  for (let index = 0; index < atoms.length; index++) key += keyOfAtom(at(atoms, index));
  for (let index = 0; index < or_groups.length; index++) {
    const { name, choices, selected, failed, speculative } = at(or_groups, index);
    key += ` ${name}:${choices.join()}${speculative === true ? ">>" : ">"}${selected}-${failed.join()}`;
  }
  for (const { parent, children } of decompositions) key += ` ${parent}:${children.join()}`;
  const { max_iterations, max_parallel_agents } = objective.constraints;
  const confirmed = corrections.length === 0 ? 0 : confirmedItems({ corrections, control }).size;
  return `${key} ${max_iterations}${max_parallel_agents}${objective.goal[0]}${objective.goal.length}${confirmed}`;
}

function keyOfAtom({ id, status, binding, depends_on, or_group, touches }: Atom): string {
  return `${id}${status[0]}${binding === undefined ? "" : "b"}${depends_on.join("")}${or_group ?? ""}${touches === undefined ? "" : "t"}.`;
}
