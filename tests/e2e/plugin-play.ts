/** The usual cast of an in-session loop: everybody does what the plugin's texts say. */
import { bash, call, say, type Line, type Play, type Scene } from "./plugin-client.ts";

export interface Cast {
  /** What a worker does first: a shell command; then it answers. */
  readonly work?: (atom: string) => string;
  readonly answer?: (atom: string, result: string) => object;
  /** Stands in for the coordinator's usual turn; null: as usual. */
  readonly coordinator?: (scene: Scene) => Line | null;
  readonly main?: (scene: Scene) => Line | null;
  readonly verifier?: Play;
  readonly probe?: Play;
}

export const COORDINATE: readonly [string, object] = [
  "Agent",
  {
    description: "AoT loop",
    subagent_type: "aot-loop:coordinator",
    prompt: "Carry out the AoT loop.",
    run_in_background: true,
  },
];

export function cast({ work, answer, coordinator, main, verifier, probe }: Cast = {}): Play {
  return (scene) => {
    switch (scene.who) {
      case "main":
        return main?.(scene) ?? [bash("aot session enter"), call(COORDINATE)][scene.turn] ?? say("MAIN DONE");
      case "coordinator":
        return coordinator?.(scene) ?? coordinate(scene);
      case "worker": {
        const atom = atomIn(scene.task);
        if (scene.turn === 0) return bash(work?.(atom) ?? `echo ${atom} > ${atom}.txt`);
        return say(
          JSON.stringify(
            answer?.(atom, scene.last) ?? { success: true, summary: `did ${atom}`, artifacts: [`${atom}.txt`] },
          ),
        );
      }
      case "verifier":
        return verifier?.(scene) ?? say("{}");
      case "probe":
        return probe?.(scene) ?? say("{}");
    }
  };
}

export function atomIn(task: string): string {
  return /Atom (\S+)/.exec(task)?.[1] ?? "?";
}

/** What is still to be reported in this conversation; one conversation at a time. */
let reports: string[] = [];

/** As agents/coordinator.md says: starts what is listed, reports each, stops. */
export function coordinate({ last, task, turn, isResult }: Scene): Line {
  const reported = turn === 0 ? task : last;
  const listed = [...reported.matchAll(/subagent_type "aot-loop:(worker|probe)", description "([^:"]+):/g)];
  if (!isResult && listed.length > 0) {
    started = listed.map(([, , atom = ""]) => atom);
    reports = [];
    return call(
      ...listed.map(
        ([, role = "", atom = ""]) =>
          [
            "Agent",
            {
              description: `${atom}: work`,
              subagent_type: `aot-loop:${role}`,
              prompt: `Work ${atom}.`,
              run_in_background: true,
            },
          ] as const,
      ),
    );
  }
  if (!isResult && reported.includes("aot-loop:verifier")) {
    started = [];
    return call([
      "Agent",
      {
        description: "judge",
        subagent_type: "aot-loop:verifier",
        prompt: "Judge the base case.",
        run_in_background: true,
      },
    ]);
  }
  if (isResult && started.length > 0) {
    reports = started.flatMap((atom) => outcomes.get(atom) ?? reportOf(atom));
    started = [];
  }
  const next = reports.shift();
  return next === undefined ? say("REPORTED") : bash(next);
}

let started: string[] = [];
/** Reports that are not the usual success. */
export const outcomes = new Map<string, string[]>();

function reportOf(atom: string): string[] {
  return [
    `aot atom update ${atom} resolved`,
    `aot binding add ${atom} --summary "did ${atom}" --artifacts ${atom}.txt`,
  ];
}
