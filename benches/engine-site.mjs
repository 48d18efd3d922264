// A Restate server and workers on this host, as processes whose time and memory can be read (Linux).
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { registerWorker } from "../dist/lib/engines/adapters/restate/restate-admin.js";
import { createRestateEngine } from "../dist/lib/engines/adapters/restate/restate-engine.js";
import { sum } from "./statistics.mjs";

const TICK_MS = 10;
const READY_MS = 60_000;
const WORKER = join(import.meta.dirname, "engine-worker.mjs");
const BALANCER = join(import.meta.dirname, "../tests/support/engines/balancer.ts");

/** User and system time of processes so far, milliseconds. */
export function cpuOf(pids) {
  return sum(
    pids.map((pid) => {
      if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      // Its own, and that of its children that have ended.
      return sum(fields.slice(11, 15).map(Number)) * TICK_MS;
    }),
  );
}

/** Resident memory of processes, MiB. */
export function memoryOf(pids) {
  return sum(
    pids.map((pid) => {
      if (!existsSync(`/proc/${pid}/status`)) return Number.NaN;
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1_024;
    }),
  );
}

/**
 * @param program the server's
 * @param settings of the workers, and how many there are; several are behind a balancer
 */
export async function startSite(program, { workers, ...settings }) {
  const dir = mkdtempSync(join(tmpdir(), "aot-bench-engine-"));
  const [ingress, admin, node] = await freePorts(3);
  const url = `http://127.0.0.1:${ingress}`;
  const ends = [async () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 })];
  const close = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const server = started(program, argumentsOf(node, dir), serverEnvironment(ingress, admin));
    ends.push(() => ended(server, () => server.kill("SIGTERM")));
    const { lines, pids } = await startWorkers(workers, { ...settings, ingress: url }, ends);
    const addresses = lines.map((port) => `http://127.0.0.1:${port}`);
    await registered({ url: `http://127.0.0.1:${admin}` }, await addressOf(addresses, dir, ends));
    return {
      engine: createRestateEngine({ url }),
      admin: `http://127.0.0.1:${admin}`,
      ingress: url,
      server: [server.pid],
      workers: pids,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns what each said first, once it works */
export async function startWorkers(count, settings, ends) {
  const children = Array.from({ length: count }, (_, index) =>
    started(process.execPath, [WORKER, JSON.stringify({ ...settings, name: `w${index}` })], process.env),
  );
  for (const child of children) ends.push(() => ended(child, () => child.stdin.end()));
  return { lines: await Promise.all(children.map(firstLine)), pids: children.map(({ pid }) => pid) };
}

async function addressOf(addresses, dir, ends) {
  if (addresses.length === 1) return addresses[0];
  const { startBalancer } = await bundled(BALANCER, dir);
  const balancer = await startBalancer(addresses);
  ends.push(() => balancer.close());
  return balancer.url;
}

/** A helper of the tests, which is TypeScript. */
export async function bundled(input, dir) {
  const file = join(dir, `${basename(input, ".ts")}.mjs`);
  const bundle = await rolldown({ input, platform: "node", logLevel: "silent" });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return await import(pathToFileURL(file).href);
}

function argumentsOf(node, dir) {
  const address = ["--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--advertised-host", "127.0.0.1"];
  return ["--no-logo", ...address, "--bind-port", String(node), "--base-dir", dir];
}

function serverEnvironment(ingress, admin) {
  return {
    PATH: process.env["PATH"],
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    // As `aot engine up` starts it.
    RESTATE_DEFAULT_NUM_PARTITIONS: "4",
    RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: "100000",
    RESTATE_LOG_FILTER: "error",
    RESTATE_DISABLE_TELEMETRY: "true",
  };
}

function started(program, args, env) {
  // What the server says of its looking for updates is no error of ours.
  return spawn(program, args, { env, stdio: ["pipe", "pipe", program === process.execPath ? "inherit" : "ignore"] });
}

async function ended(child, end) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  end();
  await gone;
}

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("a worker ended before it served");
}

async function registered(admin, address) {
  for (const end = performance.now() + READY_MS; ;) {
    try {
      return await registerWorker(admin, address);
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resume) => setTimeout(resume, 200));
    }
  }
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
