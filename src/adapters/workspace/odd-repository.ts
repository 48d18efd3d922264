/** What of a repository attempts and checks would stumble over, found before anything is spent (SPEC section 16). */
import { delimiter, join } from "node:path";
import { PROMISED } from "./clean-clone.ts";
import { fieldsOf, must, textOf, type Git } from "./git.ts";
import { WorkspaceError } from "./problem.ts";
import { isProgram } from "./project-hooks.ts";
import { named, type Repository } from "./repository.ts";

/** @returns what a person should know. @throws WorkspaceError where no file could be checked out */
export async function odditiesOf({ git }: Pick<Repository, "git">): Promise<readonly string[]> {
  const asked =
    "^(core\\.ignorecase|extensions\\.partialclone|remote\\..+\\.promisor|filter\\.lfs\\.(process|smudge|required))$";
  const answer = await git.run(["config", "-z", "--get-regexp", asked]);
  const settings = new Map(
    fieldsOf(answer.stdout).map((field): [string, string] => {
      const [key = "", value = "true"] = textOf(field).split("\n");
      return [key, value];
    }),
  );
  return [
    ...(settings.get("core.ignorecase") === "true" ? await sameButForCase(git) : []),
    ...(await pointersOf(git, settings)),
    ...([...settings.keys()].some((key) => PROMISED.test(key)) ? [PARTIAL] : []),
  ];
}

const PARTIAL =
  "This is a partial clone: files that git has not fetched yet are fetched as attempts begin, and git in the sandbox does without them (`git log -p`).";

async function sameButForCase(git: Git): Promise<readonly string[]> {
  const paths = fieldsOf(await must(git, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"])).map(textOf);
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = path.normalize("NFC").toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  const same = [...groups.values()].filter(({ length }) => length > 1).flat();
  return same.length === 0
    ? []
    : [
        `Names that differ in case alone are one file here, so that no checkout is as its commit and no verdict is true: ${named(same)}. Rename one of each (\`git mv\`), or run where names have case.`,
      ];
}

/** Files that git keeps elsewhere: what is in the commit is a pointer. */
async function pointersOf(git: Git, settings: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const listed = await git.run(["ls-files", "-z", "--", ":(top,attr:filter=lfs)"]);
  const files = fieldsOf(listed.stdout).map(textOf);
  if (files.length === 0) return [];
  const program = (settings.get("filter.lfs.process") ?? settings.get("filter.lfs.smudge"))?.split(" ")[0];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  if (program !== undefined && folders.some((folder) => isProgram(join(folder, program)))) return [];
  const what = `${named(files, 3)} ${files.length === 1 ? "is a pointer" : "are pointers"} of Git LFS`;
  if (settings.get("filter.lfs.required") === "true")
    throw new WorkspaceError({
      code: "lfs_missing",
      message: `${what}, and ${program ?? "git-lfs"}, which your git asks for them, is not installed: git could check nothing out.`,
      hint: "Install git-lfs, then: git lfs install && git lfs pull. Or work with the pointers: git config --unset filter.lfs.required",
    });
  return [
    `${what}, and git-lfs is not set up here: attempts and checks see the pointers. If they need the files: git lfs install && git lfs pull.`,
  ];
}
