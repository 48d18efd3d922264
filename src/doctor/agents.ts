/** The agents that a run can call, as `aot doctor` finds them. Looking at them spends nothing. */
import { clientLogin, type Login } from "../adapters/agents/client-login.ts";
import { createAgent } from "../adapters/agents/find.ts";
import type { Result } from "../core/problem.ts";
import { TRIED } from "../loop/agent-kinds.ts";
import type { Agent } from "../loop/ports.ts";
import type { Finding } from "./finding.ts";
import type { Settings } from "../project/config-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Found {
  readonly name: string;
  readonly ok: boolean;
  readonly said: string;
  /** Null: its client does not tell. */
  readonly login: Login | null;
}

/** Those that can be installed, and those that the settings name: these have to be there. */
export async function examineAgents(
  { agent, worker, probe, planner, judge }: Settings,
  env: Environment,
): Promise<readonly Finding[]> {
  const named = [agent, worker, probe, planner, judge].filter((name) => name !== undefined && name !== "none");
  const names = [...new Set([...named, ...TRIED])].filter((name) => name !== undefined);
  const found = await Promise.all(names.map((name) => look(name, createAgent(name, { env }), env)));
  const some = found.some(({ ok }) => ok);
  return found.map((one): Finding => findingOf(one, named.includes(one.name), some));
}

function findingOf({ name, ok, said, login }: Found, isNamed: boolean, some: boolean): Finding {
  const shown = `agent ${name}`;
  if (ok && login?.standing === "out")
    return { name: shown, level: "warn", detail: `${said}, not logged in`, hint: login.next };
  if (ok) return { name: shown, level: "good", detail: `${said}${loginText(login)}` };
  if (isNamed)
    return { name: shown, level: "bad", detail: said, hint: "the settings name it: install it, or name another" };
  // One agent is enough.
  if (some) return { name: shown, level: "good", detail: `not there, and not needed: ${said}` };
  return { name: shown, level: "warn", detail: said, hint: "or name any program: --agent 'command:<shell command>'" };
}

function loginText(login: Login | null): string {
  if (login?.standing !== "in") return "";
  return login.how === undefined ? ", logged in" : `, logged in (${login.how})`;
}

async function look(name: string, made: Result<Agent>, env: Environment): Promise<Found> {
  if (!made.ok)
    return {
      name,
      ok: false,
      login: null,
      said: made.problems.map(({ message, hint }) => `${message}; ${hint}`).join("; "),
    };
  const found = await made.value.available();
  await made.value.close();
  if (!found.ok) return { name, ok: false, said: found.reason, login: null };
  return { name, ok: true, said: found.version ?? "installed", login: await clientLogin(name, env) };
}
