import { hostname as hostnameOfSystem } from "node:os";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { isoNow, isoTime, monotonicMs, steadyNow } from "../../src/host/clock.ts";
import { hostname } from "../../src/host/hostname.ts";

test("times are written as toISOString writes them", () => {
  const times = fc.date({
    min: new Date("0000-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(times, (time) => {
      expect(isoTime(time)).toBe(time.toISOString());
    }),
  );
  expect(isoNow()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("the monotonic clock goes forward in milliseconds", () => {
  const [before, reference] = [monotonicMs(), performance.now()];
  while (performance.now() - reference < 3);
  const passed = monotonicMs() - before;
  expect(passed).toBeGreaterThanOrEqual(3);
  expect(passed).toBeLessThan(60_000);
});

test("SPEC 4: the time of a run goes on as the monotonic clock does, whatever the wall clock says", () => {
  const from = Date.parse(steadyNow());
  const began = process.hrtime.bigint();
  const wall = vi.spyOn(Date, "now").mockReturnValue(0);
  const later = Date.parse(steadyNow());
  const passed = Number(process.hrtime.bigint() - began) / 1e6;
  wall.mockRestore();
  expect(later).toBeGreaterThanOrEqual(from);
  expect(later - from).toBeLessThanOrEqual(passed + 1);
});

test("the host's name is the system's", () => {
  expect(hostname()).toBe(hostnameOfSystem());
});
