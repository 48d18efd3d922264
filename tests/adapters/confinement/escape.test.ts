/** Programs that try to get out of their place, under each kind that this machine has, by root and by an ordinary user. */
import { execFile } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SRT_PACKAGE } from "../../../src/adapters/confinement/srt.ts";
import { ESCAPES, FAMILIES, type Family } from "../../fixtures/confinement/escapes.ts";
import { bundleFixture, temporaryFolder } from "../../support/bundle.ts";
import { testImage, type TestImage } from "../../support/container-image.ts";
import { needs } from "../../support/needs.ts";

interface Row {
  readonly family: Family;
  readonly name: string;
  readonly out: boolean;
}
const KINDS = ["namespace", "container", "srt", "none"] as const;
type Kind = (typeof KINDS)[number];

const root = process.getuid?.() === 0;
/** Nobody's, without an entry anywhere. */
const ORDINARY = 54_321;
const LIMIT_MS = 300_000;
let program = "";
const folders: string[] = [];

beforeAll(async () => {
  if (process.platform === "linux") program = await bundleFixture("confinement/escape-run.ts");
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What got out. @param ordinary as another user than root @param more variables */
async function escaped(kind: Kind, ordinary = false, more: TestImage["env"] = {}): Promise<readonly Row[]> {
  // Outside of temporary folders, which are private in a place: what is hidden in there says nothing.
  const base = mkdtempSync(join(root ? "/opt" : homedir(), ".aot-escape-"));
  folders.push(base);
  if (ordinary) {
    chownSync(base, ORDINARY, ORDINARY);
    for (let above = program; above.startsWith(process.env["TMPDIR"] ?? "/"); above = dirname(above))
      chmodSync(above, 0o755);
  }
  const user = ordinary ? ["setpriv", `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, "--clear-groups"] : [];
  const [command, ...args] = [...user, process.execPath, program, kind, base];
  const env = { PATH: process.env["PATH"], HOME: base, TMPDIR: "/tmp", ...more };
  const { stdout } = await promisify(execFile)(command, args, { timeout: LIMIT_MS, env, maxBuffer: 1024 ** 2 });
  const rows = JSON.parse(stdout) as readonly Row[];
  expect(rows).toHaveLength(ESCAPES.length);
  return rows.filter(({ out }) => out);
}

/** The page's table says what a kind lets through: family, how many were tried, and a column for each kind. */
function onPage(kind: Kind): Readonly<Record<string, number>> {
  const column = KINDS.indexOf(kind) + 3;
  const lines = readFileSync("docs/sandbox.md", "utf8").split("\n");
  const cells = lines.map((line) => line.split("|").map((cell) => cell.trim()));
  return Object.fromEntries(FAMILIES.map((name) => [name, Number(cells.find((row) => row[1] === name)?.[column])]));
}

function counted(rows: readonly { readonly family: Family }[]): Readonly<Record<string, number>> {
  return Object.fromEntries(FAMILIES.map((name) => [name, rows.filter(({ family }) => family === name).length]));
}

test("at least 60 are tried, of every family, and the page counts them", () => {
  expect(ESCAPES.length).toBeGreaterThanOrEqual(60);
  const lines = readFileSync("docs/sandbox.md", "utf8");
  for (const [family, tried] of Object.entries(counted(ESCAPES)))
    expect(lines.replaceAll(/ +/g, " ")).toContain(`| ${family} | ${tried} |`);
  expect(new Set(ESCAPES.map(({ family, name }) => `${family}: ${name}`)).size).toBe(ESCAPES.length);
});

test("namespace: nothing gets out", { timeout: LIMIT_MS }, async () => {
  needs("bwrap", "unshare", "setsid");
  expect(await escaped("namespace")).toEqual([]);
  expect(Object.values(onPage("namespace")).every((count) => count === 0)).toBe(true);
});

test("namespace, by an ordinary user: nothing gets out", { timeout: LIMIT_MS }, async ({ skip }) => {
  needs("bwrap", "unshare", "setsid", "setpriv");
  if (!root) skip("who runs this test is an ordinary user already");
  expect(await escaped("namespace", true)).toEqual([]);
});

test("container: nothing gets out", { timeout: LIMIT_MS }, async () => {
  const { image, engine, env } = testImage(temporaryFolder());
  const { CONTAINERS_CONF } = env;
  expect(
    await escaped("container", false, { CONTAINERS_CONF, AOT_TEST_ENGINE: engine, AOT_TEST_IMAGE: image }),
  ).toEqual([]);
  expect(Object.values(onPage("container")).every((count) => count === 0)).toBe(true);
});

test("none: what gets out is what the page says", { timeout: LIMIT_MS }, async ({ skip }) => {
  needs("setsid", "setpriv", "unshare");
  if (process.platform !== "linux") skip("the programs are written for Linux");
  const out = counted(await escaped("none", root));
  // A machine may refuse a program by itself: namespaces of users, another process's environment.
  for (const [family, most] of Object.entries(onPage("none"))) expect(out[family], family).toBeLessThanOrEqual(most);
  expect(Object.values(out).reduce((sum, one) => sum + one, 0)).toBeGreaterThan(60);
});

test("sandbox-runtime: what gets out is what the page says", { timeout: LIMIT_MS }, async ({ skip }) => {
  needs("bwrap", "socat", "rg", "setsid");
  if (!installed(SRT_PACKAGE)) skip(`${SRT_PACKAGE} is not installed`);
  expect(counted(await escaped("srt"))).toEqual(onPage("srt"));
});

function installed(name: string): boolean {
  try {
    return existsSync(createRequire(join(process.cwd(), "package.json")).resolve(name));
  } catch {
    return false;
  }
}
