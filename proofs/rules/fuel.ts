/** Rules about what is spent: slots, iterations, attempts. */
import { currentVerdict } from "../../src/core/loop.ts";
import { openedAfter } from "../opened.ts";
import { boardOf } from "../oracle.ts";
import { breach, keptUnless, slotsOf, type Observed, type Rule } from "./rule.ts";

export const FUEL: readonly Rule[] = [
  {
    id: "FUEL",
    of: "transitions",
    says: "iteration numbers only rise and never pass max_iterations, and each pays for at most max_parallel_agents attempts, across crash and resume; so there are at most max_iterations * max_parallel_agents attempts",
    source: "SPEC 4, SCHEDULE-2",
    check({ before, after, stepped }) {
      const { control, objective } = after.loop.state;
      if (after.phase === "up" && control.iteration < before.paid.iteration)
        return breach(`iteration ${control.iteration} although ${before.paid.iteration} was paid for`);
      const started = (stepped?.effects ?? []).flatMap((effect) =>
        effect.type === "start_attempt" ? [effect.attempt] : [],
      );
      if (started.length === 0 || after.phase === "down") return "idle";
      const last = Math.max(...started.map((attempt) => attempt.iteration));
      if (started.some((attempt) => attempt.iteration < before.paid.iteration))
        return breach(`an attempt of an iteration before ${before.paid.iteration}`);
      if (last > objective.constraints.max_iterations)
        return breach(`iteration ${last} of at most ${objective.constraints.max_iterations}`);
      if (last > control.iteration) return breach(`iteration ${last} is not in the state, ${control.iteration} is`);
      return keptUnless(
        after.paid.attempts > slotsOf(after)
          ? `attempt ${after.paid.attempts} of iteration ${last}, which has ${slotsOf(after)}`
          : null,
      );
    },
  },
  {
    id: "SLOTS",
    of: "transitions",
    says: "nobody begins beside max_parallel_agents agents, those that are being killed counted; a lower limit ends nobody",
    source: "SPEC 5, SCHEDULE-1",
    check({ before, after }) {
      const { length } = after.agents;
      if (length === 0) return "idle";
      const most = Math.max(slotsOf(after), before.agents.length);
      const begins = length > before.agents.length;
      return keptUnless(
        begins && length > slotsOf(after)
          ? `${length} agents in ${slotsOf(after)} slots`
          : length > most
            ? "more"
            : null,
      );
    },
  },
  {
    id: "NUMBERS",
    of: "transitions",
    says: "an atom's attempts are numbered through crash and resume, and never more than max_attempts_per_atom",
    source: "SPEC 4, JOURNAL-1",
    check({ before, stepped, after }) {
      const most = after.loop.state.objective.constraints.max_attempts_per_atom ?? Infinity;
      for (const effect of stepped?.effects ?? []) {
        if (effect.type !== "start_attempt") continue;
        const { atom, number } = effect.attempt;
        const due = (before.started.get(atom) ?? 0) + 1;
        return keptUnless(
          number !== due
            ? `${atom} begins attempt ${number}, not ${due}`
            : number > most
              ? `attempt ${number} of at most ${most}`
              : null,
        );
      }
      return "idle";
    },
  },
  {
    id: "EACH_ONCE",
    of: "transitions",
    says: "no atom has two attempts in one iteration",
    source: "SPEC 5, SCHEDULE-2",
    check({ before, stepped }) {
      if (stepped === null) return "idle";
      const { opened } = openedAfter(before.opened, stepped);
      for (const effect of stepped.effects) {
        if (effect.type !== "start_attempt") continue;
        const { id, atom, iteration } = effect.attempt;
        const attempts = opened.get(iteration)?.attempts ?? [];
        const again = attempts.find((other) => other !== id && other.replace(/\.\d+$/, "") === atom);
        return keptUnless(again === undefined ? null : `${again} and ${id} in iteration ${iteration}`);
      }
      return "idle";
    },
  },
  {
    id: "BUSY",
    of: "worlds",
    says: "no slot is idle while an atom is executable and fuel is left",
    source: "SPEC 5, SCHEDULE-3",
    check: (observed) => (mayFill(observed) ? keptUnless(idleAtom(observed)) : "idle"),
  },
  {
    id: "RIVALS",
    of: "transitions",
    says: "no two choices of a group that is no race, nor what stands below them, are at work together, and none begins while another is being killed",
    source: "SPEC 7, SCHEDULE-4",
    check({ before, after }) {
      if (after.agents.length < 2) return "idle";
      const ending = new Set(after.loop.run.attempts.flatMap((one) => (one.discarded ? [one.attempt.id] : [])));
      const began = new Set(after.agents.filter((agent) => !before.agents.includes(agent)));
      const races = new Set(
        after.loop.state.or_groups.flatMap((group) => (group.speculative === true ? [group.name] : [])),
      );
      const board = boardOf(after.loop.state);
      for (const one of after.agents)
        for (const other of after.agents)
          for (const [group, choice] of board.choicesAt(one.atom)) {
            const rival = board.choicesAt(other.atom).get(group);
            // A race that a person ended may still be ending.
            const isEnding = (ending.has(one.id) || ending.has(other.id)) && !began.has(one) && !began.has(other);
            if (!races.has(group) && rival !== undefined && rival !== choice && !isEnding)
              return breach(`${one.id} and ${other.id} work side by side`);
          }
      return after.loop.state.or_groups.length === 0 ? "idle" : "kept";
    },
  },
  {
    id: "TOUCHES",
    of: "worlds",
    says: "two atoms whose touches overlap do not run side by side, nor one atom twice",
    source: "SPEC 5, SCHEDULE-4",
    check({ after }) {
      if (after.agents.length < 2) return "idle";
      const atoms = after.agents.map((attempt) => attempt.atom);
      if (new Set(atoms).size < atoms.length) return breach(`one atom twice: ${atoms.join(", ")}`);
      const touching = after.loop.state.atoms.flatMap(({ id, touches }) =>
        touches !== undefined && atoms.includes(id) ? [id] : [],
      );
      return keptUnless(touching.length > 1 ? `${touching.join(" and ")} side by side` : null);
    },
  },
  {
    id: "STOP",
    of: "transitions",
    says: "once a stop is asked for nothing new is started",
    source: "SPEC 8",
    check({ after, stepped }) {
      if (stepped === null || !stepped.after.state.control.stop_requested) return "idle";
      return keptUnless(
        after.phase === "up" && stepped.effects.some((effect) => effect.type === "start_attempt")
          ? "an attempt starts behind a stop"
          : null,
      );
    },
  },
];

