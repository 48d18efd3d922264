/** Help of every command, and its examples run. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { helpText } from "../../../src/interfaces/cli/help.ts";
import type { CommandSpec } from "../../../src/command/spec.ts";
import { AOT } from "../../../src/aot.ts";
import { aot, aotPath, aotProcess, cleanEnv, projectWith, wordsOf } from "../../support/aot.ts";
import { needs } from "../../support/needs.ts";
import { CORRECTED, linesOf } from "../../support/transcript.ts";

interface Listed {
  readonly command: CommandSpec;
  readonly path: readonly string[];
}

function all(command: CommandSpec, path: readonly string[]): Listed[] {
  return [{ command, path }, ...(command.commands ?? []).flatMap((child) => all(child, [...path, child.name]))];
}

const COMMANDS = all(AOT, [AOT.name]);

describe("every command", () => {
  for (const { command, path } of COMMANDS) {
    test(`${path.join(" ")} explains itself`, () => {
      const text = helpText(command, path);
      expect(text).toContain("Usage");
      expect(text).toContain("--state-file PATH");
      expect(text.split("\n").every((line) => line.length <= 200)).toBe(true);
      if (command.load !== undefined) {
        expect(command.examples?.length ?? 0).toBeGreaterThan(0);
        expect(text).toContain("Exit codes");
        expect(text).toContain("Effect: it ");
      }
      for (const { name, unlisted } of command.flags ?? []) if (unlisted !== true) expect(text).toContain(`--${name}`);
    });
  }
});

test("SPEC 10: on a page of any width no prose is wider; a command without examples of its own shows those below it", () => {
  for (const { command, path } of COMMANDS)
    for (const width of [40, 72, 100]) {
      const text = helpText(command, path, { width, heading: (title) => `<b>${title}</b>` });
      const [prose = ""] = text.split("<b>Examples");
      const wide = prose.split("\n").filter((line) => line.length > width && /\S {1}\S+ {1}\S/.test(line.trim()));
      // What cannot be broken: a usage line, and a long word behind a flag.
      expect(
        wide.filter((line) => !/^ {2}(aot|--)|^ +\S+$/.test(line)),
        path.join(" "),
      ).toEqual([]);
      expect(text).toContain("<b>Usage</b>");
      if (command.load === undefined) expect(text, path.join(" ")).toContain("<b>Examples</b>");
    }
});

test("SPEC 10: the help of aot run is one and a half screens", () => {
  const { command, path } = COMMANDS.find((one) => one.path.join(" ") === "aot run") ?? { command: AOT, path: [] };
  const lines = helpText(command, path).trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(60);
  const titles = lines.filter((line, index) => /^\w/.test(line) && lines[index + 1]?.startsWith("  --"));
  expect(titles).toEqual(["Goal", "Agents", "Limits", "Unattended", "Hand-over", "Safety", "Settings"]);
});

test("SPEC 10: the help names every command once, by what it is for", () => {
  const named = (AOT.groups ?? []).flatMap(([, names]) => names);
  expect(named.toSorted()).toEqual((AOT.commands ?? []).map(({ name }) => name).toSorted());
});

test("--help is answered at every level, with and without a command behind it", async () => {
  const { dir } = projectWith();
  expect((await aot(["atom", "update", "--help"], { cwd: dir })).out).toContain(
    "aot atom update ID pending|in_progress|resolved",
  );
  expect((await aot(["atom", "--help"], { cwd: dir })).out).toContain("decompose");
  expect((await aot(["-h"], { cwd: dir })).code).toBe(0);
});

/** Never end by themselves; tests of their own run them. */
const ENDLESS = new Set([
  "aot status --watch",
  "aot phases status --watch",
  "aot logs A4 --follow",
  "aot dashboard",
  "aot dashboard --read-only --port 8123",
]);
/** Go on until the standard input of their process ends. */
const SERVES: ReadonlySet<string> = new Set(["mcp", "dashboard"]);
/** Make sense in a client's session only: tests/interfaces/hook and tests/e2e call them there. */
const IN_A_SESSION = /^aot (hook|session)\b/;
/** Need an alignment that is complete but not begun. */
const FRESH = new Set(["aot run --detach --agent 'command:sh work.sh' --max-duration 8h --report report.json"]);
/** What has to be done before an example makes sense. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  "aot binding add A1": ["atom", "update", "A1", "resolved"],
  "aot align": ["state", "set-status", "stopped"],
};
/** Says no in the fixture loop, as it should there. */
const EXPECTED: Readonly<Record<string, number>> = {
  "aot state gate": 3,
  "aot verify": 1,
  // Nothing has worked on it.
  "aot diff A1": 1,
  // It is not verified.
  "aot receipt": 1,
  "aot receipt verify receipt.json --yes": 2,
  "aot pr": 1,
  // The fixture's items are decided by programs.
  'aot confirm "Reads well"': 1,
  'aot reject "Reads well" --reason "it explains nothing"': 1,
  "aot attach": 1,
  // Nothing has worked on it.
  "aot logs A4": 1,
  // There is no engine.
  "aot worker --slots 4": 1,
  "aot worker --engine postgres://aot@127.0.0.1/aot --name build-1": 1,
  "aot submit --engine postgres://aot@10.0.0.5/aot --agent claude": 2,
  "aot loops --status stopped": 1,
  "aot engine clean --engine postgres://aot@127.0.0.1/aot --older-than 90": 1,
  "aot loops pull": 1,
  "aot loops take-back": 1,
  "aot loops clean --all": 1,
  "aot loops logs A1": 1,
  "aot loops stop add-a-login-3f2a-91c0de": 1,
  "aot loops resume add-a-login-3f2a-91c0de": 1,
  "aot loops approve add-a-login-3f2a-91c0de": 1,
  // It answers with no definition.
  "aot phases new 'Release: write the changelog, then I approve it, the tests pass, publish' --agent 'command:sh work.sh'": 1,
  // A gate waits for a person.
  "aot phases run --agent 'command:sh work.sh' --task 'a login with a token'": 16,
};

