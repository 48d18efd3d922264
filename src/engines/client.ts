/** Which engine is meant, and how it is asked (SPEC section 13). */
import { createDbosEngine } from "./adapters/dbos/dbos-engine.ts";
import { databaseName } from "./adapters/dbos/dbos-names.ts";
import { EngineUnreachable } from "./adapters/engine-unreachable.ts";
import { createRestateEngine } from "./adapters/restate/restate-engine.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { Answer, Engine } from "../loop/engine.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The URL that an engine's name stands for: `restate://host:port`, `restates://` over TLS, or `http(s)://` itself; and
 * `postgres://user@host:port/database`, which is DBOS's.
 */
export function engineUrl(name: string): Result<string> {
  if (/^postgres(ql)?:/.test(name)) {
    const hint = "write postgres://USER@HOST:PORT/DATABASE; the password can be in PGPASSWORD or ~/.pgpass";
    return databaseName(name) === null ? refused("that address of PostgreSQL cannot be read", hint) : accepted(name);
  }
  const url = name.replace(/^restates:/, "https:").replace(/^restate:/, "http:");
  const bad = `${JSON.stringify(name)} names no engine`;
  const hint =
    "write postgres://USER@HOST:PORT/DATABASE (`aot engine up` says it), or restate://HOST:PORT, the address of Restate's ingress";
  if (!/^https?:\/\/[^/]+\/?$/.test(url) || !URL.canParse(url)) return refused(bad, hint);
  return accepted(url.replace(/\/$/, ""));
}

/** The token that a proxy in front of the engine asks for is in AOT_ENGINE_TOKEN. */
export function tokenIn(env: Environment): { readonly token?: string } {
  const token = env["AOT_ENGINE_TOKEN"];
  return token === undefined || token === "" ? {} : { token };
}

/** What state files say of a database tells neither user nor password: those of AOT_ENGINE are taken if it names the same, or else PGUSER and PGPASSWORD, or `aot`. */
export function engineNamed(name: string, env: Environment): Result<Engine> {
  const url = engineUrl(name);
  if (!url.ok) return url;
  const database = databaseName(url.value);
  if (database === null) return accepted(createRestateEngine({ url: url.value, ...tokenIn(env) }));
  const known = env["AOT_ENGINE"] ?? "";
  const isKnown = database === name && databaseName(known) === database;
  return accepted(createDbosEngine(isKnown ? known : withUser(url.value, env)));
}

/** The user that `aot engine up` makes, where nobody names one. */
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
