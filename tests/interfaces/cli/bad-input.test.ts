/** Bad state files as they reach the command: exit 2, the place, what would be right, and the file untouched (SPEC section 2). */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aot, aotJson, aotPath, cleanEnv, projectWith } from "../../support/aot.ts";
import { LOOP } from "../../support/loop-fixture.ts";
import { needs } from "../../support/needs.ts";

interface Bad {
  readonly text: string | Uint8Array;
  readonly code: string;
  /** Part of the field's name, or of the message. */
  readonly says: string;
  /** Whether the place is known. */
  readonly placed?: false;
}

const swap = (from: string, to: string): string => {
  if (!LOOP.includes(from)) throw new Error(`the fixture has no ${from}`);
  return LOOP.replace(from, to);
};

const deep = (levels: number): string => {
  let checklist = "";
  for (let level = 0; level < levels; level++)
    checklist += `${" ".repeat(6 + 4 * level)}- item: "L${level}"\n${" ".repeat(8 + 4 * level)}group:\n`;
  checklist += `${" ".repeat(6 + 4 * levels)}- item: "leaf"\n${" ".repeat(8 + 4 * levels)}check: {type: command, value: "true"}\n`;
  const from = LOOP.indexOf('      - item: "Login exists"');
  const to = LOOP.indexOf("  background_intent");
  return LOOP.slice(0, from) + checklist + LOOP.slice(to);
};

const BAD: Readonly<Record<string, Bad>> = {
  "an empty file": { text: "", code: "no_frontmatter", says: "empty" },
  "no frontmatter": { text: "# Just notes\n", code: "no_frontmatter", says: "first line" },
  "a frontmatter that is never closed": {
    text: LOOP.replace("---\n\n# Orig", "\n\n# Orig"),
    code: "no_frontmatter",
    says: "closed",
  },
  "broken YAML": { text: swap('goal: "Log in', 'goal: "Log" in'), code: "yaml_syntax", says: "not valid YAML" },
  "a tab as indentation": { text: swap("  status: running", "\tstatus: running"), code: "yaml_syntax", says: "" },
  "an unknown status of an atom": {
    text: swap("status: pending", "status: pendng"),
    code: "unknown_value",
    says: "atoms[0].status",
  },
  "an unknown status of the loop": {
    text: swap("status: running", "status: runing"),
    code: "unknown_value",
    says: "control.status",
  },
  "a duplicate id": { text: swap("- id: A2", "- id: A1"), code: "duplicate_id", says: "A1 is used twice" },
  "a cycle": {
    text: swap(
      'description: "User model"\n    status: pending\n    depends_on: []',
      'description: "User model"\n    status: pending\n    depends_on: [A2]',
    ),
    code: "cycle",
    says: "A1 -> A2 -> A1",
  },
  "a dependency on nothing": { text: swap("depends_on: [A1]", "depends_on: [A1x]"), code: "unknown_atom", says: "A1x" },
  "an OR group with a foreign choice": {
    text: swap("choices: [A4, A4_alt]", "choices: [A4, A4_alt, A6]"),
    code: "foreign_choice",
    says: "A6",
  },
  "a base case with an empty list": {
    text: LOOP.replace(/ {4}checklist:[\s\S]*? {2}background_intent/, "    checklist: []\n  background_intent"),
    code: "empty_list",
    says: "checklist",
  },
  "an unknown type of check": { text: swap("type: file", "type: files"), code: "unknown_check_type", says: "files" },
  "a number as text": { text: swap("iteration: 2", 'iteration: "2"'), code: "wrong_type", says: "control.iteration" },
  "a missing field": {
    text: swap('  deliverables: "A login module"\n', ""),
    code: "missing_field",
    says: "objective.deliverables",
  },
  "a binding of an unresolved atom": {
    text: swap(
      'description: "Password hashing"\n    status: resolved',
      'description: "Password hashing"\n    status: pending',
    ),
    code: "binding_of_unresolved",
    says: "A3",
  },
  "a checklist 1,000 levels deep": { text: deep(1_000), code: "too_deep", says: "deeper than" },
  "binary bytes": {
    text: new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0x00, 0xff, 0xfe]),
    code: "not_text",
    says: "NUL",
    placed: false,
  },
  "UTF-16, as some shells write it": {
    text: Buffer.from(`\ufeff${LOOP}`, "utf16le"),
    code: "not_text",
    says: "UTF-16",
    placed: false,
  },
  "text that is not UTF-8": {
    text: Buffer.from("---\nobjective: \xe9\n---\n", "latin1"),
    code: "not_text",
    says: "UTF-8",
    placed: false,
  },
};

