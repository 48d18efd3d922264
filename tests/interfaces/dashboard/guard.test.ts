/** SPEC 10: loopback only, a token, Host and Origin checked; no cross-site request can act. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { verdictOn, type Asking } from "../../../src/interfaces/dashboard/guard.ts";

const TOKENS = { act: "a".repeat(32), read: "r".repeat(32) };
const HOST = "127.0.0.1:4321";
const own: Asking = {
  method: "GET",
  path: "/api/loops",
  host: HOST,
  origin: undefined,
  site: "same-origin",
  authorization: `Bearer ${TOKENS.act}`,
  content_type: undefined,
};
const action: Asking = {
  ...own,
  method: "POST",
  path: "/api/loops/x/actions",
  origin: `http://${HOST}`,
  content_type: "application/json",
};

const mayOf = (asking: Asking, tokens: Parameters<typeof verdictOn>[1] = TOKENS): string | number => {
  const verdict = verdictOn(asking, tokens);
  return verdict.ok ? verdict.may : verdict.status;
};

test("the page's own requests pass: its files without a token, all else with one", () => {
  expect(mayOf({ ...own, path: "/", authorization: undefined, site: "none" })).toBe("fetch_page");
  expect(mayOf(own)).toBe("act");
  expect(mayOf({ ...own, authorization: `Bearer ${TOKENS.read}` })).toBe("read");
  expect(mayOf(action)).toBe("act");
});

test("DASHBOARD-GUARD-1: whatever name leads here but this machine's own is refused, on the page as well", () => {
  const bad = fc.oneof(
    fc.domain().map((name) => `${name}:4321`),
    fc.constantFrom(
      ..."127.0.0.1.example.com|localhost.example.com:1|10.0.0.1|0.0.0.0:1|[::]:1||a@localhost".split("|"),
    ),
  );
  fc.assert(
    fc.property(bad, fc.constantFrom("/", "/api/loops"), (host, path) => {
      expect(mayOf({ ...own, host, path })).toBe(403);
      expect(mayOf({ ...action, host, origin: `http://${host}` })).toBe(403);
    }),
  );
  for (const host of ["localhost:80", "127.0.0.1", "[::1]:9"]) expect(mayOf({ ...own, host })).toBe("act");
});

test("DASHBOARD-GUARD-2: no token but the two tells anything or does anything", () => {
  const token = fc.oneof(fc.string(), fc.stringMatching(/^[\w-]{16,40}$/), fc.constant(TOKENS.act.slice(1)));
  fc.assert(
    fc.property(token, fc.constantFrom("Bearer ", "bearer ", "Basic ", ""), (given, scheme) => {
      fc.pre(`${scheme}${given}` !== `Bearer ${TOKENS.act}` && `${scheme}${given}` !== `Bearer ${TOKENS.read}`);
      expect(mayOf({ ...own, authorization: `${scheme}${given}` })).toBe(401);
      expect(mayOf({ ...action, authorization: `${scheme}${given}` })).toBe(401);
    }),
  );
  expect(mayOf({ ...own, authorization: undefined })).toBe(401);
});

test("DASHBOARD-GUARD-3: what another origin or another site sends is refused, even with the token", () => {
  for (const origin of [
    "http://evil.example",
    "null",
    `https://${HOST}`,
    "http://127.0.0.1:4322",
    "http://localhost:4321",
  ])
    for (const asking of [own, action]) expect(mayOf({ ...asking, origin })).toBe(403);
  for (const site of ["cross-site", "same-site"])
    for (const asking of [own, action]) expect(mayOf({ ...asking, site })).toBe(403);
  // A form cannot say that it sends JSON, and a browser always says where an action comes from.
  expect(mayOf({ ...action, content_type: "text/plain" })).toBe(415);
  expect(mayOf({ ...action, content_type: "application/x-www-form-urlencoded" })).toBe(415);
  expect(mayOf({ ...action, origin: undefined })).toBe(403);
  for (const method of ["OPTIONS", "PUT", "DELETE", "HEAD", "TRACE"]) expect(mayOf({ ...action, method })).toBe(405);
});

test("DASHBOARD-GUARD-3: a link from elsewhere opens the page, which holds nothing of a loop", () => {
  expect(mayOf({ ...own, path: "/", authorization: undefined, site: "cross-site" })).toBe("fetch_page");
  expect(mayOf({ ...own, path: "/", authorization: undefined, site: "cross-site", method: "POST" })).toBe(403);
});

test("DASHBOARD-GUARD-4: who may only watch cannot act, nor can anybody where there is no token for it", () => {
  expect(mayOf({ ...action, authorization: `Bearer ${TOKENS.read}` })).toBe(403);
  expect(mayOf(action, { read: TOKENS.read })).toBe(401);
  expect(mayOf({ ...action, authorization: `Bearer ${TOKENS.read}` }, { read: TOKENS.read })).toBe(403);
});
