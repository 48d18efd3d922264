/** Git as a child process: what a person's terminal does to it (GIT-3). */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createGit } from "../../../src/adapters/workspace/git.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { needs } from "../../support/needs.ts";

/** Puts a `git` first on PATH that runs these lines. */
function fakeGit(...lines: readonly string[]): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "git"), `#!/bin/sh\n${lines.join("\n")}\n`);
  chmodSync(join(folder, "git"), 0o755);
  const before = process.env["PATH"] ?? "";
  process.env["PATH"] = `${folder}${delimiter}${before}`;
  onTestFinished(() => void (process.env["PATH"] = before));
  return folder;
}

test("SPEC 8: what opens the engine is not handed to git either, whose filters an agent can have written", async () => {
  const cwd = temporaryFolder();
  const given = { AOT_ENGINE: "postgres://anna:secret@host/loops", AOT_OTHER: "kept" };
  const before = Object.keys(given).map((name) => [name, process.env[name]] as const);
  onTestFinished(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  Object.assign(process.env, given);
  const git = createGit({ cwd });
  expect(await git.run(["init", "-q"])).toMatchObject({ ok: true });
  const filter = 'cat >/dev/null; echo "$AOT_ENGINE|$AOT_OTHER"';
  expect(await git.run(["config", "filter.tell.clean", filter])).toMatchObject({ ok: true });
  writeFileSync(join(cwd, ".gitattributes"), "a.txt filter=tell\n");
  writeFileSync(join(cwd, "a.txt"), "a\n");
  expect(await git.run(["add", "a.txt"])).toMatchObject({ ok: true });
  expect(await git.run(["cat-file", "blob", ":a.txt"])).toEqual({ ok: true, stdout: "|kept\n" });
});

test.skipIf(process.platform === "win32")(
  "GIT-3: a git that a Ctrl-C ended before it was git is started again; one that had begun is not",
  async () => {
    needs("wc");
    const folder = temporaryFolder();
    const count = join(folder, "count");
    fakeGit(`echo x >> "${count}"`, `[ "$(wc -l < "${count}")" -gt 2 ] || kill -INT $$`, "echo done");
    expect(await createGit({ cwd: folder }).run(["status"])).toEqual({ ok: true, stdout: "done\n" });
    expect(readFileSync(count, "utf8")).toBe("x\nx\nx\n");

    const begun = join(folder, "begun");
    fakeGit(`echo x >> "${begun}"`, "echo half", "kill -INT $$");
    expect(await createGit({ cwd: folder }).run(["status"])).toMatchObject({ ok: false });
    expect(readFileSync(begun, "utf8")).toBe("x\n");

    const always = join(folder, "always");
    fakeGit(`echo x >> "${always}"`, "kill -INT $$");
    expect(await createGit({ cwd: folder }).run(["status"]), "bounded").toMatchObject({ ok: false });
    expect(existsSync(always)).toBe(true);
    expect(readFileSync(always, "utf8")).toBe("x\n".repeat(4));
  },
);
