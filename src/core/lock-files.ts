/** What sets a fresh folder of a project up, by the file that says so (SPEC section 16). Pure. */

export interface LockFile {
  readonly file: string;
  readonly command: string;
  readonly language: "node" | "python" | "rust" | "go" | "ruby";
  /** Folder beside it that holds what is installed; absent: outside of the project. */
  readonly folder?: string;
  /** What is installed works at another path, too. */
  readonly movable?: boolean;
}

export const MANIFEST = "package.json";
const NODE = { language: "node", folder: "node_modules", movable: true } as const;
const PYTHON = { language: "python", folder: ".venv" } as const;

/** The first that is there counts. */
export const LOCK_FILES: readonly LockFile[] = [
  { file: "pnpm-lock.yaml", command: "pnpm install --frozen-lockfile", ...NODE },
  { file: "yarn.lock", command: "yarn install --frozen-lockfile", ...NODE },
  { file: "bun.lock", command: "bun install --frozen-lockfile", ...NODE },
  { file: "bun.lockb", command: "bun install --frozen-lockfile", ...NODE },
  { file: "package-lock.json", command: "npm ci", ...NODE },
  { file: "npm-shrinkwrap.json", command: "npm ci", ...NODE },
  { file: "uv.lock", command: "uv sync --frozen", ...PYTHON },
  { file: "poetry.lock", command: "poetry install", language: "python" },
  { file: "Cargo.lock", command: "cargo fetch --locked", language: "rust" },
  { file: "go.sum", command: "go mod download", language: "go" },
  { file: "Gemfile.lock", command: "bundle install", language: "ruby" },
];

/** Without a lock file: what is installed may differ from day to day. */
export const MANIFESTS: readonly LockFile[] = [
  { file: MANIFEST, command: "npm install", ...NODE },
  { file: "requirements.txt", command: "pip install -r requirements.txt", language: "python" },
  { file: "pyproject.toml", command: "pip install -e .", language: "python" },
];

/** The command where the lock file is in no commit: it installs what is new today. */
export function withoutLock({ language, command }: LockFile): string {
  return language === "node" ? command.replace(/ (?:ci|install .*)$/, " install") : command;
}

const DEPENDENCIES =
  /^(?:(?:dev|peer|optional|bundle|bundled)?[dD]ependencies|overrides|resolutions|workspaces|packageManager)$/;

/** What of a package.json says what is installed; as it is, where it cannot be read. */
export function dependenciesIn(manifest: string): string {
  try {
    const entries = Object.entries(JSON.parse(manifest) as object).filter(([key]) => DEPENDENCIES.test(key));
    return JSON.stringify(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return manifest;
  }
}

/** Programs that set hooks of git, and what stands beside them: nothing of it is needed where no person commits. */
const HOOKS =
  /^(?:npx |pnpm |yarn )?(?:husky|lefthook|simple-git-hooks|git config|is-ci|echo|exit|true|cd|test|chmod)\b|^\[ |[./'"]husky\b/;
const CALLS = /^(?:npm|pnpm|yarn|bun) (?:run )?(?:-\S+ )*([\w:.-]+)$/;

/**
 * Whether installing a package makes more than its dependencies are: it runs its script `prepare`, and those that this calls.
 * @param manifest its package.json
 */
export function preparesFiles(manifest: unknown): boolean {
  const scripts = memberOf(manifest, "scripts");
  const run = new Set(["prepare"]);
  for (const name of run) {
    const script = memberOf(scripts, name);
    for (const part of typeof script === "string" ? script.split(/&&|\|\||;/) : []) {
      const called = CALLS.exec(part.trim())?.[1] ?? "";
      if (memberOf(scripts, called) !== undefined) run.add(called);
      else if (!HOOKS.test(part.trim())) return true;
    }
  }
  return false;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
