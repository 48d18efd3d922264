// Prints the MCP registry's server.json of this version. Whose the name is and where the package lies is known at a release
// only: a name in the repository that nobody owns yet is one that anybody could take.
//   node scripts/server-json.mjs NAMESPACE [NPM_PACKAGE]   such as io.github.somebody; without a package: metadata alone
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @param namespace in reverse order of a domain that the publisher owns
 * @param identifier the published npm package; its own `mcpName` has to be this server's name
 */
export function serverJson(namespace, identifier) {
  if (!/^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/.test(namespace))
    throw new Error(
      `${namespace} is no namespace: write a domain of yours in reverse order, such as io.github.somebody`,
    );
  const root = fileURLToPath(new URL("..", import.meta.url));
  const { name, version, description } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
  const packages = [
    {
      registryType: "npm",
      identifier,
      version,
      transport: { type: "stdio" },
      packageArguments: [{ type: "positional", value: "mcp" }],
    },
  ];
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `${namespace}/${name}`,
    title: "AoT Loop",
    description,
    version,
    ...(identifier === undefined ? {} : { packages }),
  };
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [namespace = "", identifier] = process.argv.slice(2);
  try {
    console.log(JSON.stringify(serverJson(namespace, identifier), null, 2));
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}
