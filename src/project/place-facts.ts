/** What agents are told of a repository and of their place, found by looking at its files (SPEC section 7). */
import { holdingAt } from "../adapters/workspace/aligned-files.ts";
import { gitOf, IMPORT } from "../adapters/workspace/folder-repository.ts";
import { fieldsOf, textOf } from "../adapters/workspace/git.ts";
import { decidingGlobs } from "../verdict/agreed-form.ts";
import { testsByContent } from "../verdict/as-agreed.ts";
import type { PlaceFacts } from "../loop/ports.ts";
import { checkCandidates } from "./check-candidates.ts";
import type { setUpOf } from "./config-set-up.ts";

const MOST_COMMANDS = 6;
const SHOWN_SUBJECTS = 5;
const LAST_COMMITS = 50;
/** Subjects that say nothing of how work is called here, by their form: merges, releases, bumps by a bot. */
const NO_WORK =
  /^(?:merge\b|\S*\((?:release|deps)\S*:|(?:\S+: )?(?:(?:release|publish|version|prepare|bump to) )?v?\d+\.\d+|(?:\S+: )?(?:bump \S+ (?:from|to)|update dependency|release (?:main|master))\b|version packages$)/i;

export interface KnownOfPlace {
  /** The goal was aligned there; absent: HEAD. */
  readonly commit?: string;
  readonly set_up?: Partial<ReturnType<typeof setUpOf>>;
  /** What agents may reach beside their own service; absent: nothing confines them. */
  readonly network?: readonly string[];
}

/** @param root the project, or a checkout of it */
export async function placeFacts(
  root: string,
  { commit = "HEAD", set_up, network }: KnownOfPlace,
): Promise<PlaceFacts> {
  const git = await gitOf(root);
  const list = async (...args: readonly string[]): Promise<readonly string[]> =>
    fieldsOf((await git.run([...args, commit, "--"])).stdout).map(textOf);
  const files = await list("ls-tree", "-r", "-z", "--name-only");
  const nothing = {
    changed: [],
    all: files,
    now: () => null,
    before: () => Promise.resolve(null),
    had: () => Promise.resolve(true),
  };
  const holding = (pattern: string, among?: readonly string[]): Promise<readonly string[]> =>
    holdingAt(git, commit, pattern, among);
  const byContent = files.length === 0 ? [] : await testsByContent({ ...nothing, holding });
  const own = ["--no-merges", "--invert-grep", `--grep=^${IMPORT}$`];
  const last = await list("log", "-z", `-n${LAST_COMMITS}`, ...own, "--format=%s");
  const subjects = last.filter((subject) => !NO_WORK.test(subject)).slice(0, SHOWN_SUBJECTS);
  const commands = checkCandidates(root)
    .slice(0, MOST_COMMANDS)
    .map(({ check, source }) => `\`${check.replace(/^command: /, "")}\` (${source})`);
  const repository = commands.length === 0 ? [] : [`The repository's own commands: ${commands.join(", ")}.`];
  const installs = set_up === undefined ? null : setUpFact(set_up);
  return {
    ...(files.length === 0 ? {} : { deciding: [...decidingGlobs(files), ...byContent] }),
    ...(repository.length === 0 ? {} : { repository }),
    ...(subjects.length === 0 ? {} : { subjects }),
    ...(network === undefined ? {} : { network: networkFact(network) }),
    ...(installs === null ? {} : { set_up: installs }),
  };
}

function networkFact(hosts: readonly string[]): string {
  const more = hosts.length === 0 ? "" : ` and ${hosts.join(", ")}`;
  return `The network reaches your own service${more}, nothing else; checks reach nothing.`;
}

function setUpFact({ commands = [], install, build }: Partial<ReturnType<typeof setUpOf>>): string | null {
  const always = [...commands, ...(build === undefined ? [] : [build])];
  const steps = [
    ...(always.length === 0 ? [] : [`\`${always.join("; ")}\``]),
    ...(install === undefined ? [] : [`\`${install.command}\` where ${install.file} has changed`]),
  ];
  return steps.length === 0 ? null : `Dependencies are set up before each attempt and each check: ${steps.join(", ")}.`;
}
