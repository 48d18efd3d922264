/**
 * What a repository ignores in one of its folders by rules that stand elsewhere: in `.gitignore` files above the folder and
 * in `info/exclude` (gitignore(5)). A shadow repository of that folder alone would not see them.
 */
import { join } from "node:path";
import picomatch from "picomatch";
import { textAt } from "../../host/regular-file.ts";
import type { Repository } from "./repository.ts";

/** The rules in the words of the folder, weakest first. */
export async function ignoredAbove({ root, prefix, commonDir }: Repository): Promise<string[]> {
  const parts = prefix.split("/").filter((part) => part !== "");
  const sources = [
    { file: join(commonDir, "info", "exclude"), below: parts },
    ...parts.map((_, i) => ({ file: join(root, ...parts.slice(0, i), ".gitignore"), below: parts.slice(i) })),
  ];
  const rules: string[] = [];
  for (const { file, below } of sources) {
    const text = textAt(file) ?? "";
    for (const line of text.split(/\r?\n/)) rules.push(...ruleBelow(line, below));
  }
  return rules;
}

/**
 * A line of an ignore file as it reads some folders further down; several, or none if it says nothing about what is there.
 * @param below the folders on the way there
 */
function ruleBelow(line: string, below: readonly string[]): string[] {
  if (line.trim() === "" || line.startsWith("#")) return [];
  const not = line.startsWith("!") ? "!" : "";
  const pattern = line.slice(not.length);
  const end = /\/\s*$/.exec(pattern)?.[0] ?? "";
  const body = pattern.slice(0, pattern.length - end.length);
  // Without a slash inside it holds at any depth.
  if (!body.includes("/")) return [line];
  return remaining(body.replace(/^\//, "").split("/"), below).map((rest) => `${not}/${rest}${end}`);
}

function remaining(segments: readonly string[], below: readonly string[]): string[] {
  const [first, ...others] = segments;
  const [folder, ...further] = below;
  // A rule that ends above ignores the folder itself; whoever works there does not mean it.
  if (first === undefined) return [];
  if (folder === undefined) return [segments.join("/")];
  if (first === "**") return [...remaining(segments, further), ...remaining(others, below)];
  return picomatch.isMatch(folder, first, { dot: true, nobrace: true, noextglob: true })
    ? remaining(others, further)
    : [];
}
