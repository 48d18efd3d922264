/** File systems of their own for tests of full and read-only disks: Linux and root only. */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./bundle.ts";

const mount = (folder: string, size: string): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", folder]).status === 0;
const unmount = (folder: string): void => void spawnSync("umount", ["-l", folder]);

function tried(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = temporaryFolder();
  if (!mount(folder, "64k")) return false;
  unmount(folder);
  return true;
}

export const canMount = tried();

/** The folder of a disk of that size, which goes with the test. */
export function smallDisk(size: string): string {
  const folder = realpathSync(temporaryFolder());
  if (!mount(folder, size)) throw new Error(`no disk of ${size} could be mounted`);
  onTestFinished(() => unmount(folder));
  return folder;
}
