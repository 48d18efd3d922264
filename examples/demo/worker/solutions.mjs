/** What the demo's scripted agent does for each atom, by the atom's description. */
export const SOLUTIONS = {
  "Base62 encoding and decoding in src/base62.mjs (tests/base62.test.mjs)": {
    seconds: 1.6,
    cost: 0.03,
    summary: "Base62 with digits, lower case, upper case",
    test: "tests/base62.test.mjs",
    files: {
      "src/base62.mjs": `const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** A whole number from 0 as text: 61 is "Z", 62 is "10". */
export function encode(number) {
  let text = "";
  let rest = number;
  do {
    text = DIGITS[rest % 62] + text;
    rest = Math.floor(rest / 62);
  } while (rest > 0);
  return text;
}

/** The number that \`encode\` made a text of. */
export function decode(text) {
  let number = 0;
  for (const digit of text) {
    const value = DIGITS.indexOf(digit);
    if (value < 0) throw new Error(\`"\${digit}" is not a base62 digit\`);
    number = number * 62 + value;
  }
  return number;
}
`,
    },
  },
  "Parsing of target addresses in src/url.mjs (tests/url.test.mjs)": {
    seconds: 2.2,
    cost: 0.03,
    summary: "Normalises web addresses and refuses the rest",
    test: "tests/url.test.mjs",
    files: {
      "src/url.mjs": `/** The normal form of a web address; throws an Error that says what is wrong with anything else. */
export function parseTarget(text) {
  if (!URL.canParse(text)) throw new Error(\`\${JSON.stringify(text)} is not a web address\`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error(\`only http and https links are kept, not \${url.protocol}\`);
  return url.href;
}
`,
    },
  },
  "Storage: a log of links that survives a restart (tests/log.test.mjs)": {
    seconds: 1.2,
    cost: 0.02,
    answer: {
      split: [
        { id: "A11", description: "Appending a record to the log in src/log.mjs" },
        {
          id: "A12",
          description: "Reading the log back in src/log-reader.mjs (tests/log.test.mjs)",
          depends_on: ["A11"],
        },
      ],
      reason: "writing and reading are two sittings: the writer's format has to stand before a reader can be tested",
    },
  },
  "Appending a record to the log in src/log.mjs": {
    seconds: 1.4,
    cost: 0.02,
    summary: "One JSON line per record, appended",
    files: {
      "src/log.mjs": `import { appendFileSync } from "node:fs";

/** Adds a record to the end of the log: one JSON line. */
export function appendRecord(file, record) {
  appendFileSync(file, \`\${JSON.stringify(record)}\\n\`);
}
`,
    },
  },
  "Reading the log back in src/log-reader.mjs (tests/log.test.mjs)": {
    seconds: 1.5,
    cost: 0.03,
    summary: "Reads every whole line; a missing file is an empty log",
    test: "tests/log.test.mjs",
    files: {
      "src/log-reader.mjs": `import { existsSync, readFileSync } from "node:fs";

/** Every record of the log, oldest first; a log that does not exist yet is empty. */
export function readRecords(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
`,
    },
  },
  "A 16-bit hash of a text in src/hash.mjs": {
    seconds: 1.0,
    cost: 0.02,
    summary: "A 16-bit multiplicative hash",
    files: {
      "src/hash.mjs": `/** A number from 0 to 65,535 that depends on every character of the text. */
export function hash16(text) {
  let hash = 5381;
  for (const character of text) hash = (hash * 33 + character.codePointAt(0)) % 65_536;
  return hash;
}
`,
    },
  },
  "createIds in src/ids.mjs on that hash (tests/ids.test.mjs)": {
    seconds: 1.8,
    cost: 0.04,
    summary: "Ids are the base62 form of the address's hash",
    test: "tests/ids.test.mjs",
    files: {
      "src/ids.mjs": `import { encode } from "./base62.mjs";
import { hash16 } from "./hash.mjs";

/** A function that gives an address its id. */
export function createIds() {
  return (url) => encode(hash16(url));
}
`,
    },
  },
  "Ids from a counter: createIds in src/ids.mjs (tests/ids.test.mjs)": {
    seconds: 1.5,
    cost: 0.03,
    summary: "Ids count up; no two are the same",
    test: "tests/ids.test.mjs",
    files: {
      "src/ids.mjs": `import { encode } from "./base62.mjs";

/** A function that gives the next id; \`used\` is how many were given before. */
export function createIds(used) {
  let count = used;
  return () => encode(count++);
}
`,
    },
  },
  "The shortener in src/shortener.mjs: add and resolve (tests/shortener.test.mjs)": {
    seconds: 2.0,
    cost: 0.05,
    summary: "Adds and resolves links over the log",
    test: "tests/shortener.test.mjs",
    files: {
      "src/shortener.mjs": `import { createIds } from "./ids.mjs";
import { readRecords } from "./log-reader.mjs";
import { appendRecord } from "./log.mjs";
import { parseTarget } from "./url.mjs";

/** The links in a log file; every new one is in the file before its id is given out. */
export function openShortener(file) {
  const urlOf = new Map();
  const idOf = new Map();
  const remember = ({ id, url }) => {
    urlOf.set(id, url);
    idOf.set(url, id);
  };
  for (const record of readRecords(file)) remember(record);
  const nextId = createIds(urlOf.size);

  return {
    /** The id of an address; the one it has already, if it was added before. Throws for what is no web address. */
    add(text) {
      const url = parseTarget(text);
      const known = idOf.get(url);
      if (known !== undefined) return known;
      const record = { id: nextId(url), url };
      appendRecord(file, record);
      remember(record);
      return record.id;
    },
    /** The address behind an id, or null. */
    resolve: (id) => urlOf.get(id) ?? null,
  };
}
`,
    },
  },
  "The HTTP server in src/server.mjs (tests/server.test.mjs)": {
    seconds: 2.4,
    cost: 0.05,
    summary: "POST makes a link, GET follows it",
    test: "tests/server.test.mjs",
    files: {
      "src/server.mjs": `import { createServer as createHttpServer } from "node:http";
import { openShortener } from "./shortener.mjs";

const LONGEST_ADDRESS = 8_192;

/** POST / with an address in the body makes a link; GET /<id> follows it. */
export function createServer(file) {
  const links = openShortener(file);
  return createHttpServer(async (request, response) => {
    if (request.method === "POST") return await make(links, request, response);
    const target = links.resolve(request.url.slice(1));
    if (target === null) return answer(response, 404, { error: "there is no such link" });
    response.writeHead(302, { location: target }).end();
  });
}

async function make(links, request, response) {
  try {
    answer(response, 201, { id: links.add(await bodyOf(request)) });
  } catch (error) {
    answer(response, 400, { error: error.message });
  }
}

async function bodyOf(request) {
  let body = "";
  for await (const chunk of request) {
    body += chunk;
    if (body.length > LONGEST_ADDRESS) throw new Error(\`an address has at most \${LONGEST_ADDRESS} characters\`);
  }
  return body.trim();
}

function answer(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
`,
    },
  },
  "The command in src/cli.mjs (tests/cli.test.mjs)": {
    seconds: 1.7,
    cost: 0.03,
    summary: "add and get on the command line",
    test: "tests/cli.test.mjs",
    files: {
      "src/cli.mjs": `import { openShortener } from "./shortener.mjs";

const [file, command, argument] = process.argv.slice(2);
const links = file === undefined ? null : openShortener(file);

if (links !== null && command === "add" && argument !== undefined) {
  console.log(links.add(argument));
} else if (links !== null && command === "get" && argument !== undefined) {
  const url = links.resolve(argument);
  if (url === null) {
    console.error(\`there is no link \${argument} in \${file}\`);
    process.exitCode = 1;
  } else console.log(url);
} else {
  console.error("usage: cli.mjs FILE add ADDRESS | FILE get ID");
  process.exitCode = 2;
}
`,
    },
  },
  "Remove src/legacy.mjs, which nothing uses any more": {
    seconds: 0.9,
    cost: 0.01,
    summary: "Removed src/legacy.mjs",
    remove: ["src/legacy.mjs"],
  },
  "A usage page in docs/usage.md": {
    seconds: 1.1,
    cost: 0.02,
    summary: "How to use the library, the server and the command",
    files: {
      "docs/usage.md": `# Short links

    node src/cli.mjs links.jsonl add https://example.org/a/long/address
    node src/cli.mjs links.jsonl get 0

The server answers \`POST /\` (the address in the body) with \`{"id"}\`, and \`GET /<id>\` with a redirect.
`,
    },
  },
  judge: {
    seconds: 1.5,
    cost: 0.06,
    answer: {
      scores: [
        {
          criterion: "Readability",
          score: 4,
          reason: "src/shortener.mjs:7 openShortener keeps one thing and names it; src/cli.mjs:6 repeats a condition",
          quotes: [
            { file: "src/shortener.mjs", line: 7, text: "export function openShortener(file) {" },
            {
              file: "src/cli.mjs",
              line: 6,
              text: 'if (links !== null && command === "add" && argument !== undefined) {',
            },
          ],
        },
        {
          criterion: "Errors",
          score: 5,
          reason: "src/url.mjs:3 and src/base62.mjs:20 quote what was wrong; src/server.mjs:25 hands it to the caller",
          quotes: [
            {
              file: "src/url.mjs",
              line: 3,
              text: "if (!URL.canParse(text)) throw new Error(`${JSON.stringify(text)} is not a web address`);",
            },
            { file: "src/server.mjs", line: 25, text: "async function bodyOf(request) {" },
          ],
        },
      ],
    },
  },
};
