/** What is said of a repository's address, which journals keep and others read. */
import * as fc from "fast-check";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutCredentials } from "../../../src/adapters/workspace/credentials.ts";
import { createGit, gitProblem } from "../../../src/adapters/workspace/git.ts";
import { lineRefs } from "../../../src/adapters/workspace/integration-line.ts";
import { shareLine } from "../../../src/adapters/workspace/share-line.ts";
import { createMirrors } from "../../../src/adapters/workspace/shared-clone.ts";
import { tempFolder } from "../../fixtures/programs.ts";
import { createProject } from "./project.ts";

test("law: of a web address no user and no password is said, and all else is", () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9_.%+:-]{1,20}$/);
  const place = fc.constantFrom("host", "host:8443/team/project.git", "[::1]:80/x", "h/a@b");
  const around = fc.constantFrom("", " ", "'", '"', "(", "fatal: unable to access '");
  fc.assert(
    fc.property(word, place, around, fc.constantFrom("http", "https", "HTTPS"), (user, where, before, scheme) => {
      const said = withoutCredentials(`${before}${scheme}://${user}@${where} ${before}${scheme}://${where}`);
      expect(said).toBe(`${before}${scheme}://${where} ${before}${scheme}://${where}`);
    }),
  );
  for (const plain of ["git@example.org:team/x.git", "ssh://git@example.org/x", "/srv/a@b.git", "https://h/x?mail=a@b"])
    expect(withoutCredentials(plain)).toBe(plain);
});

test("SPEC 13: a token in a remote's address is in no message about it", async () => {
  const project = await createProject({ "a.txt": "1\n" });
  try {
    const remote = "http://me:secret-word@127.0.0.1:1/shared.git";
    const shared = await shareLine(project.options(), remote);
    const cloned: unknown = await createMirrors(join(tempFolder(), "mirrors"))
      .clone(remote, lineRefs("demo"), join(tempFolder(), "clone"), { signal: AbortSignal.abort() })
      .catch((error: unknown) => error);
    const long = await createGit({ cwd: project.root }).run(["fetch", "x".repeat(170), remote]);
    if (shared.ok || !(cloned instanceof Error) || long.ok) throw new Error("nobody should answer there");
    for (const said of [shared.problem.message, cloned.message])
      expect(said).toContain("http://127.0.0.1:1/shared.git");
    // Shortened, too.
    const all = [shared.problem, cloned.message, gitProblem(long.failure)];
    expect(JSON.stringify(all)).not.toMatch(/secret|me:/);
  } finally {
    await project.remove();
  }
});
