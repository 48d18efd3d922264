/** The hosts that a set-up reaches (SPEC section 15): the registries of the package managers that its command names. */
import { join } from "node:path";
import { textAt } from "../../host/regular-file.ts";

interface Manager {
  readonly command: RegExp;
  readonly hosts: readonly string[];
  /** Variables and files that name other registries; files from the project, `~/` from the home folder. */
  readonly variables: RegExp;
  readonly files: readonly string[];
}

const MANAGERS: readonly Manager[] = [
  {
    command: /\b(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack|lerna|rush)\b/,
    hosts: ["registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com", "nodejs.org"],
    variables: /^(?:npm_config_(?:.*:)?registry|YARN_NPM_REGISTRY_SERVER|COREPACK_NPM_REGISTRY)$/i,
    files: [".npmrc", "~/.npmrc", ".yarnrc.yml", "~/.yarnrc.yml", ".yarnrc", "bunfig.toml"],
  },
  {
    command: /\b(?:pip3?|pipx|pipenv|uv|uvx|poetry|pdm|hatch|tox|nox|conda|mamba)\b/,
    hosts: ["pypi.org", "files.pythonhosted.org", "conda.anaconda.org", "repo.anaconda.com"],
    variables: /^(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:DEFAULT_|EXTRA_)?INDEX(?:_URL)?)$/,
    files: ["/etc/pip.conf", "~/.pip/pip.conf", "~/.config/pip/pip.conf", "~/.config/uv/uv.toml", "uv.toml"],
  },
  {
    command: /\bcargo\b/,
    hosts: ["index.crates.io", "static.crates.io", "crates.io"],
    variables: /^CARGO_REGISTRIES_\w+_INDEX$/,
    files: ["~/.cargo/config.toml", ".cargo/config.toml"],
  },
  {
    command: /\bgo\b/,
    hosts: ["proxy.golang.org", "sum.golang.org", "storage.googleapis.com"],
    variables: /^GOPROXY$/,
    files: ["~/.config/go/env"],
  },
  {
    command: /\b(?:bundle|bundler|gem)\b/,
    hosts: ["rubygems.org", "index.rubygems.org"],
    variables: /^BUNDLE_MIRROR\w*$/,
    files: ["~/.bundle/config", ".bundle/config"],
  },
];

export interface RegistriesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The person's checkout, where no attempt writes: what an attempt's own files name counts for nothing. */
  readonly project: string;
}

/** @param command of the set-up @returns `host` or `host:port`, once each */
export function registriesFor(command: string, { env, home, project }: RegistriesOptions): readonly string[] {
  const named = MANAGERS.filter((manager) => manager.command.test(command));
  // A script of the project may call any of them.
  const used = named.length === 0 ? MANAGERS : named;
  const configured = used.flatMap(({ variables, files }) => [
    ...Object.entries(env).flatMap(([name, value]) => (variables.test(name) ? hostsIn(value ?? "") : [])),
    ...files.flatMap((file) => hostsIn(registryLines(textAt(placeOf(file, home, project)) ?? ""))),
  ]);
  return [...new Set([...used.flatMap(({ hosts }) => hosts), ...configured])];
}

function placeOf(file: string, home: string, project: string): string {
  return file.startsWith("~/") ? join(home, file.slice(2)) : file.startsWith("/") ? file : join(project, file);
}

/** Lines of a configuration that name where packages come from. */
function registryLines(text: string): string {
  const lines = text.split("\n").filter((line) => !/^\s*[#;]/.test(line));
  return lines.filter((line) => /registr|index|url|proxy|mirror|source/i.test(line)).join("\n");
}

function hostsIn(text: string): readonly string[] {
  const addresses = text.match(/\bhttps?:\/\/[^\s"'<>,|]+/g) ?? [];
  return addresses.flatMap((address) => {
    if (!URL.canParse(address)) return [];
    const { hostname, port, protocol } = new URL(address);
    return [port === "" && protocol === "https:" ? hostname : `${hostname}:${port === "" ? "80" : port}`];
  });
}
