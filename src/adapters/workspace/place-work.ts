/** Merges the tree of one attempt into the integration branch as one commit (SPEC section 7, PORTS-2). */
import type { Attempt, Work } from "../../core/effect.ts";
import type { Integration } from "../../loop/ports.ts";
import { blobsOf, GITLINK, isSettings, protectedBy, type Change } from "./change.ts";
import { shelveMessage, workMessage } from "./commit-message.ts";
import { must, textOf, type Git } from "./git.ts";
import type { IntegrationLine, LineRefs } from "./integration-line.ts";
import { commitTree, type TreeMerger } from "./tree-merge.ts";
import type { WorkspaceOptions, ChangedFile } from "./workspace-options.ts";

export interface PlaceTools {
  readonly git: Git;
  readonly refs: LineRefs;
  readonly merger: TreeMerger;
  readonly isProtected: (path: string) => boolean;
  /** What changed inside of submodules. */
  readonly inside: (
    tree: string,
    changes: readonly Pick<Change, "path" | "old" | "now">[],
  ) => Promise<readonly string[]>;
  readonly options: Pick<WorkspaceOptions, "forbids" | "protected" | "commits">;
  /** A path as seen from the project. */
  readonly shown: (path: string) => string;
}

export interface FinishedWork extends Work {
  readonly attempt: Attempt;
  readonly name: string;
  /** Commit that the attempt started from. */
  readonly base: string;
  readonly tree: string;
  readonly changes: readonly Change[];
  readonly description: string;
  /** Lines for `update-ref --stdin` that go with the integration. */
  readonly also: readonly string[];
}

export async function placeWork(tools: PlaceTools, line: IntegrationLine, work: FinishedWork): Promise<Integration> {
  const files = work.changes.map((change) => change.path);
  if (files.length === 0) return { kind: "integrated", commit: null, files };
  const inside = await tools.inside(work.tree, work.changes);
  const guarded = [...files, ...inside].filter(tools.isProtected);
  if (guarded.length > 0) return { kind: "protected", files: guarded };
  const { shown } = tools;
  const agreed = protectedBy(tools.options.protected.flatMap((glob) => (glob.startsWith("!") ? glob.slice(1) : [])));
  const settings = files.filter((path) => isSettings(path) && !agreed(shown(path))).map(shown);
  if (settings.length > 0)
    return {
      kind: "failed",
      reason: `it changed ${settings.join(", ")}, which says what later runs may do: only a human changes it, or allows it with \`--protect '!${settings[0] ?? ""}'\` of \`aot align\``,
    };
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
  // The branch may have gone back to before the base: what was taken out must not come in again.
  const ours = await commitTree(tools.git, `${tip}^{tree}`, [work.base], "The branch, for a merge with this base.");
  const merged = await tools.merger.merge(ours, own);
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
  const { attempt, name, summary, agent } = work;
  const files = work.changes.map((change) => change.path);
  const { shown } = tools;
  // What names no artifacts has the files that it changed (history.ts).
  const artifacts = files.map(shown).join("\0") === work.artifacts.join("\0") ? [] : work.artifacts;
  const trailers = {
    loop: tools.refs.loop,
    atom: attempt.atom,
    attempt: attempt.id,
    ...(agent === undefined ? {} : { agent }),
    workspace: name,
    summary,
    artifacts,
    ...(own === undefined ? {} : { work: own }),
  };
  const wording = { said: work.subject, pattern: tools.options.commits?.subject };
  const message = workMessage(attempt, work.description, trailers, wording);
  const commit = await commitTree(tools.git, tree, [line.tip()], message);
  const keep = own === undefined ? [] : [`update ${tools.refs.own}work/${name} ${own}`];
  await line.advance(commit, [...keep, ...work.also]);
  return { kind: "integrated", commit, files };
}

// What an attempt changed, as text: for who has to say yes before it is integrated.

/** Larger files are reported without their text. */
const MOST_BYTES = 4 * 1024 * 1024;
const NOTHING = "000000";

/** @param shown the path as seen from the project */
async function changedFiles(
  git: Git,
  changes: readonly Change[],
  shown: (path: string) => string,
): Promise<readonly ChangedFile[]> {
  const entries = changes.flatMap(({ old, now }) => [old, now]);
  const texts = await textsOf(
    git,
    entries.flatMap(({ mode, oid }) => (mode === NOTHING || mode === GITLINK ? [] : oid)),
  );
  return changes.map(({ path, old, now }) => ({
    path: shown(path),
    existed: old.mode !== NOTHING,
    exists: now.mode !== NOTHING,
    before: texts.get(old.oid) ?? null,
    now: texts.get(now.oid) ?? null,
  }));
}

/** The texts of these blobs; what is too large or no text is left out. */
async function textsOf(git: Git, oids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const wanted = await small(git, [...new Set(oids)]);
  const texts = new Map<string, string>();
  for (const [oid, bytes] of await blobsOf(git, wanted)) if (!bytes.includes("\0")) texts.set(oid, textOf(bytes));
  return texts;
}

async function small(git: Git, oids: readonly string[]): Promise<readonly string[]> {
  if (oids.length === 0) return [];
  const reported = await must(git, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
    input: `${oids.join("\n")}\n`,
  });
  return reported.split("\n").flatMap((line) => {
    const [oid, size] = line.split(" ");
    return oid !== undefined && size !== undefined && Number(size) <= MOST_BYTES ? [oid] : [];
  });
}
