/** How flags and settings say that a run is confined (SPEC section 15). */
import { homedir } from "node:os";
import { findConfinement } from "../adapters/confinement/find.ts";
import type { Result } from "../core/problem.ts";
import { loopPaths } from "../host/loop-paths.ts";
import type { Guard } from "../history/extensions.ts";
import { SANDBOXES, type Confinement, type SandboxSetting } from "../loop/ports.ts";
import type { Settings } from "../project/config-schema.ts";

/** What a person allows and limits. */
export interface SandboxTerms extends Pick<
  Settings,
  "allow_write" | "allow_domains" | "allow_env" | "hide" | "sandbox_image"
> {
  readonly setting: SandboxSetting;
  /** Of each process, as `512M`. */
  readonly max_memory?: string;
}

/** @param given what flags say, which win */
export function sandboxOf(
  settings: Settings,
  given: { readonly sandbox?: string | undefined; readonly max_memory?: string | undefined } = {},
): SandboxTerms {
  const { allow_write, allow_domains, allow_env, hide, sandbox_image } = settings;
  const setting = SANDBOXES.find((one) => one === (given.sandbox ?? settings.sandbox)) ?? "auto";
  const max_memory = given.max_memory ?? settings.max_memory;
  return {
    setting,
    ...(max_memory === undefined ? {} : { max_memory }),
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
): Promise<Result<Confinement>> {
  const { setting, max_memory, sandbox_image } = terms;
  const { state, dir, lock, worktrees } = loopPaths(stateFile);
  const proxy = env["HTTPS_PROXY"] ?? env["https_proxy"] ?? "";
  return await findConfinement({
    setting,
    root,
    home: env["HOME"] ?? homedir(),
    own: [state, lock, dir, worktrees],
    allow_write: terms.allow_write ?? [],
    allow_domains: terms.allow_domains ?? [],
    allow_env: terms.allow_env ?? [],
    hidden: terms.hide ?? [],
    rules: async () => (await guard?.files?.()) ?? [],
    limits: max_memory === undefined ? {} : { memory: bytesIn(max_memory) },
    ...(sandbox_image === undefined ? {} : { image: sandbox_image }),
    ...(proxy.startsWith("http:") && URL.canParse(proxy) ? { upstream: new URL(proxy) } : {}),
  });
}

/** `512M`, `4G`. */
function bytesIn(size: string): number {
  return Number.parseInt(size, 10) * (size.endsWith("G") ? 1024 ** 3 : 1024 ** 2);
}
