/**
 * The pages say what is true: their commands run, their links lead somewhere, their figures are counted, their lists
 * are read from the source. `npm run docs` writes anew what is generated.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { globSync } from "tinyglobby";
import { beforeAll, expect, test } from "vitest";
import { AOT } from "../src/aot.ts";
import { CHECK_TYPE_NAMES, CHECK_TYPES } from "../src/core/check-types.ts";
import { REDIRECT_KINDS, REDIRECTS } from "../src/core/redirect.ts";
import { EXIT_CODES } from "../src/core/state.ts";
import { stateFieldsMarkdown } from "./support/field-tables.ts";
import { blocksOf, citationsIn, invariantsOf, linksOf, markdownTable, tableOf, withSection } from "./support/docs.ts";
import { stagePackage } from "./support/staged-package.ts";

const ROOT = process.cwd();
const PAGES = ["README.md", "ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md", ...pagesIn("docs")];

let built: string;
beforeAll(() => {
  built = stagePackage();
});

function pagesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
  return names.sort().map((name) => `${folder}/${name}`);
}

function page(name: string): string {
  return readFileSync(join(ROOT, name), "utf8");
}

const CODE = globSync("{src,tests,proofs,benches}/**/*.{ts,tsx,mjs}", { cwd: ROOT, ignore: "**/node_modules/**" }).map(
  (path) => ({ path, text: page(path) }),
);
const invariants = CODE.flatMap(invariantsOf);

test("an invariant's id begins with the name of the file that states it, and no other file states it", () => {
  const ids = invariants.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(400);
  expect(ids).toEqual([...new Set(ids)]);
  const misnamed = invariants.filter(
    ({ path, id }) => !`-${id}`.includes(`-${basename(path).split(".")[0]?.toUpperCase()}-`),
  );
  expect(misnamed).toEqual([]);
  expect(CODE.filter(({ text }) => /^(?: \*|\/\/) [A-Z]\d+ [a-z]/m.test(text)).map(({ path }) => path)).toEqual([]);
});

test("every invariant that code or a test cites is stated", () => {
  const stated = new Set(invariants.map(({ id }) => id));
  const cited = CODE.flatMap(({ path, text }) => citationsIn(text).map((id) => ({ path, id })));
  expect(cited.length).toBeGreaterThan(2 * stated.size);
  expect(cited.filter(({ id }) => !stated.has(id))).toEqual([]);
});

test("ARCHITECTURE.md is a map: at most 10 KB, and every file that it names exists", () => {
  const text = page("ARCHITECTURE.md");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10 * 1024);
  const named = [...text.matchAll(/`((?:\w+[\w-]*\/)+[\w-]+\.tsx?)`/g)].map((match) => match[1] ?? "");
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(ROOT, "src", path)) && !existsSync(join(ROOT, path)))).toEqual([]);
});

test("docs/state-file.md holds the schema's field tables", async () => {
  const text = withSection(page("docs/state-file.md"), "fields", stateFieldsMarkdown());
  await expect(text).toMatchFileSnapshot("../docs/state-file.md");
});

test("docs/spec.md holds the table of check types", async () => {
  const rows = CHECK_TYPE_NAMES.map((type) => [`\`${type}\``, CHECK_TYPES[type].value]);
  const text = withSection(page("docs/spec.md"), "checks", markdownTable([["type", "value"], ...rows]));
  await expect(text).toMatchFileSnapshot("../docs/spec.md");
});

test("docs/spec.md holds the table of redirects", async () => {
  const rows = REDIRECT_KINDS.map((kind) => [
    `\`${kind}\``,
    REDIRECTS[kind].summary,
    `\`${REDIRECTS[kind].correction}\``,
  ]);
  const table = markdownTable([["redirect", "effect", "kind"], ...rows]);
  await expect(withSection(page("docs/spec.md"), "redirects", table)).toMatchFileSnapshot("../docs/spec.md");
});

test("the plugin's /redirect shows every redirect there is", () => {
  const shown = page("plugin/commands/redirect.md");
  for (const kind of REDIRECT_KINDS) expect(shown).toContain(`\`aot redirect ${kind} `);
});

test("SPEC 9: the table of outcomes in docs/outcomes.md is that of the code", () => {
  const rows = tableOf(page("docs/outcomes.md"), "exit");
  const outcomes = rows.map(([exit, outcome]) => [(outcome ?? "").replaceAll("`", ""), Number(exit)] as const);
  expect(Object.fromEntries(outcomes.filter(([outcome]) => outcome in EXIT_CODES))).toEqual(EXIT_CODES);
});

test("the map in ARCHITECTURE.md names every place", () => {
  const places = readdirSync(join(ROOT, "src"), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`,
  );
  for (const place of places) expect(page("ARCHITECTURE.md")).toContain(`\`${place}\``);
});

test("docs/library.md holds the example that tests/library.test.ts runs, and names every function", async () => {
  const program = page("examples/library.mjs").replace(/^(\/\/.*\n)+/, "");
  const text = withSection(page("docs/library.md"), "example", `\`\`\`js\n${program}\`\`\`\n`);
  await expect(text).toMatchFileSnapshot("../docs/library.md");
  const { EXIT_CODES: _, ...functions } = await import("../src/index.ts");
  expect(Object.keys(functions).filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});

test("links lead to files that exist", () => {
  const broken = PAGES.flatMap((name) =>
    linksOf(page(name))
      .filter((target) => !existsSync(resolve(ROOT, dirname(name), target)))
      .map((target) => `${name}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test("a block of commands that is not run says why", () => {
  const silent = PAGES.flatMap((name) => blocksOf(name, page(name))).filter((block) => block.notRun === "");
  expect(silent).toEqual([]);
});

test("docs/cli.md is a page of tasks of at most 200 lines that names every command", () => {
  const text = page("docs/cli.md");
  expect(text.split("\n").length).toBeLessThanOrEqual(200);
  const names = (AOT.commands ?? []).map(({ name }) => `aot ${name}`);
  expect(names.filter((name) => !text.includes(name))).toEqual([]);
});

test("docs/scripts.md has a command that there is for every script of the original", () => {
  const rows = [...page("docs/scripts.md").matchAll(/^\| `(\w+)\.py[^`]*` *\| `aot ([a-z]+)(?: ([a-z][a-z-]*))?/gm)];
  const scripts =
    "read_state update_atom add_binding set_status verify_command verify_file verify_checklist validate_state check_gate";
  expect(new Set(rows.map(([, script]) => script))).toEqual(new Set(scripts.split(" ")));
  for (const [row, , name, sub] of rows) {
    const spec = AOT.commands?.find((one) => one.name === name);
    const commands = spec?.commands;
    expect(
      sub === undefined || commands === undefined ? spec : commands.find((one) => one.name === sub),
      row,
    ).toBeDefined();
  }
});

const isRun = (name: string): boolean => blocksOf(name, page(name)).some((block) => block.language === "sh");

for (const name of PAGES.filter(isRun)) {
  test.skipIf(process.platform === "win32")(
    `the commands of ${name} do what they say (needs sh)`,
    { timeout: 180_000 },
    () => {
      const blocks = blocksOf(name, page(name)).filter((block) => block.language === "sh" && block.notRun === null);
      const script = blocks.map((block) => `# ${name}:${block.line}\n${block.text}`).join("\n");
      const ran = runScript(script);
      expect(ran.output, `${script}\n--- printed ---\n${ran.output}`).not.toContain("unexpected:");
      expect(ran.status, `${script}\n--- printed ---\n${ran.output}`).toBe(0);
    },
  );
}

/** Runs a shell script in an empty folder in which `aot` is what was just built. */
function runScript(script: string): { readonly status: number | null; readonly output: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aot-docs-")));
  const bin = join(folder, "bin");
  try {
    spawnSync("mkdir", ["-p", bin, join(folder, "here")]);
    const aot = `#!/bin/sh\nexec "${process.execPath}" "${join(built, "dist", "bin.cjs")}" "$@"\n`;
    writeFileSync(join(bin, "aot"), aot, { mode: 0o755 });
    const ran = spawnSync("sh", ["-eu", "-c", script], {
      cwd: join(folder, "here"),
      env: {
        ...process.env,
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        HOME: folder,
        GIT_CONFIG_COUNT: "2",
        GIT_CONFIG_KEY_0: "user.name",
        GIT_CONFIG_VALUE_0: "Reader",
        GIT_CONFIG_KEY_1: "user.email",
        GIT_CONFIG_VALUE_1: "reader@localhost",
      },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 150_000,
      killSignal: "SIGKILL",
    });
    return { status: ran.status, output: `${ran.stdout}${ran.stderr}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
