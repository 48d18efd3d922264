/**
 * Decides which requests to the dashboard are allowed (SPEC section 10). Pure.
 *
 * DASHBOARD-GUARD-1 a Host that is not a loopback name is refused, so that a site whose name resolves to this address (DNS
 *    rebinding) reaches nothing;
 * DASHBOARD-GUARD-2 reading about a loop or acting on it needs a token in a header, which no other site can set;
 * DASHBOARD-GUARD-3 a request from another origin is refused, with a token or not;
 * DASHBOARD-GUARD-4 a token for watching never acts.
 */
import { createHash, timingSafeEqual } from "node:crypto";

export interface Tokens {
  /** Absent: the dashboard is read-only. */
  readonly act?: string;
  readonly read: string;
}

export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  readonly authorization: string | undefined;
  readonly content_type: string | undefined;
}

export type Verdict =
  | { readonly ok: true; readonly may: "fetch_page" | "read" | "act" }
  | { readonly ok: false; readonly status: 401 | 403 | 405 | 415; readonly message: string };

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

export function verdictOn(asking: Asking, tokens: Tokens): Verdict {
  const { method, host = "", origin, site } = asking;
  if (!LOOPBACK_HOST.test(host)) return refusal(403, "the dashboard answers to localhost and 127.0.0.1 only");
  if (origin !== undefined && origin !== `http://${host}`) return refusal(403, "asked by another origin");
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  const isPage = !asking.path.startsWith("/api/");
  // A link on another site may open the page: it holds no data and needs the token from its own URL to get any.
  if (isForeign && !(isPage && method === "GET")) return refusal(403, "asked by another site");
  if (method !== "GET" && method !== "POST") return refusal(405, "only GET and POST");
  if (isPage) return method === "GET" ? { ok: true, may: "fetch_page" } : refusal(405, "only GET");
  const rights = rightsOf(asking.authorization, tokens);
  if (rights === null)
    return refusal(401, "the token is missing or wrong: open the address that `aot dashboard` printed");
  if (method === "GET") return { ok: true, may: rights };
  if (rights === "read") return refusal(403, "this address is for looking on only");
  if (origin === undefined) return refusal(403, "an action says where it comes from (Origin)");
  if (!/^application\/json(;|$)/.test(asking.content_type ?? "")) return refusal(415, "an action is JSON");
  return { ok: true, may: "act" };
}

/** Null: no valid token. */
function rightsOf(authorization: string | undefined, tokens: Tokens): "read" | "act" | null {
  const given = /^Bearer ([\w-]{16,128})$/.exec(authorization ?? "")?.[1];
  if (given === undefined) return null;
  if (tokens.act !== undefined && isSame(given, tokens.act)) return "act";
  return isSame(given, tokens.read) ? "read" : null;
}

/** In constant time. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

function refusal(status: 401 | 403 | 405 | 415, message: string): Verdict {
  return { ok: false, status, message };
}
