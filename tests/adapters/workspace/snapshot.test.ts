/**
 * The law of what is integrated (SPEC section 7): a commit of the loop differs from its parent in what the attempt
 * changed and in nothing else, whatever git's settings are.
 *
 * Repositories, settings and attempts are generated; git is the real one. What the attempt changed is known from the
 * operations on files that are played, never from git.
 *
 *     AOT_MODEL_RUNS=2000 [AOT_MODEL_SEED=<seed> AOT_MODEL_PATH=<path>] npx vitest run tests/adapters/workspace/snapshot
 */
import * as fc from "fast-check";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Workspace } from "../../../src/loop/ports.ts";
import {
  attemptOf,
  createProject,
  created,
  gitIn,
  opened,
  projectAt,
  testProject,
  workOf,
  type Project,
} from "./project.ts";

interface Entry {
  readonly mode: "100644" | "100755" | "120000";
  readonly content: string;
}

/** Files of the base; those in `b/` and `c/` may lie outside of a sparse checkout of the person's or the agent's. */
const PATHS = ["top.t", "a/f.t", "a/g.bin", "b/1.t", "b/2.t", "c/d/3.t", "c/4.log", "n/Read.t", "n/read.t"] as const;
const NEW_PATHS = ["a/new.t", "b/new.t", "c/d/e/new.t", "new top.t", "a/new.log", "N/other.t"] as const;

const content = fc.constantFrom("x\n", "x\r\ny\r\n", "x\r\ny\n", "$Id$ lower\n", "$Id: stale $\r\n", "\0\u0001", "");
const entry: fc.Arbitrary<Entry> = fc.record({ mode: fc.constantFrom("100644", "100644", "100755"), content });
const base = fc.record(
  Object.fromEntries(PATHS.map((path) => [path, entry])) as Record<(typeof PATHS)[number], typeof entry>,
);

/** Lossy on purpose: what it makes of a file on the way in does not come out again. */
const FILTER = ["filter.up.clean=tr a-z A-Z", "filter.up.smudge=cat"];
const attributes = fc.constantFrom(
  ..."|* text=auto\n|*.t text\n|*.t text eol=crlf\n|*.t eol=lf\n|*.t ident\n|*.t filter=up\n|*.t -text\n".split("|"),
);
const ignore = fc.constantFrom("", "*.log\n", "b/\n", "new*\n");
const SETTINGS = (
  "core.autocrlf=true core.autocrlf=input core.eol=crlf core.fileMode=false core.symlinks=false " +
  "core.ignoreCase=true core.precomposeUnicode=true core.ignoreStat=true core.untrackedCache=true " +
  "core.splitIndex=true core.fsmonitor=false core.trustctime=false core.checkStat=minimal " +
  "core.safecrlf=true core.hooksPath=hooks-that-fail index.sparse=true index.version=4 " +
  "feature.manyFiles=true add.ignoreErrors=true status.showUntrackedFiles=no diff.noprefix=true " +
  "diff.renames=copies merge.ff=only merge.verifySignatures=true merge.conflictStyle=diff3"
).split(" ");
const SPARSE = [
  null,
  ["set", "--cone", "a"],
  ["set", "--cone", "c/d"],
  ["set", "--cone", "--sparse-index", "a"],
  ["set", "--no-cone", "/*", "!/b/"],
  ["set", "--no-cone", "*.bin"],
] as const;

type Operation =
  | { readonly do: "write"; readonly path: string; readonly content: string }
  | { readonly do: "delete" | "chmod" | "link" | "touch"; readonly path: string }
  /** What an agent may do with git in its own worktree: none of it is a change of a file. */
  | { readonly do: "git"; readonly args: readonly string[] };

const somePath = fc.constantFrom(...PATHS, ...NEW_PATHS);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), path: somePath, content }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("delete", "chmod", "link", "touch"), path: fc.constantFrom(...PATHS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("git" as const),
      args: fc.constantFrom(
        ["sparse-checkout", "set", "--cone", "a"],
        ["sparse-checkout", "set", "--cone", "b", "c"],
        ["sparse-checkout", "disable"],
        ["update-index", "--assume-unchanged", "a/f.t"],
        ["update-index", "--skip-worktree", "a/f.t"],
        ["rm", "-r", "-q", "--cached", "."],
        ["read-tree", "--empty"],
        ["read-tree", "HEAD"],
        ["sparse-checkout", "add", "b"],
        ["add", "-A"],
        ["add", "-A", "-f"],
        ["commit", "-q", "--no-verify", "--no-gpg-sign", "--allow-empty", "-am", "mine"],
        ["checkout", "-q", "--detach"],
        ["status", "--short"],
      ),
    }),
  },
);

