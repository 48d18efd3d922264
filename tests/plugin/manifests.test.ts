/** SPEC 10: one plugin for every client: its manifests agree, name what is there, and have the fields that their formats take. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const json = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
const PORTABLE = json("plugin/plugin.json");
const MANIFESTS = {
  "Agent Plugins": PORTABLE,
  "Claude Code": json("plugin/.claude-plugin/plugin.json"),
  Codex: json("plugin/.codex-plugin/plugin.json"),
  Cursor: json("plugin/.cursor-plugin/plugin.json"),
};

test("each says the same of the plugin", () => {
  for (const [client, manifest] of Object.entries(MANIFESTS))
    for (const key of ["name", "version", "license", "keywords"])
      expect([client, key, manifest[key]]).toEqual([client, key, PORTABLE[key]]);
  expect(PORTABLE["version"]).toBe(json("package.json")["version"]);
});

test("closed formats get no other fields than they know", () => {
  const known = {
    "Agent Plugins": "$schema name version description author homepage repository license keywords extensions",
    Cursor:
      "name displayName description version author publisher homepage repository license logo keywords category tags commands agents skills rules hooks variables mcpServers",
  };
  for (const [client, keys] of Object.entries(known))
    expect(
      Object.keys(MANIFESTS[client as keyof typeof known]).filter((key) => !keys.split(" ").includes(key)),
    ).toEqual([]);
  expect(Object.keys(json("plugin/mcp.json")).toSorted()).toEqual(["$schema", "mcpServers"]);
});

test("what a manifest names is in the plugin", () => {
  const paths = (value: unknown): string[] =>
    typeof value === "string"
      ? /^\.\/|\.svg$/.test(value)
        ? [value]
        : []
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(paths)
        : [];
  for (const [client, manifest] of Object.entries(MANIFESTS))
    for (const path of paths(manifest))
      expect([client, path, existsSync(join("plugin", path))]).toEqual([client, path, true]);
});

test("Codex is asked about no event that it has not, and calls the same front", () => {
  const { hooks } = json("plugin/hooks/codex.json") as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  expect(Object.keys(hooks)).toEqual(["SessionStart", "PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"]);
  for (const [event, [group]] of Object.entries(hooks))
    expect(group?.hooks).toMatchObject([{ command: `"$CLAUDE_PLUGIN_ROOT/bin/aot-hook" ${event}` }]);
});
