/**
 * The key with which a Restate server signs what it asks of workers (SPEC section 13): a worker that knows the public half
 * refuses calls of anybody else.
 */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** Reads the private key in that file, or makes one; answers with the public half as workers get it. @throws Error */
export function keepIdentityKey(path: string): string {
  const kept = read(path);
  if (kept !== null) return publicText(kept);
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  // Whoever was faster has made it.
  writeFileSync(path, pem, { mode: 0o600, flag: "wx" });
  return publicText(pem);
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** The last 32 bytes of a public Ed25519 key in DER are the key. */
function publicText(pem: string): string {
  const der = createPublicKey(pem).export({ type: "spki", format: "der" });
  return `publickeyv1_${base58(der.subarray(-32))}`;
}

const LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** As Bitcoin writes numbers: a leading zero byte is a leading 1. */
export function base58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0);
  let rest = BigInt(`0x0${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; rest > 0n; rest /= 58n) text = `${LETTERS[Number(rest % 58n)]}${text}`;
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}
