import { createInPlaceWorkspace } from "../../../src/adapters/workspace/in-place-workspace.ts";
import { workspaceContract } from "../../contracts/workspace.ts";
import { created } from "./project.ts";

workspaceContract({ name: "worktrees", git: true, create: created });
workspaceContract({ name: "worktrees, old git", git: true, create: (o) => created({ ...o, merging: "worktree" }) });
workspaceContract({ name: "in place", git: false, create: createInPlaceWorkspace });
workspaceContract({ name: "in place, in a repository", git: true, create: createInPlaceWorkspace });
