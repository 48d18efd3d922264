import { cleanUp } from "../leftovers.ts";
import { originText, type ShownSetting } from "../settings.ts";
import type { Finding } from "../finding.ts";
import { examine } from "../doctor.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { VERSION } from "../../command/version.ts";

const MARKS = { good: ["✓", "green"], warn: ["!", "yellow"], bad: ["✗", "red"] } as const;

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const cleaned = call.isSet("clean") ? await cleanUp(file.path) : null;
  if (cleaned?.ok === false) return failure(cleaned.problems, file.shown);
  const examined = await examine(file.path, call.io.env);
  const findings: readonly Finding[] = [{ name: "aot", level: "good", detail: VERSION }, ...examined.findings];
  const paint = await painterFor(call.io);
  const removed = cleaned === null ? {} : { removed: cleaned.value };
  const healthy = findings.every((finding) => finding.level !== "bad");
  return {
    exit: healthy ? 0 : 1,
    json: { success: healthy, ...removed, findings, settings: examined.settings },
    text: [
      ...(cleaned === null ? [] : removedLines(cleaned.value)),
      ...findingLines(findings, paint),
      ...settingLines(examined.settings, paint),
    ].join("\n"),
  };
};

function removedLines(names: readonly string[]): string[] {
  return [...(names.length === 0 ? ["nothing to remove"] : names.map((name) => `removed ${name}`)), ""];
}

function findingLines(findings: readonly Finding[], paint: Painter): string[] {
  const width = Math.max(...findings.map((finding) => finding.name.length));
  return findings.flatMap(({ name, level, detail, hint }) => {
    const [mark, colour] = MARKS[level];
    const line = `${paint(colour, mark)} ${name.padEnd(width)}  ${detail}`;
    return hint === undefined ? [line] : [line, `  ${" ".repeat(width)}  ${paint("dim", hint)}`];
  });
}

function settingLines(settings: readonly ShownSetting[], paint: Painter): string[] {
  if (settings.length === 0) return [];
  const rows = settings.map(({ name, value, fallback, origin }) => {
    const shown = value === null ? fallback : Array.isArray(value) ? value.join("; ") : String(value);
    return { name, shown, origin: originText(name, origin), isSet: value !== null };
  });
  const names = Math.max(...rows.map(({ name }) => name.length));
  const values = Math.min(30, Math.max(...rows.map(({ shown }) => shown.length)));
  const line = ({ name, shown, origin, isSet }: (typeof rows)[number]): string => {
    const text = `${name.padEnd(names)}  ${shown.padEnd(values)}  ${origin}`;
    return `  ${isSet ? text : paint("dim", text)}`;
  };
  return ["", paint("bold", "settings"), ...rows.map(line)];
}
