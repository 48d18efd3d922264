import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { brokenPrefix, createTail, unfinishedSuffix } from "../../src/host/tail.ts";

vi.setConfig({ testTimeout: 60_000 });

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });

test("SPEC 6: the tail of any chunking is the last bytes of the whole (T1)", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 100 }), (parts, limit) => {
      const tail = createTail(limit);
      for (const part of parts) tail.push(part);
      const whole = Buffer.concat(parts);
      expect(tail.bytes()).toEqual(whole.subarray(Math.max(0, whole.length - limit)));
      expect(tail.total).toBe(whole.length);
      expect(tail.dropped).toBe(whole.length - tail.bytes().length);
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 6: the tail can be read at any moment and goes on afterwards", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 60 }), (parts, limit) => {
      const tail = createTail(limit);
      let whole = Buffer.alloc(0);
      for (const part of parts) {
        tail.push(part);
        whole = Buffer.concat([whole, part]);
        expect(tail.bytes()).toEqual(whole.subarray(Math.max(0, whole.length - limit)));
      }
    }),
  );
});

test("a chunk that changes after it was pushed does not change the tail (T3)", () => {
  const tail = createTail(8);
  const chunk = Buffer.from("before");
  tail.push(chunk);
  chunk.fill("x");
  expect(tail.text()).toBe("before");
});

test("SPEC 6: no cut of a text gives a broken character, and at most 3 bytes are lost at the cut", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 0, max: 80 }), (text, limit) => {
      const whole = Buffer.from(text);
      const tail = createTail(limit);
      tail.push(whole);
      const kept = tail.text();
      expect(text.endsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeGreaterThanOrEqual(Math.min(limit, whole.length) - 3);
    }),
    { numRuns: 1_000 },
  );
});

test("broken bytes become U+FFFD, nothing throws", () => {
  const tail = createTail(10);
  tail.push(Uint8Array.from([0x61, 0xff, 0x62]));
  expect(tail.text()).toBe("a\uFFFDb");
});

test("a text cut anywhere: the head without its unfinished end and the rest without its broken start are characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 30 }), fc.nat(), (text, at) => {
      const whole = Buffer.from(text);
      const cut = at % (whole.length + 1);
      const [head, rest] = [whole.subarray(0, cut), whole.subarray(cut)];
      const clean = head.subarray(0, head.length - unfinishedSuffix(head));
      expect(text.startsWith(clean.toString("utf8"))).toBe(true);
      expect(text.endsWith(rest.subarray(brokenPrefix(rest)).toString("utf8"))).toBe(true);
      // What is held back at the end is exactly what the broken start completes.
      expect(unfinishedSuffix(head) > 0).toBe(brokenPrefix(rest) > 0 && cut > 0);
    }),
    { numRuns: 1_000 },
  );
});
