/**
 * A loop's world over several lives of its runner: the real coordinator between ports whose every promise waits for
 * its turn on an agenda, a virtual clock, a disk and an integration branch that outlive a crash. What is done is
 * reported to the laws; what comes of it is the fate's to say.
 */
import { redirectByHand } from "../../src/core/apply-redirect.ts";
import type { AdoptedWork, Event, Revert, RunSettings } from "../../src/core/event.ts";
import { entranceOf, inheritedBy } from "../../src/core/entrance.ts";
import { activeMs, createLoop } from "../../src/core/loop.ts";
import { accepted } from "../../src/core/problem.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { Coordinator, createCoordinator } from "../../src/loop/coordinator.ts";
import type { CallLimits, Ports } from "../../src/loop/perform.ts";
import type { Clock } from "../../src/loop/ports.ts";
import { createPorts, emptySite, type Call, type CarryOut } from "../../world/ports.ts";
import type { Agenda } from "./agenda.ts";
import { recallOf, type DeathPoint, type Disk } from "./disk.ts";
import type { Laws } from "./laws.ts";
import type { Fate, LifeEnd } from "./terms.ts";

interface Timer {
  readonly due: number;
  readonly go: () => void;
}

interface Life {
  dead: boolean;
  readonly calls: Set<Call>;
  readonly timers: Set<Timer>;
  coordinator: Coordinator | null;
  die(): void;
}

export interface WorldOptions {
  readonly disk: Disk;
  readonly agenda: Agenda;
  readonly fate: Fate;
  readonly laws: Laws;
  readonly limits: CallLimits;
  readonly planner: boolean;
  /** The runner under test. */
  readonly create: typeof createCoordinator;
  /** Timers wait on the agenda, in any order; else they go off in theirs, when the clock is advanced. */
  readonly loose_timers: boolean;
}

export interface World {
  branch(): readonly AdoptedWork[];
  /** Every time that work was taken out. */
  reverts(): readonly Revert[];
  /** A run; settles when it halts or dies. */
  begin(settings: RunSettings): Promise<LifeEnd>;
  isLive(): boolean;
  /** The process dies. @param landed what was being integrated or taken out is done all the same */
  crash(landed: boolean): void;
  stop(reason: string): void;
  /** Ctrl-C, twice. */
  kill(): void;
  /** Asks the live run, or changes the file of a loop that nobody runs. */
  redirect(redirect: Redirect): void;
  /** Lets time pass; timers that are due go off in their order. */
  advance(ms: number): Promise<void>;
  now(): string;
  calls(): readonly Call[];
}

/** The state file is looked at for ever: a loop that waits for nothing else would never end. */
const MOST_TIMERS = 3_000;
const NEVER = new Promise<never>(() => {});

class Death extends Error {}

