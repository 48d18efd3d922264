/**
 * An engine in this process: no server, and what it hosts ends with it (SPEC section 13). What the others have to equal;
 * `aot run` needs no engine at all: it has the state file and the journal.
 *
 * EMBEDDED-ENGINE-1 orders are begun in the order in which they were given; serial ones of a loop wait for each other;
 * EMBEDDED-ENGINE-2 when `close()` settles nothing of any loop is running.
 */
import type { JournalLine } from "../src/core/journal.ts";
import type { Engine } from "../src/loop/engine.ts";
import {
  claimTask,
  hostLoop,
  settleTask,
  viewOfHosted,
  wakeLoop,
  whyNotHosted,
  type HostedLoop,
  type Move,
  type Order,
  type Task,
} from "../src/loop/hosted-loop.ts";
import { abortedReport, performTask, type TaskPlace } from "../src/loop/perform-task.ts";
import type { Clock } from "../src/loop/ports.ts";
import { noLoop, signalLoop } from "../src/loop/signal-loop.ts";

export interface EmbeddedOptions {
  readonly clock: Clock;
  /** Opens the place of one task. What it rejects with is a defect, which every later question is answered with. */
  open(task: Task, hosted: HostedLoop): Promise<TaskPlace>;
}

interface Guest {
  hosted: HostedLoop;
  readonly lines: JournalLine[];
  readonly aborts: Map<string, AbortController>;
  readonly timers: Set<() => void>;
  readonly tasks: Set<Promise<void>>;
  serial: Promise<void>;
  broken: { readonly error: unknown } | null;
}

export function createEmbeddedEngine({ clock, open }: EmbeddedOptions): Engine {
  const guests = new Map<string, Guest>();
  const host = createHost(clock, open);
  return {
    name: "embedded",
    start: async (name, spec) => {
      if (guests.has(name)) return { ok: true, message: `${name} is there already`, repeated: true };
      const refusal = whyNotHosted(spec);
      if (refusal !== null) return refusal;
      const move = hostLoop(name, spec, clock.now());
      const guest = guestOf(move.hosted);
      guests.set(name, guest);
      return host.follow(guest, move);
    },
    signal: async (name, signal) => {
      const guest = guests.get(name);
      return guest === undefined ? noLoop(name) : host.follow(guest, signalLoop(guest.hosted, signal, clock.now()));
    },
    view: async (name) => {
      const guest = guests.get(name);
      if (guest?.broken != null) throw guest.broken.error;
      return guest === undefined ? null : viewOfHosted(guest.hosted, "embedded");
    },
    loops: async () => [...guests.keys()],
    logs: () => Promise.resolve([]),
    workers: () => Promise.resolve([]),
    retention: { over: () => Promise.resolve([]), forget: () => Promise.resolve(false) },
    journal: async (name, from) => guests.get(name)?.lines.slice(from) ?? [],
    close: async () => {
      for (const guest of guests.values()) host.end(guest);
      for (const guest of guests.values()) while (guest.tasks.size > 0) await Promise.all(guest.tasks);
    },
  };
}

function guestOf(hosted: HostedLoop): Guest {
  return {
    hosted,
    lines: [],
    aborts: new Map(),
    timers: new Set(),
    tasks: new Set(),
    serial: Promise.resolve(),
    broken: null,
  };
}

interface Host {
  follow<R>(guest: Guest, move: Move<R>): R;
  end(guest: Guest): void;
}

function createHost(clock: Clock, open: EmbeddedOptions["open"]): Host {
  const follow = <R>(guest: Guest, { hosted, orders, lines, answer }: Move<R>): R => {
    guest.hosted = hosted;
    guest.lines.push(...lines);
    for (const order of orders) obey(guest, order);
    return answer;
  };

  const obey = (guest: Guest, order: Order): void => {
    if (order.type === "abort") return guest.aborts.get(order.task)?.abort();
    if (order.type === "wake_in") {
      const cancel = clock.after(order.ms, () => {
        guest.timers.delete(cancel);
        follow(guest, wakeLoop(guest.hosted, clock.now()));
      });
      guest.timers.add(cancel);
      return;
    }
    const { task, serial } = order;
    const controller = new AbortController();
    guest.aborts.set(task.id, controller);
    const work = (): Promise<void> => perform(guest, task, controller.signal);
    const running = (serial ? guest.serial.then(work) : Promise.resolve().then(work)).then(
      () => void guest.tasks.delete(running),
      (error: unknown) => {
        guest.broken ??= { error };
        guest.tasks.delete(running);
      },
    );
    if (serial) guest.serial = running;
    guest.tasks.add(running);
  };

  const perform = async (guest: Guest, task: Task, signal: AbortSignal): Promise<void> => {
    try {
      const claim = follow(guest, claimTask(guest.hosted, task.id, { worker: "embedded", at: clock.now() }));
      if (!claim.ok) return void follow(guest, settleTask(guest.hosted, abortedReport(task), clock.now()));
      const place = await open(task, guest.hosted);
      try {
        const done = await performTask(task, guest.hosted.loop, { place, signal });
        follow(guest, settleTask(guest.hosted, { task: task.id, run: claim.run, ...done }, clock.now()));
      } finally {
        await place.close();
      }
    } finally {
      guest.aborts.delete(task.id);
    }
  };

  const end = (guest: Guest): void => {
    for (const cancel of guest.timers) cancel();
    guest.timers.clear();
    follow(
      guest,
      signalLoop(guest.hosted, { kind: "cancel", reason: "the engine was closed", id: "close" }, clock.now()),
    );
  };

  return { follow, end };
}
