/** Merges the tree of one attempt into the integration branch as one commit (SPEC section 7, W2). */
import type { Attempt } from "../../core/effect.ts";
import type { Integration } from "../../loop/ports.ts";
import type { Change } from "./change.ts";
import { changedFiles } from "./changed-files.ts";
import { shelveMessage, workMessage } from "./commit-message.ts";
import type { Git } from "./git.ts";
import type { IntegrationLine, LineRefs } from "./integration-line.ts";
import { commitTree, type TreeMerger } from "./tree-merge.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";

export interface PlaceTools {
  readonly git: Git;
  readonly refs: LineRefs;
  readonly merger: TreeMerger;
  readonly isProtected: (path: string) => boolean;
  readonly options: Pick<WorkspaceOptions, "forbids">;
  /** A path as seen from the project; absent: the project is the repository. */
  readonly shown?: (path: string) => string;
}

export interface FinishedWork {
  readonly attempt: Attempt;
  readonly name: string;
  /** Commit that the attempt started from. */
  readonly base: string;
  readonly tree: string;
  readonly changes: readonly Change[];
  readonly description: string;
  readonly summary: string;
  readonly artifacts: readonly string[];
  /** Lines for `update-ref --stdin` that go with the integration. */
  readonly also: readonly string[];
}

export async function placeWork(tools: PlaceTools, line: IntegrationLine, work: FinishedWork): Promise<Integration> {
  const files = work.changes.map((change) => change.path);
  if (files.length === 0) return { kind: "integrated", commit: null, files };
  const guarded = files.filter(tools.isProtected);
  if (guarded.length > 0) return { kind: "protected", files: guarded };
  const { shown = (path: string) => path } = tools;
  const forbidden = await tools.options.forbids?.(() => changedFiles(tools.git, work.changes, shown));
  if (typeof forbidden === "string") return { kind: "failed", reason: forbidden };
  const tip = line.tip();
  if (tip === work.base) return commitWork(tools, line, work, { tree: work.tree });
  const own = await commitTree(
    tools.git,
    work.tree,
    [work.base],
    shelveMessage(work.attempt, "The attempt's own change, before it was merged."),
  );
  const merged = await tools.merger.merge(tip, own);
  if (merged.kind === "conflict") return merged;
  return commitWork(tools, line, work, { tree: merged.tree, own });
}

/** @param own the attempt's own commit where the branch had gone on meanwhile */
async function commitWork(
  tools: PlaceTools,
  line: IntegrationLine,
  work: FinishedWork,
  { tree, own }: { readonly tree: string; readonly own?: string },
): Promise<Integration> {
  const { attempt, name, summary, artifacts } = work;
  const message = workMessage(attempt, work.description, {
    attempt: attempt.id,
    atom: attempt.atom,
    workspace: name,
    summary,
    artifacts,
    ...(own === undefined ? {} : { work: own }),
  });
  const commit = await commitTree(tools.git, tree, [line.tip()], message);
  const keep = own === undefined ? [] : [`update ${tools.refs.own}work/${name} ${own}`];
  await line.advance(commit, [...keep, ...work.also]);
  return { kind: "integrated", commit, files: work.changes.map((change) => change.path) };
}
