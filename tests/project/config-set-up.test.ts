import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { setUpOf, setUpText } from "../../src/project/config-set-up.ts";
import { temporaryFolder } from "../support/bundle.ts";

test.each([
  ["uv.lock", ".venv", "uv"],
  ["pnpm-lock.yaml", "node_modules", "pnpm"],
])(
  "SPEC 16: what %s asks for is proposed where its program is there, else named as left out",
  (lock, folder, program) => {
    const [root, bin] = [temporaryFolder(), temporaryFolder()];
    vi.stubEnv("PATH", bin);
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(join(root, lock), "");
    writeFileSync(join(root, "package.json"), JSON.stringify({ scripts: { prepare: "tsc" } }));
    mkdirSync(join(root, folder));
    const left = setUpOf({}, root);
    expect([left.install, left.build]).toEqual([undefined, undefined]);
    expect(setUpText(left)).toMatch(
      new RegExp(`^${program} .* \\(${lock}\\) is left out: its program is not on your PATH`),
    );
    writeFileSync(join(bin, program), "");
    expect(setUpText(setUpOf({}, root))).toMatch(new RegExp(`^${program} .* \\(${lock}\\), where`));
  },
);
