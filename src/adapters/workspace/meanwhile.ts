/**
 * What a person committed between two runs of a loop, which the next one works on (SPEC section 7).
 *
 * MEANWHILE-1 nothing integrated yet: the loop starts from where the person is now;
 * MEANWHILE-2 else what they added to the branch on which the loop started is merged, and the result can be handed over;
 * MEANWHILE-3 what does not merge, or is no continuation, is named, and the loop goes on without it.
 */
import { lineAt, startLine, updateRefs, type IntegrationLine, type LineTools, type Start } from "./integration-line.ts";
import { must } from "./git.ts";
import { named } from "./repository.ts";
import { commitTree, type TreeMerger } from "./tree-merge.ts";

interface MeanwhileTools extends LineTools {
  readonly merger: TreeMerger;
}

/** @param now where the person is */
export async function withMeanwhile(
  tools: MeanwhileTools,
  now: Start,
  line: IntegrationLine,
): Promise<IntegrationLine> {
  const { refs, git, note } = tools;
  const { start, base } = line;
  if (now.commit === start.commit || now.branch === `refs/heads/${refs.branch}`) return line;
  const [tip, short] = [line.tip(), now.commit.slice(0, 10)];
  // Killed when it was handed over: what is there is the loop's own.
  const handed = await git.run(["rev-parse", "-q", "--verify", `${refs.own}handed/${tip}`]);
  if (handed.ok && handed.stdout.trim() === now.commit) return line;
  if (tip === base) {
    const lines = ["base", "tip"].map((name) => `update ${refs.own}${name} ${now.commit}`);
    await updateRefs(git, [...lines, `update refs/heads/${refs.branch} ${now.commit}`, await startLine(tools, now)]);
    note(`Nothing was integrated yet: the loop starts from ${short}, where you are now.`);
    return lineAt(tools, now, now.commit, now.commit);
  }
  if (now.branch !== start.branch) return line;
  const isBelow = async (a: string, b: string): Promise<boolean> =>
    (await git.run(["merge-base", "--is-ancestor", a, b])).ok;
  const name = now.branch?.replace(/^refs\/heads\//, "") ?? "Your checkout";
  const without = (why: string): IntegrationLine => {
    note(
      `${name} is at ${short} now, ${why}: the loop goes on without it. To take it in, merge it into ${refs.branch}.`,
    );
    return line;
  };
  if (!(await isBelow(start.commit, now.commit))) return without("which does not go on from where the loop started");
  if (!(await isBelow(now.commit, tip))) {
    // Only what lies on the first parents is known as the loop's (history.ts).
    const above = await must(git, ["rev-list", "--first-parent", now.commit, `^${base}`]);
    const merged = above.split("\n").includes(tip) ? null : await tools.merger.merge(tip, now.commit);
    if (merged?.kind === "conflict")
      return without(`which does not merge with what was integrated (${named(merged.files)})`);
    const commit =
      merged === null
        ? now.commit
        : await commitTree(git, merged.tree, [tip, now.commit], `Merge what ${name} got meanwhile\n`);
    await line.advance(commit);
    note(`The loop goes on with what ${name} got meanwhile (${short}).`);
  }
  await updateRefs(git, [await startLine(tools, now)]);
  return lineAt(tools, now, base, line.tip());
}
