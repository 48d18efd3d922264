/**
 * What the loop's agents need not ask a person for (SPEC section 10): PermissionRequest, which fires only where a person
 * would be asked. Inside the project: allowed. Clearly outside: denied. Anything in between is left to the person.
 */
import { asText, type HookInput } from "./hook-input.ts";
import { placeOf, type GuardScope } from "./places.ts";
import { parseShell } from "./shell-words.ts";

export type Permission = { readonly allow: true } | { readonly allow: false; readonly why: string } | null;

const BY_PATH = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit", "Read", "Glob", "Grep"]);
/** Programs that reach beyond the project whatever their words are, or run what cannot be seen. */
const ASK_FIRST = new Set(
  (
    "sudo su doas ssh scp sftp rsync curl wget nc ncat telnet ftp docker podman kubectl systemctl service crontab at " +
    "kill pkill killall shutdown reboot mount umount chown chgrp eval exec source . xargs env dd mkfs security open osascript"
  ).split(" "),
);
/** They run the program that their words name. */
const STARTERS = new Set("timeout nohup nice setsid stdbuf command time find watch parallel busybox script".split(" "));
const SHELLS = new Set("sh bash dash zsh ksh fish".split(" "));
const ASK_WORDS: Readonly<Record<string, RegExp>> = {
  git: /^(push|remote|config|credential|clone|fetch|pull)$/,
  npm: /^(publish|login|adduser|token|owner|access|config)$/,
};

export function permissionFor(input: HookInput, scope: GuardScope): Permission {
  const cwd = input.cwd ?? scope.project;
  if (BY_PATH.has(input.tool)) {
    const path =
      ["file_path", "notebook_path", "path"].map((name) => asText(input.toolInput[name])).find(Boolean) ?? ".";
    return ofPlaces([path], cwd, scope);
  }
  if (input.tool !== "Bash") return null;
  const { commands, dynamic } = parseShell(asText(input.toolInput["command"]));
  const paths = commands.flatMap(({ words, outputs }) => [...words.slice(1).flatMap(pathsIn), ...outputs]);
  const places = ofPlaces(
    paths.filter((path) => path !== "/dev/null"),
    cwd,
    scope,
  );
  if (places !== null && !places.allow) return places;
  if (dynamic || commands.length === 0 || commands.some(({ words }) => isToBeAsked(words))) return null;
  return places;
}

function ofPlaces(paths: readonly string[], cwd: string, scope: GuardScope): Permission {
  let open = false;
  for (const path of paths) {
    if (path.startsWith("~")) return outside(path);
    const place = placeOf(path, cwd, scope);
    if (place === "outside") return outside(path);
    if (place !== "project") open = true;
  }
  return open ? null : { allow: true };
}

function outside(path: string): Permission {
  return { allow: false, why: `${path} is outside the project: the loop's agents work inside it` };
}

/** Words that may lead out of the project, by links too, or to its settings: as they are, and behind a flag's `=`. */
function pathsIn(word: string): readonly string[] {
  const value = word.startsWith("-") ? (/^-[^=]*=(.*)$/s.exec(word)?.[1] ?? "") : word;
  return /^~|\/|^\.(\.|git|claude)$/.test(value) ? [value] : [];
}

function isToBeAsked(words: readonly string[]): boolean {
  const [program = "", ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  return (program.includes("/") && !program.startsWith("./")) || reachesOut(program, rest);
}

function reachesOut(program: string, rest: readonly string[]): boolean {
  if (ASK_FIRST.has(program)) return true;
  // Its command line is one word here: what is in it is not looked at.
  if (SHELLS.has(program) && rest.some((word) => /^-\w*c/.test(word))) return true;
  // Which of its words is the program is its own affair; a dot is a folder here.
  if (STARTERS.has(program)) return rest.some((word, at) => word !== "." && reachesOut(word, rest.slice(at + 1)));
  const asked = ASK_WORDS[program];
  return asked !== undefined && rest.some((word) => asked.test(word));
}
