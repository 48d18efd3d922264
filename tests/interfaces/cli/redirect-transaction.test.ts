/** Several changes as one redirect, from a file and in an editor (SPEC section 8). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson, projectWith } from "../../support/aot.ts";
import { LOOP } from "../../support/loop-fixture.ts";

const stateIn = async (dir: string): Promise<Record<string, unknown>> =>
  (await aotJson(["state", "show"], { cwd: dir })).json;

/** An editor that replaces texts, as a program. */
function editorThat(dir: string, ...replaced: readonly (readonly [string, string])[]): string {
  const path = join(dir, "editor.mjs");
  writeFileSync(
    path,
    `import { readFileSync, writeFileSync } from "node:fs";
const path = process.argv[2];
let text = readFileSync(path, "utf8");
for (const [from, to] of ${JSON.stringify(replaced)}) {
  if (!text.includes(from)) throw new Error("the text has no " + from + "\\n" + text);
  text = text.replace(from, to);
}
writeFileSync(path, text);
`,
  );
  return `"${process.execPath}" "${path}"`;
}

test("SPEC 8: what a file says is made as one redirect, and recorded as one with old and new values", async () => {
  const { dir } = projectWith();
  writeFileSync(
    join(dir, "changes.yaml"),
    `goal: Log in with a passkey
limits: {max_iterations: 40, max_cost_usd: 2.5}
atoms:
  - {id: A6, description: "In other words"}
  - {id: N1, description: "New", depends_on: [A6], touches: ["src/**"]}
reason: no passwords
`,
  );
  expect(await aot(["redirect", "--from", "changes.yaml"], { cwd: dir })).toMatchObject({ code: 0 });
  const { corrections, atoms } = (await stateIn(dir)) as { corrections: object[]; atoms: object[] };
  expect(corrections).toMatchObject([
    {
      type: "objective_change",
      trail_cleared: true,
      description: expect.stringContaining("no passwords"),
      changes: expect.arrayContaining([
        { field: "constraints.max_iterations", old: "20", new: "40" },
        { field: "constraints.max_cost_usd", new: "2.5" },
        { field: "atoms.A6.description", old: expect.any(String), new: "In other words" },
        { field: "atoms.N1", new: "New" },
      ]),
    },
  ]);
  expect(atoms).toEqual(expect.arrayContaining([expect.objectContaining({ id: "N1", touches: ["src/**"] })]));
  expect((await aot(["state", "validate"], { cwd: dir })).code).toBe(0);
});

test("SPEC 8: a file of which one change is refused changes nothing; what does not fit is said with its place", async () => {
  const { dir, state } = projectWith();
  const from = async (text: string) => {
    writeFileSync(join(dir, "changes.yaml"), text);
    return await aot(["redirect", "--from", "changes.yaml"], { cwd: dir });
  };
  expect(await from("goal: Another\nremove: [A1]\n")).toMatchObject({ code: 1 });
  expect(await from("gaol: Another\n")).toMatchObject({ code: 2, err: expect.stringContaining("changes.yaml:1:1") });
  expect(await from("limits: {max_iterations: 0}\n")).toMatchObject({ code: 2 });
  expect(await from("atoms: [{id: N9}]\n")).toMatchObject({ code: 1, err: expect.stringContaining("description") });
  expect(await from("atoms: [{id: A6, or_group: token_method}]\n")).toMatchObject({ code: 1 });
  expect(readFileSync(state, "utf8")).toBe(LOOP);
});

test("SPEC 6, 8: a new check is run red-first: one that cannot run is refused, one that passes already is told", async () => {
  const { dir, state } = projectWith();
  const broken = await aot(["redirect", "set", "base_case", "command: no-such-program-here"], { cwd: dir });
  expect(broken).toMatchObject({ code: 1, err: expect.stringContaining("nothing was changed") });
  expect(readFileSync(state, "utf8")).toBe(LOOP);
  const vacuous = await aot(["redirect", "set", "base_case", "command: node -p 1"], { cwd: dir });
  expect(vacuous).toMatchObject({ code: 0, err: expect.stringContaining("vacuous") });
});

