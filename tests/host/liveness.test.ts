import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isAlive, livenessOf, processIdentity, self } from "../../src/host/liveness.ts";
import { eventually, startProgram, temporaryFolder } from "../support/bundle.ts";
import { needs } from "../support/needs.ts";

const linux = process.platform === "linux";
const root = process.getuid?.() === 0;

test("this process is alive and its identity is constant", () => {
  expect(self()).toBe(self());
  expect(self()).toBe(processIdentity(process.pid));
  expect(livenessOf(self())).toBe("alive");
});

test("SPEC 2: a killed process is dead", async () => {
  const child = startProgram([process.execPath, "-e", "setInterval(() => {}, 1000)"]);
  const identity = processIdentity(child.pid) ?? "";
  expect(isAlive(identity)).toBe(true);
  child.kill();
  await child.ended();
  expect(isAlive(identity)).toBe(false);
  expect(processIdentity(child.pid)).toBeNull();
});

test.skipIf(!linux)("a zombie does not live", async () => {
  needs("sleep");
  // The shell becomes `sleep`, which never waits for the child that the shell started.
  const parent = startProgram(["/bin/sh", "-c", "sleep 0.05 & echo $!; exec sleep 100"]);
  const pid = Number(await parent.line());
  const state = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  await eventually("the child is a zombie", () => state() === "Z");
  expect(processIdentity(pid)).toBeNull();
  expect(isAlive(`${pid}/`)).toBe(true);
  parent.kill();
  await parent.ended();
});

test.skipIf(!linux)("SPEC 2: a reused pid is not its former bearer", () => {
  const [ticks = "", ...rest] = self()
    .slice(self().indexOf("/") + 1)
    .split(".");
  const former = [`${process.pid}/${Number(ticks) - 1}`, ...rest].join(".");
  expect(livenessOf(former)).toBe("dead");
});

test.skipIf(!linux)("a command named like `) R 1 (` does not confuse the start stamp", async () => {
  const program = join(temporaryFolder(), "a) R 1 (b");
  copyFileSync("/bin/sleep", program);
  const child = startProgram([program, "100"]);
  await eventually("it runs under its odd name", () =>
    readFileSync(`/proc/${child.pid}/stat`, "utf8").includes("a) R 1 (b"),
  );
  const identity = processIdentity(child.pid) ?? "";
  expect(identity).toMatch(/^\d+\/\d{3,}\./);
  expect(isAlive(identity)).toBe(true);
  child.kill();
  await child.ended();
  expect(isAlive(identity)).toBe(false);
});

test.skipIf(!linux)("another boot of this machine is dead; another machine, or an unknown boot, is not known", () => {
  const [ticks = "", boot = "", namespace = "", machine = ""] = self()
    .slice(self().indexOf("/") + 1)
    .split(".");
  const of = (...parts: string[]) => livenessOf(`${process.pid}/${parts.join(".")}`);
  expect(of(ticks, boot, namespace, machine)).toBe("alive");
  expect(of(ticks, "00000000", namespace, machine)).toBe("dead");
  expect(of(ticks, "00000000", namespace, "another")).toBe("unknown");
  expect(of(ticks, "", namespace, machine)).toBe("unknown");
});

// Sandboxed agents call `aot` from a pid namespace of their own.
test.skipIf(!linux || !root)(
  "SPEC 2: a process of a nested pid namespace is judged from outside (Linux, as root)",
  async () => {
    needs("unshare");
    const source = `
    const { readFileSync, readlinkSync } = require("node:fs");
    const stat = readFileSync("/proc/self/stat", "utf8");
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    console.log([process.pid + "/" + ticks, process.argv[1], /\\d+/.exec(readlinkSync("/proc/self/ns/pid"))[0], process.argv[2]].join("."));
    setInterval(() => {}, 1000);`;
    const [, boot = "", , machine = ""] = self().split(".");
    const nested = startProgram([
      "unshare",
      "--pid",
      "--fork",
      "--mount-proc",
      "--kill-child",
      process.execPath,
      "-e",
      source,
      boot,
      machine,
    ]);
    const identity = await nested.line();
    expect(identity).toMatch(/^1\//);
    expect(livenessOf(identity)).toBe("alive");
    nested.kill();
    await nested.ended();
    await eventually("the nested process is gone", () => livenessOf(identity) === "dead");
  },
);

test("what is no process, or no identity, is never called alive by number nor dead by guess", () => {
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(processIdentity(pid)).toBeNull();
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[1-9]\d*\//.test(text));
      expect(livenessOf(text)).toBe("unknown");
      expect(isAlive(text)).toBe(true);
    }),
  );
});
