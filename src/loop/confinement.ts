/** What confines the programs of attempts, checks and set-up: a port (SPEC section 15). */
import type { GroupOptions } from "../host/process.ts";
import type { AgentKind } from "./agent-kinds.ts";

/** How a program is started. `env`: the whole environment. */
export type ProgramStart = Pick<GroupOptions, "command" | "args" | "shell" | "cwd"> &
  Required<Pick<GroupOptions, "env">>;

/** What a program is started for: what it may have follows from it. */
export interface PlaceUse {
  readonly user: AgentKind | "check" | "set_up";
  readonly writes: boolean;
  /** Programs of one call share what they write in the home folder: an agent that is asked again finds its session. */
  readonly call?: string;
  /** What has to be read in a folder that is private in there: files that the caller made below the temporary one. */
  readonly reads?: readonly string[];
  /** It makes the dependencies that the place shows: it sees none. */
  readonly installs?: boolean;
  /** Hosts that a check says it reaches: `host`, `host:port`. */
  readonly hosts?: readonly string[];
}

/**
 * `cwd`: the folder as the program sees it. `leave` is called once all of it is gone, `forced` where its leader was ended
 * and did not end by itself.
 */
export type Entered =
  | { readonly ok: true; readonly start: ProgramStart; readonly cwd: string; leave(forced: boolean): Promise<Left> }
  | { readonly ok: false; readonly reason: string };

export interface Left {
  /** Whether the program itself began: what its place ended with is no answer of a check. */
  readonly began: boolean;
  /** What was refused to it, one sentence each. */
  readonly refused: readonly string[];
  /** The last one ended it, whatever exit code its place has. */
  readonly killed?: true;
}

export type ConfinementKind = "namespace" | "srt" | "container" | "worktree";
/** Whether programs are confined: where the machine can, or else not started, or not at all (SPEC section 15). */
export const SANDBOXES = ["auto", "require", "off"] as const;
export type SandboxSetting = (typeof SANDBOXES)[number];

/** Folders that many work trees have alike. */
export interface SharedFolders {
  /** Where they lie, and nobody changes them. */
  readonly from: string;
  /** Their paths in there, and in a work tree. */
  readonly paths: readonly string[];
}

/** What the processes of attempts and checks may see, write, reach and use (SPEC section 15). */
export interface Confinement {
  readonly kind: ConfinementKind;
  /** One sentence for the first lines of a run: what it holds, and what not. */
  readonly summary: string;
  /** What was refused to each agent's call, by its id: one sentence each. Kept by `runInPlace`. */
  readonly refusals: Map<string, readonly string[]>;
  /** How this program is started instead. Never rejects. */
  enter(start: ProgramStart, use: PlaceUse): Promise<Entered>;
  /**
   * From now on each program in this work tree sees these folders, as a copy on write. Absent: it cannot be done here.
   * @param top the work tree
   * @param folders null: none any more
   * @returns false: these cannot be shown
   */
  share?(top: string, folders: SharedFolders | null): boolean;
  /** Removes what the places left behind. */
  close(): Promise<void>;
}
