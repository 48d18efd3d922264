/** What no confined program reads (SPEC section 15): the one list. */
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { textAt } from "../../host/regular-file.ts";
import type { PlaceUse } from "../../loop/confinement.ts";
import { CLIENT_NEEDS } from "./client-needs.ts";

/** Below the home folder. */
const IN_HOME = [
  // Keys and logins.
  ".ssh .gnupg .netrc _netrc .git-credentials .config/git/credentials .password-store .local/share/keyrings .pki",
  ".1password .config/op .config/1Password .config/Bitwarden .config/keepassxc .vault-token",
  // Clouds and clusters.
  ".aws .azure .config/gcloud .oci .kube .docker .config/containers .config/doctl .config/hcloud .config/scaleway",
  ".terraform.d .terraformrc .pulumi .fly .vercel .netlify .config/netlify .wrangler .config/.wrangler .config/heroku",
  ".s3cfg .boto .config/rclone .databrickscfg .snowsql .config/configstore",
  // Packages and forges.
  ".npmrc .yarnrc.yml .pypirc .config/pip/pip.conf .pip/pip.conf .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml",
  ".gradle/gradle.properties .composer/auth.json .config/composer/auth.json .nuget .config/gh .config/glab-cli .config/hub",
  // Databases, and what was typed.
  ".pgpass .my.cnf .mongorc.js .psql_history .mysql_history .bash_history .zsh_history .python_history",
  ".node_repl_history .local/share/fish/fish_history .config/aot",
  // Browsers and mail.
  ".mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge",
  ".config/vivaldi .config/opera .config/Signal .config/Slack .config/discord snap/firefox snap/chromium .var/app",
  // The same on macOS.
  "Library/Keychains Library/Cookies Library/Safari Library/Mail Library/Messages Library/Application\u00A0Support/Google/Chrome",
  "Library/Application\u00A0Support/Firefox Library/Application\u00A0Support/com.apple.TCC",
  // Other clients.
  ".cursor .config/Cursor .aider .aider.conf.yml .aider.model.settings.yml .config/github-copilot .copilot .continue .codeium .amp .config/amp .factory",
].flatMap((line) => line.split(" ").map((path) => path.replaceAll("\u00A0", " ")));

/** Anywhere else. A program of root's reads what only root may. */
const SYSTEM_SECRETS = [
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/krb5.keytab",
];

/** More siblings of the project than these are not looked into. */
const MOST_SIBLINGS = 500;

export interface SecretsOptions {
  readonly home: string;
  /** The project: its own `.env` is part of it. */
  readonly project: string;
  /** What a person allows to be written, and hides: paths, absolute or from the home folder (`~/...`). */
  readonly allowed: readonly string[];
  readonly hidden: readonly string[];
}

/** What is hidden from this user: paths that exist, with every link on the way resolved. */
export function secretsFor(user: PlaceUse["user"], options: SecretsOptions): readonly string[] {
  const { home, project, allowed, hidden } = options;
  const mine = new Set(CLIENT_NEEDS[user].own);
  const others = Object.values(CLIENT_NEEDS).flatMap(({ own }) => own.filter((path) => !mine.has(path)));
  const named = [
    ...[...IN_HOME, ...others].map((path) => join(home, path)),
    ...SYSTEM_SECRETS,
    ...keysOfHost(),
    ...hidden.map((path) => fromHome(path, home)),
    ...envFiles(home, project),
  ];
  const open = new Set(allowed.map((path) => fromHome(path, home)));
  return [...new Set(named.filter((path) => !open.has(path)).flatMap(whereItIs))];
}

/** What a package manager's settings say beside credentials (which registry), line by line; null: another file. */
export function openPartOf(path: string): string | null {
  if (!SETTINGS.has(basename(path))) return null;
  const lines = (textAt(path) ?? "").split("\n").filter((line) => !CREDENTIAL.test(line.split("=")[0] ?? ""));
  return lines.map((line) => line.replaceAll(/(:\/\/)[^\s/@]+@/g, "$1")).join("\n");
}

const SETTINGS: ReadonlySet<string> = new Set([".npmrc", "pip.conf"]);
const CREDENTIAL = /auth|passw|token|secret|user|email|cert|key/i;

/** `~/x` from the home folder. */
export function fromHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(path);
}

/** A secret may be a link to where it is: both names are hidden. */
function whereItIs(path: string): readonly string[] {
  try {
    // Most are not there, and an error costs more than the question.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? [] : [realpathSync.native(path)];
  } catch {
    return [];
  }
}

/**
 * Sockets that somebody listens on, by their paths: a read-only file system does not keep a program from connecting to
 * one. Those that are made later are not known.
 */
export function socketsOfMachine(): readonly string[] {
  try {
    const lines = readFileSync("/proc/net/unix", "latin1").split("\n").slice(1);
    const paths = lines.flatMap((line) => /^(?:\S+\s+){6}\d+ (\/.*)$/.exec(line)?.[1] ?? []);
    return [...new Set(paths)].slice(0, MOST_SOCKETS).flatMap(whereItIs);
  } catch {
    return [];
  }
}

const MOST_SOCKETS = 500;

function keysOfHost(): readonly string[] {
  return namesIn("/etc/ssh").flatMap((name) => (name.endsWith("_key") ? [join("/etc/ssh", name)] : []));
}

/** `.env` files of the folders above the project, of its siblings, and of the folders of the home folder. */
function envFiles(home: string, project: string): readonly string[] {
  const above = ancestorsOf(project);
  const beside = [dirname(project), home].flatMap((folder) =>
    namesIn(folder)
      .slice(0, MOST_SIBLINGS)
      .map((name) => join(folder, name))
      .filter((path) => path !== project && isFolder(path)),
  );
  const folders = new Set([...above, ...beside, home]);
  return [...folders]
    .filter((folder) => folder !== project && !folder.startsWith(project + sep))
    .flatMap((folder) =>
      namesIn(folder).flatMap((name) => (/^\.env(?:rc|\..+)?$/.test(name) ? [join(folder, name)] : [])),
    );
}

function ancestorsOf(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...ancestorsOf(above)];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
