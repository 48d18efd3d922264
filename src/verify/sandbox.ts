/** How the settings say that a run is confined (SPEC section 15). */
import { homedir, tmpdir } from "node:os";
import { findConfinement, type FoundConfinement } from "../adapters/confinement/find.ts";
import { folderGit, gitOf } from "../adapters/workspace/folder-repository.ts";
import { personsText } from "../adapters/workspace/included-files.ts";
import type { Result } from "../core/problem.ts";
import { loopPaths } from "../host/loop-paths.ts";
import type { Guard } from "../history/extensions.ts";
import { SANDBOXES, type SandboxSetting } from "../loop/confinement.ts";
import type { Settings } from "../project/config-schema.ts";
import { whyDiskIsFull } from "../project/disk-space.ts";

/** What a person allows and limits. */
export interface SandboxTerms extends Pick<
  Settings,
  "allow_write" | "allow_domains" | "allow_env" | "hide" | "sandbox_image" | "min_free_mb"
> {
  readonly setting: SandboxSetting;
  /** Of each attempt, check and set-up, as `512M`. */
  readonly max_memory?: string;
}

export function sandboxOf(settings: Settings): SandboxTerms {
  const { allow_write, allow_domains, allow_env, hide, sandbox_image, max_memory, min_free_mb } = settings;
  return {
    setting: SANDBOXES.find((one) => one === settings.sandbox) ?? "auto",
    ...(max_memory === undefined ? {} : { max_memory }),
    ...(min_free_mb === undefined ? {} : { min_free_mb }),
    ...(allow_write && { allow_write }),
    ...(allow_domains && { allow_domains }),
    ...(allow_env && { allow_env }),
    ...(hide && { hide }),
    ...(sandbox_image === undefined ? {} : { sandbox_image }),
  };
}

/** The confinement of a loop's attempts and checks. Refused where one is required and none is to be had. */
export async function openSandbox(
  terms: SandboxTerms,
  {
    root,
    stateFile,
    guard,
  }: { readonly root: string; readonly stateFile: string; readonly guard?: Pick<Guard, "files"> },
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Result<FoundConfinement>> {
  const { setting, max_memory, min_free_mb, sandbox_image } = terms;
  const least = min_free_mb === undefined ? {} : { min_free_bytes: min_free_mb * 1024 ** 2 };
  const { state, dir, lock, worktrees } = loopPaths(stateFile);
  const proxy = env["HTTPS_PROXY"] ?? env["https_proxy"] ?? "";
  return await findConfinement({
    setting,
    root,
    home: env["HOME"] ?? homedir(),
    own: [state, lock, dir, worktrees],
    folder_git: folderGit(root),
    allow_write: terms.allow_write ?? [],
    allow_domains: terms.allow_domains ?? [],
    allow_env: terms.allow_env ?? [],
    hidden: terms.hide ?? [],
    personsText: (path) => gitOf(root).then((git) => personsText(git, root, path)),
    rules: async () => (await guard?.files?.()) ?? [],
    limits: {
      ...(max_memory === undefined ? {} : { memory: bytesIn(max_memory) }),
      full: () => whyDiskIsFull(root, least) ?? whyDiskIsFull(tmpdir(), least),
    },
    ...(sandbox_image === undefined ? {} : { image: sandbox_image }),
    ...(proxy.startsWith("http:") && URL.canParse(proxy) ? { upstream: new URL(proxy) } : {}),
  });
}

/** `512M`, `4G`. */
function bytesIn(size: string): number {
  return Number.parseInt(size, 10) * (size.endsWith("G") ? 1024 ** 3 : 1024 ** 2);
}
