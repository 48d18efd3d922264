/** What the commands on past transcripts share: which are meant, and how what was read is reported. */
import type { TranscriptChoice } from "../replay-sources.ts";
import type { ReadCounts } from "../replay-stream.ts";
import type { Position } from "../analyze/past-call.ts";
import type { Call } from "../../command/call.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function choiceOf(call: Call): TranscriptChoice {
  const session = call.text("session");
  return {
    paths: call.texts("transcript"),
    everywhere: call.isSet("all-projects"),
    ...(session === undefined ? {} : { session }),
  };
}

export function countsJson(counts: ReadCounts): object {
  const { files, bytes, lines, other, too_long, unreadable, unknown, broken } = counts;
  return { files, bytes, lines, skipped: { other, too_long, unreadable, unknown }, broken };
}

export function countsText({ files, lines, bytes }: ReadCounts): string {
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
  return `read ${lines.toLocaleString("en-US")} lines of ${files} transcript${files === 1 ? "" : "s"} (${size})`;
}

export function countsNotes({ too_long, unreadable, unknown, broken }: ReadCounts): readonly string[] {
  const reasons = [
    [too_long, "too long"],
    [unreadable, "not JSON"],
    [unknown, "of a form that is not known"],
  ] as const;
  const skipped = reasons.flatMap(([count, reason]) => (count === 0 ? [] : [`${count} ${reason}`]));
  return [
    ...(skipped.length === 0 ? [] : [`lines passed over: ${skipped.join(", ")}`]),
    ...broken.map(({ file, why }) => `${file} could not be read to its end: ${why}`),
  ];
}

/** `FILE:LINE`, with `~` for the home folder. */
export function placeText({ file, line }: Position, env: Environment): string {
  return `${shortPath(file, env)}:${line}`;
}

export function shortPath(path: string, env: Environment): string {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  return home !== "" && path.startsWith(home) ? `~${path.slice(home.length)}` : path;
}
