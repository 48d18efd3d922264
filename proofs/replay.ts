/** Plays one history again: what a counterexample is printed as, and what a test that was made of one calls. */
import type { Counterexample } from "./explore.ts";
import { keyOf } from "./key.ts";
import { labelOf, movesOf } from "./moves.ts";
import { observe } from "./rules/rule.ts";
import { ALL_RULES, HALTS, RULES, SOUND } from "./rules/table.ts";
import { take } from "./take.ts";
import { worldOf, type Scene, type World } from "./world.ts";

/**
 * Plays the moves by their labels and answers every breach, as `RULE: what`. No breach: an empty list.
 * @throws RangeError if a move cannot be made there; it names those that can
 */
export function replay(scene: Scene, history: readonly string[]): readonly string[] {
  return playThrough(scene, history).breaches;
}

/** Also answers the worlds before and after the last move. */
function playThrough(
  scene: Scene,
  history: readonly string[],
): { readonly breaches: readonly string[]; readonly before: World; readonly after: World } {
  const breaches: string[] = [];
  let before = worldOf(scene);
  let world = before;
  const seen = new Set([keyOf(world)]);
  for (const label of history) {
    const moves = movesOf(world);
    const move = moves.find((one) => labelOf(one) === label);
    if (move === undefined)
      throw new RangeError(`"${label}" cannot happen here; what can: ${moves.map(labelOf).join(" | ")}`);
    before = world;
    try {
      const taken = take(world, move);
      if (taken === null) continue;
      const observed = observe(scene, world, move, taken);
      for (const rule of RULES) {
        const finding = rule.check(observed);
        if (typeof finding !== "string") breaches.push(`${rule.id}: ${finding.breach}`);
      }
      ({ world } = taken);
    } catch (error) {
      breaches.push(`${SOUND.id}: ${error instanceof Error ? error.message : String(error)}`);
      break;
    }
    if (seen.has(keyOf(world))) breaches.push(`${HALTS.id}: it comes back to where it was`);
    seen.add(keyOf(world));
  }
  return { breaches, before, after: world };
}

/** The counterexample for a person: what broke, where it stood before and after, and a test to paste. */
export function describe({ rule, breach, scene, history }: Counterexample): string {
  const { before, after } = playThrough(scene, history);
  const { says = "", source = "" } = ALL_RULES.find((one) => one.id === rule) ?? {};
  return [
    `${rule} (${source}): ${says}`,
    `breach: ${breach}`,
    `before: ${inShort(before)}`,
    `after:  ${inShort(after)}`,
    "",
    'import { expect, test } from "vitest";',
    'import { replay } from "../../proofs/replay.ts";',
    "",
    `test(${JSON.stringify(`${source}: ${says}`)}, () => {`,
    `  const scene = ${JSON.stringify(scene)};`,
    "  const history = [",
    ...history.map((label) => `    ${JSON.stringify(label)},`),
    "  ];",
    "  expect(replay(scene, history)).toEqual([]);",
    "});",
  ].join("\n");
}

function inShort({ phase, loop, queue, branch, agents, checking }: World): string {
  const { state, run, view } = loop;
  return JSON.stringify({
    phase,
    control: state.control,
    measure: view.measure,
    atoms: Object.fromEntries(state.atoms.map((atom) => [atom.id, atom.status])),
    groups: state.or_groups.map(({ name, selected, failed }) => ({ name, selected, failed })),
    attempts: run.attempts.map(
      ({ attempt, phase, discarded }) => `${attempt.id} ${phase}${discarded ? ", discarded" : ""}`,
    ),
    agents: agents.map((attempt) => attempt.id),
    queue: queue.map((effect) =>
      effect.type === "integrate" ? `integrate ${effect.attempt.id}` : `revert ${effect.atoms.join()}`,
    ),
    checking,
    branch: branch.map((work) => work.attempt),
  });
}
