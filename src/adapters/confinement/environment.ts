/** The environment of a confined program: a list, not a copy (SPEC section 15). */
import type { PlaceUse } from "../../loop/confinement.ts";
import { CLIENT_NEEDS } from "./client-needs.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What tools are found and configured by, and says nothing of the person. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CI|TZ|LANG|LANGUAGE|EDITOR|VISUAL|PAGER|LC_[A-Z]+|XDG_(?:CONFIG|CACHE|DATA|STATE)_HOME|XDG_(?:CONFIG|DATA)_DIRS|SSL_CERT_(?:FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|NODE_[A-Z_]+|npm_config_\w+|NPM_CONFIG_\w+|NVM_(?:DIR|BIN|INC)|VOLTA_HOME|FNM_\w+|PNPM_HOME|COREPACK_\w+|YARN_\w+|BUN_INSTALL|DENO_\w+|PYTHON\w*|PYTEST_\w+|VIRTUAL_ENV|CONDA_\w+|PIP_\w+|UV_\w+|PYENV_\w+|JAVA_HOME|JDK_HOME|MAVEN_\w+|GRADLE_\w+|SDKMAN_DIR|GO(?:PATH|ROOT|FLAGS|PROXY|CACHE|MODCACHE|OS|ARCH|BIN|TOOLCHAIN)|CGO_\w+|CC|CXX|CFLAGS|CXXFLAGS|LDFLAGS|MAKEFLAGS|PKG_CONFIG_PATH|LD_LIBRARY_PATH|CARGO_(?:HOME|TARGET_DIR|BUILD_\w+|INCREMENTAL)|RUSTUP_\w+|RUST\w*FLAGS|RUST_BACKTRACE|RUST_LOG|GEM_HOME|GEM_PATH|BUNDLE_\w+|RBENV_\w+|RUBY\w*|PHP_\w+|COMPOSER_HOME|DOTNET_\w+|NUGET_PACKAGES|ASDF_\w+|MISE_\w+|NIX_\w+|TURBO_FORCE|NX_SKIP_NX_CACHE|CHROME_BIN|PLAYWRIGHT_\w+|PUPPETEER_\w+|AOT_(?:GROUP|LOOPS|LOOP_ROOT|ROOT|PORT|ROLE|ATOM|ATTEMPT|CALL|BUDGET_USD|BUDGET_TOKENS)|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))$/;
/** Names of secrets, whatever they begin with. */
const SECRET = /TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE|_AUTH\b|_authToken/i;
/** Sockets of the person's session: agents of keys, the bus, the display. */
const SOCKETS = /^(?:XDG_RUNTIME_DIR|.*_SOCK(?:ET)?|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|DOCKER_HOST|XAUTHORITY)$/;

/**
 * The variables that a program gets.
 * @param more names that a person allows (`allow_env`), secrets or not
 */
export function environmentFor(user: PlaceUse["user"], env: Environment, more: readonly string[]): Environment {
  const { env: client } = CLIENT_NEEDS[user];
  const allowed = new Set(more);
  const passes = (name: string): boolean => {
    if (allowed.has(name)) return true;
    // A client's variables are its own, a key among them.
    if (client.test(name)) return true;
    return PASSED.test(name) && !SECRET.test(name) && !SOCKETS.test(name);
  };
  return Object.fromEntries(Object.entries(env).filter(([name]) => passes(name)));
}
