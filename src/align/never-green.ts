/**
 * Which red checks can only turn green by changing what decides them (SPEC section 6): what a verdict runs has those files as they
 * were agreed.
 *
 * NEVER-GREEN-1 a command is among them that names files of the project, each of which decides, and failed without a word, as a search
 *    does, or without having run a test.
 */
import type { RedFirstLeaf, RedFirstReport } from "../adapters/checks/red-first.ts";
import { decides } from "../verdict/agreed-form.ts";
import { isLike } from "../core/test-report.ts";

/** @param isFile whether the project has it */
export function neverGreen(
  leaves: readonly RedFirstLeaf[],
  isFile: (path: string) => boolean,
): RedFirstReport["warnings"] {
  return leaves.flatMap(({ path, item, check, standing, result: { evidence } }) => {
    if (check.type !== "command" || standing !== "red" || evidence.kind !== "command") return [];
    const { output, tests } = evidence;
    if (tests === undefined ? output.trim() !== "" : tests.passed + tests.failed > 0) return [];
    const words = check.value.match(/[^\s"'|&;<>()]+/g) ?? [];
    const named = words.map((word) => word.replace(/^\.\/|::.*$/g, "")).filter(isFile);
    const isAllowed = (file: string): boolean => check.allow_changed?.some((glob) => isLike(file, glob)) === true;
    const [file] = named;
    if (file === undefined || !named.every((one) => decides(one) !== null && !isAllowed(one))) return [];
    const message = `can only turn green by a change of ${file}, which counts as it was agreed: let it look at a new file, or allow that change (\`allow_changed: [${file}]\`, --allow-changed)`;
    return [{ path, item, message }];
  });
}
