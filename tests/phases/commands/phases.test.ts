/** `aot phases` as processes (SPEC section 11). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { holdRunLock } from "../../../src/adapters/store/run-lock.ts";
import { deliverablesOf } from "../../../src/phases/core/definition.ts";
import { readDefinition } from "../../../src/phases/core/read-definition.ts";
import { aot, aotJson, aotPath, cleanEnv, type RanJson } from "../../support/aot.ts";
import { chance, temporaryFolder } from "../../support/bundle.ts";
import { BARE, GARDEN, KITCHEN, OWN } from "../core/definitions.ts";

function projectOf(definition: object | string): { readonly dir: string; readonly state: string } {
  const dir = temporaryFolder();
  const text = typeof definition === "string" ? definition : JSON.stringify(definition);
  writeFileSync(join(dir, "loop.json"), text);
  leaveBehind(dir, text);
  const { id } = JSON.parse(text) as { readonly id: string };
  return { dir, state: join(dir, ".claude", "loops", `${id}.state.json`) };
}

/** What the definition's phases have to leave behind is there. */
function leaveBehind(dir: string, text: string): void {
  const read = readDefinition(text);
  if (!read.ok) return;
  for (const phase of read.definition.phases)
    for (const file of deliverablesOf(read.definition, phase)) {
      const path = join(dir, file.replaceAll("*", "x"));
      mkdirSync(dirname(path), { recursive: true });
      if (!existsSync(path)) writeFileSync(path, "");
    }
}

async function begun(definition: object = GARDEN): Promise<ReturnType<typeof projectOf>> {
  const project = projectOf(definition);
  const ran = await aot(["phases", "init", "loop.json"], { cwd: project.dir });
  if (ran.code !== 0) throw new Error(ran.err);
  return project;
}

const phases = async (dir: string, ...words: string[]): Promise<RanJson> =>
  await aotJson(["phases", ...words], { cwd: dir });

describe("aot phases init", () => {
  test("SPEC 11: state and definition, byte for byte, in .claude/loops; what is open is reported", async () => {
    const { dir, state } = projectOf(KITCHEN);
    const ran = await phases(dir, "init", "loop.json");
    expect(ran).toMatchObject({
      code: 0,
      json: { success: true, state_file: state, mode: "default", status: "active", phase: "Mise en place" },
    });
    expect(ran.json["warnings"]).toHaveLength(4);
    expect(readFileSync(join(dir, ".claude", "loops", "kitchen-loop.loop.json"), "utf8")).toBe(
      readFileSync(join(dir, "loop.json"), "utf8"),
    );
    expect(Object.keys(JSON.parse(readFileSync(state, "utf8")) as object)).toEqual([
      "loop",
      "version",
      "mode",
      "phase",
      "status",
      "gates",
      "phases",
      "metrics",
      "started_at",
      "last_updated",
    ]);
  });

  test("a thousand phases with a thousand remarks: the first are reported, and that there are more; other encodings by name", async () => {
    const dir = temporaryFolder();
    const many = Array.from({ length: 1_000 }, (_, index) => ({ name: `P${index}` }));
    writeFileSync(join(dir, "many.json"), JSON.stringify({ id: "many", phases: many, defaults: { mode: "m" } }));
    const begun = await aot(["phases", "init", "many.json"], { cwd: dir });
    expect(begun.code).toBe(0);
    expect(begun.err.match(/^warning: /gm)).toHaveLength(21);
    expect(begun.err).toContain("at least 30 more; `aot phases validate --json` lists them");
    expect((await phases(dir, "validate")).json["warnings"]).toHaveLength(50);
    expect((await aot(["phases", "status"], { cwd: dir })).out).toContain("P999");
    writeFileSync(join(dir, "wide.json"), Buffer.from(JSON.stringify({ id: "w", phases: many }), "utf16le"));
    expect(await phases(dir, "init", "wide.json")).toMatchObject({
      code: 2,
      json: { errors: [{ message: expect.stringMatching(/wide\.json is not text/), hint: "save it as UTF-8" }] },
    });
  });

  test("over a loop that has begun only with --restart; --mode wins", async () => {
    const { dir, state } = await begun();
    await phases(dir, "complete");
    const before = readFileSync(state, "utf8");
    expect(await phases(dir, "init", "loop.json")).toMatchObject({ code: 1, json: { errors: [{ code: "refused" }] } });
    expect(readFileSync(state, "utf8")).toBe(before);
    expect(await phases(dir, "init", "loop.json", "--restart", "--mode", "rush")).toMatchObject({
      code: 0,
      json: { mode: "rush", phases: { PLAN: { status: "active" } } },
    });
  });

  test("a definition that contradicts itself: line, column and field, and nothing is written", async () => {
    const { dir } = projectOf({ ...BARE, gates: [{ id: "g", afterPhase: "ONLI" }] });
    const ran = await phases(dir, "init", "loop.json");
    expect(ran).toMatchObject({
      code: 2,
      json: {
        errors: [
          {
            code: "unknown_phase",
            file: "loop.json",
            line: 1,
            field: "gates[0].afterPhase",
            found: '"ONLI"',
            hint: "did you mean ONLY?",
          },
        ],
      },
    });
    expect(existsSync(join(dir, ".claude"))).toBe(false);
  });
});

