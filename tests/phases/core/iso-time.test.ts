import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isIsoTime } from "../../../src/phases/core/rules.ts";

const years = { noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T23:59:59Z") };

test("every time that JavaScript writes is one, and the same with an offset or as a day", () => {
  fc.assert(
    fc.property(fc.date(years), fc.integer({ min: 0, max: 23 }), (date, hours) => {
      const iso = date.toISOString();
      expect(isIsoTime(iso)).toBe(true);
      expect(isIsoTime(iso.replace("Z", `+${String(hours).padStart(2, "0")}:30`))).toBe(true);
      expect(isIsoTime(iso.slice(0, 10))).toBe(true);
    }),
  );
});

test("days that a month does not have are none", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1970, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (year, month, day) => {
        const two = (value: number): string => String(value).padStart(2, "0");
        const text = `${year}-${two(month)}-${two(day)}`;
        const date = new Date(Date.UTC(year, month - 1, day));
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month > 0;
        expect(isIsoTime(text)).toBe(exists);
      },
    ),
  );
});

test.each([
  "",
  "yesterday",
  "2026-01-01T25:00:00Z",
  "2026-01-01T12:60:00Z",
  "2026-01-01T12:00:00",
  "01.02.2026",
  "2026-1-1",
  " 2026-01-01",
])("%j is none", (text) => {
  expect(isIsoTime(text)).toBe(false);
});