/** A phase loop for the examples of `aot phases`, and what has to be done before one makes sense. */
const PHASES = {
  id: "small",
  version: "1.0.0",
  phases: [
    { name: "PLAN", skills: [], required: true },
    { name: "BUILD", skills: [], required: true },
    { name: "DOCUMENT", skills: [], required: false },
  ],
  gates: [{ id: "plan-gate", afterPhase: "PLAN", required: true, approvalType: "human", deliverables: ["PLAN.md"] }],
  defaults: { mode: "greenfield" },
};
const PLANNED = ["init loop.json", "complete PLAN"];
const BEFORE_PHASES: Readonly<Record<string, readonly string[]>> = {
  init: [],
  new: [],
  start: [...PLANNED, "approve plan-gate"],
  approve: PLANNED,
  reject: PLANNED,
  retry: [...PLANNED, "reject plan-gate --reason no"],
  "skip-gate": PLANNED,
};

/** A session in which npm was corrected. @returns the folder of the client's settings that it lies in */
function keepTranscript(dir: string): string {
  const projects = join(dir, ".config", "projects", dir.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(projects, { recursive: true });
  writeFileSync(join(projects, "s.jsonl"), linesOf(CORRECTED));
  return join(dir, ".config");
}

/** An editor that raises a limit. */
const RAISING = `"${process.execPath}" -e "const fs = require('node:fs'), [path] = process.argv.slice(1); fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('max_iterations: 20', 'max_iterations: 40'))"`;

describe("each example runs", () => {
  for (const { command, path } of COMMANDS) {
    for (const { command: line } of command.examples ?? []) {
      test(line, async ({ skip }) => {
        skip(ENDLESS.has(line), "it never ends by itself");
        skip(IN_A_SESSION.test(line), "it makes sense in a client's session only");
        if (line.includes("command:sh ")) needs("sh", "mkdir", "touch");
        const { dir } = projectWith();
        mkdirSync(join(dir, "src"));
        writeFileSync(join(dir, "loop.yaml"), 'goal: "g"\nbase_case: {type: file, value: made.txt}\n');
        writeFileSync(
          join(dir, "work.sh"),
          `mkdir -p src; touch src/login.js\necho '{"success": true, "summary": "s"}'\n`,
        );
        writeFileSync(join(dir, "loop.json"), JSON.stringify(PHASES));
        writeFileSync(join(dir, "PLAN.md"), "");
        writeFileSync(join(dir, "changes.yaml"), "limits: {max_iterations: 40}\n");
        if (path[1] === "phases")
          for (const before of BEFORE_PHASES[path[2] ?? ""] ?? ["init loop.json"])
            expect((await aot(["phases", ...before.split(" ")], { cwd: dir })).code).toBe(0);
        if (path[1] === "rules" && path[2] !== "add")
          writeFileSync(
            join(dir, ".claude", "hookify.no-force-push.local.md"),
            "---\nname: no-force-push\npattern: x\n---\n",
          );
        const env =
          path[1] === "rules"
            ? { CLAUDE_CONFIG_DIR: keepTranscript(dir), AOT_AGENT: "none" }
            : { EDITOR: RAISING, VISUAL: "" };
        if (FRESH.has(line)) await aot(["state", "set-status", "stopped"], { cwd: dir });
        for (const [start, before] of Object.entries(BEFORE))
          if (line.startsWith(start)) expect((await aot(before, { cwd: dir })).code).toBe(0);
        const words = wordsOf(line);
        const force = words[1] === "align" && !words.includes("--force") ? ["--force"] : [];
        const call = SERVES.has(words[1] ?? "") ? aotProcess : aot;
        const ran = await call([...words.slice(1), ...force], { cwd: dir, env });
        // What goes on by itself comes to its end before its folder goes.
        if (words.includes("--detach")) await aot(["attach"], { cwd: dir });
        expect({ code: ran.code, err: ran.code === 0 ? "" : ran.err, out: ran.code === 2 ? ran.out : "" }).toEqual({
          code: EXPECTED[line] ?? 0,
          err: EXPECTED[line] === undefined ? "" : ran.err,
          out: "",
        });
      });
    }
  }
});

test("EPIPE: a reader that leaves ends the command quietly", () => {
  needs("bash");
  const { dir } = projectWith();
  const line = `"${process.execPath}" "${aotPath()}" state show --json | true; echo "code \${PIPESTATUS[0]}"`;
  const ran = spawnSync("bash", ["-c", line], { cwd: dir, env: cleanEnv(), encoding: "utf8" });
  expect(ran.stdout).toBe("code 0\n");
  expect(ran.stderr).toBe("");
});

test("NO_COLOR and a pipe: no colours", async () => {
  const { dir } = projectWith();
  expect((await aot(["status"], { cwd: dir })).out).not.toContain("\u001b[");
});

test("--version is the package's", async () => {
  const { readFileSync } = await import("node:fs");
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect((await aot(["--version"], { cwd: "." })).out).toBe(`${version}\n`);
});