describe("every transition as a command", () => {
  test("SPEC 11: phases and gates to the end, the time stamp moving with each", async () => {
    const { dir, state } = await begun();
    let last = (JSON.parse(readFileSync(state, "utf8")) as { last_updated: string }).last_updated;
    const steps: readonly (readonly [words: readonly string[], seen: object])[] = [
      [["fail", "--reason", "frost"], { phases: { PLAN: { status: "pending", startedAt: null } } }],
      [["start"], { phases: { PLAN: { status: "active", startedAt: expect.any(String) } } }],
      [
        ["complete", "--deliverables", "PLAN.md"],
        { gate: "plan-gate", phases: { PLAN: { status: "complete", deliverables: ["PLAN.md", "BUDGET.md"] } } },
      ],
      [["reject", "plan-gate", "--reason", "no budget"], { gates: { "plan-gate": { status: "failed" } } }],
      [["retry", "plan-gate"], { gates: { "plan-gate": { status: "pending" } } }],
      [["approve", "plan-gate"], { gates: { "plan-gate": { status: "passed", passedAt: expect.any(String) } } }],
      [["pause"], { status: "paused", allowed: ["aot phases resume"] }],
      [["resume"], { status: "active" }],
      [["count", "beds", "2"], { metrics: { beds: 2 } }],
      [["count", "beds", "1.5", "--add"], { metrics: { beds: 3.5 } }],
      [["start", "DIG"], { phase: "DIG" }],
      [["complete", "DIG"], { gate: "soil-gate" }],
      [["skip-gate", "soil-gate", "--reason", "sand"], { gates: { "soil-gate": { skippedReason: "sand" } } }],
      [["skip", "FENCE"], { phase: "HARVEST" }],
      [["start"], {}],
      [["complete"], { gate: "market-gate", status: "active" }],
      [["skip-gate", "market-gate"], { status: "complete", gates: { "market-gate": { skippedReason: null } } }],
      [["resume", "--restart"], { status: "active", phase: "PLAN", metrics: {} }],
      [["fail", "--unrecoverable", "--reason", "flood"], { status: "failed" }],
      [["resume", "--retry"], { status: "active" }],
    ];
    for (const [words, seen] of steps) {
      const ran = await phases(dir, ...words);
      expect({ words, code: ran.code, json: ran.json }).toMatchObject({ code: 0, json: { success: true, ...seen } });
      const next = String(ran.json["last_updated"]);
      expect(next > last, words.join(" ")).toBe(true);
      last = next;
      expect(await phases(dir, "validate"), words.join(" ")).toMatchObject({ code: 0, json: { valid: true } });
    }
    const journal = readFileSync(join(`${state}.aot-loop`, "journal.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(journal).toHaveLength(steps.length + 1);
  });

  test("a refused one changes no byte, exits 1 and says what is allowed", async () => {
    const { dir, state } = await begun();
    const before = `${statSync(state).mtimeMs}${readFileSync(state, "utf8")}`;
    for (const [words, hint] of [
      [["start", "PLAN"], "allowed from here: complete, pending"],
      [["start", "DIG"], "complete it first"],
      [["skip", "DIG"], "work it"],
      [["approve", "plan-gate"], "complete it first"],
      [["resume", "--restart"], "without the flag"],
      [["complete", "--deliverables", "nowhere.md"], "in the project's folder"],
      [["complete", "--deliverables", "../loop.json"], "relative to its folder"],
    ] as const)
      expect(await phases(dir, ...words)).toMatchObject({
        code: 1,
        json: { errors: [{ hint: expect.stringContaining(hint) }] },
      });
    expect(await phases(dir, "start", "dig")).toMatchObject({ code: 2, json: { errors: [{ code: "unknown_phase" }] } });
    expect(`${statSync(state).mtimeMs}${readFileSync(state, "utf8")}`).toBe(before);
  });

  test("SPEC 11: an auto gate does not pass without its deliverables; a person may pass a human one, and is informed", async () => {
    const auto = {
      ...BARE,
      gates: [{ id: "g", afterPhase: "ONLY", approvalType: "automated", deliverables: ["R.md"] }],
    };
    const { dir } = await begun(auto);
    await phases(dir, "complete");
    rmSync(join(dir, "R.md"));
    const no = await phases(dir, "approve", "g");
    expect(no.code).toBe(1);
    expect(no.json).toMatchObject({
      success: false,
      errors: [{ message: expect.stringContaining("R.md") }],
      gates: { g: { status: "failed" } },
      allowed: expect.arrayContaining(["aot phases retry g"]),
    });
    writeFileSync(join(dir, "R.md"), "");
    await phases(dir, "retry", "g");
    expect(await phases(dir, "approve", "g")).toMatchObject({ code: 0, json: { status: "complete" } });
    const human = await begun();
    await phases(human.dir, "complete");
    rmSync(join(human.dir, "PLAN.md"));
    rmSync(join(human.dir, "BUDGET.md"));
    const ran = await phases(human.dir, "approve", "plan-gate");
    expect(ran.code).toBe(0);
    expect(ran.err).toContain("PLAN.md, BUDGET.md");
  });

  test("SPEC 11: a phase is complete only with its deliverables, which are recorded", async () => {
    const own = { ...BARE, phases: [{ name: "ONLY", deliverables: ["out/*.md"], required: true }] };
    const { dir } = await begun(own);
    rmSync(join(dir, "out"), { recursive: true });
    expect(await phases(dir, "complete")).toMatchObject({
      code: 1,
      json: { errors: [{ message: expect.stringContaining("out/*.md") }] },
    });
    leaveBehind(dir, JSON.stringify(own));
    expect(await phases(dir, "complete")).toMatchObject({
      code: 0,
      json: { phases: { ONLY: { deliverables: ["out/x.md"] } } },
    });
  });

  test("SPEC 11: a human gate is not passed by an agent that a run started", async () => {
    const { dir } = await begun();
    await phases(dir, "complete");
    const ran = await aotJson(["phases", "approve", "plan-gate"], { cwd: dir, env: { AOT_CALL: "A1.1" } });
    expect(ran).toMatchObject({
      code: 1,
      json: { errors: [{ message: "an agent does not pass the gate plan-gate" }] },
    });
  });
});

describe("the files", () => {
  test("a state that breaks a rule is not touched: rule, line and column", async () => {
    const { dir, state } = await begun();
    const text = readFileSync(state, "utf8").replace('"phase": "PLAN"', '"phase": "DIG"');
    writeFileSync(state, text);
    const error = {
      code: "phase_rule",
      line: 5,
      column: 12,
      field: "phase",
      message: expect.stringContaining("rule 9"),
    };
    expect(await phases(dir, "complete")).toMatchObject({ code: 2, json: { errors: [error] } });
    expect(await phases(dir, "validate")).toMatchObject({ code: 2, json: { valid: false, errors: [error] } });
    expect(readFileSync(state, "utf8")).toBe(text);
  });

  test("what is no state, or has no definition, is reported; the kept definition can be another one for validate", async () => {
    const { dir, state } = await begun();
    writeFileSync(join(dir, "other.json"), JSON.stringify(BARE));
    expect((await phases(dir, "validate", "other.json")).json["errors"]).toMatchObject([
      { code: "unknown_value", field: "loop" },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
      {},
    ]);
    writeFileSync(join(dir, ".claude", "loops", "garden-loop.loop.json"), "{");
    expect(await phases(dir, "status")).toMatchObject({ code: 2, json: { errors: [{ code: "json_syntax" }] } });
    writeFileSync(state, '{"loop": 1}');
    expect(await phases(dir, "status")).toMatchObject({
      code: 2,
      json: { errors: expect.arrayContaining([expect.objectContaining({ field: "loop", line: 1, column: 10 })]) },
    });
    expect(await phases(temporaryFolder(), "status")).toMatchObject({
      code: 2,
      json: { errors: [{ code: "file_missing" }] },
    });
  });

  test("SPEC 9: a command of AoT loops on a phase loop's state says where the others are", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "loop.json"), JSON.stringify(BARE));
    expect((await phases(dir, "init", "loop.json")).code).toBe(0);
    const state = join(".claude", "loops", "bare.state.json");
    for (const command of ["status", "report", "run"])
      expect(await aotJson([command, "--state-file", state], { cwd: dir })).toMatchObject({
        code: 2,
        json: { errors: [{ hint: expect.stringContaining("`aot phases` has the commands for it") }] },
      });
  });

  test("several loops: --loop says which; from a folder below, and with the environment of an AoT loop", async () => {
    const { dir } = await begun();
    writeFileSync(join(dir, "loop.json"), JSON.stringify(BARE));
    await phases(dir, "init", "loop.json");
    const below = join(dir, "a", "b");
    mkdirSync(below, { recursive: true });
    expect(await phases(below, "status")).toMatchObject({
      code: 2,
      json: { errors: [{ hint: "say which with --loop: bare, garden-loop" }] },
    });
    const env = { AOT_STATE_FILE: ".claude/aot-loop-state.md" };
    expect(await aotJson(["phases", "status", "--loop", "bare"], { cwd: below, env })).toMatchObject({
      code: 0,
      json: { loop: "bare" },
    });
    expect(await phases(dir, "status", "--state-file", "x.md")).toMatchObject({
      code: 2,
      json: { errors: [{ code: "usage" }] },
    });
  });

  test("PHASES-ANSWER-2: last_updated grows, also where the clock was set back", async () => {
    const { dir, state } = await begun();
    await phases(dir, "count", "a", "1");
    const ahead = readFileSync(state, "utf8").replace(
      /"last_updated": "[^"]*"/,
      '"last_updated": "2999-12-31T23:59:59.999Z"',
    );
    writeFileSync(state, ahead);
    expect((await phases(dir, "count", "a", "2")).json["last_updated"]).toBe("3000-01-01T00:00:00.000Z");
  });

  test("a beginning that was killed between its two files begins again", async () => {
    const { dir, state } = await begun();
    rmSync(state);
    expect((await phases(dir, "status")).code).toBe(2);
    expect(await phases(dir, "init", "loop.json")).toMatchObject({ code: 0, json: { status: "active" } });
  });

  test("SPEC 2: sixteen processes that count at once lose nothing", async () => {
    const { dir } = await begun();
    const children = Array.from({ length: 16 }, (_, index) =>
      spawn(process.execPath, [aotPath(), "phases", "count", index % 2 === 0 ? "even" : "odd", "1", "--add"], {
        cwd: dir,
        env: cleanEnv(),
        stdio: "ignore",
      }),
    );
    const codes = await Promise.all(
      children.map(async (child) => ((await once(child, "close")) as [number | null])[0]),
    );
    expect(codes).toEqual(Array.from({ length: 16 }, () => 0));
    expect((await phases(dir, "status")).json["metrics"]).toEqual({ even: 8, odd: 8 });
  });
});

