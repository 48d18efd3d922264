/** What a challenge found, for a terminal. Pure. */
import { oneLine } from "../../terminal/verdict-text.ts";
import type { Challenge } from "./challenge.ts";

const MOST_LINES = 10;

/** The result in a line, then what nobody noticed. */
export function challengeLines({
  tried,
  of,
  noticed,
  unparsable,
  survivors,
  notice_nothing,
  files,
}: Challenge): string[] {
  const more = tried < of ? ` of ${of}: the time was up` : "";
  const parts = [
    `${tried} changes tried${more}`,
    `${noticed} noticed`,
    ...(unparsable === 0 ? [] : [`${unparsable} could not be parsed`]),
    `${survivors.length} survived`,
  ];
  const shown = survivors
    .slice(0, MOST_LINES)
    .map(
      ({ file, line, change }) => `survived  ${file}${line === undefined ? "" : `:${line}`}  ${oneLine(change, 120)}`,
    );
  const hidden = survivors.length - shown.length;
  return [
    `${parts.join(", ")} (in ${files.length === 1 ? files[0] : `${files.length} files`})`,
    ...shown,
    ...(hidden > 0 ? [`... ${hidden} more, with --json`] : []),
    ...notice_nothing.map((item) => `notices nothing: ${oneLine(item)}`),
  ];
}
