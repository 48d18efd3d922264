/** Whole processes, timed in turns, so that a busy machine slows all of them alike. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { median, sum } from "./statistics.mjs";

const { PATH = "", HOME = "", LANG = "C.UTF-8", TERM = "dumb" } = process.env;
const CLEAN = { PATH, HOME, LANG, TERM };
/** Of /proc/self/stat; the same on every Linux of today. */
const TICKS_PER_SECOND = 100;

/** Runs a program to its end. @returns its wall and CPU time in ms; CPU in steps of 10, null where nobody tells */
export function timed(program, args, cwd) {
  const before = childrenMs();
  const start = performance.now();
  const ran = spawnSync(program, args, { cwd, env: CLEAN, stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
  const wall = performance.now() - start;
  if (ran.status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${ran.status ?? ran.signal} ${String(ran.stderr)}`);
  const after = childrenMs();
  return { wall, cpu: before === null || after === null ? null : after - before };
}

/** CPU time of all children that were waited for. */
function childrenMs() {
  if (process.platform !== "linux") return null;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
}

/**
 * Runs each contestant once per round, in alternating order; the first round does not count.
 * @param contestants `{name, program, args, prepare}`; the first one is what the others are compared with
 * @returns by name: medians in ms, and of the ratios to the first one of the same round; CPU as a ratio of sums
 */
export function rounds(contestants, count, cwd) {
  const times = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= count; round++) {
    for (const { name, program, args, prepare } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      prepare?.();
      const time = timed(program, args, cwd);
      if (round > 0) times.get(name).push(time);
    }
  }
  const base = times.get(contestants[0].name);
  return Object.fromEntries(
    contestants.map(({ name }) => {
      const own = times.get(name);
      const cpu = base[0].cpu === null ? null : sum(own.map((time) => time.cpu)) / sum(base.map((time) => time.cpu));
      return [
        name,
        {
          wall: median(own.map((time) => time.wall)),
          ratio: median(own.map((time, round) => time.wall / base[round].wall)),
          cpu,
        },
      ];
    }),
  );
}
