/**
 * SPEC 13: docs/engine-operation.md is run as it is: its units, its proxy, its commands, in their order. Only addresses,
 * paths and ports are other ones: hosts are addresses of this machine's loopback, and `systemctl` is a little one of this file.
 */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePorts, restateProgram } from "../support/engines/restate.ts";
import { projectWithRemote, runAot } from "../support/engines/scene.ts";
import { until } from "../fixtures/programs.ts";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { blocksOf, type CodeBlock } from "../support/docs.ts";
import { stateOf } from "../support/loops.ts";

const PAGE = "docs/engine-operation.md";
const FIXTURES = join(import.meta.dirname, "../fixtures");
const LIMIT_MS = 90_000;
const program = restateProgram();
const inPath = (name: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));
const lacking = ["haproxy", "curl", "openssl", "tar"].filter((name) => !inPath(name));
const missing =
  process.platform !== "linux"
    ? "its hosts are addresses that only Linux has"
    : program === null
      ? "no Restate server: node scripts/install-engines.mjs"
      : lacking.length > 0
        ? `not installed: ${lacking.join(", ")}`
        : null;
if (missing !== null) console.warn(`${PAGE} is not run: ${missing}`);

interface Service {
  readonly pid: number;
  said(): string;
  end(): Promise<number | null>;
}

