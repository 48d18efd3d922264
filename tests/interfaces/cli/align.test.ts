/** Aligning a goal (SPEC sections 2 and 6), as a process. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aot, aotJson, aotProcess, projectWith } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { needs } from "../../support/needs.ts";
import { commitAll } from "../../support/git.ts";
import { LOOP } from "../../support/loop-fixture.ts";

const STATE = join(".claude", "aot-loop-state.md");
const FULL = ["align", "Log in", "--check", "file: src/login.js", "--yes"];

function repository(): string {
  const dir = temporaryFolder();
  commitAll(dir);
  return dir;
}

describe("from flags", () => {
  test("SPEC 2: a valid state file, canonical, with the atoms, limits and the commit of the alignment", async () => {
    const dir = repository();
    const flags = ["--atom", "A1: Model", "--atom", "Login <- A1", "--touches", "A1=src/**"];
    flags.push(..."--probe A1 --protect tests/** --max-duration 2h --max-attempts-per-atom 5".split(" "));
    const ran = await aotJson([...FULL, ...flags, "--background", "why", "--deliverables", "what", "--done", "when"], {
      cwd: dir,
    });
    expect(ran).toMatchObject({ code: 0, json: { success: true, executable_atoms: ["A1"], backup: null } });
    // SPEC 6: a glob that is misspelt protects nothing, and is named.
    expect(JSON.stringify(ran.json["red_first"])).toContain("names no file here");
    const shown = (await aotJson(["state", "show"], { cwd: dir })).json;
    expect(shown).toMatchObject({
      status: "pending",
      atoms: [
        { id: "A1", description: "Model", probe: true, touches: ["src/**"] },
        { id: "A2", description: "Login", depends_on: ["A1"] },
      ],
      objective: {
        background_intent: "why",
        deliverables: "what",
        definition_of_done: "when",
        protected: ["tests/**"],
        constraints: { max_duration: "2h", max_attempts_per_atom: 5, max_iterations: 20 },
        aligned_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    });
    expect((await aot(["state", "gate"], { cwd: dir })).code).toBe(0);
    expect(readFileSync(join(dir, STATE), "utf8")).toContain("# Original Prompt\n\nLog in\n");
    expect((await aotJson(["logs"], { cwd: dir })).json["lines"]).toMatchObject([{ event: "aligned" }]);
    const inside = { cwd: dir, env: { CLAUDE_CODE_SESSION_ID: "s" } };
    expect((await aot([...FULL, "--force"], inside)).out).toContain("next: /aot-loop:run");
  });

  test("SPEC 7: what was typed is kept, what was settled is taken up, and what nobody said is not invented", async () => {
    const dir = temporaryFolder();
    const settled = ["--clarify", "Which users? = all", "--in-scope", "the API", "--out-of-scope", "the UI"];
    const ran = await aotJson([...FULL, "--prompt", "please let people\nlog in", ...settled], { cwd: dir });
    expect(ran).toMatchObject({
      code: 0,
      json: {
        objective: {
          original_prompt: "please let people\nlog in",
          background_intent: "Not stated.",
          deliverables: "Not stated.",
          clarifications: [{ question: "Which users?", resolution: "all" }],
          scope: { in_scope: ["the API"], out_of_scope: ["the UI"] },
        },
      },
    });
    expect(readFileSync(join(dir, STATE), "utf8")).toContain("# Original Prompt\n\nplease let people\nlog in\n");
    expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
      objective: { original_prompt: "please let people\nlog in" },
    });
    expect((await aot(["state", "gate"], { cwd: dir })).code).toBe(0);
    const wrong = await aot([...FULL, "--force", "--clarify", "Which users?"], { cwd: dir });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("--clarify QUESTION=ANSWER") as string });
  });

  test("SPEC 7: where nobody can be asked, what a draft asks is said, and its assumptions are taken down as such", async () => {
    const dir = temporaryFolder();
    const draft = {
      goal: "g",
      background_intent: "b",
      deliverables: "d",
      definition_of_done: "x",
      base_case: { checklist: [{ item: "i", check: { type: "file", value: "made.txt" } }] },
      atoms: [{ description: "make it" }],
      questions: [{ question: "Which users?", assumption: "all" }],
    };
    writeFileSync(join(dir, "agent.mjs"), `console.log(${JSON.stringify(JSON.stringify(draft))})`);
    const align = async (agent: string) =>
      await aot(["align", "Log in", "--draft", "--agent", `command:${agent}`, "--yes"], { cwd: dir });
    // SPEC 6: an agent is paid for nothing that could be seen before, and once.
    writeFileSync(join(dir, "package.json"), '{"dependencies": {"left-pad": "1"}}');
    expect((await align("exit 1")).err).toContain("the package left-pad is not installed");
    writeFileSync(join(dir, "package.json"), "{}");
    writeFileSync(join(dir, "made.txt"), "already");
    const refused = await align(`"${process.execPath}" agent.mjs`);
    expect(refused.err).toContain("the draft asks: Which users? It assumes: all");
    expect(refused.err).toMatch(
      /not written:[^]*mend that, or write it all the same with --force[^]*the draft is kept/,
    );
    rmSync(join(dir, "made.txt"));
    const ran = await align("exit 1");
    expect(ran).toMatchObject({ code: 0, err: expect.stringContaining("that was kept is taken up; remove") as string });
    expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
      objective: {
        goal: "Log in",
        background_intent: "b",
        clarifications: [{ question: "Which users?", resolution: "all (assumed by the draft, not confirmed)" }],
      },
    });
    await aot(
      ["align", "Log in", "--draft", "--agent", `command:"${process.execPath}" agent.mjs`, "--yes", "--force"],
      { cwd: dir },
    );
    expect((await aotJson(["status"], { cwd: dir })).json).toMatchObject({ fuel: { other_calls: 1 } });
  });

  test("SPEC 7: a split by hand can name alternatives, too", async () => {
    const dir = temporaryFolder();
    expect((await aot(FULL, { cwd: dir })).code).toBe(0);
    const split = ["atom", "decompose", "A1", "--child", "a=one way", "--child", "b=another", "--reason", "unsure"];
    const wrong = await aot([...split, "--alternatives", "way=a,z"], { cwd: dir });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("names z, which is no --child") as string });
    expect((await aot([...split, "--alternatives", "way=a,b"], { cwd: dir })).code).toBe(0);
    expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
      or_groups: { way: { choices: ["a", "b"], selected: "a", failed: [] } },
    });
  });

  test("no atoms: one, A1, the goal; no repository: no commit", async () => {
    const dir = temporaryFolder();
    expect((await aot(FULL, { cwd: dir })).code).toBe(0);
    expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
      atoms: [{ id: "A1", description: "Log in" }],
      objective: { constraints: { max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3 } },
    });
  });

  test("what is found in the repository is proposed", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "package.json"), '{"scripts": {"test": "node t.js", "lint": "x"}}');
    writeFileSync(join(dir, "Makefile"), "check: x\n\ttrue\nbuild := 1\n");
    const ran = await aot(["align", "g", "--yes"], { cwd: dir });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('--check "command: npm test" (package.json)');
    expect(ran.err).toContain("command: npm run lint");
    expect(ran.err).toContain("command: make check");
    expect(ran.err).not.toContain("make build");
  });

  test("a graph that is none is refused before anything is written", async () => {
    const dir = temporaryFolder();
    const ran = await aot([...FULL, "--atom", "A1: x <- A2", "--atom", "A2: y <- A1"], { cwd: dir });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("A1 -> A2 -> A1");
    expect(existsSync(join(dir, ".claude/aot-loop-state.md"))).toBe(false);
  });
});

describe("SPEC 6: red first", () => {
  test("a base case that holds before any work is not written, unless forced or declared", async () => {
    const dir = temporaryFolder();
    const vacuous = ["align", "g", "--check", "exit 0", "--yes"];
    const ran = await aotJson(vacuous, { cwd: dir });
    expect(ran).toMatchObject({ code: 1, json: { success: false, red_first: { leaves: [{ standing: "vacuous" }] } } });
    expect(existsSync(join(dir, ".claude/aot-loop-state.md"))).toBe(false);
    expect((await aot(vacuous, { cwd: dir })).err).toContain("--invariant");
    const declared = await aotJson(["align", "g", "--invariant", "exit 0", "--check", "file: x", "--yes"], {
      cwd: dir,
    });
    expect(declared.json).toMatchObject({
      success: true,
      red_first: { leaves: [{ standing: "red" }, { standing: "invariant" }] },
    });
    expect(readFileSync(join(dir, STATE), "utf8")).toContain("baseline: pass");
    expect((await aot([...vacuous, "--force"], { cwd: dir })).code).toBe(0);
  });

  test("one that passes among red ones is named, with why it proves nothing and what to write instead", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "there"), "");
    const long = `false ${"x".repeat(5_000)}`;
    const goal = ["align", "g", "--check", long, "--check", "exit 0", "--check", "file: there", "--yes"];
    const ran = await aot(goal, { cwd: dir });
    expect(ran.code).toBe(0);
    const rows = ran.out.split("\n");
    const why = (name: string): string => rows.slice(rows.indexOf(`vacuous    ${name}`) + 1)[1]?.trim() ?? "";
    expect(why("command: exit 0")).toMatch(
      /^exits with 0 before any work, so that it proves nothing: .* Write a command that fails now .*--invariant/,
    );
    expect(why("file: there")).toMatch(/^is there before any work, .* Name a file that only the work makes/);
    const again = await aot([...goal.slice(0, 4), "--invariant", "exit 0", "--yes", "--force"], { cwd: dir });
    expect([again.code, again.err.includes("nothing")]).toEqual([0, false]);
  });
});

describe("from a file", () => {
  const YAML = `goal: "Log in"
background_intent: "why"
base_case:
  checklist:
    - item: "Login"
      any_of:
        - {item: "module", check: {type: file, value: src/login.js}}
        - {item: "tests", check: {type: command, value: "exit 1", timeout: 5}}
constraints: {max_iterations: 7}
atoms:
  - description: "Model"
  - {id: T1, description: "Tokens", depends_on: [A1], or_group: how}
  - {id: T2, description: "Sessions", depends_on: [A1], or_group: how, probe: true}
`;
  test("the schema's words, groups that atoms name, flags before the file's", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "loop.yaml"), YAML);
    const ran = await aotJson(["align", "--from", "loop.yaml", "--max-iterations", "9", "--yes"], { cwd: dir });
    expect(ran.code).toBe(0);
    expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({
      objective: { goal: "Log in", background_intent: "why", constraints: { max_iterations: 9 } },
      atoms: [{ id: "A1" }, { id: "T1" }, { id: "T2", probe: true }],
      or_groups: { how: { choices: ["T1", "T2"], selected: "T1", failed: [] } },
      trail: [{ or_group: "how", selected: "T1", reason: "the first of T1, T2: as aligned" }],
    });
  });
  test("from stdin", async () => {
    const dir = temporaryFolder();
    expect(await aot(["align", "--from", "-", "--yes"], { cwd: dir, input: YAML })).toMatchObject({ code: 0 });
  });
  test("what does not fit is named with its place in that file", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "loop.yaml"), YAML.replace("type: command", "type: comand"));
    const ran = await aot(["align", "--from", "loop.yaml", "--yes"], { cwd: dir });
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/^loop\.yaml:8:\d+: .*comand/);
  });
});

describe("SPEC 2: what is there", () => {
  test("an unfinished loop is overwritten by force only, and kept beside; a completed one makes room", async () => {
    const { dir, state } = projectWith();
    const refused = await aot(FULL, { cwd: dir });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("unfinished loop");
    expect(readFileSync(state, "utf8")).toBe(LOOP);
    for (const number of [1, 2])
      expect((await aotJson([...FULL, "--force"], { cwd: dir })).json["backup"]).toBe(`${state}.bak-${number}`);
    expect(readFileSync(`${state}.bak-1`, "utf8")).toBe(LOOP);
    const done = projectWith(LOOP.replace("status: running", "status: completed"));
    expect((await aotJson(FULL, { cwd: done.dir })).json).toMatchObject({
      success: true,
      backup: `${done.state}.bak-1`,
    });
  });

  test("an old file that cannot be kept stays: nothing is written, and why is said with the next step", async () => {
    const { dir } = projectWith();
    // The name of what is kept beside it is longer than a file's name may be.
    const state = join(dir, `${"a".repeat(247)}.md`);
    writeFileSync(state, LOOP);
    const ran = await aot([...FULL, "--force", "--state-file", state], { cwd: dir });
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/the old file cannot be kept, so nothing was changed: cannot write .*\(ENAMETOOLONG\)/);
    expect(ran.err.trimEnd().split("\n").length).toBeGreaterThan(1);
    expect(readFileSync(state, "utf8")).toBe(LOOP);
  });

  test("a file that is not valid is not overwritten without force", async () => {
    const { dir, state } = projectWith("notes\n");
    expect(await aot(FULL, { cwd: dir })).toMatchObject({ code: 1 });
    expect(readFileSync(state, "utf8")).toBe("notes\n");
    expect((await aot([...FULL, "--force"], { cwd: dir })).code).toBe(0);
  });
});

describe("drafted by an agent", () => {
  const agentFor = (dir: string, base: string): string => {
    const answer = {
      goal: "Log in safely",
      background_intent: "b",
      deliverables: "d",
      definition_of_done: "x",
      atoms: [{ id: "A1", description: "Model" }],
    };
    writeFileSync(
      join(dir, "agent.mjs"),
      `console.log(JSON.stringify({...${JSON.stringify(answer)}, base_case: ${base}}));`,
    );
    return `command:"${process.execPath}" agent.mjs`;
  };
  test("the draft fills what the person left open, and is checked like anything else", async () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, "src"));
    const agent = agentFor(dir, '{checklist: [{item: "x", check: {type: "file", value: "src/login.js"}}]}');
    const ran = await aotJson(["align", "Log in", "--draft", "--agent", agent, "--yes", "--done", "mine"], {
      cwd: dir,
    });
    expect(ran).toMatchObject({
      code: 0,
      json: {
        objective: { goal: "Log in", definition_of_done: "mine", deliverables: "d" },
        atoms: [{ id: "A1", description: "Model" }],
      },
    });
  });
  test.each([
    ["pass are added as baseline: pass, and the person reads it", "process.exit(0)", "x", 2],
    ["fail are left out", "process.exit(1)", "x", 1],
    ["are in the draft already stay as they are there", "process.exit(0)", "npm test", 1],
  ])("SPEC 6, 7: the project's own tests that %s", async (_, then, item, leaves) => {
    const dir = temporaryFolder();
    const scripts = { test: `"${process.execPath}" -e "${then}"` };
    writeFileSync(join(dir, "package.json"), JSON.stringify({ scripts }));
    const agent = agentFor(dir, `{checklist: [{item: "${item}", check: {type: "file", value: "src/login.js"}}]}`);
    const ran = await aot(["align", "Log in", "--draft", "--agent", agent, "--yes"], { cwd: dir });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out.includes("added   npm test: your own tests pass now")).toBe(leaves === 2);
    const { base_case } = (await aotJson(["state", "show"], { cwd: dir })).json["objective"] as {
      readonly base_case: { readonly checklist: readonly object[] };
    };
    const added = { item: "npm test", check: { type: "command", value: "npm test", baseline: "pass" } };
    expect(base_case.checklist.slice(1)).toEqual(leaves === 2 ? [added] : []);
    expect(base_case.checklist[0]).toMatchObject({ item });
  });
});

test.each([
  ["one that takes a second is red once", "setTimeout(() => process.exit(1), 1_300)", 1, 1],
  ["a short one again, at most eight times, and once in the checkout", "process.exit(1)", 3, 9],
])("SPEC 6: nobody waits for a second run before the work: %s", async (_, then, least, most) => {
  const dir = repository();
  const counter = join(temporaryFolder(), "runs");
  const script = `require('node:fs').appendFileSync('${counter}', 'x'); ${then}`;
  const call = ["align", "x", "--check", `"${process.execPath}" -e "${script}"`, "--yes"];
  const ran = await aotJson(call, { cwd: dir, env: { AOT_SANDBOX: "off" } });
  expect(ran.code).toBe(0);
  if (least === 1) expect(ran.err).toMatch(/^before any work: /m);
  const runs = readFileSync(counter, "utf8").length;
  expect(runs).toBeGreaterThanOrEqual(least);
  expect(runs).toBeLessThanOrEqual(most);
});

test("SPEC 6: a check that answers both ways before any work is refused", async () => {
  const seen = join(temporaryFolder(), "seen");
  const script = `const f = require('node:fs'); f.appendFileSync('${seen}', '.'); process.exit(f.statSync('${seen}').size > 1 ? 0 : 1)`;
  const call = ["align", "x", "--check", `"${process.execPath}" -e "${script}"`, "--yes"];
  const ran = await aot(call, { cwd: repository(), env: { AOT_SANDBOX: "off" } });
  expect([ran.code, ran.err + ran.out]).toEqual([1, expect.stringContaining("answers both ways before any work")]);
});

test("SPEC 6: --trust says what it costs, and nothing else does", async () => {
  const dir = repository();
  const call = ["align", "x", "--check", "exit 1", "--yes", "--force"];
  expect((await aot(call, { cwd: dir })).out).not.toContain("--trust");
  const asked = await aot([...call, "--trust", "0.001"], { cwd: dir });
  expect(asked.out).toMatch(
    /--trust 0\.001: each check that is red has to be red \d times .* and to pass \d times at a verdict/,
  );
});

test("SPEC 16: checks of a goal that is aligned in a folder of a repository run there", async () => {
  const dir = repository();
  const inner = join(dir, "packages", "one");
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, "here.mjs"), "process.exit(1)\n");
  commitAll(dir);
  const ran = await aotJson(["align", "x", "--check", `"${process.execPath}" here.mjs`, "--yes"], { cwd: inner });
  expect(ran).toMatchObject({ code: 0, json: { state_file: join(inner, STATE) } });
  expect((await aotJson(["status"], { cwd: join(inner) })).json["state_file"] ?? "").not.toBe(join(dir, STATE));
});

describe("SPEC 6: what a check says in a fresh place decides", () => {
  const node = `"${process.execPath}"`;
  const OFF = { AOT_SANDBOX: "off" };
  /** In the person's checkout, and in no commit, there is `build/made`. */
  const configured = (check: string): string => {
    const dir = repository();
    writeFileSync(join(dir, ".gitignore"), ".claude\nbuild\n");
    writeFileSync(
      join(dir, "t.cjs"),
      `const isMade = require("node:fs").existsSync("build/made"); const bug = new Error("the bug"); ${check}\n`,
    );
    commitAll(dir);
    mkdirSync(join(dir, "build"));
    writeFileSync(join(dir, "build/made"), "");
    return dir;
  };
  const CALL = ["align", "x", "--check", `${node} t.cjs`, "--yes"];

  test.each([
    ["green there: vacuous", "if (isMade) throw bug;", /passes before any work in a fresh folder.*proves nothing/],
    [
      "it does not end there: the time limit is named",
      "if (isMade) throw bug; setTimeout(() => {}, 60_000);",
      /cannot be run in a fresh folder.*did not end within its time.*--check-timeout 1m.*`setup:`/,
    ],
    [
      "red there for another reason",
      'if (isMade) throw bug; require("./build/table.cjs");',
      /for another reason than here.*here exit code 1: .*the bug.*there exit code 1: .*Cannot find module.*`setup:`/,
    ],
  ])("%s", async (_, check, why) => {
    const dir = configured(check);
    const call = [...CALL, "--check-timeout", check.includes("setTimeout") ? "2s" : "1m"];
    const ran = await aot(call, { cwd: dir, env: OFF });
    expect(ran.code).toBe(1);
    expect(ran.err + ran.out).toMatch(why);
    expect(existsSync(join(dir, STATE))).toBe(false);
    const all = await aot(["align", "x", "--check", "file: made.txt", ...call.slice(2)], { cwd: dir, env: OFF });
    expect(all.code, "beside a check that is red").toBe(1);
    expect((await aot([...call, "--force"], { cwd: dir, env: OFF })).code).toBe(0);
  });

  test("green there, and declared to stay so, is an invariant whatever the checkout says", async () => {
    const dir = configured("if (isMade) throw bug;");
    const call = ["align", "x", "--check", "file: made.txt", "--invariant", `${node} t.cjs`, "--yes"];
    expect((await aot(call, { cwd: dir, env: OFF })).code).toBe(0);
    expect(readFileSync(join(dir, STATE), "utf8")).not.toContain("no_worse");
  });

  test("red there for the same reason is red, and so is a file that both miss and no set-up makes", async () => {
    const same = configured("console.log(isMade, Date.now()); throw bug;");
    expect((await aot(CALL, { cwd: same, env: OFF })).code).toBe(0);
    needs("sh");
    for (const [file, code] of [
      ["./made.sh", 0],
      ["build/tool", 1],
      ["no-such-program", 1],
    ] as const) {
      const ran = await aot(["align", "x", "--check", file, "--yes"], { cwd: configured(""), env: OFF });
      expect([file, ran.code, ran.out + ran.err]).toEqual([file, code, expect.anything()]);
    }
  });

  test("tests are read there as here, where a check is about some of them", async () => {
    const dir = configured("");
    writeFileSync(join(dir, "t.cjs"), 'console.log("1..1\\nnot ok 1 - adds"); process.exit(1);\n');
    commitAll(dir);
    const call = ["align", "x", "--no-worse", `${node} t.cjs`, "--must-pass", "adds", "--yes"];
    expect(await aot(call, { cwd: dir, env: OFF })).toMatchObject({ code: 0 });
  });

  test("the halt after what was forced says it once more", async () => {
    const dir = configured('if (isMade) throw bug; require("./build/table.cjs");');
    const agent = ["--agent", `command:${node} -e 0`, "--set=planner=none", "--max-iterations", "1"];
    const ran = await aot(["run", ...CALL.slice(1), "--force", ...agent], { cwd: dir, env: OFF });
    expect(ran.code).toBe(12);
    expect(ran.out.slice(ran.out.indexOf("Stopped:"))).toMatch(/for another reason than here.*`setup:`/s);
  });
});

