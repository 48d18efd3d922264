import { workspaceContract } from "../../contracts/workspace.ts";
import { created } from "./project.ts";

workspaceContract({ name: "worktrees", git: true, create: created });
workspaceContract({ name: "worktrees, old git", git: true, create: (o) => created({ ...o, merging: "folder" }) });
workspaceContract({ name: "a folder, old git", git: false, create: (o) => created({ ...o, merging: "folder" }) });
