/** Programs besides Node and git that a test needs: where one is missing the test is skipped, and says so. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { TestRunner } from "vitest";

/** Skips the test that calls it unless all of them are on the PATH. */
export function needs(...programs: readonly string[]): void {
  const missing = programs.filter((program) => !isOnPath(program));
  if (missing.length > 0) TestRunner.getCurrentTest()?.context.skip(`not on the PATH: ${missing.join(", ")}`);
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