/** Whether the loop could start something: nothing forbids it but want of an atom. */
function mayFill({ after }: Observed): boolean {
  const { loop, agents, phase, queue } = after;
  const { run, state } = loop;
  if (
    phase !== "up" ||
    run.check !== null ||
    run.planner?.kind === "replanning" ||
    run.redirects.length > 0 ||
    state.control.stop_requested
  )
    return false;
  // SCHEDULE-4 and SCHEDULE-5: beside what is being killed, and on what is being taken out, nothing is started.
  if (run.attempts.some((running) => running.discarded) || queue.some((effect) => effect.type === "revert"))
    return false;
  // With a verdict of true it only ends: a planner's call is being killed.
  if (currentVerdict(run)?.passed === true) return false;
  if (
    run.check_due ||
    run.tampered.length > 0 ||
    (run.unavailable ?? run.needs_person) !== null ||
    boardOf(state).exhausted.length > 0
  )
    return false;
  if (state.control.stall_count >= state.objective.constraints.max_stall_count) return false;
  const slots = slotsOf(after);
  const open = run.iterations.at(-1);
  const room = open !== undefined && open.number === state.control.iteration && open.issued < slots;
  const { max_iterations } = state.objective.constraints;
  const { iteration } = state.control;
  return agents.length < slots && (iteration < max_iterations || (room && iteration === max_iterations));
}

function idleAtom({ scene, after }: Observed): string | null {
  const { agents, queue, loop, started } = after;
  const most = loop.state.objective.constraints.max_attempts_per_atom ?? Infinity;
  const touching = scene.shape.touching?.map((atom) => `A${atom + 1}`) ?? [];
  const busy = [
    ...agents.map((attempt) => attempt.atom),
    ...queue.flatMap((effect) => (effect.type === "integrate" ? [effect.attempt.atom] : [])),
  ];
  const held = loop.run.attempts.map((running) => running.attempt.atom);
  // What had its attempt in the last iteration waits in vain.
  const { control, objective } = loop.state;
  const isLast = control.iteration >= objective.constraints.max_iterations;
  const had = isLast ? (loop.run.iterations.at(-1)?.atoms ?? []) : [];
  const shares = touching.some((atom) => busy.includes(atom) || held.includes(atom));
  const free = boardOf(loop.state).executable.filter(
    (atom) =>
      !busy.includes(atom) &&
      !held.includes(atom) &&
      !had.includes(atom) &&
      atom !== after.asking &&
      !loop.run.questions.some((request) => request.atom === atom) &&
      (started.get(atom) ?? 0) < most &&
      !(shares && touching.includes(atom)),
  );
  return free.length === 0 ? null : `${free.join(", ")} could run and a slot is free`;
}