const scenario = fc.record({
  files: base,
  attributes,
  attributesIn: fc.constantFrom("tree", "info"),
  ignore,
  ignoreIn: fc.constantFrom("tree", "info", "global"),
  settings: fc.subarray(SETTINGS, { maxLength: 4 }),
  sparse: fc.constantFrom(...SPARSE),
  kind: fc.constantFrom("plain", "plain", "plain", "shallow", "partial", "linked"),
  merging: fc.constantFrom("objects", "folder"),
  another: fc.boolean(),
  end: fc.constantFrom("integrate", "integrate", "shelve"),
  operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** A commit of exactly these bytes: no setting has a part in it. */
function commitBytes(root: string, files: Readonly<Record<string, Entry>>): void {
  const lines = Object.entries(files).map(([path, { mode, content: text }]) => {
    const oid = execFileSync("git", ["hash-object", "-w", "--no-filters", "--stdin"], { cwd: root, input: text });
    return `${mode} ${oid.toString().trim()}\t${path}\0`;
  });
  execFileSync("git", ["update-index", "-z", "--index-info"], { cwd: root, input: lines.join("") });
  gitIn(root, "commit", "-q", "-m", "base");
}

async function repositoryOf(
  one: Scenario,
): Promise<{ readonly project: Project; readonly remove: () => Promise<void> }> {
  const source = await createProject({});
  const files: Record<string, Entry> = { ...one.files, "a/link": { mode: "120000", content: "f.t" } };
  if (one.attributesIn === "tree") files[".gitattributes"] = { mode: "100644", content: one.attributes };
  if (one.ignoreIn === "tree") files[".gitignore"] = { mode: "100644", content: one.ignore };
  commitBytes(source.root, { "old.t": { mode: "100644", content: "old\n" } });
  commitBytes(source.root, files);
  source.git("config", "uploadpack.allowFilter", "true");
  const root = one.kind === "plain" ? source.root : `${source.root}-used`;
  const from = `file://${source.root}`;
  if (one.kind === "shallow") gitIn(source.root, "clone", "-q", "--depth=1", "--no-checkout", from, root);
  if (one.kind === "partial") gitIn(source.root, "clone", "-q", "--filter=blob:none", "--no-checkout", from, root);
  if (one.kind === "linked") source.git("worktree", "add", "-q", "--no-checkout", "--detach", root);
  const set = (setting: string): void => {
    const [key = "", value = ""] = setting.split("=");
    gitIn(root, "config", key, value);
  };
  // git refuses an index that is both split and sparse.
  const isSparse =
    one.sparse?.some((word) => word === "--sparse-index") === true || one.settings.includes("index.sparse=true");
  const settings = one.settings.filter((setting) => !(isSparse && setting === "core.splitIndex=true"));
  for (const setting of [...settings, ...FILTER, "user.name=P", "user.email=p@example.org"]) set(setting);
  const common = join(root, gitIn(root, "rev-parse", "--git-common-dir"));
  const shared = existsSync(common) ? common : gitIn(root, "rev-parse", "--git-common-dir");
  mkdirSync(join(shared, "info"), { recursive: true });
  if (one.attributesIn === "info") writeFileSync(join(shared, "info", "attributes"), one.attributes);
  if (one.ignoreIn === "info") writeFileSync(join(shared, "info", "exclude"), one.ignore);
  if (one.ignoreIn === "global") {
    writeFileSync(join(shared, "ignored"), one.ignore);
    gitIn(root, "config", "core.excludesFile", join(shared, "ignored"));
  }
  if (one.sparse !== null) gitIn(root, "sparse-checkout", ...one.sparse);
  gitIn(root, "reset", "-q", "--hard");
  return {
    project: projectAt(root),
    remove: async () => {
      await projectAt(root).remove();
      await source.remove();
    },
  };
}

/** What is at a path: null is nothing. */
function seen(path: string): string | null {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return null;
  if (there.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  return `${there.mode & 0o100} ${readFileSync(path, "latin1")}`;
}

function play(dir: string, one: Operation): void {
  if (one.do === "git") {
    spawnSync("git", [...one.args], { cwd: dir });
    return;
  }
  const path = join(dir, one.path);
  if (one.do === "write") {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    writeFileSync(path, one.content);
    return;
  }
  if (!existsSync(path)) return;
  if (one.do === "delete") rmSync(path);
  if (one.do === "chmod" && !lstatSync(path).isSymbolicLink()) chmodSync(path, lstatSync(path).mode ^ 0o111);
  if (one.do === "touch") utimesSync(path, new Date(), new Date());
  if (one.do === "link") {
    rmSync(path);
    symlinkSync("elsewhere", path);
  }
}

interface Played {
  /** Paths that an operation changed, each as it stood before the first and after the last. */
  readonly changed: ReadonlyMap<string, { readonly before: string | null; readonly after: string | null }>;
}

/** What git does of itself to a path (a sparse checkout takes files away) is no change of the attempt's. */
function playAll(dir: string, operations: readonly Operation[]): Played {
  const changed = new Map<string, { before: string | null; after: string | null }>();
  for (const one of operations) {
    const path = one.do === "git" ? null : one.path;
    const before = path === null ? null : seen(join(dir, path));
    play(dir, one);
    if (path === null) continue;
    const after = seen(join(dir, path));
    const known = changed.get(path);
    if (before !== after) changed.set(path, { before: known === undefined ? before : known.before, after });
  }
  return { changed };
}

/** Paths in which two commits differ. */
function differing({ loop }: Project, from: string, to: string): string[] {
  const out = loop("-c", "core.quotepath=off", "diff-tree", "-r", "--name-only", "--no-renames", "-z", from, to);
  return out.split("\0").filter((path) => path !== "");
}

/** The object that git makes of a file, with its filters and without. */
function objectsOf(dir: string, path: string): string[] {
  // Added to the index, then taken out of the folder by a narrower sparse checkout.
  if (seen(join(dir, path)) === null) return [gitIn(dir, "rev-parse", `:${path}`)];
  if (lstatSync(join(dir, path)).isSymbolicLink())
    return [execFileSync("git", ["hash-object", "--stdin"], { cwd: dir, input: readlinkSync(join(dir, path)) })].map(
      (oid) => oid.toString().trim(),
    );
  // A file that has CRLF in the index keeps it, whatever `core.autocrlf` says; `hash-object` looks at no index.
  const ways = [["hash-object"], ["hash-object", "--no-filters"], ["-c", "core.autocrlf=false", "hash-object"]];
  return ways.map((way) => gitIn(dir, ...way, path));
}

/** What git writes to the folder for a file of a commit; null: it has none. */
function checkedOut(dir: string, commit: string, path: string): string | null {
  const { status, stdout } = spawnSync("git", ["cat-file", "--filters", `${commit}:${path}`], { cwd: dir });
  return status === 0 ? stdout.toString("latin1") : null;
}

function isIgnored(dir: string, path: string): boolean {
  return spawnSync("git", ["check-ignore", "-q", "--no-index", path], { cwd: dir }).status === 0;
}

/**
 * An agent that has git take files out of its folder and then empties or resets git's index: nobody can tell these files
 * from deleted ones.
 */
function coversItsTracks({ operations }: Scenario): boolean {
  const words = operations.map((one) => (one.do === "git" ? one.args.join(" ") : ""));
  const narrowed = words.findIndex((word) => word.startsWith("sparse-checkout set"));
  return narrowed >= 0 && words.slice(narrowed).some((word) => word.startsWith("read-tree"));
}

async function check(one: Scenario): Promise<void> {
  fc.pre(!coversItsTracks(one));
  const { project, remove } = await repositoryOf(one);
  try {
    const workspace = await created({ ...project.options(), merging: one.merging });
    await workspace.open();
    try {
      await checkAttempt(one, project, workspace);
    } finally {
      await workspace.close();
    }
  } finally {
    await remove();
  }
}

async function checkAttempt(one: Scenario, project: Project, workspace: Workspace): Promise<void> {
  const attempt = attemptOf("A");
  const { dir } = await workspace.start(attempt);
  const start = gitIn(dir, "rev-parse", "HEAD");
  const tracked = new Set(gitIn(dir, "ls-tree", "-r", "--name-only", start).split("\n"));
  const { changed } = playAll(dir, one.operations);
  // What the base says of attributes and ignored files counts though a sparse checkout has not brought its files.
  const said = [
    [".gitattributes", one.attributesIn, one.attributes],
    [".gitignore", one.ignoreIn, one.ignore],
  ] as const;
  const withheld = said.filter(([name, where]) => where === "tree" && seen(join(dir, name)) === null);
  for (const [name, , text] of withheld) writeFileSync(join(dir, name), text);
  const last = one.operations.at(-1);
  const isForced = last?.do === "git" && last.args.includes("-f");
  const due = [...changed].filter(([path, { before, after }]) => {
    // Outside of a sparse checkout git adds nothing, by force neither.
    const isAdded = isForced && gitIn(dir, "ls-files", "--", path) !== "";
    return before !== after && (isAdded || tracked.has(path) || !isIgnored(dir, path));
  });
  const objects = new Map(
    due.map(([path, { before, after }]) => {
      if (after === null) return [path, []];
      const made = objectsOf(dir, path);
      // Of a file whose mode alone changed the content stays what it was, and so it does where git checks that out as it is now.
      const content = after.replace(/^\d+ /, "");
      const isSame = before?.replace(/^\d+ /, "") === content || content === checkedOut(dir, start, path);
      return [path, isSame ? [...made, gitIn(dir, "rev-parse", `${start}:${path}`)] : made];
    }),
  );
  for (const [name] of withheld) rmSync(join(dir, name));
  if (one.another) {
    const other = attemptOf("B");
    const { dir: there } = await workspace.start(other);
    writeFileSync(join(there, "other.txt"), "other\n");
    expect(await workspace.integrate(other, workOf("B"))).toMatchObject({ kind: "integrated" });
  }
  const commit = await settled(one, workspace, project, start);
  const parent = one.end === "shelve" ? start : commit === null ? null : `${commit}^`;
  const found = commit === null || parent === null ? [] : differing(project, parent, commit);
  // Nothing that the attempt did not change.
  const touched = new Set(changed.keys());
  expect(found.filter((path) => !touched.has(path))).toEqual([]);
  // Nothing of what it changed is lost.
  const narrows = one.operations.some(({ do: what }) => what === "git");
  for (const [path, { after }] of due) {
    if (after === null && narrows) continue;
    const at = commit ?? start;
    const there = project.loop("ls-tree", at, "--", path);
    if (after === null) expect(there, `${path} was deleted`).toBe("");
    else expect(objects.get(path), `${path} was written`).toContain(there.split(/\s/)[2]);
  }
}

/** The commit that holds the attempt's work; null: nothing was to be committed. */
async function settled(one: Scenario, workspace: Workspace, project: Project, start: string): Promise<string | null> {
  const attempt = attemptOf("A");
  if (one.end === "shelve") {
    const { kept } = await workspace.shelve(attempt, "shelved");
    return kept === null ? null : project.loop("rev-parse", kept);
  }
  const result = await workspace.integrate(attempt, workOf("A"));
  expect(result, start).toMatchObject({ kind: "integrated" });
  return result.kind === "integrated" ? result.commit : null;
}

test(
  "SPEC 7: an integrated commit differs from its parent in what the attempt changed, and in nothing else",
  { timeout: Number(process.env["AOT_MODEL_RUNS"] ?? 16) * 5_000 + 120_000 },
  async () => {
    const { AOT_MODEL_RUNS, AOT_MODEL_SEED, AOT_MODEL_PATH } = process.env;
    await fc.assert(fc.asyncProperty(scenario, check), {
      numRuns: Number(AOT_MODEL_RUNS ?? 16),
      ...(AOT_MODEL_SEED === undefined ? {} : { seed: Number(AOT_MODEL_SEED) }),
      ...(AOT_MODEL_PATH === undefined ? {} : { path: AOT_MODEL_PATH }),
    });
  },
);

test("SPEC 7: what a sparse checkout of the agent's own leaves out is not deleted, what it deleted itself is", async () => {
  const here = await testProject({ "a/f": "1\n", "b/1": "1\n", "b/2": "2\n", "c/3": "3\n" });
  here.git("sparse-checkout", "set", "--cone", "a");
  const workspace = await opened(here);
  const attempt = attemptOf("A");
  const { dir } = await workspace.start(attempt);
  expect(readFileSync(join(dir, "c/3"), "utf8")).toBe("3\n");
  gitIn(dir, "sparse-checkout", "set", "--cone", "a", "b");
  expect(existsSync(join(dir, "c"))).toBe(false);
  rmSync(join(dir, "b/1"));
  expect(await workspace.integrate(attempt, workOf("A"))).toMatchObject({ kind: "integrated", files: ["b/1"] });
  const { dir: next } = await workspace.start(attemptOf("B"));
  expect(readFileSync(join(next, "c/3"), "utf8")).toBe("3\n");
  await workspace.close();
});
