/** A server's own host: its log, and its address where that is of IPv6 (SPEC section 13). */
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRestateEngine } from "../../src/engines/adapters/restate/restate-engine.ts";
import { authorityOf, startEngineServer } from "../../src/engines/server.ts";
import { startWorker } from "../../src/engines/worker.ts";
import { describeProblems } from "../../src/core/problem.ts";
import { restateProgram, startRestate } from "../support/engines/restate.ts";
import { tempFolder } from "../fixtures/programs.ts";

test("SPEC 13: hosts of IPv6 are in brackets in an address, and others do not", () => {
  expect(authorityOf("::1", 80)).toBe("[::1]:80");
  expect(authorityOf("fe80::1%eth0", 80)).toBe("[fe80::1%eth0]:80");
  expect(authorityOf("127.0.0.1", 80)).toBe("127.0.0.1:80");
  expect(authorityOf("engine.internal", 8080)).toBe("engine.internal:8080");
});

test("SPEC 13: each start of a server has a log of its own, however much the ones before it wrote", async () => {
  const dir = tempFolder();
  const log = join(dir, "server.log");
  const old = openSync(log, "w");
  ftruncateSync(old, 80 * 1024 * 1024);
  closeSync(old);
  // A program that ends at once, and says why.
  const server = { program: process.execPath, dir, host: "127.0.0.1", ports: { ingress: 1, admin: 1, node: 1 } };
  expect(await startEngineServer({ ...server, env: {}, ready_ms: 30_000 })).toMatchObject({ ok: false });
  expect(statSync(log).size).toBeLessThan(100_000);
  expect(readFileSync(log, "utf8")).toContain("bad option");
  expect(statSync(join(dir, "server.1.log")).size).toBe(80 * 1024 * 1024);
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
      const request = { ingress, admin, name: "six", slots: 1, host: "127.0.0.1", port: 0, dir, warn: () => {} };
      const worker = await startWorker(request);
      if (!worker.ok) throw new Error(describeProblems(worker.problems));
      onTestFinished(() => worker.value.close());
      expect(await createRestateEngine({ url: ingress }).loops()).toEqual([]);
    });
  },
);
