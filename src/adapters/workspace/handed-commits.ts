/**
 * The commits that a person gets (SPEC section 16): the loop's own, or where their git or they ask for something else, others
 * with the same files: signed, signed off, squashed, with the messages that their hooks want.
 *
 * HANDED-COMMITS-1 the last one has the tree that was verified;
 * HANDED-COMMITS-2 the integration branch stays as it is: what is made goes to a branch of its own, once for each verified commit;
 * HANDED-COMMITS-3 what others committed on the integration branch keeps its author, date and message.
 */
import { subjectLine } from "./commit-message.ts";
import { HOW_TO_SIGN, type CommitStyle } from "./commit-style.ts";
import { fieldsOf, must, textOf, type Git } from "./git.ts";
import { readHistory, unitsIn, type Entry } from "./history.ts";
import { updateRefs, type IntegrationLine, type LineRefs } from "./integration-line.ts";
import { WorkspaceError } from "./problem.ts";
import type { Hooked } from "./project-hooks.ts";
import type { CommitWishes } from "./workspace-options.ts";

export interface HandedTools {
  readonly git: Git;
  readonly refs: LineRefs;
  readonly line: IntegrationLine;
  readonly style: CommitStyle;
  readonly wishes: CommitWishes;
  /** Runs the person's hooks on these messages; absent: there are none. */
  readonly hooks?: (messages: readonly string[]) => Promise<Hooked<readonly string[]>>;
}

export interface Handed {
  readonly commit: string;
  /** Branch that names it. */
  readonly branch: string;
}

/** A commit to be made. */
interface Draft {
  readonly tree: string;
  /** Beside the one before it. */
  readonly merged: readonly string[];
  readonly message: string;
  /** Who wrote it, and when, as variables. */
  readonly author: Readonly<Record<string, string>>;
}

/** Refused: why, and what helps. */
export async function handedCommits(tools: HandedTools): Promise<Hooked<Handed>> {
  const { git, refs, line, style, wishes } = tools;
  const tip = line.tip();
  const branch = `${refs.branch.replace(/integration$/, "")}handed-over`;
  const known = `${refs.own}handed/${tip}`;
  const made = await git.run(["rev-parse", "-q", "--verify", known]);
  if (made.ok) return { ok: true, value: { commit: made.stdout.trim(), branch } };
  const drafts = await draftsOf(tools);
  const own = drafts.map(({ message }) => message);
  const spoken = (await tools.hooks?.(own)) ?? { ok: true, value: own };
  if (!spoken.ok) return spoken;
  const isSame = wishes.squash === undefined && style.signing === null && style.trailers.length === 0;
  if (
    isSame &&
    wishes.subject === undefined &&
    spoken.value.every((message, at) => message.trimEnd() === own[at]?.trimEnd())
  )
    return { ok: true, value: { commit: tip, branch: refs.branch } };
  let commit = line.base;
  try {
    for (const [at, { tree, merged, author }] of drafts.entries()) {
      const parents = [commit, ...merged].flatMap((parent) => ["-p", parent]);
      const sign = style.signing === null ? [] : ["-S"];
      commit = await must(git, ["commit-tree", ...sign, tree, ...parents, "-F", "-"], {
        env: author,
        config: style.signing ?? [],
        input: Buffer.from(spoken.value[at] ?? "", "utf8").toString("latin1"),
      });
    }
  } catch (error) {
    if (style.signing === null || !(error instanceof WorkspaceError)) throw error;
    return { ok: false, reason: `its commits could not be signed: ${error.problem.message} ${HOW_TO_SIGN}` };
  }
  await updateRefs(git, [`update refs/heads/${branch} ${commit}`, `update ${known} ${commit}`]);
  return { ok: true, value: { commit, branch } };
}

async function draftsOf({ git, line, style, wishes, refs }: HandedTools): Promise<readonly Draft[]> {
  const history = await readHistory(git, line.base, line.tip());
  const written = await writtenBy(git, line);
  if (wishes.squash !== undefined) {
    const others = history.flatMap(({ commit, message }) =>
      message.kind === "other" ? [authorOf(written.get(commit))] : [],
    );
    const coauthors = others.map(
      ({ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail }) => `Co-authored-by: ${name} <${mail}>`,
    );
    const message = squashMessage(wishes, history, { loop: refs.loop, written });
    const tree = history.at(-1)?.tree ?? "";
    return [
      { tree, merged: [], author: {}, message: withTrailers(message, [...new Set(coauthors), ...style.trailers]) },
    ];
  }
  return history.map(({ commit, tree, message }) => {
    const { parents = [], text = "" } = written.get(commit) ?? {};
    const author = authorOf(written.get(commit));
    const own = message.kind !== "other";
    const named = message.kind === "work" ? withSubject(text, wishes.subject, message.trailers.atom) : text;
    return { tree, merged: parents.slice(1), author, message: own ? withTrailers(named, style.trailers) : named };
  });
}

interface Written {
  readonly parents: readonly string[];
  readonly name: string;
  readonly address: string;
  readonly date: string;
  readonly text: string;
}

async function writtenBy(git: Git, { base, tip }: IntegrationLine): Promise<ReadonlyMap<string, Written>> {
  const how = ["-z", "--first-parent", "--no-notes", "--format=%H%n%P%n%an%n%ae%n%ad%n%B", "--date=raw"];
  const out = fieldsOf(await must(git, ["log", ...how, `${base}..${tip()}`, "--"]));
  return new Map(
    out.map((record) => {
      const [commit = "", parents = "", name = "", address = "", date = "", ...text] = textOf(record).split("\n");
      return [commit, { parents: parents.split(" "), name, address, date, text: `${text.join("\n").trimEnd()}\n` }];
    }),
  );
}

function authorOf(written: Written | undefined): Readonly<Record<string, string>> {
  if (written === undefined) return {};
  const { name, address, date } = written;
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: address, GIT_AUTHOR_DATE: date };
}

/** COMMIT-MESSAGE-1: the trailers of the loop's own messages are their last paragraph. */
function withTrailers(message: string, trailers: readonly string[]): string {
  return trailers.length === 0 ? message : `${message.trimEnd()}\n${trailers.join("\n")}\n`;
}

function withSubject(message: string, subject: string | undefined, atom: string): string {
  if (subject === undefined) return message;
  const [first = "", ...rest] = message.split("\n");
  return [subjectOf(subject, atom, first.replace(`${atom}: `, "")), ...rest].join("\n");
}

function subjectOf(pattern: string, atom: string, what: string): string {
  return subjectLine(pattern.replaceAll("{atom}", () => atom).replaceAll("{what}", () => what));
}

function squashMessage(
  { squash = "", subject }: CommitWishes,
  history: readonly Entry[],
  { loop, written }: { readonly loop: string; readonly written: ReadonlyMap<string, Written> },
): string {
  const units = unitsIn(history).map(({ entry }) => entry);
  const what = units.map(({ commit }) => `- ${written.get(commit)?.text.split("\n", 1)[0] ?? ""}`);
  const works = units.flatMap(({ message }) => (message.kind === "work" ? [message.trailers] : []));
  const agents = [...new Set(works.flatMap(({ agent }) => agent ?? []))].map((agent) => `Aot-Agent: ${agent}`);
  const trailers = [`Aot-Loop: ${loop}`, `Aot-Attempts: ${works.map(({ attempt }) => attempt).join(", ")}`, ...agents];
  const first = subject === undefined ? subjectLine(squash) : subjectOf(subject, loop, squash);
  return `${[first, what.join("\n"), trailers.join("\n")].join("\n\n")}\n`;
}