test("SPEC 8: what is changed in the editor is one redirect; an atom that is deleted there is removed", async () => {
  const { dir } = projectWith();
  const before = (await stateIn(dir)) as { objective: { goal: string } };
  const EDITOR = editorThat(
    dir,
    [`goal: ${JSON.stringify(before.objective.goal)}`, 'goal: "Passkeys"'],
    ["max_iterations: 20", "max_iterations: 40"],
    ['reason: ""', "reason: because"],
  );
  const edited = await aot(["redirect", "edit", "--yes"], { cwd: dir, env: { EDITOR, VISUAL: "" } });
  expect(edited).toMatchObject({ code: 0, err: expect.stringContaining("  + Passkeys") });
  expect(((await stateIn(dir)) as { corrections: object[] }).corrections).toMatchObject([
    {
      changes: [
        { field: "goal", new: "Passkeys" },
        { field: "constraints.max_iterations", old: "20", new: "40" },
      ],
    },
  ]);
  expect(existsSync(join(dir, ".claude", "aot-loop", "redirect.yaml"))).toBe(false);
});

test("SPEC 8: an editor that changes nothing, fails or leaves what does not fit changes nothing; what was typed is kept", async () => {
  const { dir, state } = projectWith();
  const edit = (EDITOR: string) => aot(["redirect", "edit"], { cwd: dir, env: { EDITOR, VISUAL: "" } });
  expect(await edit(editorThat(dir))).toMatchObject({ code: 1, err: expect.stringContaining("nothing was changed") });
  expect(await edit('node -e "process.exit(3)"')).toMatchObject({
    code: 2,
    err: expect.stringContaining("ended with 3"),
  });
  const bad = await edit(editorThat(dir, ["goal:", "gaol:"]));
  expect(bad).toMatchObject({ code: 2, err: expect.stringContaining("redirect.yaml") });
  expect(readFileSync(join(dir, ".claude", "aot-loop", "redirect.yaml"), "utf8")).toContain("gaol:");
  expect(await edit("")).toMatchObject({ code: 2, err: expect.stringContaining("--from FILE") });
  expect(readFileSync(state, "utf8")).toBe(LOOP);
});

test("SPEC 8: a limit that a loop need not have can be unset, one that makes it halt cannot", async () => {
  const { dir } = projectWith();
  const limitsIn = async (): Promise<unknown> =>
    ((await stateIn(dir)) as { objective: { constraints: object } }).objective.constraints;
  const limit = (name: string, value: string) => aot(["redirect", "limit", name, value], { cwd: dir });
  expect(await limit("max_cost_usd", "2")).toMatchObject({ code: 0 });
  expect(await limit("max_duration", "2h")).toMatchObject({ code: 0 });
  expect(await limitsIn()).toMatchObject({ max_cost_usd: 2, max_duration: "2h" });
  expect(await limit("max_cost_usd", "none")).toMatchObject({ code: 0, out: expect.stringContaining("not set") });
  writeFileSync(join(dir, "changes.yaml"), "limits: {max_duration: null}\n");
  expect(await aot(["redirect", "--from", "changes.yaml"], { cwd: dir })).toMatchObject({ code: 0 });
  expect(Object.keys((await limitsIn()) as object)).not.toEqual(expect.arrayContaining(["max_cost_usd"]));
  expect(Object.keys((await limitsIn()) as object)).not.toEqual(expect.arrayContaining(["max_duration"]));
  expect(await limit("max_iterations", "none")).toMatchObject({ code: 1, err: expect.stringContaining("halt") });
  expect(await limit("max_cost_usd", "none")).toMatchObject({ code: 1, err: expect.stringContaining("not set") });
});