export function createWorld(options: WorldOptions): World {
  const { disk, agenda, fate, laws } = options;
  const site = emptySite();
  let ms = 0;
  let asked = 0;
  let runs = 0;
  let life: Life | null = null;

  const now = (): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const pass = (to: number): void => {
    laws.passing(ms, to);
    ms = Math.max(ms, to);
  };

  // ── what a live process does ──────────────────────────────────────────────

  const carryOut =
    (here: Life): CarryOut =>
    async (call, value, before) => {
      if (here.dead) return await NEVER;
      laws.called(call);
      here.calls.add(call);
      await before;
      call.begun = true;
      await agenda.turn(call.label);
      if (here.dead) return await NEVER;
      const result = value();
      if (call.port === "checkout") laws.lookedAt(site.version);
      here.calls.delete(call);
      laws.settled(call, result);
      return result;
    };

  const clockOf = (here: Life): Clock => ({
    now,
    monotonic: () => ms,
    after: (wait, go) => {
      if (here.dead) return () => {};
      if (++asked > MOST_TIMERS) {
        laws.breach("SPEC 4", "the run does not come to its end");
        self.crash(false);
        return () => {};
      }
      const timer: Timer = { due: ms + wait, go };
      here.timers.add(timer);
      const fire = async (): Promise<void> => {
        await agenda.turn(`timer ${wait}`);
        if (here.timers.has(timer)) goOff(here, timer);
      };
      if (options.loose_timers) void fire();
      return () => void here.timers.delete(timer);
    },
  });

  const goOff = (here: Life, timer: Timer): void => {
    here.timers.delete(timer);
    if (here.dead) return;
    pass(timer.due);
    timer.go();
  };

  // ── a life ────────────────────────────────────────────────────────────────

  const portsOf = (here: Life, run: string): Ports => {
    const ports = createPorts(fate, site, carryOut(here));
    const point = (name: DeathPoint): void => {
      if (here.dead) throw new Death();
      if (!fate.dies(name)) return;
      self.crash(false);
      throw new Death();
    };
    const store = disk.store(
      run,
      {
        point,
        appended: (lines) => laws.appended(lines, disk),
        saved: (state) => laws.saved(state, disk),
        wrote: () => pass(ms + fate.writing_ms()),
        isFull: () => fate.isFull(),
      },
      now,
    );
    return {
      ...ports,
      planner: options.planner ? ports.planner : null,
      workspace: { ...ports.workspace, start: (attempt) => (laws.starting(attempt), ports.workspace.start(attempt)) },
      clock: clockOf(here),
      store: {
        append: (lines) => store.append(lines),
        save: (state) => store.save(state),
        look: () => (here.dead ? {} : store.look()),
      },
    };
  };

  const work = async (here: Life, settings: RunSettings): Promise<LifeEnd> => {
    const run = `r${++runs}`;
    const known = recallOf(disk);
    const { state, from, missing } = entranceOf(disk.state(), known);
    if (missing.length > 0) return { kind: "refused" };
    laws.began({ state, from, known }, disk);
    const ports = portsOf(here, run);
    const { start: inherited, commits } = inheritedBy(state, known, { integrated: site.branch, reverts: site.reverts });
    const coordinator = options.create(createLoop(state), {
      ports,
      limits: options.limits,
      watch: (line) => {
        laws.reported(line);
        if (commits.length > 0 && line.event === "run_started") coordinator.send({ event: "reverts_done", commits });
      },
    });
    here.coordinator = coordinator;
    const start: Event = { type: "run_started", at: now(), run, from, settings, ...inherited };
    const loop = await coordinator.run(start, ["a note of the workspace"]);
    if (here.dead) return await NEVER;
    laws.halted(loop, { calls: [...here.calls], timers: here.timers.size, branch: site.branch, version: site.version });
    disk.append([endLine(run, now(), loop.run.cost_usd, activeMs(loop.run))]);
    return { kind: "halted", loop };
  };

  const self: World = {
    branch: () => site.branch,
    reverts: () => site.reverts,
    begin: async (settings) => {
      if (life !== null) throw new Error("a run is at work");
      let die = (): void => {};
      const crashed = new Promise<LifeEnd>((resolve) => {
        die = () => resolve({ kind: "crashed" });
      });
      const here: Life = { dead: false, calls: new Set(), timers: new Set(), coordinator: null, die };
      life = here;
      const end = work(here, settings).catch((error: unknown): LifeEnd | Promise<never> => {
        if (here.dead) return NEVER;
        laws.ended({ calls: [...here.calls], timers: here.timers.size });
        return { kind: "failed", error };
      });
      const how = await Promise.race([end, crashed]);
      here.dead = true;
      if (life === here) life = null;
      return how;
    },
    isLive: () => life !== null,
    crash: (landed) => {
      if (life === null) return;
      const here = life;
      here.dead = true;
      if (landed) [...here.calls].find((call) => call.land !== undefined && call.begun)?.land?.();
      here.timers.clear();
      life = null;
      laws.crashed();
      here.die();
    },
    stop: (reason) => life?.coordinator?.send({ type: "stop_requested", at: now(), reason }),
    kill: () => {
      self.stop("killed");
      life?.coordinator?.kill();
    },
    redirect: (redirect) => {
      if (life !== null) {
        life.coordinator?.send({ type: "redirect_requested", at: now(), redirect });
        return;
      }
      let lines: readonly object[] = [];
      const edited = disk.edit((state) => {
        const done = redirectByHand(state, redirect, now());
        if (!done.ok) return done;
        ({ lines } = done.value);
        disk.append(done.value.ahead);
        return accepted(done.value.state);
      });
      if (edited.ok) disk.append(lines);
    },
    advance: async (by) => {
      const until = ms + by;
      for (;;) {
        const next = [...(life?.timers ?? [])].toSorted((a, b) => a.due - b.due)[0];
        if (life === null || next === undefined || next.due > until) break;
        goOff(life, next);
        await drained();
      }
      pass(Math.max(ms, until));
    },
    now,
    calls: () => [...(life?.calls ?? [])],
  };
  return self;
}

/** Everything that needs nobody's turn has happened. */
export function drained(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function endLine(run: string, time: string, cost_usd: number, active_ms: number): object {
  return { time, run, iteration: 0, event: "run_ended", message: "", cost_usd, active_ms };
}
