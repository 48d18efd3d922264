/**
 * The whole environment of a real Claude Code: nothing of this machine but its PATH. HOME is a scratch folder, the
 * only address a scripted model on loopback, and the proxy a closed port.
 */
export function claudeEnvironment(home, url) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: home,
    TERM: "dumb",
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "dummy",
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}
