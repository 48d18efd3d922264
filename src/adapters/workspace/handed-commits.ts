/**
 * The commits that a person gets (SPEC section 16): the loop's own, or where their git or they ask for something else, others
 * with the same files: signed, signed off, squashed, with the messages that their hooks want.
 *
 * HANDED-COMMITS-1 the last one is what was verified: the verdict is taken on it, and what reads the messages is asked again
 *    where the hooks wanted others;
 * HANDED-COMMITS-2 the integration branch stays as it is: what is made goes to a branch of its own, once for each verified commit;
 * HANDED-COMMITS-3 what others committed on the integration branch keeps its author, date and message;
 * HANDED-COMMITS-4 work that was taken out again is in none of them, if the rest gives the same files without it.
 */
import { subjectBy } from "./commit-message.ts";
import { oneLine } from "./commit-subject.ts";
import { HOW_TO_SIGN, type CommitStyle } from "./commit-style.ts";
import { must } from "./git.ts";
import { readHistory, unitsIn, type Entry } from "./history.ts";
import { updateRefs, type IntegrationLine, type LineRefs } from "./integration-line.ts";
import { WorkspaceError } from "./problem.ts";
import { withoutReverted, type TreeWithoutTools } from "./tree-without.ts";
import type { Hooked } from "./project-hooks.ts";
import type { CommitWishes } from "./workspace-options.ts";

export interface HandedTools extends TreeWithoutTools {
  readonly refs: LineRefs;
  readonly line: IntegrationLine;
  readonly style: CommitStyle;
  readonly wishes: CommitWishes;
}

export interface Handed {
  readonly commit: string;
  /** Branch that names it. */
  readonly branch: string;
}

/** Runs the person's hooks on these messages. */
type Hooks = (messages: readonly string[]) => Promise<Hooked<readonly string[]>>;

/** The commits of what is integrated now; of one tip they are made once. */
export interface Handing {
  /** The last one before the hooks have seen it: they may still want other messages. */
  draft(): Promise<string>;
  /** Refused: why, and what helps. @param hooks absent: there are none */
  commits(hooks: Hooks | undefined): Promise<Hooked<Handed>>;
}

/** A commit to be made. */
type Draft = Pick<Entry, "tree" | "merged" | "author" | "text">;

export function createHanding(tools: HandedTools): Handing {
  const { git, refs, line } = tools;
  const made = new Map<string, Promise<Hooked<string>>>();
  const handed = new Map<string, Promise<Hooked<Handed>>>();
  const drafted = (tip: string): Promise<Hooked<string>> => once(made, tip, () => commitsOf(tools, null));
  const branch = `${refs.branch.replace(/integration$/, "")}handed-over`;
  const known = (tip: string): string => `${refs.own}handed/${tip}`;
  const before = async (tip: string): Promise<string | null> => {
    const found = await git.run(["rev-parse", "-q", "--verify", known(tip)]);
    return found.ok ? found.stdout.trim() : null;
  };
  const hand = async (tip: string, hooks: Hooks | undefined): Promise<Hooked<Handed>> => {
    const earlier = await before(tip);
    if (earlier !== null) return { ok: true, value: { commit: earlier, branch } };
    const own = (await draftsOf(tools)).drafts.map(({ text }) => text);
    const spoken = (await hooks?.(own)) ?? { ok: true, value: own };
    if (!spoken.ok) return spoken;
    const isSame = spoken.value.every((message, at) => message.trimEnd() === own[at]?.trimEnd());
    const done = isSame ? await drafted(tip) : await commitsOf(tools, spoken.value);
    if (!done.ok) return done;
    if (done.value === tip) return { ok: true, value: { commit: tip, branch: refs.branch } };
    await updateRefs(git, [`update refs/heads/${branch} ${done.value}`, `update ${known(tip)} ${done.value}`]);
    return { ok: true, value: { commit: done.value, branch } };
  };
  return {
    draft: async () => {
      const tip = line.tip();
      const earlier = await before(tip);
      if (earlier !== null) return earlier;
      const draft = await drafted(tip);
      return draft.ok ? draft.value : tip;
    },
    commits: (hooks) => once(handed, line.tip(), () => hand(line.tip(), hooks)),
  };
}

