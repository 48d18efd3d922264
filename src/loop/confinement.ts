/** Port of the sandbox around programs of attempts, checks and set-up (SPEC section 15). */
import type { GroupOptions } from "../host/process.ts";
import type { AgentKind } from "./agent-kinds.ts";

/** How to start a program. `env` is its whole environment. */
export type ProgramStart = Pick<GroupOptions, "command" | "args" | "shell" | "cwd"> &
  Required<Pick<GroupOptions, "env">>;

/** What a program is started for, which decides what it may access. */
export interface PlaceUse {
  readonly user: AgentKind | "check" | "set_up";
  readonly writes: boolean;
  /** Programs of one call share their private writes below the home folder: an agent asked again finds its session. */
  readonly call?: string;
  /** Files of the caller to show inside, such as those below the temporary folder, of which the sandbox has its own. */
  readonly reads?: readonly string[];
  /** It installs the shared dependencies (`share`), so it is not shown the existing ones. */
  readonly installs?: boolean;
  /** Hosts that a check declares: `host` or `host:port`. */
  readonly hosts?: readonly string[];
}

/**
 * `cwd`: the folder as the program sees it. `leave` must be called once all its processes are gone; `forced`: its first
 * process was killed.
 */
export type Entered =
  | { readonly ok: true; readonly start: ProgramStart; readonly cwd: string; leave(forced: boolean): Promise<Left> }
  | { readonly ok: false; readonly reason: string };

export interface Left {
  /** Whether the program itself started. If not, the exit code is the sandbox's and says nothing about a check. */
  readonly began: boolean;
  /** Accesses that the sandbox denied, one sentence each. */
  readonly refused: readonly string[];
  /** The last of `refused` is why the sandbox killed it, whatever its exit code says. */
  readonly killed?: true;
}

export type ConfinementKind = "namespace" | "srt" | "container" | "none";
/** `auto`: sandbox where the machine can; `require`: else start nothing; `off`: never sandbox (SPEC section 15). */
export const SANDBOXES = ["auto", "require", "off"] as const;
export type SandboxSetting = (typeof SANDBOXES)[number];

/** Identical folders that many work trees share, such as installed dependencies. */
export interface SharedFolders {
  /** The folder that holds them; never written to. */
  readonly from: string;
  /** Their paths relative to `from`, and to a work tree. */
  readonly paths: readonly string[];
}

/** Limits what processes of attempts and checks may read, write, connect to and use (SPEC section 15). */
export interface Confinement {
  readonly kind: ConfinementKind;
  /** One sentence for the start of a run: what is confined, and what is not. */
  readonly summary: string;
  /** Denied accesses by the call's id, one sentence each. Filled by `runInPlace`. */
  readonly refusals: Map<string, readonly string[]>;
  /** How to start this program inside the sandbox. Never rejects. */
  enter(start: ProgramStart, use: PlaceUse): Promise<Entered>;
  /**
   * From now on programs in this work tree see these folders as copy-on-write. Absent: not supported.
   * @param top the work tree
   * @param folders null: stop sharing
   * @returns false: these folders cannot be shared
   */
  share?(top: string, folders: SharedFolders | null): boolean;
  /** Removes temporary files of all sandboxes. */
  close(): Promise<void>;
}
