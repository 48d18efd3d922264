/**
 * What earlier loops of a repository have left in it. Of a loop that ended verified the attempts' own changes are not
 * needed any more: only a choice that is given up is taken out by means of them. The next goal's run drops those refs.
 * Branches stay until a person removes them: they may hold work that was never integrated.
 */
import { readRefs, updateRefs, type LineRefs } from "./integration-line.ts";
import type { Git } from "./git.ts";

/** Marks that a loop has come to its end: the verified commit. */
export function verifiedMark({ own }: LineRefs, tip: string): string {
  return `update ${own}verified ${tip}`;
}

/** @returns what was dropped, in a sentence; null: nothing */
export async function dropVerified(git: Git, current: LineRefs): Promise<string | null> {
  const refs = await readRefs(git, ["refs/aot/"]);
  const names = [...refs.keys()];
  const over = names.filter((name) => {
    const own = name.slice(0, -"verified".length);
    return name.endsWith("/verified") && own !== current.own && refs.get(`${own}tip`) === refs.get(name);
  });
  const works = over.map((name) => `${name.slice(0, -"verified".length)}work/`);
  const gone = names.filter((name) => works.some((folder) => name.startsWith(folder)));
  if (gone.length === 0) return null;
  await updateRefs(
    git,
    gone.map((name) => `delete ${name} ${refs.get(name) ?? ""}`),
  );
  const loops = [...new Set(gone.map((name) => name.split("/")[2] ?? ""))];
  const what = gone.length === 1 ? "1 ref" : `${gone.length} refs`;
  return `Dropped ${what} of earlier goals that are verified (refs/aot/<goal>/work of ${loops.join(", ")}); their branches stay.`;
}

export interface PastLoop {
  readonly loop: string;
  readonly refs: number;
}

/** The loops that branches or refs of a repository tell of, but for the current one. */
export async function pastLoops(git: Git, current: string): Promise<readonly PastLoop[]> {
  const counts = new Map<string, number>();
  for (const name of (await readRefs(git, ["refs/aot/", "refs/heads/aot/"])).keys()) {
    const loop = name.replace(/^refs\/(?:heads\/)?aot\//, "").split("/")[0] ?? "";
    if (loop !== current) counts.set(loop, (counts.get(loop) ?? 0) + 1);
  }
  return [...counts].map(([loop, refs]) => ({ loop, refs }));
}
