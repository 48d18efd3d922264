/**
 * What every workspace keeps (SPEC sections 6, 7, 8; port contract PORTS-1 to 4). Run by each implementation's own test
 * file.
 */
import {
  access,
  chmod,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Revert } from "../../src/core/event.ts";
import type { IntegratedWork, Workspace } from "../../src/loop/ports.ts";
import type { WorkspaceOptions } from "../../src/adapters/workspace/workspace-options.ts";
import {
  attemptOf,
  createProject,
  gitIn,
  integratedFiles,
  tamperedIn,
  work,
  workOf,
  writeFiles,
  type Files,
  type Project,
} from "../adapters/workspace/project.ts";

export interface WorkspaceUnderTest {
  readonly name: string;
  /** Whether the project is a git repository of its own. */
  readonly git: boolean;
  create(options: WorkspaceOptions): Promise<Workspace>;
}

interface Scene {
  readonly project: Project;
  open(more?: Partial<WorkspaceOptions>): Promise<Workspace>;
  /** As the next run opens it. */
  resume(): Promise<{
    readonly workspace: Workspace;
    readonly integrated: readonly IntegratedWork[];
    readonly reverts: readonly Revert[];
    readonly notes: readonly string[];
  }>;
}

const FIRST: Files = {
  "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
  "b.txt": "b\n",
  "tests/goal.test.ts": "expect\n",
  ".gitignore": "node_modules/\n*.log\n",
};

/** Names that a careless program trips over. A newline is not a file name on Windows, nor a quote. */
const ODD_NAMES = [
  "with space.txt",
  "-leading-dash",
  "ünï/çödé.txt",
  "emoji-\u{1f600}",
  ...(process.platform === "win32" ? [] : ['quo"te', "new\nline", "tab\there", "back\\slash", ":colon", "*star?"]),
];

