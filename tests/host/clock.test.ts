import { expect, test, vi } from "vitest";
import { monotonicMs, steadyNow } from "../../src/host/clock.ts";

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
