/**
 * How long the prompt of one attempt is on growing graphs: ours, which holds an atom and what it builds on (SPEC section 7),
 * beside a loop that hands its agent the whole plan with the results so far each time. Characters, of real prompts.
 */
import { bindingsFor } from "../dist/lib/core/view.js";
import { graphOf } from "../dist/lib/core/graph.js";
import { LESSON_LIMIT, lessonsText, MOST_LESSONS } from "../dist/lib/loop/lessons.js";
import { workerPrompt } from "../dist/lib/loop/prompt.js";
import { createStateText } from "../dist/lib/statefile/create.js";
import { stateWith } from "./graphs.mjs";

const SIZES = [10, 100, 1_000];
/** Direct dependencies of each atom but the first ones. */
const WIDTHS = [1, 2, 4];
const SUMMARY =
  "Made the part that was asked for and ran its tests, which pass; the interface is as agreed in the plan.";

export function promptRows() {
  const ours = WIDTHS.flatMap((width) => SIZES.map((count) => rowOf(width, count)));
  const growth = WIDTHS.map((width) => ({
    what: `the same at 1,000 atoms against 10, ${width} each`,
    figure: promptOf(width, 1_000).length / promptOf(width, 10).length,
    unit: "x",
    // The ids of larger graphs have more digits.
    most: 1.02,
  }));
  const whole = SIZES.map((count) => ({
    what: `whole plan in each prompt, ${count.toLocaleString("en-US")} atoms, half of them done`,
    figure: wholePlan(stateOf(2, count), count).length,
    unit: "characters",
    note: "a loop that re-reads the plan each time",
  }));
  const sums = SIZES.map((count) => ({
    what: `all prompts of a run of ${count.toLocaleString("en-US")} atoms, whole plan against ours`,
    figure: wholeRun(count) / ourRun(count),
    unit: "x",
    note: `${millions(wholeRun(count))} against ${millions(ourRun(count))} million characters`,
  }));
  return [...ours, ...growth, ...afterFailures(), ...whole, ...sums];
}

/** Failures of the atom itself, each with a reason of its own and evidence as long as it is kept. */
const FAILURES = [0, 1, 3, 10];

function afterFailures() {
  const state = stateOf(2, 10, 9);
  const [atom] = state.atoms.slice(-1);
  const bindings = bindingsFor(state, graphOf(state), 9);
  return FAILURES.map((count) => {
    const nogoods = Array.from({ length: count }, (_, index) => ({
      atom: atom.id,
      attempt: `${atom.id}.${index + 1}`,
      reason: `${index}: ${SUMMARY}`,
      evidence: "not ok 1 - the part works\n".repeat(60),
    }));
    const limits = { attempt: count + 1 };
    const prompt = workerPrompt({ objective: state.objective, atom, bindings, nogoods, limits });
    return {
      what: `prompt after ${count} ${count === 1 ? "failure" : "failures"}`,
      figure: prompt.length,
      unit: "characters",
      ...(count === 10
        ? { most: MOST_LESSONS * (LESSON_LIMIT + 50) + prompt.length - lessonsText(nogoods).length }
        : {}),
    };
  });
}

function rowOf(width, count) {
  return {
    what: `prompt of the last atom of ${count.toLocaleString("en-US")}, ${width} direct ${width === 1 ? "dependency" : "dependencies"}`,
    figure: promptOf(width, count).length,
    unit: "characters",
  };
}

/** Every atom but the last is done, with a binding. */
function stateOf(width, count, done = count - 1) {
  const state = stateWith(
    Array.from({ length: count }, (_, index) =>
      Array.from({ length: Math.min(width, index) }, (_, back) => index - 1 - back),
    ),
    3,
  );
  const atoms = state.atoms.map((atom, index) =>
    index < done
      ? { ...atom, status: "resolved", binding: { summary: SUMMARY, artifacts: [`src/part-${index + 1}.ts`] } }
      : atom,
  );
  return { ...state, atoms };
}

function promptOf(width, count, index = count - 1) {
  return promptIn(stateOf(width, count, index), index);
}

function promptIn(state, index) {
  const { id, description } = state.atoms[index];
  const bindings = bindingsFor(state, graphOf(state), index);
  return workerPrompt({ objective: state.objective, atom: { id, description }, bindings, nogoods: [] });
}

/** The same instruction with the state file in it. */
function wholePlan(state, count) {
  const { objective } = state;
  const atom = { id: "next", description: "Take the next step of the plan below that can be done" };
  return `${workerPrompt({ objective, atom, bindings: {}, nogoods: [] })}\n${createStateText(halfDone(state, count), "The plan")}`;
}

function halfDone(state, count) {
  const atoms = state.atoms.map(({ binding, ...atom }, index) =>
    index < count / 2 && binding !== undefined ? { ...atom, binding } : { ...atom, status: "pending" },
  );
  return { ...state, atoms };
}

/** One prompt per atom; the plan is half done on the average. */
function wholeRun(count) {
  return count * wholePlan(stateOf(2, count), count).length;
}

function ourRun(count) {
  const state = stateOf(2, count);
  return Array.from({ length: count }, (_, index) => promptIn(state, index).length).reduce((a, b) => a + b, 0);
}

function millions(characters) {
  return (characters / 1e6).toFixed(characters < 1e7 ? 2 : 0);
}
