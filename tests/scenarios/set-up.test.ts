/** Whole runs in worktrees that are set up (SPEC sections 6 and 7): what a set-up decides, and what it cannot. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunOptions } from "../../src/run/options.ts";
import { isAlive } from "../../src/host/process.ts";
import { setStage } from "./stage.ts";

const node = (script: string): string => `"${process.execPath}" -e "${script}"`;
const set_up = (...commands: readonly string[]): Pick<RunOptions, "set_up"> => ({
  set_up: { commands, timeout_ms: 60_000, port_base: 22_500 },
});
const INSTALL = node("fs.mkdirSync('deps');fs.writeFileSync('deps/lib','installed')");
const IGNORED = { ".gitignore": "deps/\n.env\n", ".worktreeinclude": ".env\n" };

test("SPEC 6, 7: attempts and the clean checkout have what is installed, copied, and a port; the commit has none of it", async () => {
  const works = node("process.exit(fs.existsSync('deps/lib')&&fs.existsSync('.env')&&process.env.AOT_PORT>=22500?0:1)");
  const stage = setStage({
    atoms: [{ id: "A1" }],
    files: IGNORED,
    objective: { base_case: { checklist: [{ item: "it works", check: { type: "command", value: works } }] } },
    script: {
      A1: [
        {
          sh: node(
            "fs.mkdirSync('seen');fs.copyFileSync('deps/lib','seen/lib');fs.writeFileSync('seen/port',process.env.AOT_PORT)",
          ),
        },
      ],
    },
  });
  writeFileSync(join(stage.root, ".env"), "SECRET\n");
  const end = await stage.run(set_up(INSTALL));
  expect(end).toMatchObject({ ok: true, exit_code: 0 });
  expect(stage.integrated("seen/lib")).toBe("installed");
  expect(Number(stage.integrated("seen/port"))).toBeGreaterThanOrEqual(22_500);
  const names = stage.git("ls-tree", "-r", "--name-only", "main").split("\n");
  expect(names).not.toContain(".env");
  expect(names).not.toContain("deps/lib");
});

test("SPEC 4, PREPARED-WORKSPACE-2: a set-up that never works fails each attempt with its reason, costs no call, and the loop halts", async () => {
  const stage = setStage({ atoms: [{ id: "A1" }], files: IGNORED });
  const end = await stage.run(set_up(node("console.log('registry is down');process.exit(4)")));
  expect(end).toMatchObject({ ok: true, exit_code: 11, report: { outcome: "stalled" } });
  const reasons = stage.journal().flatMap((line) => (line.event === "attempt_failed" ? [line.reason] : []));
  expect(reasons.length).toBeGreaterThan(1);
  for (const reason of reasons) expect(reason).toContain("exit code 4: registry is down");
  expect(() => stage.pidOf("A1.1")).toThrow();
  expect(existsSync(join(stage.root, ".claude/aot-loop/logs/A1.1.log"))).toBe(true);
  expect(stage.git("for-each-ref", "refs/heads/aot/*/attempt")).toBe("");
});

test("SPEC 6, PREPARED-WORKSPACE-2: where the checkout cannot be set up no check is taken for a pass", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    files: { ...IGNORED, "install.cjs": "require('fs').mkdirSync('deps')\n" },
    // It would pass anywhere.
    objective: { base_case: { checklist: [{ item: "no dist", check: { type: "not_file", value: "dist" } }] } },
    script: { A1: [{ write: { "install.cjs": "process.exit(5)\n" } }] },
  });
  const end = await stage.run({ ...set_up(`"${process.execPath}" install.cjs`) });
  expect(end.ok && end.exit_code).not.toBe(0);
  expect(stage.state().control.status).toBe("stopped");
  const checked = stage.journal().find((line) => line.event === "base_case_checked");
  expect(JSON.stringify(checked)).toContain("exit code 5");
});

test("SPEC 7: nothing of a set-up outlives a run that is killed", async () => {
  const stage = setStage({ atoms: [{ id: "A1" }], files: IGNORED });
  const pids = join(stage.root, "..", "pid");
  const hangs = node(
    `fs.writeFileSync(${JSON.stringify(pids).replaceAll('"', "'")},String(process.pid));setInterval(()=>{},1000)`,
  );
  let killing: Promise<void> | null = null;
  const end = await stage.run({
    ...set_up(hangs),
    during: (line, control) => {
      if (line.event !== "attempt_started" || killing !== null) return;
      killing = expect
        .poll(() => existsSync(pids) && readFileSync(pids, "utf8") !== "", { timeout: 30_000 })
        .toBe(true)
        .then(() => control.kill());
    },
  });
  expect(end).toMatchObject({ ok: true, exit_code: 10 });
  expect(isAlive(Number(readFileSync(pids, "utf8")))).toBe(false);
});
