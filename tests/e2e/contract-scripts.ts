/** What a model says for each behaviour of the agents' contract, whichever client asks it. */
import type { Behaviour } from "../contracts/agent.ts";
import { refuse, say, type Reply, type Script } from "./scripted-model.ts";

/** How one client has its tools and its service's refusals. */
export interface Dialect {
  /** The answer that is wanted, in its own words. */
  readonly answer: Reply;
  /** Calls a shell. */
  run(command: string): Reply;
  /** Bytes of output of the flood. */
  readonly flood: number;
  /** Status and type of each refusal. */
  readonly refusals: Readonly<
    Record<"bad_request" | "no_login" | "rate_limited" | "overloaded", readonly [number, string, string]>
  >;
}

export function contractScripts({ answer, run, flood, refusals }: Dialect): Record<Behaviour, Script> {
  const first =
    (reply: Reply, then: () => Reply | Promise<Reply>): Script =>
    ({ results }) =>
      results.length === 0 ? reply : then();
  const success = first(run("echo made > made.txt"), () => answer);
  const refused =
    (name: keyof Dialect["refusals"]): Script =>
    () =>
      refuse(...refusals[name]);
  return {
    success,
    failure: refused("bad_request"),
    nonsense: () => say("all done, trust me"),
    empty: () => say(""),
    half_then_repaired: ({ asked }) =>
      asked.includes("could not be used") ? answer : say((answer.content ?? "").slice(0, 30)),
    hang: first(run("echo $PPID > pids; sh -c 'echo $$ >> pids; exec sleep 600'"), () => new Promise(() => {})),
    flood: first(run(`yes noise | head -c ${flood}`), () => answer),
    bad_request: refused("bad_request"),
    no_login: refused("no_login"),
    rate_limited: refused("rate_limited"),
    overloaded: refused("overloaded"),
    cut: success,
    over_budget: success,
  };
}
