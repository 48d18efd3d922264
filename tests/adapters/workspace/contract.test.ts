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
