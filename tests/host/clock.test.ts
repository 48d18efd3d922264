import { expect, test, vi } from "vitest";
import { steadyNow } from "../../src/host/clock.ts";

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
