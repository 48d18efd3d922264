/** Programs besides Node and git that a test needs: where one is missing the test is skipped, and says so. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { getCurrentTest } from "vitest/suite";

/** Skips the test that calls it unless all of them are on the PATH. */
export function needs(...programs: readonly string[]): void {
  const missing = programs.filter((program) => !isOnPath(program));
  if (missing.length > 0) getCurrentTest()?.context.skip(`not on the PATH: ${missing.join(", ")}`);
}

function isOnPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
