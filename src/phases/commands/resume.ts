import { accepted } from "../../core/problem.ts";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { act } from "./answer.ts";

export const run: Run = (call) => {
  const [retry, restart] = [call.isSet("retry"), call.isSet("restart")];
  if (retry && restart) throw new Unusable("--retry and --restart exclude each other", "say one of them");
  const reopen = retry ? "retry" : restart ? "restart" : undefined;
  return act(
    call,
    () => accepted({ type: "resume", ...(reopen === undefined ? {} : { reopen }) }),
    ({ loop, before }) => `${loop.loop} goes on${before.status === "active" ? "" : `, it was ${before.status}`}`,
  );
};
