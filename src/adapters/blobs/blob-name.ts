/** Names of blobs as paths and keys that every system and every S3-compatible store takes. */

/**
 * Law: `nameFrom(pathFrom(name)) === name`, for every name of well-formed text without empty parts.
 * @param name parts with slashes between them
 */
export function pathFrom(name: string): readonly string[] {
  return name.split("/").map(safe);
}

export function nameFrom(path: readonly string[]): string {
  return path.map(plainOf).join("/");
}

/** What nobody here wrote stands for itself. */
function plainOf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Letters, digits, `_`, `-` and dots as they are, but for a part of dots only: that would be a way out. */
function safe(part: string): string {
  // Halves of characters cannot be written: they become replacement characters.
  const wellFormed = Buffer.from(part).toString();
  const plain = Array.from(wellFormed, (char) => (/[A-Za-z0-9_.-]/.test(char) ? char : percents(char))).join("");
  return /^\.+$/.test(plain) ? plain.replaceAll(".", "%2E") : plain;
}

function percents(char: string): string {
  return Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