describe("SPEC 2: a file that is not valid is explained and never written to", () => {
  for (const [name, { text, code, says, placed }] of Object.entries(BAD)) {
    test(name, async () => {
      const { dir, state } = projectWith(text);
      const before = readFileSync(state);
      const ran = await aotJson(["state", "validate"], { cwd: dir });
      expect(ran.code).toBe(2);
      const [first] = ran.json["errors"] as readonly Record<string, unknown>[];
      expect(first).toMatchObject({ code });
      expect(`${String(first?.["field"])} ${String(first?.["message"])}`).toContain(says);
      if (placed !== false) expect(first).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
      const edit = await aot(["atom", "update", "A1", "resolved"], { cwd: dir });
      expect(edit.code).toBe(2);
      expect(edit.err).toContain(
        placed === false ? String(first?.["message"]) : `aot-loop-state.md:${String(first?.["line"])}`,
      );
      expect(edit.err).not.toContain("    at ");
      expect(readFileSync(state).equals(before), "the file is as it was").toBe(true);
      expect(readdirSync(join(dir, ".claude")).filter((file) => file !== "aot-loop-state.md")).toEqual([]);
    });
  }

  test("a person sees place, field, what stood there and what would be right", async () => {
    const { dir } = projectWith(swap("status: pending", "status: pendng"));
    const ran = await aot(["state", "validate"], { cwd: dir });
    expect(ran.err).toMatch(/aot-loop-state\.md:34:13: .*atoms\[0\]\.status.*pendng/);
    expect(ran.err).toContain("pending");
  });

  test("no file: exit 2, and for the gate exit 3", async () => {
    const { dir, state } = projectWith();
    rmSync(state);
    const ran = await aot(["state", "show"], { cwd: dir });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("aot align");
    expect(await aotJson(["state", "gate"], { cwd: dir })).toMatchObject({
      code: 3,
      json: { ready: false, status: null },
    });
    expect((await aot(["run"], { cwd: dir })).code).toBe(3);
  });

  test("a file of 100 MB is refused without reading it", async () => {
    const { dir, state } = projectWith();
    truncateSync(state, 100 * 1024 * 1024);
    const ran = await aotJson(["state", "show"], { cwd: dir });
    expect(ran).toMatchObject({ code: 2, json: { errors: [{ code: "file_too_large" }] } });
  });

  test("a folder in the place of the file", async () => {
    const { dir, state } = projectWith();
    rmSync(state);
    mkdirSync(state);
    expect(await aotJson(["atom", "update", "A1", "resolved"], { cwd: dir })).toMatchObject({
      code: 2,
      json: { errors: [{ code: "file_unreadable" }] },
    });
  });
});

describe("SPEC 2: other forms of the same file stay as they are", () => {
  test("CRLF and a byte order mark survive an edit", async () => {
    const text = `\ufeff${LOOP.replaceAll("\n", "\r\n")}`;
    const { dir, state } = projectWith(text);
    expect(await aot(["atom", "update", "A1", "in_progress"], { cwd: dir })).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(state, "utf8")).toBe(text.replace("status: pending", "status: in_progress"));
  });

  test("comments and unknown keys survive an edit", async () => {
    const text = swap("  - id: A1\n", "  # the first\n  - id: A1 # one\n    mood: good\n");
    const { dir, state } = projectWith(text);
    expect((await aot(["atom", "update", "A1", "in_progress"], { cwd: dir })).code).toBe(0);
    expect(readFileSync(state, "utf8")).toBe(text.replace("status: pending", "status: in_progress"));
  });
});

const isRoot = process.getuid?.() === 0;

describe("where nothing can be written", () => {
  test.skipIf(isRoot || process.platform === "win32")("a read-only folder: exit 1, the file as it was", async () => {
    const { dir, state } = projectWith();
    const folder = join(dir, ".claude");
    chmodSync(folder, 0o555);
    try {
      const ran = await aot(["atom", "update", "A1", "resolved"], { cwd: dir });
      expect(ran.code).toBe(1);
      expect(ran.err).toContain("right to write");
      expect(readFileSync(state, "utf8")).toBe(LOOP);
    } finally {
      chmodSync(folder, 0o755);
    }
  });

  test.skipIf(process.platform === "win32")(
    "no space for the file (as on a full disk): exit 1, the file as it was",
    () => {
      needs("bash");
      const { dir, state } = projectWith(LOOP + "x".repeat(2_000_000));
      const before = readFileSync(state);
      // The shell's limit on the size of written files stands for the disk: 256 blocks.
      const line = `trap '' XFSZ; ulimit -f 256; "${process.execPath}" "${aotPath()}" atom update A1 in_progress`;
      const ran = spawnSync("bash", ["-c", line], { cwd: dir, env: cleanEnv(), encoding: "utf8" });
      expect(ran.status).toBe(1);
      expect(ran.stderr).toContain("the previous content is unchanged");
      expect(readFileSync(state).equals(before), "the file is as it was").toBe(true);
      expect(readdirSync(join(dir, ".claude")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    },
  );

  test("a state file in a folder that does not exist", async () => {
    const { dir } = projectWith();
    const ran = await aot(["atom", "update", "A1", "resolved", "--state-file", "no/where.md"], { cwd: dir });
    expect(ran.code).toBe(2);
    expect(existsSync(join(dir, "no"))).toBe(false);
  });

  test("the body may hold anything", async () => {
    const { dir, state } = projectWith(`${LOOP}\n---\natoms:\n  - id: A1\n    status: pending\n`);
    const before = readFileSync(state, "utf8");
    expect((await aot(["atom", "update", "A1", "in_progress"], { cwd: dir })).code).toBe(0);
    expect(readFileSync(state, "utf8")).toBe(before.replace("status: pending", "status: in_progress"));
    writeFileSync(state, before);
  });
});
