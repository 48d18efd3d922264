/**
 * The last bytes of a stream of any size, in bounded memory (SPEC section 6).
 *
 * TAIL-1 the tail of any chunking is the last `limit` bytes of the concatenation;
 * TAIL-2 memory is at most `limit` bytes and never more than twice what has arrived;
 * TAIL-3 nothing that was pushed is referenced afterwards.
 */
export interface Tail {
  push(chunk: Uint8Array): void;
  /** Bytes pushed so far. */
  readonly total: number;
  /** Bytes pushed but no longer kept. */
  readonly dropped: number;
  /** A copy of the bytes kept, oldest first. */
  bytes(): Buffer;
  /** The bytes kept as UTF-8; a character that the cut went through is left out, broken input becomes U+FFFD. */
  text(): string;
}

/** @param limit bytes to keep; 0 keeps nothing and only counts */
export function createTail(limit: number): Tail {
  let ring = Buffer.alloc(0);
  let next = 0;
  let total = 0;

  const bytes = (): Buffer => {
    if (total <= ring.length) return Buffer.from(ring.subarray(0, total));
    return Buffer.concat([ring.subarray(next), ring.subarray(0, next)]);
  };
  const makeSpace = (size: number): void => {
    const wanted = Math.min(limit, total + size);
    if (wanted <= ring.length) return;
    const grown = Buffer.alloc(Math.min(limit, Math.max(wanted, ring.length * 2)));
    // A ring that still grows has never wrapped: it starts at 0.
    ring.copy(grown, 0, 0, total);
    ring = grown;
    next = total;
  };
  return {
    push(chunk) {
      makeSpace(chunk.length);
      const kept = chunk.subarray(Math.max(0, chunk.length - limit));
      const first = Math.min(kept.length, ring.length - next);
      ring.set(kept.subarray(0, first), next);
      ring.set(kept.subarray(first), 0);
      next = ring.length === 0 ? 0 : (next + kept.length) % ring.length;
      total += chunk.length;
    },
    get total() {
      return total;
    },
    get dropped() {
      return Math.max(0, total - limit);
    },
    bytes,
    text() {
      const kept = bytes();
      return kept.toString("utf8", total > limit ? brokenPrefix(kept) : 0);
    },
  };
}

/** Length of the UTF-8 continuation bytes at the start (0 to 3): the rest of a character whose head was cut off. */
export function brokenPrefix(bytes: Uint8Array): number {
  let length = 0;
  while (length < 3 && isContinuation(bytes[length])) length++;
  return length;
}

/** Length of an unfinished UTF-8 character at the end (0 to 3): its head is there, its last byte is not. */
export function unfinishedSuffix(bytes: Uint8Array): number {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes[bytes.length - back];
    if (byte === undefined) return 0;
    if (isContinuation(byte)) continue;
    return back < sequenceLength(byte) ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function sequenceLength(head: number): number {
  if (head >= 0xf0 && head <= 0xf4) return 4;
  if (head >= 0xe0 && head < 0xf0) return 3;
  return head >= 0xc2 && head < 0xe0 ? 2 : 1;
}
