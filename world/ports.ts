/**
 * The same world as the loop's ports see it, for the real coordinator with its prompts: agents, a workspace with an
 * integration branch in memory, a verifier. What comes of each call is a fate's to say, and when it is its turn whoever
 * carries the calls out.
 */
import type { Attempt } from "../src/core/effect.ts";
import type { Revert } from "../src/core/event.ts";
import type { BaseCase } from "../src/core/state.ts";
import type { Ports } from "../src/loop/perform.ts";
import type { Agent, AgentAnswer, AgentRequest, Integration, Verification } from "../src/loop/ports.ts";
import { atRisk, takenOut, withWork, type Held } from "./world.ts";

export type Port =
  | "start"
  | "agent"
  | "planner"
  | "integrate"
  | "shelve"
  | "revert"
  | "look"
  | "checkout"
  | "verify"
  | "release";

/** One call of a port. */
export interface Call {
  readonly port: Port;
  readonly label: string;
  readonly attempt?: string;
  readonly atoms?: readonly string[];
  readonly request?: AgentRequest;
  readonly signal?: AbortSignal;
  /** Let go: what it does is done, or under way. */
  begun: boolean;
  /** What a crash cannot undo any more. */
  readonly land?: () => unknown;
}

/** What comes of what is done. */
export interface Fate {
  /** @param name of the agent that is called */
  agent(request: AgentRequest, aborted: boolean, name: string): AgentAnswer;
  /** The folder of an attempt that begins. */
  folder(attempt: Attempt): string;
  integration(attempt: Attempt): Integration;
  verification(baseCase: BaseCase): Verification;
  isTampered(): boolean;
  /** Atoms among these whose work could not stand without what is taken out. */
  lost(atoms: readonly string[]): readonly string[];
  /** Where the work of an attempt is kept that was not integrated. */
  kept(attempt: Attempt): string | null;
}

/** The integration branch, which outlives who works on it. */
export interface Site extends Held {
  branch: Held["branch"];
  reverts: Held["reverts"];
  /** Counts its commits. */
  version: number;
}

export function emptySite(): Site {
  return { branch: [], reverts: [], version: 0 };
}

/** Carries out a call: what it comes to is asked when its turn has come. @param before what has to be over first */
export type CarryOut = <T>(call: Call, value: () => T, before?: Promise<unknown>) => Promise<T>;

/** An integration of this kind; one that lands is a commit of its own. */
export function integrationOf(
  kind: Integration["kind"],
  { id, atom }: Attempt,
  files: readonly string[] = ["f"],
): Integration {
  if (kind === "failed") return { kind, reason: "its folder is gone" };
  // Of a conflict the loop learns what its atom touches: nobody else's file.
  return kind === "integrated" ? { kind, commit: id, files } : { kind, files: kind === "conflict" ? [atom] : files };
}

/** All ports but those that keep: PORTS-3 holds, as long as `carryOut` waits for what is before. */
export function createPorts(fate: Fate, site: Site, carryOut: CarryOut): Omit<Ports, "store" | "clock"> {
  const agent = agentOf(fate, carryOut, "worker");
  const one = <T>(port: Port, label: string, value: () => T, more: Partial<Call> = {}): Promise<T> =>
    carryOut({ port, label, begun: false, ...more }, value);
  let queue: Promise<unknown> = Promise.resolve();
  const serial = <T>(call: Omit<Call, "begun">, value: () => T): Promise<T> => {
    const task = carryOut({ ...call, begun: false }, value, queue);
    queue = task;
    return task;
  };
  return {
    worker: agent,
    probe: agent,
    planner: agentOf(fate, carryOut, "planner"),
    verifier: {
      verify: (baseCase, _dir, signal) => one("verify", "verify", () => fate.verification(baseCase), { signal }),
    },
    workspace: {
      open: () => Promise.resolve({ base: "b", tip: "t", integrated: [], reverts: [], notes: [] }),
      start: (attempt) =>
        one("start", `start ${attempt.id}`, () => ({ dir: fate.folder(attempt) }), { attempt: attempt.id }),
      integrate: (attempt, work) => {
        const land = (): Integration => integrated(fate, site, attempt, work);
        return serial({ port: "integrate", label: `integrate ${attempt.id}`, attempt: attempt.id, land }, land);
      },
      shelve: (attempt) =>
        one("shelve", `shelve ${attempt.id}`, () => ({ kept: fate.kept(attempt) }), { attempt: attempt.id }),
      revert: (atoms) => {
        const land = () => reverted(fate, site, atoms);
        return serial({ port: "revert", label: `revert ${atoms.join()}`, atoms, land }, land);
      },
      checkout: ({ signal } = {}) => {
        // A planner only looks at it.
        const isCheck = signal !== undefined;
        const value = () => ({
          dir: "/c",
          commit: `v${site.version}`,
          ...(isCheck && fate.isTampered() ? { tampered: ["t"] } : {}),
          release: () => one("release", "release", () => {}),
        });
        return isCheck ? one("checkout", "checkout", value, { signal }) : one("look", "look", value);
      },
      finish: () => Promise.resolve({ message: "", merged: false }),
      close: () => Promise.resolve(),
    },
  };
}

/** @param name a planner's calls are no attempts */
export function agentOf(fate: Fate, carryOut: CarryOut, name: string): Agent {
  const port = name === "planner" ? "planner" : "agent";
  return {
    name,
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
    call: (request, signal) => {
      const attempt = port === "agent" ? { attempt: request.call } : {};
      const again = request.repair === undefined ? "" : " again";
      const call: Call = { port, label: `${port} ${request.call}${again}`, request, signal, begun: false, ...attempt };
      return carryOut(call, () => fate.agent(request, signal.aborted, name));
    },
  };
}

type Work = { readonly summary: string; readonly artifacts: readonly string[] };

function integrated(fate: Fate, site: Site, attempt: Attempt, { summary, artifacts }: Work): Integration {
  const end = fate.integration(attempt);
  if (end.kind !== "integrated") return end;
  Object.assign(
    site,
    withWork(site, { attempt: attempt.id, atom: attempt.atom, commit: end.commit, summary, artifacts }),
  );
  site.version++;
  return end;
}

function reverted(
  fate: Fate,
  site: Site,
  atoms: readonly string[],
): Omit<Revert, "commit"> & { commit: string | null } {
  const lost = fate.lost(atRisk(site.branch, atoms));
  const before = site.reverts.length;
  Object.assign(site, takenOut(site, atoms, lost));
  site.version++;
  return site.reverts[before] ?? { commit: null, lost };
}