test("SPEC 16: a check that does not end in its time says how it gets more, and --check-timeout gives it", async () => {
  const dir = repository();
  const sleeper = `"${process.execPath}" -e "setTimeout(() => process.exit(1), 60000)"`;
  const ran = await aot(["align", "x", "--check", sleeper, "--check-timeout", "1s", "--yes"], { cwd: dir });
  expect(ran.code).toBe(1);
  expect(ran.err + ran.out).toMatch(/did not end within its time \(1.*s\).*--check-timeout 1m/s);
  const fits = await aotJson(["align", "x", "--check", "exit 1", "--check-timeout", "4m", "--yes"], { cwd: dir });
  expect(JSON.stringify(fits.json)).toContain('"timeout":240');
  expect(
    (await aot(["align", "x", "--check", "exit 1", "--check-timeout", "soon", "--yes", "--force"], { cwd: dir })).code,
  ).toBe(2);
});

test("SPEC 16: the command that a lock file asks for is shown before anything is written", async () => {
  const dir = repository();
  writeFileSync(join(dir, "package-lock.json"), "{}");
  commitAll(dir);
  expect((await aot([...FULL, "--force"], { cwd: dir })).out).not.toContain("npm ci");
  mkdirSync(join(dir, "node_modules"));
  const shown = (await aot([...FULL, "--force"], { cwd: dir })).out;
  expect(shown).toContain("set-up  npm ci (package-lock.json), where");
  // It is tried before anything is spent, and nothing of it stays.
  expect(shown).toMatch(/a fresh folder: .*go on without an install: .*npm ci/);
  expect(existsSync(join(dir, ".claude/aot-loop/set-up"))).toBe(false);
  writeFileSync(join(dir, "aot.config.yaml"), "setup: []\n");
  expect((await aot([...FULL, "--force"], { cwd: dir })).out).not.toContain("npm ci");
});

test("SPEC 15: alignment says that there is no sandbox where one is wanted, and nothing where there is none to be", () => {
  const dir = repository();
  const tools = temporaryFolder();
  needs("sh");
  for (const tool of ["git", "sh"])
    symlinkSync(spawnSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).stdout.trim(), join(tools, tool));
  const shown = (sandbox: string): string => {
    const { out, err } = aotProcess([...FULL, "--force"], { cwd: dir, env: { PATH: tools, AOT_SANDBOX: sandbox } });
    return out + err;
  };
  expect(shown("auto")).toContain("sandbox: none on this machine");
  expect(shown("off")).not.toContain("sandbox: none");
});
