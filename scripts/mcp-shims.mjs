// In place of the MCP package's own: it brings a JSON Schema validator of 300 KB for the answers to questions that a server
// asks a person (elicitation). `aot mcp` asks none.
export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("aot mcp asks no questions");
  }
}
