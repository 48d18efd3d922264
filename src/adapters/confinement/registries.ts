/** The hosts that a set-up reaches (SPEC section 15): the registries of the package managers that its command names. */
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
  /** A file of the person's checkout as they left it: what an attempt's own files name counts for nothing, merged or not. */
  readonly textIn: (path: string) => Promise<string | null>;
}

/** @param command of the set-up @returns `host` or `host:port`, once each */
export async function registriesFor(
  command: string,
  { env, home, textIn }: RegistriesOptions,
): Promise<readonly string[]> {
  const named = MANAGERS.filter((manager) => manager.command.test(command));
  // A script of the project may call any of them.
  const used = named.length === 0 ? MANAGERS : named;
  const configured = used.flatMap(({ variables }) =>
    Object.entries(env).flatMap(([name, value]) => (variables.test(name) ? hostsIn(value ?? "") : [])),
  );
  for (const file of used.flatMap(({ files }) => files)) {
    const isOutside = file.startsWith("~/") || file.startsWith("/");
    const text = isOutside ? textAt(file.replace("~", home)) : await textIn(file);
    configured.push(...hostsIn(registryLines(text ?? "")));
  }
  return [...new Set([...used.flatMap(({ hosts }) => hosts), ...configured])];
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
