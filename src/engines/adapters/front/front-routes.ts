/**
 * What can be asked of an engine from outside (SPEC section 13). Pure.
 *
 * FRONT-ROUTES-1 what is not listed here is not there: neither Restate's own interfaces nor handlers that only loops
 *    and workers call among themselves;
 * FRONT-ROUTES-2 only names of loops and tenants vary in an address: no query, no second way to write it.
 */
import type { Right } from "./front-tokens.ts";
import { TENANT } from "../restate/restate-gate.ts";
import { ALL, LOOP, LOOPS } from "../restate/restate-names.ts";
import { WORKERS } from "../restate/restate-workers.ts";

export interface Route {
  readonly name: string;
  readonly to: "ingress" | "admin" | "metrics" | "health";
  /** Null: whoever asks. */
  readonly right: Right | null;
  /** Longest body, bytes. */
  readonly most: number;
}

/** A signal, a question. */
const SMALL = 1024 * 1024;
/** A whole loop; the server takes no more than this. */
const LARGE = 32 * 1024 * 1024;

const HANDLERS: Readonly<Record<string, readonly [right: Right, most: number]>> = {
  view: ["view", SMALL],
  journal: ["view", SMALL],
  start: ["steer", LARGE],
  signal: ["steer", SMALL],
  claim: ["work", SMALL],
  record: ["work", SMALL],
  late: ["work", SMALL],
};

const TENANTS: Readonly<Record<string, readonly [right: Right, most: number]>> = {
  view: ["view", SMALL],
  limit: ["steer", SMALL],
};

const FIXED: Readonly<Record<string, Route>> = {
  "GET /health": { name: "health", to: "health", right: null, most: 0 },
  "GET /restate/health": { name: "health", to: "health", right: null, most: 0 },
  "GET /metrics": { name: "metrics", to: "metrics", right: "view", most: 0 },
  [`POST /${LOOPS}/${ALL}/list`]: { name: "list", to: "ingress", right: "view", most: SMALL },
  [`POST /${LOOPS}/${ALL}/add`]: { name: "add", to: "ingress", right: "steer", most: SMALL },
  [`POST /${WORKERS}/${ALL}/list`]: { name: "workers", to: "ingress", right: "view", most: SMALL },
  [`POST /${WORKERS}/${ALL}/seen`]: { name: "seen", to: "ingress", right: "work", most: SMALL },
  "POST /deployments": { name: "register", to: "admin", right: "work", most: SMALL },
  "GET /deployments": { name: "registered", to: "admin", right: "work", most: 0 },
};

const REPLACED = /^PATCH \/deployments\/\w{1,100}$/;

const OF_TENANT = new RegExp(String.raw`^/${TENANT}/([\w.~!'()*%-]{1,900})/(\w+)$`);
const OF_LOOP = new RegExp(String.raw`^/${LOOP}/([\w.~!'()*%-]{1,900})/(\w+)$`);

/** Null: nothing that can be asked (FRONT-ROUTES-1). */
export function routeOf(method: string, path: string): Route | null {
  const asked = `${method} ${path}`;
  if (Object.hasOwn(FIXED, asked)) return FIXED[asked] ?? null;
  if (REPLACED.test(asked)) return { name: "replace", to: "admin", right: "work", most: SMALL };
  const tenant = OF_TENANT.exec(path);
  const [, name = "", handler = ""] = tenant ?? OF_LOOP.exec(path) ?? [];
  const handlers = tenant === null ? HANDLERS : TENANTS;
  // FRONT-ROUTES-2: `.` and `..` are ways up for whoever tidies addresses, `%2e` too.
  if (method !== "POST" || /^(\.|%2e)*$/i.test(name) || !Object.hasOwn(handlers, handler)) return null;
  const found = handlers[handler];
  if (found === undefined) return null;
  return { name: tenant === null ? handler : `tenant_${handler}`, to: "ingress", right: found[0], most: found[1] };
}

/** Whoever is let in may look. */
export function mayUse(own: Right, wanted: Right | null): boolean {
  return wanted === null || wanted === "view" || own === wanted;
}