for (const [name, definition] of Object.entries(OWN))
  test(`SPEC 2, 11: ${name}, killed at every step, is whole, goes on and comes to the same end`, async () => {
    const { dir, state } = await begun(definition);
    const random = chance(7);
    const commands = new Set<string>();
    for (let steps = 0; ; steps++) {
      expect(steps).toBeLessThan(40);
      const resumed = await phases(dir, "resume");
      if (resumed.json["success"] !== true) break;
      const words = (resumed.json["allowed"] as string[]).find((line) =>
        /phases (start|complete|skip-gate) /.test(line),
      );
      if (words === undefined) throw new Error(`nothing leads on: ${JSON.stringify(resumed.json)}`);
      commands.add(words);
      const args = (words.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [])
        .slice(1)
        .map((word) => (word.startsWith('"') ? String(JSON.parse(word)) : word));
      const child = spawn(process.execPath, [aotPath(), ...args], { cwd: dir, env: cleanEnv(), stdio: "ignore" });
      const closed = once(child, "close");
      // Anywhere between its start and its end; every third one lives, so that the loop comes to an end.
      const timer = steps % 3 === 2 ? undefined : setTimeout(() => child.kill("SIGKILL"), random() * 150);
      await closed;
      clearTimeout(timer);
      expect(await phases(dir, "validate")).toMatchObject({ code: 0, json: { valid: true } });
    }
    const end = JSON.parse(readFileSync(state, "utf8")) as {
      readonly status: string;
      readonly phases: object;
      readonly gates: object;
    };
    expect(end.status).toBe("complete");
    expect(commands.size).toBe(Object.keys(end.phases).length * 2 - 1 + Object.keys(end.gates).length);
    const loops = join(dir, ".claude", "loops");
    const left = (): string[] =>
      readdirSync(loops, { recursive: true, encoding: "utf8" }).filter((file) => /\.lock|\.tmp$/.test(file));
    // What a command was killed over, half written, is left for a minute to whoever may still write it. That minute has passed.
    for (const file of left()) utimesSync(join(loops, file), 1, 1);
    const next = holdRunLock(state);
    if (!next.ok) throw new Error(next.message);
    next.release();
    expect(left(), "the next run leaves nothing of what the killed ones left").toEqual([]);
  });

