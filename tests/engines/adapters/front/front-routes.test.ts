import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mayUse, routeOf } from "../../../../src/engines/adapters/front/front-routes.ts";
import { RIGHTS } from "../../../../src/engines/adapters/front/front-tokens.ts";

test("SPEC 13: who may look may look only, a worker steers nothing, and nobody reaches what is not listed", () => {
  const open = (method: string, path: string): string => {
    const route = routeOf(method, path);
    if (route === null) return "nobody";
    return route.right === null ? "anybody" : RIGHTS.filter((right) => mayUse(right, route.right)).join();
  };
  const table: readonly (readonly [string, string, string])[] = [
    ["GET", "/health", "anybody"],
    ["GET", "/metrics", "view,steer,work"],
    ["POST", "/AotLoops/all/list", "view,steer,work"],
    ["POST", "/AotLoop/add-a-login-3f2a-91c0de/view", "view,steer,work"],
    ["POST", "/AotLoop/a%2Fb/journal", "view,steer,work"],
    ["POST", "/AotLoops/all/add", "steer"],
    ["POST", "/AotLoop/x/start", "steer"],
    ["POST", "/AotLoop/x/signal", "steer"],
    ["POST", "/AotLoop/x/claim", "work"],
    ["POST", "/AotLoop/x/record", "work"],
    ["POST", "/AotLoop/x/late", "work"],
    ["POST", "/AotWorkers/all/list", "view,steer,work"],
    ["POST", "/AotWorkers/all/seen", "work"],
    ["POST", "/deployments", "work"],
    ["POST", "/AotTenant/acme/view", "view,steer,work"],
    ["POST", "/AotTenant/acme/limit", "steer"],
    ["POST", "/AotTenant/acme/ask", "nobody"],
    ["POST", "/AotTenant/acme/start", "nobody"],
    ["POST", "/AotGate/pass", "nobody"],
    // What loops and workers say among themselves, Restate's own interfaces, and other ways to write an address.
    ["POST", "/AotLoop/x/settle", "nobody"],
    ["POST", "/AotLoop/x/wake", "nobody"],
    ["POST", "/AotLoop/x/view/send", "nobody"],
    ["POST", "/AotLoop/x/signal?delay=1d", "nobody"],
    ["POST", "/AotLoop/x/constructor", "nobody"],
    ["POST", "/AotLoop/../view", "nobody"],
    ["POST", "/AotLoop/%2e%2E/view", "nobody"],
    ["POST", "/AotTenant/.%2e/view", "nobody"],
    ["POST", "/AotLoop/%2e%2e%2e/view", "nobody"],
    ["POST", "/AotTask/perform", "nobody"],
    ["POST", "/AotLine/x/perform", "nobody"],
    ["POST", "//AotLoops/all/list", "nobody"],
    ["POST", "/query", "nobody"],
    ["GET", "/deployments", "work"],
    ["PATCH", "/deployments/dp_1", "work"],
    ["PATCH", "/deployments/../x", "nobody"],
    ["DELETE", "/deployments/dp_1", "nobody"],
    ["PATCH", "/invocations/inv_1/cancel", "nobody"],
    ["POST", "http://elsewhere.test/deployments", "nobody"],
    ["GET", "/AotLoop/x/view", "nobody"],
    ["GET", "/__proto__", "nobody"],
  ];
  expect(table.map(([method, path]) => [method, path, open(method, path)])).toEqual(table);
});

test("law: an address is passed on only if it is one of the few that are listed", () => {
  const part = fc.constantFrom(
    "/",
    "AotLoop",
    "AotLoops",
    "all",
    "view",
    "start",
    "..",
    "%2e",
    "?",
    "#",
    "x",
    "\\",
    ";",
  );
  fc.assert(
    fc.property(
      fc.constantFrom("GET", "POST", "PUT"),
      fc.oneof(
        fc.string().map((text) => `/${text}`),
        fc.array(part).map((all) => all.join("")),
      ),
      (method, path) => {
        const route = routeOf(method, path);
        if (route !== null)
          expect(`${method} ${path}`).toMatch(
            /^(GET \/(restate\/)?health|GET \/metrics|POST \/deployments|POST \/AotLoops\/all\/(list|add)|POST \/AotWorkers\/all\/(list|seen)|POST \/AotLoop\/[^/?#\\;]+\/(view|journal|start|signal|claim|record|late))$/,
          );
      },
    ),
    { numRuns: 1_000 },
  );
});
