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
  { description: "AoT loop", subagent_type: "aot-loop:coordinator", prompt: "Carry out the AoT loop." },
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

/** As agents/coordinator.md says: starts what is listed, and ends its turn. */
export function coordinate({ last, task, turn, isResult }: Scene): Line {
  const reported = turn === 0 ? task : last;
  if (isResult) return say("THEY HAVE ENDED");
  const listed = [...reported.matchAll(/subagent_type "aot-loop:(worker|probe)", description "([^:"]+):/g)];
  const agents = listed.map(([, role = "", atom = ""]) => agent(role, `${atom}: work`, `Work ${atom}.`));
  if (reported.includes("aot-loop:verifier")) agents.push(agent("verifier", "judge", "Judge the base case."));
  return agents.length === 0 ? say("THEY HAVE ENDED") : call(...agents);
}

function agent(role: string, description: string, prompt: string): readonly [string, object] {
  return ["Agent", { description, subagent_type: `aot-loop:${role}`, prompt }];
}
