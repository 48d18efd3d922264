/** The agents that a run can call, as `aot doctor` finds them. Looking at them spends nothing. */
import { createAgent, INSTALLABLE } from "../adapters/agents/find.ts";
import type { Finding } from "./doctor-finding.ts";
import type { Settings } from "./config-schema.ts";

interface Found {
  readonly name: string;
  readonly ok: boolean;
  readonly said: string;
}

/** Those that can be installed, and those that the settings name: these have to be there. */
export async function examineAgents({ agent, worker, probe, planner, judge }: Settings): Promise<readonly Finding[]> {
  const named = [agent, worker, probe, planner, judge].filter((name) => name !== undefined && name !== "none");
  const names = [...new Set([...named, ...INSTALLABLE])].filter((name) => name !== undefined);
  const found = await Promise.all(names.map(look));
  const some = found.some(({ ok }) => ok);
  return found.map((one): Finding => findingOf(one, named.includes(one.name), some));
}

function findingOf({ name, ok, said }: Found, isNamed: boolean, some: boolean): Finding {
  const shown = `agent ${name}`;
  if (ok) return { name: shown, level: "good", detail: said };
  if (isNamed)
    return { name: shown, level: "bad", detail: said, hint: "the settings name it: install it, or name another" };
  // One agent is enough.
  if (some) return { name: shown, level: "good", detail: `not there, and not needed: ${said}` };
  return { name: shown, level: "warn", detail: said, hint: "or name any program: --agent 'command:<shell command>'" };
}

async function look(name: string): Promise<Found> {
  const made = createAgent(name);
  if (!made.ok)
    return { name, ok: false, said: made.problems.map(({ message, hint }) => `${message}; ${hint}`).join("; ") };
  const found = await made.value.available();
  await made.value.close();
  return found.ok ? { name, ok: true, said: found.version ?? "installed" } : { name, ok: false, said: found.reason };
}
