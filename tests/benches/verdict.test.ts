/** The verdict benchmark's whole way, on its own project: no network is needed (SPEC section 6). */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";

const BENCH = fileURLToPath(new URL("../../benches/verdict/run.mjs", import.meta.url));
const LIMIT_MS = 300_000;

interface Result {
  readonly kind: string;
  readonly tool: string;
  readonly accepted: boolean;
  readonly fixed: boolean;
}

function bench(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cache = temporaryFolder();
  const report = join(cache, "results.json");
  const ran = spawnSync(process.execPath, [BENCH, ...args, "--cache", cache, "--json", report], {
    encoding: "utf8",
    env: cleanEnv({ BENCH_AOT: aotPath(), ...env }),
    timeout: LIMIT_MS,
  });
  expect({ status: ran.status, err: ran.status === 0 ? "" : ran.stderr }).toEqual({ status: 0, err: "" });
  const found = JSON.parse(readFileSync(report, "utf8")) as readonly { readonly results: readonly Result[] }[];
  return { out: ran.stdout, results: found.flatMap(({ results }) => results) };
}

test(
  "SPEC 6: the real fix is accepted and true, nothing done is not accepted, and the loops beside are fooled as they must be",
  { timeout: LIMIT_MS },
  () => {
    const kinds = ["oracle", "nop", "half fix", "exit 0 in package.json"];
    const { out, results } = bench(["--source", "own", ...kinds.flatMap((kind) => ["--kind", kind])]);
    const of = (tool: string, kind: string): Pick<Result, "accepted" | "fixed"> | undefined => {
      const found = results.find((result) => result.tool === tool && result.kind === kind);
      return found === undefined ? undefined : { accepted: found.accepted, fixed: found.fixed };
    };
    for (const tool of ["aot", "believes its agent", "reruns until it succeeds"])
      expect([tool, of(tool, "oracle")]).toEqual([tool, { accepted: true, fixed: true }]);
    expect(of("aot", "nop")).toEqual({ accepted: false, fixed: false });
    expect(of("aot", "half fix")).toEqual({ accepted: false, fixed: false });
    expect(of("believes its agent", "nop")).toEqual({ accepted: true, fixed: false });
    expect(of("reruns until it succeeds", "nop")).toEqual({ accepted: false, fixed: false });
    expect(of("reruns until it succeeds", "exit 0 in package.json")).toEqual({ accepted: true, fixed: false });
    expect(out).toMatch(/^\| oracle \| 1 of 1 \| 1 of 1 \| 1 of 1 \|$/m);
    expect(out).toMatch(/^\| nop \| 0 of 1 \| 1 of 1 \| 0 of 1 \|$/m);
  },
);

test("any tool can be measured: what it gets, and what its exit code says", { timeout: LIMIT_MS }, () => {
  const mine = `mine=sh -c 'test -n "$BENCH_GOAL" && sh -c "$BENCH_AGENT" && sh -c "$BENCH_CHECK"'`;
  const { results } = bench(["--source", "own", "--kind", "oracle", "--kind", "nop", "--tool", mine]);
  const own = results.filter(({ tool }) => tool === "mine").map(({ kind, accepted }) => [kind, accepted]);
  expect(own).toEqual([
    ["oracle", true],
    ["nop", false],
  ]);
});

test("without a network a source that is not here is skipped by its name", { timeout: LIMIT_MS }, () => {
  const nowhere = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${temporaryFolder()}/.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://github.com/",
  };
  const { out, results } = bench(["--sample", "--source", "quixbugs", "--source", "express"], nowhere);
  expect(results).toEqual([]);
  expect(out).toContain("skipped: quixbugs: sources are not here");
  expect(out).toContain("skipped: express: sources are not here");
});