const RULES = {
  async "SPEC 7: integrated work is in a clean checkout, and W3 in call order"(scene: Scene) {
    const workspace = await scene.open();
    const one = await work(workspace, "A1", (dir) =>
      writeFiles(dir, { "new/file.txt": "new\n", "b.txt": "changed\n" }),
    );
    expect(one.kind === "integrated" ? [...one.files].sort() : one).toEqual(["b.txt", "new/file.txt"]);
    expect(await integratedFiles(workspace, ["new/file.txt", "b.txt", "a.txt"])).toEqual({
      "new/file.txt": "new\n",
      "b.txt": "changed\n",
      "a.txt": FIRST["a.txt"],
    });
  },

  async "SPEC 8: a later run finds what was integrated, word for word"(scene: Scene) {
    const workspace = await scene.open();
    const said = {
      description: "Line one\nAot-Atom: spoofed",
      summary: 'first\n\nAot-Attempt: Z9.9\n "quoted" \u{1f600}\u0000 end ',
      artifacts: ["x.txt", "with space", "", "[1]", '"q"', "new\nline"],
    };
    const attempt = attemptOf('odd "id", ä/.. x', 3);
    const { dir } = await workspace.start(attempt);
    await writeFiles(dir, { "x.txt": "x" });
    const result = await workspace.integrate(attempt, said);
    if (result.kind !== "integrated") throw new Error(JSON.stringify(result));
    await workspace.close();
    const again = await scene.resume();
    expect(again.integrated).toEqual([
      {
        attempt: attempt.id,
        atom: attempt.atom,
        commit: result.commit,
        summary: said.summary,
        artifacts: said.artifacts,
      },
    ]);
  },

  async "SPEC 8: of work that named no artifacts a later run finds the files that it changed"(scene: Scene) {
    const workspace = await scene.open();
    const [one, other] = [attemptOf("A1"), attemptOf("A2")];
    const said = { description: "d", summary: "s", artifacts: [] };
    const places = [await workspace.start(one)];
    await writeFiles(places[0]?.dir ?? "", { "ünï code.txt": "x", "b.txt": "changed" });
    const results = [await workspace.integrate(one, said)];
    places.push(await workspace.start(other));
    await rm(join(places[1]?.dir ?? "", "b.txt"));
    results.push(await workspace.integrate(other, said));
    await workspace.close();
    const again = await scene.resume();
    const files = results.map((result) => (result.kind === "integrated" ? result.files : result));
    expect(files).toEqual([["b.txt", "ünï code.txt"], ["b.txt"]]);
    expect(again.integrated.map((work) => work.artifacts)).toEqual(files);
  },

  async "SPEC 8: a later run finds what was taken out, and what was lost with it"(scene: Scene) {
    const workspace = await scene.open();
    await work(workspace, "A1", (dir) => writeFiles(dir, { "new.txt": "a\n" }));
    await work(workspace, "A2", (dir) => writeFiles(dir, { "new.txt": "a\nb\n" }));
    const { commit, lost } = await workspace.revert(["A1"], "given up");
    expect(lost).toEqual(["A2"]);
    await workspace.close();
    const again = await scene.resume();
    expect(again.integrated).toEqual([]);
    expect(again.reverts).toEqual([{ commit, lost: ["A2"] }]);
  },

  async "SPEC 7: an attempt that changed nothing integrates as nothing"(scene: Scene) {
    const workspace = await scene.open();
    expect(await work(workspace, "A1", (dir) => writeFiles(dir, { "ignored.log": "x" }))).toEqual({
      kind: "integrated",
      commit: null,
      files: [],
    });
  },

  async "SPEC 6, PORTS-2: an attempt that changes, adds, removes or renames a protected file is not integrated"(
    scene: Scene,
  ) {
    const workspace = await scene.open({ protected: ["tests/**", "*.config.js"] });
    const deeds: [string, (dir: string) => Promise<void>][] = [
      ["tests/goal.test.ts", (dir) => writeFiles(dir, { "tests/goal.test.ts": "true\n", "b.txt": "b2\n" })],
      ["tests/.hidden", (dir) => writeFiles(dir, { "tests/.hidden": "x" })],
      ["tests/goal.test.ts", (dir) => rm(join(dir, "tests/goal.test.ts"))],
      ["tests/goal.test.ts", (dir) => rename(join(dir, "tests/goal.test.ts"), join(dir, "elsewhere.ts"))],
      ["x.config.js", (dir) => writeFiles(dir, { "x.config.js": "x" })],
    ];
    if (process.platform !== "win32")
      deeds.push(["tests/goal.test.ts", (dir) => chmod(join(dir, "tests/goal.test.ts"), 0o755)]);
    for (const [i, [file, deed]] of deeds.entries()) {
      const result = await work(workspace, "A1", deed, i + 1);
      expect(result).toEqual({ kind: "protected", files: [file] });
      await workspace.shelve(attemptOf("A1", i + 1), "protected");
    }
    expect(await integratedFiles(workspace, ["tests/goal.test.ts", "b.txt", "x.config.js"])).toEqual({
      "tests/goal.test.ts": "expect\n",
      "b.txt": "b\n",
      "x.config.js": undefined,
    });
    expect(await tamperedIn(workspace)).toEqual([]);
  },

  async "SPEC 15: settings that say what later runs may do change only where a person allows it"(scene: Scene) {
    const deeds = [{ "aot.config.yaml": "sandbox: off\n" }, { "packages/one/aot.config.yml": "notify: sh x\n" }];
    const strict = await scene.open();
    for (const [i, files] of deeds.entries()) {
      const result = await work(strict, "A1", (dir) => writeFiles(dir, files), i + 1);
      expect(result).toMatchObject({ kind: "failed", reason: expect.stringContaining("only a human") as string });
      await strict.shelve(attemptOf("A1", i + 1), "settings");
    }
    expect(await integratedFiles(strict, ["aot.config.yaml"])).toEqual({ "aot.config.yaml": undefined });
    await strict.close();
    const free = await scene.open({ run: "r2", protected: ["!aot.config.yaml"] });
    const [files = {}] = deeds;
    expect(await work(free, "A2", (dir) => writeFiles(dir, files))).toMatchObject({ kind: "integrated" });
  },

  async "SPEC 6: protected files that changed since the goal was aligned are named"(scene: Scene) {
    const free = await scene.open();
    await free.close();
    const workspace = await scene.open({ run: "r2" });
    await work(workspace, "A1", (dir) =>
      writeFiles(dir, { "tests/goal.test.ts": "true\n", "tests/more.ts": "x", "b.txt": "b2" }),
    );
    await workspace.close();
    const strict = await scene.open({ run: "r3", protected: ["tests/**"] });
    expect([...(await tamperedIn(strict))].sort()).toEqual(["tests/goal.test.ts", "tests/more.ts"]);
  },

  async "SPEC 7, PORTS-1: shelved work is kept, and the next attempt does not see it"(scene: Scene) {
    const workspace = await scene.open();
    const attempt = attemptOf("A1");
    const { dir } = await workspace.start(attempt);
    await writeFiles(dir, { "a.txt": "wrecked\n", "new/deep/file.txt": "left over\n" });
    await rm(join(dir, "b.txt"));
    const { kept } = await workspace.shelve(attempt, "It did not work.");
    expect(kept).toMatch(/A1-1-r1/);
    const places = await workspace.kept?.(["A1.1", "A1.11", "base case"]);
    if (places !== undefined) expect([...places].map(([id, { name }]) => [id, name])).toEqual([["A1.1", kept]]);
    const next = await workspace.start(attemptOf("A1", 2));
    expect(await readFile(join(next.dir, "a.txt"), "utf8")).toBe(FIRST["a.txt"]);
    expect(await readFile(join(next.dir, "b.txt"), "utf8")).toBe("b\n");
    await expect(access(join(next.dir, "new"))).rejects.toThrow("ENOENT");
  },

  async "SPEC 7: shelving an attempt without changes keeps nothing"(scene: Scene) {
    const workspace = await scene.open();
    await workspace.start(attemptOf("A1"));
    expect(await workspace.shelve(attemptOf("A1"), "nothing done")).toEqual({ kept: null });
    expect(await workspace.shelve(attemptOf("A9"), "never started")).toEqual({ kept: null });
  },

  async "SPEC 7: an attempt cannot hide work from rolling back by ignoring it"(scene: Scene) {
    const workspace = await scene.open();
    const { dir } = await workspace.start(attemptOf("A1"));
    await writeFiles(dir, { ".gitignore": "*\n", "hidden.txt": "x" });
    await workspace.shelve(attemptOf("A1"), "failed");
    const next = await workspace.start(attemptOf("A2"));
    await expect(access(join(next.dir, "hidden.txt"))).rejects.toThrow("ENOENT");
    expect(await readFile(join(next.dir, ".gitignore"), "utf8")).toBe(FIRST[".gitignore"]);
  },

  async "SPEC 7: a revert takes out an atom's work and nothing else"(scene: Scene) {
    const workspace = await scene.open();
    await work(workspace, "A1", (dir) => writeFiles(dir, { "a.txt": "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n", "a1.txt": "a1" }));
    await work(workspace, "A2", (dir) =>
      writeFiles(dir, { "a.txt": "ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n", "a2.txt": "a2" }),
    );
    await work(workspace, "A1", (dir) => writeFiles(dir, { "a1-again.txt": "a1" }), 2);
    const done = await workspace.revert(["A1", "never"], "The alternative comes next.");
    expect(done.lost).toEqual([]);
    expect(done.commit).not.toBeNull();
    expect(await integratedFiles(workspace, ["a.txt", "a1.txt", "a2.txt", "a1-again.txt"])).toEqual({
      "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nNINE\n",
      "a1.txt": undefined,
      "a2.txt": "a2",
      "a1-again.txt": undefined,
    });
    expect(await workspace.revert(["A1"], "again")).toEqual({ commit: null, lost: [] });
    await workspace.close();
    const again = await scene.resume();
    expect(again.integrated.map((one) => one.attempt)).toEqual(["A2.1"]);
  },

  async "SPEC 7: work that cannot stand without the reverted is lost, named, and leaves no marker"(scene: Scene) {
    const workspace = await scene.open();
    await work(workspace, "A1", (dir) => writeFiles(dir, { "lib.txt": "one\n", "b.txt": "b by A1\n" }));
    await work(workspace, "A2", (dir) => writeFiles(dir, { "lib.txt": "one\ntwo\n", "kept.txt": "A2\n" }));
    await work(workspace, "A3", (dir) => writeFiles(dir, { "c.txt": "A3\n" }));
    expect((await workspace.revert(["A1"], "given up")).lost).toEqual(["A2"]);
    expect(await integratedFiles(workspace, ["lib.txt", "b.txt", "kept.txt", "c.txt"])).toEqual({
      "lib.txt": undefined,
      "b.txt": "b\n",
      "kept.txt": undefined,
      "c.txt": "A3\n",
    });
  },

  async "SPEC 7: a change that two atoms made alike stays when one of them goes"(scene: Scene) {
    const workspace = await scene.open();
    const first = attemptOf("A1");
    const second = attemptOf("A2");
    const one = await workspace.start(first);
    await writeFiles(one.dir, { "same.txt": "same\n", "one.txt": "1" });
    const two = await workspace.start(second);
    await writeFiles(two.dir, { "same.txt": "same\n", "two.txt": "2" });
    await workspace.integrate(first, workOf("A1"));
    expect((await workspace.integrate(second, workOf("A2"))).kind).toBe("integrated");
    await workspace.revert(["A1"], "given up");
    expect(await integratedFiles(workspace, ["same.txt", "one.txt", "two.txt"])).toEqual({
      "same.txt": "same\n",
      "one.txt": undefined,
      "two.txt": "2",
    });
  },

  async "SPEC 7: the loop's own files are not the attempts' to change"(scene: Scene) {
    const workspace = await scene.open();
    const result = await work(workspace, "A1", (dir) =>
      writeFiles(dir, {
        ".claude/aot-loop-state.md": "status: completed\n",
        ".claude/aot-loop-extra.md": "x",
        "b.txt": "b2\n",
      }),
    );
    expect(result.kind === "integrated" && result.files).toEqual(["b.txt"]);
    expect(await integratedFiles(workspace, [".claude/aot-loop-state.md", ".claude/aot-loop-extra.md"])).toEqual({
      ".claude/aot-loop-state.md": undefined,
      ".claude/aot-loop-extra.md": undefined,
    });
  },

  async "SPEC 6: a checkout is clean, and what happens in it stays there"(scene: Scene) {
    const workspace = await scene.open();
    await work(workspace, "A1", (dir) =>
      writeFiles(dir, { "b.txt": "b2\n", "rubbish.log": "x", "node_modules/x/index.js": "x" }),
    );
    const checkout = await workspace.checkout();
    await expect(access(join(checkout.dir, "rubbish.log"))).rejects.toThrow("ENOENT");
    await writeFiles(checkout.dir, { "b.txt": "by a check\n", "made.txt": "by a check" });
    await checkout.release();
    await checkout.release();
    await expect(access(checkout.dir)).rejects.toThrow("ENOENT");
    expect(await integratedFiles(workspace, ["b.txt", "made.txt"])).toEqual({ "b.txt": "b2\n", "made.txt": undefined });
  },

  async "SPEC 8: after a crash the work of the open attempt is kept and nothing is integrated twice"(scene: Scene) {
    const dead = await scene.open();
    await work(dead, "A1", (dir) => writeFiles(dir, { "one.txt": "1" }));
    const { dir } = await dead.start(attemptOf("A2"));
    await writeFiles(dir, { "two.txt": "2" });
    const { workspace: next, integrated } = await scene.resume();
    expect(integrated.map((one) => one.attempt)).toEqual(["A1.1"]);
    expect(await integratedFiles(next, ["one.txt", "two.txt"])).toEqual({ "one.txt": "1", "two.txt": undefined });
    const again = await next.start(attemptOf("A2", 2));
    await expect(access(join(again.dir, "two.txt"))).rejects.toThrow("ENOENT");
  },

  async "SPEC 8: closing keeps the work of an attempt that was not settled"(scene: Scene) {
    const workspace = await scene.open();
    const { dir } = await workspace.start(attemptOf("A1"));
    await writeFiles(dir, { "b.txt": "half done\n" });
    await workspace.close();
    await workspace.close();
    const next = await scene.open({ run: "r2" });
    expect(await integratedFiles(next, ["b.txt"])).toEqual({ "b.txt": "b\n" });
  },

  async "SPEC 7: odd file names come through, and out again"(scene: Scene) {
    const workspace = await scene.open();
    const files = Object.fromEntries(ODD_NAMES.map((name) => [name, `in ${name}\n`]));
    const result = await work(workspace, "A1", (dir) => writeFiles(dir, files));
    expect(result.kind === "integrated" && [...result.files].sort()).toEqual([...ODD_NAMES].sort());
    expect(await integratedFiles(workspace, ODD_NAMES)).toEqual(files);
    await work(workspace, "A2", (dir) => writeFiles(dir, { "b.txt": "b2\n" }));
    expect((await workspace.revert(["A1"], "out")).lost).toEqual([]);
    expect(await integratedFiles(workspace, [...ODD_NAMES, "b.txt"])).toEqual({
      ...Object.fromEntries(ODD_NAMES.map((name) => [name, undefined])),
      "b.txt": "b2\n",
    });
  },

  async "SPEC 7: bytes, line endings, links, rights and kinds of files come through"(scene: Scene) {
    const workspace = await scene.open();
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256));
    await work(workspace, "A1", async (dir) => {
      await writeFile(join(dir, "binary"), bytes);
      await writeFile(join(dir, "crlf.txt"), "one\r\ntwo\r\n");
      // A file makes way for a folder.
      await rm(join(dir, "b.txt"));
      await mkdir(join(dir, "b.txt"));
      await writeFile(join(dir, "b.txt", "inside"), "x");
      if (process.platform === "win32") return;
      await writeFile(join(dir, "run.sh"), "#!/bin/sh\n");
      await chmod(join(dir, "run.sh"), 0o755);
      await symlink("a.txt", join(dir, "link"));
      await symlink("nowhere", join(dir, "dangling"));
    });
    const checkout = await workspace.checkout();
    const { dir } = checkout;
    expect((await readFile(join(dir, "binary"))).equals(bytes)).toBe(true);
    expect(await readFile(join(dir, "crlf.txt"), "utf8")).toBe("one\r\ntwo\r\n");
    expect((await stat(join(dir, "b.txt"))).isDirectory()).toBe(true);
    if (process.platform !== "win32") {
      expect((await stat(join(dir, "run.sh"))).mode & 0o111).not.toBe(0);
      expect([await readlink(join(dir, "link")), (await lstat(join(dir, "dangling"))).isSymbolicLink()]).toEqual([
        "a.txt",
        true,
      ]);
    }
    await checkout.release();
    await workspace.revert(["A1"], "out");
    expect(await integratedFiles(workspace, ["b.txt", "crlf.txt"])).toEqual({ "b.txt": "b\n", "crlf.txt": undefined });
  },

  async "SPEC 7: a repository that an attempt made inside does not break it"(scene: Scene) {
    const workspace = await scene.open();
    const result = await work(workspace, "A1", async (dir) => {
      await writeFiles(dir, { "b.txt": "b2\n", "app/file.txt": "x" });
      gitIn(join(dir, "app"), "init", "-q");
    });
    expect(result.kind).toBe("integrated");
    expect(await integratedFiles(workspace, ["b.txt"])).toEqual({ "b.txt": "b2\n" });
  },

  async "SPEC 9: the end says where the work is, and only `verified` hands it over"(scene: Scene) {
    const workspace = await scene.open();
    await work(workspace, "A1", (dir) => writeFiles(dir, { "b.txt": "b2\n" }));
    for (const outcome of ["stalled", "tampered", "stop_requested"] as const) {
      const end = await workspace.finish(outcome);
      expect(end.merged).toBe(false);
      expect(end.message).not.toBe("");
    }
    expect((await workspace.finish("verified")).merged).toBe(true);
    expect(await readFile(join(scene.project.root, "b.txt"), "utf8")).toBe("b2\n");
  },
};

export function workspaceContract(subject: WorkspaceUnderTest): void {
  for (const [rule, body] of Object.entries(RULES)) {
    test(`${subject.name}: ${rule}`, { timeout: 60_000 }, async () => {
      const project = await createProject(FIRST, { git: subject.git });
      onTestFinished(() => project.remove());
      await body({
        project,
        async open(more = {}) {
          const workspace = await subject.create(project.options(more));
          await workspace.open();
          return workspace;
        },
        async resume() {
          const workspace = await subject.create(project.options({ run: "r2" }));
          return { workspace, ...(await workspace.open()) };
        },
      });
    });
  }
}
