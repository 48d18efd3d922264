/**
 * What a person agreed to, where a file of the project opens something to agents (SPEC section 15): a loop's merged work brings
 * files into the checkout, too, and those were not asked about.
 */
import { join } from "node:path";
import { textAt } from "../../host/regular-file.ts";
import { fieldsOf, LITERAL, textOf, type Git } from "./git.ts";

/**
 * The text of a file as a person left it: what commits of loops made of it counts from the person's next change on, committed
 * or not. Null: they have no such file.
 */
export async function personsText(git: Git, folder: string, path: string): Promise<string | null> {
  const text = textAt(join(folder, path));
  if (text === null) return null;
  const here = git.with({ cwd: folder, env: LITERAL });
  const logged = await here.run(["log", "--topo-order", "--no-notes", "-z", "--format=%H%n%B", "--", path]);
  const commits = fieldsOf(logged.stdout).map((record) => textOf(record));
  const own = commits.find((record) => !BY_A_LOOP.test(record));
  if (own === commits[0] || !(await here.run(["diff", "--quiet", "HEAD", "--", path])).ok) return text;
  if (own === undefined) return null;
  const shown = await here.run(["show", `${own.split("\n", 1)[0]}:./${path}`]);
  return shown.ok ? textOf(shown.stdout) : null;
}

/** A trailer of commit-message.ts, or of a squashed commit. */
const BY_A_LOOP = /^Aot-[A-Za-z]+: /m;
