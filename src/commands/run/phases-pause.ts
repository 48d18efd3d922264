import { accepted } from "../../core/problem.ts";
import type { Run } from "../spec.ts";
import { act } from "./phases-answer.ts";

export const run: Run = (call) =>
  act(
    call,
    () => accepted({ type: "pause" }),
    ({ loop }) => `${loop.loop} is paused`,
  );