describe.skipIf(missing !== null)("the guide", () => {
  const root = temporaryFolder();
  const gates = temporaryFolder();
  const services = new Map<string, Service>();
  const ended: { readonly name: string; readonly code: number | null }[] = [];
  let blocks: readonly CodeBlock[];
  let swaps: readonly (readonly [string, string])[];
  let control: Server;
  let env: Record<string, string>;
  const place = (text: string): string => swaps.reduce((done, [from, to]) => done.replaceAll(from, to), text);
  const path = (name: string): string => join(root, name);

  /** Runs the next block of commands; answers with what it printed. */
  const run = async (about: string, cwd = root): Promise<string> => {
    const [block, ...rest] = blocks;
    blocks = rest;
    expect(block?.notRun).toContain(about);
    const child = spawn("sh", ["-eu", "-c", place(block?.text ?? "")], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", (status) => resolve(status)));
    expect({ code, said: code === 0 ? "" : said }, block?.text).toEqual({ code: 0, said: "" });
    return said;
  };

  /** What systemd makes of the page's unit. */
  const commandOf = (name: string): { readonly line: string; readonly env: Readonly<Record<string, string>> } => {
    if (name === "haproxy") return { line: `haproxy -db -f ${path("etc/haproxy/haproxy.cfg")}`, env: {} };
    const [base, instance = ""] = name.split("@");
    const unit = readFileSync(path(`etc/systemd/system/${base}${instance === "" ? "" : "@"}.service`), "utf8");
    const value = (key: string): string =>
      (new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? "").replaceAll("%i", instance);
    const file = value("EnvironmentFile");
    const text = file === "" ? "" : readFileSync(file, "utf8");
    const own = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = "", set = ""]) => [key, set] as const);
    return { line: value("ExecStart"), env: Object.fromEntries(own) };
  };
  const isOpen = (host: string, port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, host, () => (socket.destroy(), resolve(true)));
      socket.on("error", () => resolve(false));
    });
  const start = async (name: string): Promise<void> => {
    const { line, env: own } = commandOf(name);
    const child = spawn("sh", ["-c", `exec ${line}`], {
      cwd: root,
      env: { ...env, ...own },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
    const gone = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    services.set(name, {
      pid: child.pid ?? 0,
      said: () => said,
      end: async () => {
        if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
        return await gone;
      },
    });
    const isReady = async (): Promise<boolean> =>
      name === "haproxy" ? await isOpen("127.77.0.5", 9080) : /is ready/.test(said);
    for (const end = Date.now() + LIMIT_MS; !(await isReady());) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`${name} is not ready: ${line}\n${said}`);
      await new Promise((resume) => setTimeout(resume, 50));
    }
  };
  const stop = async (name: string): Promise<void> => {
    const service = services.get(name);
    const code = await service?.end();
    // Until then it drains, and says so.
    services.delete(name);
    ended.push({ name, code: code ?? null });
    if (name !== "haproxy" && code !== 0) throw new Error(`${name} ended with ${code}: ${service?.said()}`);
  };

  beforeAll(async () => {
    const page = blocksOf(PAGE, readFileSync(PAGE, "utf8"));
    const ports = ["8080", "9070", "5122", "9091"];
    const free = await freePorts(ports.length);
    swaps = [
      ["10.0.0.", "127.77.0."],
      ...ports.flatMap((port, i) => [
        [`port ${port}`, `port ${free[i]}`] as const,
        [`127.0.0.1:${port}`, `127.0.0.1:${free[i]}`] as const,
      ]),
      ["/usr/bin/aot", "aot"],
      ["/etc/", `${root}/etc/`],
      ["/srv/", `${root}/srv/`],
    ];
    // Others say where else they are run.
    blocks = page.filter(
      ({ language, notRun }) => language === "sh" && notRun?.includes("engine-operation.test.ts") === true,
    );
    for (const { text } of page.filter(({ language }) => language !== "sh")) {
      const file = /^# (\/etc\/\S+)\n/.exec(text)?.[1] ?? "";
      mkdirSync(dirname(place(file)), { recursive: true });
      writeFileSync(place(file), place(text));
    }
    for (const folder of ["etc/aot", "srv/aot", "srv/backup", "bin"]) mkdirSync(path(folder), { recursive: true });
    copyFileSync(join(FIXTURES, "engines/tls-cert.pem"), path("etc/aot/cert.pem"));
    copyFileSync(join(FIXTURES, "engines/tls-key.pem"), path("etc/aot/key.pem"));
    control = createServer((request, response) => {
      const [, verb = "", name = ""] = (request.url ?? "").split("/");
      const done = verb === "start" ? start(name) : stop(name);
      done.then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    control.requestTimeout = 0;
    await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve));
    const { port } = control.address() as AddressInfo;
    const script = (name: string, text: string): void =>
      writeFileSync(path(`bin/${name}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    script("aot", `exec "${process.execPath}" "${aotPath()}" "$@"`);
    script(
      "systemctl",
      `exec curl --silent --show-error --fail-with-body --max-time 120 "http://127.0.0.1:${port}/$1/$2"`,
    );
    env = cleanEnv({
      PATH: `${path("bin")}${delimiter}${process.env["PATH"] ?? ""}`,
      AOT_RESTATE_SERVER: program ?? "",
      RESTATE_DEFAULT_NUM_PARTITIONS: "4",
      AGENT: `command:"${process.execPath}" "${join(FIXTURES, "patient-agent.mjs")}" "${gates}"`,
    });
  });
  afterAll(async () => {
    for (const gate of ["A1", "A2"]) writeFileSync(join(gates, gate), "go");
    for (const service of [...services.values()].toReversed()) await service.end();
    control?.closeAllConnections();
    await new Promise((resolve) => (control === undefined ? resolve(null) : control.close(resolve)));
  });

  test(
    "SPEC 13: server, proxy with token and TLS, workers; a worker that hangs, an upgrade and a restored back-up while a loop is running; figures",
    async () => {
      expect(await run("on the engine's host")).toMatch(/^publickeyv1_\w+$/m);
      await run("on the engine's host");
      await run("on the engine's host");
      await run("on each worker's host");
      const base_case = { checklist: [{ item: "made", check: { type: "file", value: "A2.txt" } }] } as const;
      const state = stateOf({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] });
      const project = projectWithRemote({ ...state, objective: { ...state.objective, base_case } });
      expect(await run("in a project", project.root)).toContain("is running");

      const anna = {
        AOT_ENGINE: "restates://127.77.0.5:8443",
        AOT_ENGINE_TOKEN: readFileSync(path("etc/aot/anna.token"), "utf8").trim(),
        NODE_EXTRA_CA_CERTS: path("etc/aot/cert.pem"),
      };
      /** Waits until the loop, as the engine tells it, holds what is looked for. */
      const reported = async (what: RegExp): Promise<string> => {
        let text = "";
        for (const end = Date.now() + LIMIT_MS; !what.test(text);) {
          if (Date.now() > end) throw new Error(`never ${what}: ${text}`);
          text = JSON.stringify((await runAot(["loops"], { cwd: root, env: anna })).json);
        }
        return text;
      };
      // A worker that hangs is found out by the balancer, and what it had in hand is begun again by the other.
      const [, hung = ""] =
        /"worker":"(east|west)"/.exec(await reported(/"task":"A1\.1","worker":"(east|west)"/)) ?? [];
      const { pid } = services.get(`aot-worker@${hung}`) ?? { pid: 0 };
      process.kill(pid, "SIGSTOP");
      const other = hung === "east" ? "west" : "east";
      await reported(new RegExp(`"task":"A1\\.1","worker":"${other}","runs":[2-9]`)).finally(() =>
        process.kill(pid, "SIGCONT"),
      );

      // The old workers end when what they began has ended; what comes next goes to the new one.
      const upgraded = run("on the hosts of the new and of the old workers");
      await until(() => services.has("aot-worker@north"), "the next version's worker", LIMIT_MS);
      await until(
        () => [...services.values()].some(({ said }) => said().includes("draining")) || ended.length > 0,
        "an old one drains",
        LIMIT_MS,
      );
      writeFileSync(join(gates, "A1"), "go");
      await upgraded;
      expect(ended.filter(({ name }) => name.startsWith("aot-worker")).map(({ code }) => code)).toEqual([0, 0]);
      await reported(/"task":"A2\.1","worker":"north"/);

      await run("on the engine's host");
      expect(existsSync(path("srv/backup/engine.tgz"))).toBe(true);
      await run("on the engine's new host");
      await reported(/"task":"A2\.1","worker":"north"/);
      writeFileSync(join(gates, "A2"), "go");
      expect(await reported(/"outcome":"verified"/)).toContain('"attempts":2');

      const figures = await run("from a monitor");
      expect(figures).toContain('aot_loops{status="completed",outcome="verified"} 1\n');
      expect(figures).toContain('aot_workers{state="taking"} 1\n');
      expect(figures).toContain("aot_worker_slots 3\n");
      expect(figures).toContain('aot_worker_tasks_ended_total{outcome="work_succeeded"}');
      expect(blocks, "every block of commands was run").toEqual([]);
      // Every figure that the page names is there.
      const page = readFileSync(PAGE, "utf8");
      for (const [, name] of page.matchAll(/`(aot_\w+)/g)) expect(figures).toContain(`# TYPE ${name} `);
    },
    5 * LIMIT_MS,
  );
});
