import { createInPlaceWorkspace } from "../../../src/adapters/workspace/in-place-workspace.ts";
import { workspaceContract } from "../../contracts/workspace.ts";
import { created } from "./project.ts";

workspaceContract({ name: "worktrees", git: true, create: created, skips: {} });
workspaceContract({
  name: "worktrees, old git",
  git: true,
  create: (options) => created({ ...options, merging: "worktree" }),
  skips: {},
});
workspaceContract({ name: "in place", git: false, create: createInPlaceWorkspace, skips: {} });
workspaceContract({ name: "in place, in a repository", git: true, create: createInPlaceWorkspace, skips: {} });

const NO_HISTORY = "without git nothing is recorded, so nothing can be rolled back";
workspaceContract({
  name: "in place, without git",
  git: false,
  create: (options) => createInPlaceWorkspace({ ...options, git: false }),
  skips: {
    "SPEC 7: integrated work is in a clean checkout, and W3 in call order": NO_HISTORY,
    "SPEC 8: a later run finds what was integrated, word for word": NO_HISTORY,
    "SPEC 8: a later run finds what was taken out, and what was lost with it": NO_HISTORY,
    "SPEC 8: of work that named no artifacts a later run finds the files that it changed": NO_HISTORY,
    "SPEC 6, PORTS-2: an attempt that changes, adds, removes or renames a protected file is not integrated":
      "told, but not undone: see in-place-workspace.test.ts",
    "SPEC 15: settings that say what later runs may do change only where a person allows it": NO_HISTORY,
    "SPEC 6: protected files that changed since the goal was aligned are named":
      "which files are protected must be known at the first run",
    "SPEC 7, PORTS-1: shelved work is kept, and the next attempt does not see it": NO_HISTORY,
    "SPEC 7: an attempt cannot hide work from rolling back by ignoring it": NO_HISTORY,
    "SPEC 7: a revert takes out an atom's work and nothing else": NO_HISTORY,
    "SPEC 7: work that cannot stand without the reverted is lost, named, and leaves no marker": NO_HISTORY,
    "SPEC 7: a change that two atoms made alike stays when one of them goes": NO_HISTORY,
    "SPEC 7: the loop's own files are not the attempts' to change": NO_HISTORY,
    "SPEC 6: a checkout is clean, and what happens in it stays there": "the folder itself is what is verified",
    "SPEC 8: after a crash the work of the open attempt is kept and nothing is integrated twice": NO_HISTORY,
    "SPEC 8: closing keeps the work of an attempt that was not settled": NO_HISTORY,
    "SPEC 7: odd file names come through, and out again": NO_HISTORY,
    "SPEC 7: bytes, line endings, links, rights and kinds of files come through": NO_HISTORY,
  },
});
