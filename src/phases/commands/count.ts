import { accepted } from "../../core/problem.ts";
import { required } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { act } from "./answer.ts";

export const run: Run = (call) => {
  const metric = required(call.arg("metric"), "metric");
  const written = required(call.arg("value"), "value");
  const value = written.trim() === "" ? Number.NaN : Number(written);
  if (!Number.isFinite(value)) throw new Unusable(`${JSON.stringify(written)} is no number`, "write a number: 3");
  const by = call.isSet("add") ? { by: true as const } : {};
  return act(
    call,
    () => accepted({ type: "count", metric, value, ...by }),
    ({ loop }) => `${metric}: ${loop.metrics.find(({ name }) => name === metric)?.value}`,
  );
};
