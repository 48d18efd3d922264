import { originText, type ShownSetting } from "../settings.ts";
import type { Finding } from "../finding.ts";
import { examine } from "../doctor.ts";
import { asWide } from "../../terminal/screen.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { VERSION } from "../../command/version.ts";

const MARKS = { good: ["✓", "green"], warn: ["!", "yellow"], bad: ["✗", "red"] } as const;

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const examined = await examine(file.path, call.io.env);
  const findings: readonly Finding[] = [{ name: "aot", level: "good", detail: VERSION }, ...examined.findings];
  const paint = await painterFor(call.io);
  const healthy = findings.every((finding) => finding.level !== "bad");
  return {
    exit: healthy ? 0 : 1,
    json: { success: healthy, findings, settings: examined.settings },
    text: await asWide(
      [...findingLines(findings.toSorted(byNeed), paint), ...settingLines(examined.settings, paint)].join("\n"),
      call.io,
    ),
  };
};

/** What does not work first: it is why a person looks. */
function byNeed(one: Finding, other: Finding): number {
  return LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level);
}

const LEVELS: readonly Finding["level"][] = ["bad", "warn", "good"];

function findingLines(findings: readonly Finding[], paint: Painter): string[] {
  const width = Math.max(...findings.map((finding) => finding.name.length));
  return findings.flatMap(({ name, level, detail, hint }) => {
    const [mark, colour] = MARKS[level];
    const line = `${paint(colour, mark)} ${name.padEnd(width)}  ${detail}`;
    return hint === undefined ? [line] : [line, `  ${" ".repeat(width)}  ${paint("dim", hint)}`];
  });
}

function settingLines(settings: readonly ShownSetting[], paint: Painter): string[] {
  const given = settings.filter(({ value }) => value !== null);
  const rest = settings.length - given.length;
  const defaults = paint("dim", `  ${rest} have their default; \`aot doctor --json\` lists them`);
  if (given.length === 0) return settings.length === 0 ? [] : ["", paint("bold", "settings"), defaults];
  const rows = given.map(({ name, value, origin }) => {
    const shown = Array.isArray(value) ? value.join("; ") : String(value);
    return { name, shown, origin: originText(name, origin) };
  });
  const names = Math.max(...rows.map(({ name }) => name.length));
  const values = Math.min(30, Math.max(...rows.map(({ shown }) => shown.length)));
  const line = ({ name, shown, origin }: (typeof rows)[number]): string =>
    `  ${name.padEnd(names)}  ${shown.padEnd(values)}  ${origin}`;
  return ["", paint("bold", "settings"), ...rows.map(line), ...(rest === 0 ? [] : [defaults])];
}
