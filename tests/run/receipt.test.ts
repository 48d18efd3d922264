/** Receipts that a stranger verifies, and pull requests (SPEC section 16). */
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { AnyLine } from "../../src/core/journal-line.ts";
import { chainOf } from "../../src/run/receipt.ts";
import { readStatement } from "../../src/run/statement.ts";
import { aot, aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { gitIn } from "../support/git.ts";
import { needs } from "../support/needs.ts";

type Json = Record<string, unknown>;

let dir: string;
let receipt: Json;

beforeAll(async () => {
  needs("git");
  dir = temporaryFolder();
  gitIn(dir, "init", "-q", "-b", "work");
  gitIn(dir, "commit", "-q", "--allow-empty", "-m", "first");
  const agent = `command:"${process.execPath}" -e "require('fs').writeFileSync('made.txt', 'by @someone <b>')"`;
  const check = `"${process.execPath}" -e "require('fs').readFileSync('made.txt')"`;
  const ran = await aot(["run", "Make <it> @all", "--check", check, "--agent", agent, "--yes", "--set=trust=0"], {
    cwd: dir,
  });
  expect(ran.code, ran.out).toBe(0);
  receipt = JSON.parse((await aot(["receipt"], { cwd: dir })).out) as Json;
});

/** A clone in which the receipt lies, changed or not. */
function stranger(changed: Json = receipt): string {
  const clone = join(temporaryFolder(), "clone");
  gitIn(dir, "clone", "-q", dir, clone);
  writeFileSync(join(clone, "receipt.json"), JSON.stringify(changed));
  return clone;
}

const verify = (cwd: string): ReturnType<typeof aotJson> =>
  aotJson(["receipt", "verify", "receipt.json", "--yes"], { cwd });

test("SPEC 16: a stranger's clone verifies a receipt: its commits are there and its checks answer the same", async () => {
  expect(receipt).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ digest: { gitCommit: gitIn(dir, "rev-parse", "HEAD") } }],
  });
  expect(JSON.stringify(receipt), "STATEMENT-2").not.toContain(dir);
  const { code, json } = await verify(stranger());
  expect({ code, json }).toMatchObject({ code: 0, json: { success: true } });
  expect(json["findings"]).toEqual(
    expect.arrayContaining([expect.objectContaining({ what: expect.stringMatching(/^check /), holds: true })]),
  );
  const asked = await aot(["receipt", "verify", "receipt.json"], { cwd: stranger() });
  expect(asked, "its commands are somebody else's").toMatchObject({
    code: 2,
    err: expect.stringContaining("runs the checks"),
  });
});

test("STATEMENT-1: each part that is changed is named", () => {
  const predicate = receipt["predicate"] as Json;
  const parts = Object.keys(predicate).filter((name) => name !== "digests" && name !== "seal");
  expect(parts).toEqual(expect.arrayContaining(["objective", "commits", "verdict", "environment", "journal", "spent"]));
  for (const part of parts) {
    const read = readStatement({ ...receipt, predicate: { ...predicate, [part]: { other: true } } });
    expect(read).toMatchObject({ ok: true, value: { changed: [part] } });
    const { [part]: _, ...without } = predicate;
    expect(readStatement({ ...receipt, predicate: without })).toMatchObject({ ok: true, value: { changed: [part] } });
  }
  expect(readStatement({ ...receipt, subject: [] })).toMatchObject({ ok: true, value: { changed: ["subject"] } });
  expect(readStatement({ ...receipt, predicate: { ...predicate, seal: "sha256:0" } })).toMatchObject({
    value: { changed: ["seal"] },
  });
  expect(readStatement({})).toMatchObject({ ok: false });
});

test("SPEC 16: a receipt of work that is not there, or that breaks the checks, does not hold", async () => {
  const clone = stranger();
  gitIn(clone, "rm", "-q", "made.txt");
  gitIn(clone, "commit", "-q", "-m", "broken");
  const broken = gitIn(clone, "rev-parse", "HEAD");
  const predicate = receipt["predicate"] as Json;
  const forged = {
    ...receipt,
    predicate: { ...predicate, commits: { ...(predicate["commits"] as Json), verified: broken } },
  };
  writeFileSync(join(clone, "receipt.json"), JSON.stringify(forged));
  const found = await verify(clone);
  expect(found.code).toBe(1);
  const failed = (found.json["findings"] as readonly { readonly what: string; readonly holds: boolean }[]).filter(
    ({ holds }) => !holds,
  );
  expect(failed.map(({ what }) => what)).toEqual(
    expect.arrayContaining(["seal", "tree", expect.stringMatching(/^check /)]),
  );
  const elsewhere = { ...receipt, predicate: { ...predicate, commits: { verified: "0".repeat(40) } } };
  expect((await verify(stranger(elsewhere))).code).toBe(1);
});

