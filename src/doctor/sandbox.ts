/** Whether this machine can confine attempts and checks: found by trying (SPEC section 15). */
import type { Settings } from "../project/config-schema.ts";
import { openSandbox, sandboxOf } from "../verify/sandbox.ts";
import type { Finding } from "./finding.ts";

export async function examineSandbox(root: string, stateFile: string, settings: Settings): Promise<Finding> {
  const wanted = sandboxOf(settings);
  const opened = await openSandbox({ ...wanted, setting: "require" }, { root, stateFile });
  const name = "sandbox";
  if (opened.ok) {
    await opened.value.close();
    const { summary, limits = "no limits of memory and processes" } = opened.value;
    const detail = `${summary.replace(/^sandbox: /, "")}; ${limits}`;
    return {
      name,
      level: "good",
      detail: wanted.setting === "off" ? `${detail}; off: \`aot run --sandbox auto\`` : detail,
    };
  }
  const [problem] = opened.problems;
  const level = wanted.setting === "require" ? "bad" : "warn";
  return {
    name,
    level,
    detail: problem?.message ?? "",
    ...(problem?.hint === undefined ? {} : { hint: problem.hint }),
  };
}