async function once<T>(made: Map<string, Promise<T>>, tip: string, make: () => Promise<T>): Promise<T> {
  const found = made.get(tip) ?? make();
  made.set(tip, found);
  return await found;
}

/** @param messages null: as drafted; where nobody wants anything else the loop's own commits stay */
async function commitsOf(tools: HandedTools, messages: readonly string[] | null): Promise<Hooked<string>> {
  const { git, line, style, wishes } = tools;
  const { drafts, isAll } = await draftsOf(tools);
  const asItIs = isAll && style.signing === null && style.trailers.length === 0;
  if (messages === null && asItIs) return { ok: true, value: line.tip() };
  // What the person committed meanwhile is in the tip, and stays theirs.
  let commit = wishes.squash === undefined ? line.base : line.start.commit;
  try {
    for (const [at, { tree, merged, author, text }] of drafts.entries()) {
      const parents = [commit, ...merged].flatMap((parent) => ["-p", parent]);
      const sign = style.signing === null ? [] : ["-S"];
      commit = await must(git, ["commit-tree", ...sign, tree, ...parents, "-F", "-"], {
        env: author,
        config: style.signing ?? [],
        input: Buffer.from(messages?.[at] ?? text, "utf8").toString("latin1"),
      });
    }
  } catch (error) {
    if (style.signing === null || !(error instanceof WorkspaceError)) throw error;
    return { ok: false, reason: `its commits could not be signed: ${error.problem.message} ${HOW_TO_SIGN}` };
  }
  return { ok: true, value: commit };
}

async function draftsOf(tools: HandedTools): Promise<{ readonly drafts: readonly Draft[]; readonly isAll: boolean }> {
  const { git, line, style, wishes } = tools;
  const history = await readHistory(git, line.base, line.tip());
  if (wishes.squash !== undefined) {
    const own = history.filter(({ merged }) => merged.length === 0);
    const coauthors = own.flatMap(({ message, author: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail } }) =>
      message.kind === "other" ? [`Co-authored-by: ${name} <${mail}>`] : [],
    );
    const text = withTrailers(squashMessage(tools, own), [...new Set(coauthors), ...style.trailers]);
    return { drafts: [{ tree: history.at(-1)?.tree ?? "", merged: [], author: {}, text }], isAll: false };
  }
  const standing = await withoutReverted(tools, line.base, history);
  const drafts = standing.map((entry) =>
    entry.message.kind === "other" ? entry : { ...entry, text: withTrailers(entry.text, style.trailers) },
  );
  return { drafts, isAll: standing === history };
}

/** COMMIT-MESSAGE-1: the trailers of the loop's own messages are their last paragraph. */
function withTrailers(message: string, trailers: readonly string[]): string {
  return trailers.length === 0 ? message : `${message.trimEnd()}\n${trailers.join("\n")}\n`;
}

function squashMessage(
  { refs: { loop }, wishes: { squash = "", subject } }: HandedTools,
  history: readonly Entry[],
): string {
  const units = unitsIn(history).map(({ entry }) => entry);
  const works = units.flatMap(({ message }) => (message.kind === "work" ? [message.trailers] : []));
  const agents = [...new Set(works.flatMap(({ agent }) => agent ?? []))].map((agent) => `Aot-Agent: ${agent}`);
  const trailers = [`Aot-Loop: ${loop}`, `Aot-Attempts: ${works.map(({ attempt }) => attempt).join(", ")}`, ...agents];
  const own = units.map(({ text }) => text.split("\n", 1)[0] ?? "");
  // A goal in one piece is called as its only commit is.
  const first = own.length === 1 && works.length === 1 ? (own[0] ?? "") : subjectBy([squash], loop, subject);
  const what = units.map(({ message }, at) =>
    message.kind === "work" && own[at] === first ? `- ${oneLine(message.trailers.summary)}` : `- ${own[at]}`,
  );
  return `${[first, what.join("\n"), trailers.join("\n")].join("\n\n")}\n`;
}