test("SPEC 16: a stranger who has the squashed commit alone verifies the receipt", async () => {
  const here = temporaryFolder();
  gitIn(here, "init", "-q", "-b", "work");
  gitIn(here, "commit", "-q", "--allow-empty", "-m", "first");
  const agent = `command:"${process.execPath}" -e "require('fs').writeFileSync('made.txt', '')"`;
  const check = `"${process.execPath}" -e "require('fs').readFileSync('made.txt')"`;
  const args = ["run", "Make it", "--check", check, "--agent", agent, "--yes", "--set=trust=0", "--squash"];
  expect((await aot(args, { cwd: here })).code).toBe(0);
  expect(gitIn(here, "log", "--format=%s")).toBe("Make it\nfirst");
  const clone = join(temporaryFolder(), "clone");
  gitIn(here, "clone", "-q", "--single-branch", `file://${here}`, clone);
  const squashed = JSON.parse((await aot(["receipt"], { cwd: here })).out) as Json;
  writeFileSync(join(clone, "receipt.json"), JSON.stringify(squashed));
  expect(await verify(clone)).toMatchObject({ code: 0, json: { success: true } });
  const predicate = squashed["predicate"] as Json;
  const head = gitIn(clone, "rev-parse", "HEAD");
  expect(predicate["commits"]).toMatchObject({ verified: head, handed_over: head });
  const first = gitIn(clone, "rev-parse", "HEAD~1");
  const commits = { ...(predicate["commits"] as Json), verified: first, handed_over: first };
  const other = { ...squashed, predicate: { ...predicate, commits } };
  writeFileSync(join(clone, "receipt.json"), JSON.stringify(other));
  const { code, json } = await verify(clone);
  expect(code).toBe(1);
  expect(json["findings"]).toContainEqual(expect.objectContaining({ what: "tree", holds: false }));
});

const NOTE = { time: "2026-01-01T10:00:00.000Z", run: "r", iteration: 1, event: "note" } as const;

test("SPEC 16: the chain of a journal finds a line that was taken out, changed or moved", () => {
  const lines: readonly AnyLine[] = ["a", "b", "c"].map((message) => ({ ...NOTE, message }));
  const { chain } = chainOf(lines);
  expect(chainOf([...lines]).chain).toBe(chain);
  expect(chainOf(lines.slice(1)).chain).not.toBe(chain);
  expect(chainOf(lines.toReversed()).chain).not.toBe(chain);
});

test.skipIf(process.platform === "win32")(
  "SPEC 16: a pull request says what was shown; a draft is opened by gh, from a branch that is there",
  async () => {
    const shown = await aotJson(["pr"], { cwd: dir });
    expect(shown).toMatchObject({ code: 0, json: { title: "Make <it> @\u2060all", opened: null } });
    expect(shown.json["body"]).toMatch(
      /## Verdict\n\n```text\n✓ [^]*exit code 0[^]*## Cost\n\n1 attempt; no cost reported[^]*sha256:/,
    );
    const [remote, bin] = [temporaryFolder(), temporaryFolder()];
    gitIn(remote, "init", "-q", "--bare");
    gitIn(dir, "remote", "add", "origin", remote);
    const said = join(bin, "said");
    writeFileSync(join(bin, "gh"), `#!/bin/sh\nprintf '%s\\n' "$@" > "${said}"\necho https://github.com/o/r/pull/7\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
    const early = await aot(["pr", "--draft"], { cwd: dir, env });
    expect(early, "aot does not push").toMatchObject({
      code: 1,
      err: expect.stringContaining("git push -u origin work"),
    });
    gitIn(dir, "push", "-q", "origin", "work");
    expect((await aotJson(["pr", "--draft"], { cwd: dir, env })).json).toMatchObject({
      opened: "https://github.com/o/r/pull/7",
    });
    expect(readFileSync(said, "utf8")).toMatch(/^pr\ncreate\n--draft\n--title\nMake <it> [^]*--head\nwork\n$/);
    writeFileSync(join(bin, "gh"), "#!/bin/sh\necho 'not logged in' >&2\nexit 4\n", { mode: 0o755 });
    const out = await aot(["pr", "--draft"], { cwd: dir, env });
    expect(out).toMatchObject({ code: 1, err: expect.stringContaining("not logged in") });
  },
);

test("SPEC 16: what is not verified has no receipt", async () => {
  const other = temporaryFolder();
  await aot(["align", "Make it", "--check", "file: made.txt", "--yes"], { cwd: other });
  expect(await aot(["receipt"], { cwd: other })).toMatchObject({ code: 1 });
});