test("SPEC 11: nothing in a definition's names steers the terminal", async () => {
  const esc = String.fromCodePoint(27);
  const dir = temporaryFolder();
  const phases = [{ id: "a", name: `red${esc}[31m${esc}]0;title${String.fromCodePoint(7)}`, skills: ["s"] }];
  const definition = {
    id: "x",
    name: "x",
    version: `1.0.0${esc}[2J`,
    phases,
    gates: [],
    defaults: { mode: `m${esc}c` },
  };
  writeFileSync(join(dir, "loop.json"), JSON.stringify(definition));
  for (const line of [["init", "loop.json"], ["status"], ["graph"]]) {
    const ran = await aot(["phases", ...line], { cwd: dir });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toContain("red");
    expect(ran.out + ran.err).not.toContain(esc);
  }
});

describe("aot phases new", () => {
  const ANSWER = {
    id: "drafted",
    version: "1",
    phases: [{ name: "A", skills: [{ skillId: "x", description: "do x" }] }],
    gates: [{ id: "go", afterPhase: "A", approvalType: "human" }],
  };

  test("SPEC 11: an agent drafts it: definition, page, command, and a stub for each skill; never over what is there", async () => {
    const dir = temporaryFolder();
    const agent = `import { existsSync, writeFileSync } from "node:fs";
let text = ""; for await (const part of process.stdin) text += part;
const first = !existsSync("asked"); writeFileSync("asked", "");
if (first && !text.includes("<description>\\\\ndo x then y")) process.exit(1);
console.log(JSON.stringify(first ? { id: "drafted" } : ${JSON.stringify(ANSWER)}));`;
    writeFileSync(join(dir, "agent.mjs"), agent);
    const line = ["new", "do x then y", "--agent", `command:${process.execPath} agent.mjs`];
    expect((await phases(dir, ...line)).json).toMatchObject({ errors: [{ hint: "pass --yes" }] });
    expect(existsSync(join(dir, "drafted.loop.json"))).toBe(false);
    rmSync(join(dir, "asked"));
    // A draft that is no definition is asked for once more.
    const made = await phases(dir, ...line, "--yes");
    expect(made).toMatchObject({ code: 0, json: { undescribed: ["x"] } });
    expect(readFileSync(join(dir, "drafted.LOOP.md"), "utf8")).toContain("gate `go` (human)");
    expect(readFileSync(join(dir, ".claude/commands/drafted.md"), "utf8")).toContain("aot phases approve GATE");
    expect(readFileSync(join(dir, ".claude/skills/x/SKILL.md"), "utf8")).toContain("do x");
    expect(await phases(dir, ...line, "--yes")).toMatchObject({
      code: 1,
      json: { errors: [{ message: expect.stringContaining("drafted.loop.json") }] },
    });
    expect(await phases(dir, "init", "drafted.loop.json")).toMatchObject({ code: 0 });
    // The skill is there by now: it is found, and no stub is made of it.
    expect(await phases(dir, ...line, "--yes", "--force")).toMatchObject({ code: 0, json: { undescribed: [] } });
  });

  test("SPEC 11: an agent that there is not, and one that answers with no definition, write nothing", async () => {
    const dir = temporaryFolder();
    expect((await phases(dir, "new", "x", "--agent", "nobody", "--yes")).code).not.toBe(0);
    const vain = await phases(dir, "new", "x", "--agent", "command:cat >/dev/null; echo '{}'", "--yes");
    expect(vain.code).toBe(1);
    expect(readdirSync(dir).filter((name) => name.endsWith(".loop.json"))).toEqual([]);
  });
});
