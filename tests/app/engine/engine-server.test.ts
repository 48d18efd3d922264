/** A server on loopback of IPv6, where hosts stand in brackets (SPEC section 13). */
import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRestateEngine } from "../../../src/adapters/engines/restate/restate-engine.ts";
import { authorityOf } from "../../../src/app/engine/authority.ts";
import { startWorker } from "../../../src/app/engine/engine-worker.ts";
import { describeProblems } from "../../../src/core/problem.ts";
import { restateProgram, startRestate } from "../../engines/restate.ts";

test("SPEC 13: hosts of IPv6 stand in brackets in an address, and others do not", () => {
  expect(authorityOf("::1", 80)).toBe("[::1]:80");
  expect(authorityOf("fe80::1%eth0", 80)).toBe("[fe80::1%eth0]:80");
  expect(authorityOf("127.0.0.1", 80)).toBe("127.0.0.1:80");
  expect(authorityOf("engine.internal", 8080)).toBe("engine.internal:8080");
});

const program = restateProgram();
const hasLoopback = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

describe.skipIf(program === null || !hasLoopback)(
  "on a real server (node scripts/install-engines.mjs installs it)",
  () => {
    // Restate calls no worker at an address of IPv6: those are named by host.
    test("SPEC 13: a server on ::1 is found by its workers", async () => {
      const server = await startRestate(program ?? "", "::1");
      onTestFinished(() => server.close());
      expect(server.ingress).toMatch(/^http:\/\/\[::1\]:\d+$/);
      const dir = mkdtempSync(join(tmpdir(), "aot-worker-"));
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
      const { ingress, admin } = server;
      const wish = { ingress, admin, name: "six", slots: 1, host: "127.0.0.1", port: 0, dir, warn: () => {} };
      const worker = await startWorker(wish);
      if (!worker.ok) throw new Error(describeProblems(worker.problems));
      onTestFinished(() => worker.value.close());
      expect(await createRestateEngine({ url: ingress }).loops()).toEqual([]);
    });
  },
);
