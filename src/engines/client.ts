/** Which engine is meant, and how it is asked (SPEC section 13). */
import { createDbosEngine } from "./adapters/dbos/dbos-engine.ts";
import { databaseName } from "./adapters/dbos/dbos-names.ts";
import { EngineUnreachable } from "./adapters/engine-unreachable.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { Answer, Engine } from "../loop/engine.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of DBOS's database: `postgres://user@host:port/database`. What is refused may hold a password: it is not said. */
export function engineUrl(name: string): Result<string> {
  if (databaseName(name) !== null) return accepted(name);
  const hint = "write postgres://USER@HOST:PORT/DATABASE; the password can be in PGPASSWORD or ~/.pgpass";
  return /^postgres(ql)?:/.test(name)
    ? refused("that address of PostgreSQL cannot be read", hint)
    : refused(`${JSON.stringify(name)} names no engine`, hint);
}

/** What state files say of a database tells neither user nor password: those of AOT_ENGINE are taken if it names the same, or else PGUSER and PGPASSWORD, or `aot`. */
export function engineNamed(name: string, env: Environment): Result<Engine> {
  const url = engineUrl(name);
  if (!url.ok) return url;
  const known = env["AOT_ENGINE"] ?? "";
  const isKnown = databaseName(name) === name && databaseName(known) === name;
  return accepted(createDbosEngine(isKnown ? known : withUser(url.value, env)));
}

/** The user of docs/engine.md, where nobody names one. */
function withUser(address: string, env: Environment): string {
  const url = new URL(address);
  if (url.username !== "" || (env["PGUSER"] ?? "") !== "") return address;
  url.username = "aot";
  return url.href;
}

/** An engine that does not answer is a refusal with its next step. */
export async function asking<T>(ask: () => Promise<T>): Promise<Result<T>> {
  try {
    return accepted(await ask());
  } catch (error) {
    if (error instanceof EngineUnreachable) return refused(error.message, error.hint);
    throw error;
  }
}

export function answered(answer: Answer): Result<string> {
  return answer.ok ? accepted(answer.message) : refused(answer.message, answer.hint);
}
