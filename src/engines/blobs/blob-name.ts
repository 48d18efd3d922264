/** Names of blobs as paths and keys that every system and every S3-compatible store takes. */

/** No system takes more than 255 bytes in one part of a path; what is being written has a longer name. */
const LONGEST = 180;

/**
 * Law: `nameFrom(pathFrom(name)) === name`, for every name of well-formed text without empty parts.
 * @param name parts with slashes between them
 */
export function pathFrom(name: string): readonly string[] {
  return name.split("/").flatMap((part) => piecesOf(safe(part)));
}

export function nameFrom(path: readonly string[]): string {
  const parts: string[] = [];
  let begun = "";
  for (const [index, piece] of path.entries()) {
    const goesOn = piece.endsWith("%") && index < path.length - 1;
    begun += goesOn ? piece.slice(0, -1) : piece;
    if (goesOn) continue;
    parts.push(plainOf(begun));
    begun = "";
  }
  return parts.join("/");
}

/** A piece that goes on in the next one ends in a bare `%`, as no escape does. */
function piecesOf(part: string): readonly string[] {
  if (part.length <= LONGEST) return [noWayOut(part)];
  return [`${part.slice(0, LONGEST)}%`, ...piecesOf(part.slice(LONGEST))];
}

/** What nobody here wrote stands for itself. */
function plainOf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Letters, digits, `_`, `-` and dots as they are. */
function safe(part: string): string {
  // Halves of characters cannot be written: they become replacement characters.
  const wellFormed = Buffer.from(part).toString();
  return Array.from(wellFormed, (char) => (/[A-Za-z0-9_.-]/.test(char) ? char : percents(char))).join("");
}

/** A part of dots only would be a way out. */
function noWayOut(piece: string): string {
  return /^\.+$/.test(piece) ? piece.replaceAll(".", "%2E") : piece;
}

function percents(char: string): string {
  return Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
