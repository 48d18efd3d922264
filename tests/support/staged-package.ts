/** The package built from the sources as they are now, in a folder of its own: what a test of `dist/` can rely on. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Builds with the build script; dependencies are those of this checkout. @returns a folder, removed after the test file, that holds package.json, the pages and dist/ */
export function stagePackage(): string {
  const dir = mkdtempSync(join(tmpdir(), "aot-staged-"));
  folders.push(dir);
  const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly files: readonly string[] };
  for (const name of ["package.json", ...files])
    if (name !== "dist" && existsSync(name)) cpSync(name, join(dir, name), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(dir, "node_modules"), "junction");
  const args = ["scripts/build.mjs", join(dir, "dist")];
  const built = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 110_000 });
  if (built.status !== 0) throw new Error(`the build ended with ${built.status}:\n${built.stdout}${built.stderr}`);
  return dir;
}
