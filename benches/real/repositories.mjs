/**
 * Repositories that nobody here wrote, each with a commit of its history that mends something and brings a test. The loop
 * starts at the commit before it with the tests of the fix; its agent applies the rest of that commit.
 *
 * @typedef {object} Task
 * @property {string} name
 * @property {string} repository `owner/name` on GitHub
 * @property {string} fix commit
 * @property {readonly string[]} tests paths of the fix that are there before the work
 * @property {string} check of `aot run`; `{fixed}` is the tree of the fix
 * @property {readonly string[]} [install] what a person types in a fresh clone; `{venv}` is a folder beside it
 * @property {Readonly<Record<string, string>>} [submodules] those that a person fetches: path, `owner/name` on GitHub
 * @property {readonly string[]} [sparse] folders of a sparse checkout
 * @property {readonly string[]} [path] folders that lead PATH
 * @property {string} [timeout] of the check
 */

/** Where the build's own dependencies are not to be had, the file that an editable install makes. */
const PATH_FILE =
  "import os, site; open(os.path.join(site.getsitepackages()[0], 'project.pth'), 'w').write(os.path.abspath('src'))";
const EDITABLE = [
  "python3 -m venv {venv}",
  "{venv}/bin/pip install -q pytest",
  `{venv}/bin/pip install -q -e . || {venv}/bin/python -c "${PATH_FILE}"`,
];

/** @type {readonly Task[]} */
export const TASKS = [
  {
    name: "express",
    repository: "expressjs/express",
    fix: "18e5985b",
    tests: ["test/res.send.js"],
    check: "npm test -- --reporter dot",
    install: ["npm install --no-audit --no-fund"],
  },
  {
    name: "p-limit",
    repository: "sindresorhus/p-limit",
    fix: "ef37eb2",
    tests: ["test.js"],
    check: "npx --no-install ava",
    install: ["npm install --no-audit --no-fund"],
  },
  {
    name: "click, editable install",
    repository: "pallets/click",
    fix: "f316d5cb",
    tests: ["tests/test_termui.py"],
    check: "python -m pytest -q tests/test_termui.py",
    install: EDITABLE,
    path: ["{venv}/bin"],
  },
  {
    name: "click, sparse checkout",
    repository: "pallets/click",
    fix: "f316d5cb",
    tests: ["tests/test_termui.py"],
    sparse: ["src", "tests"],
    check: "python -m pytest -q tests/test_termui.py",
    install: EDITABLE,
    path: ["{venv}/bin"],
  },
  {
    name: "zod, pnpm workspace",
    repository: "colinhacks/zod",
    fix: "28e1ebd89",
    tests: ["packages/zod/src/v4/classic/tests"],
    check: "pnpm vitest run --typecheck.enabled=false packages/zod/src/v4/classic/tests/string.test.ts",
    install: [
      "npm install --prefix {venv} --no-audit --no-fund pnpm@10.12.1",
      "{venv}/node_modules/.bin/pnpm install --frozen-lockfile",
    ],
    path: ["{venv}/node_modules/.bin"],
    timeout: "5m",
  },
  {
    name: "mdx, npm workspace",
    repository: "mdx-js/mdx",
    fix: "c7479905",
    tests: ["packages/mdx/test/compile.js"],
    check: "npm run test-api --workspace packages/mdx",
    install: ["npm ci --ignore-scripts --no-audit --no-fund"],
  },
  {
    name: "yaml, submodules",
    repository: "eemeli/yaml",
    fix: "55e2079",
    tests: ["tests/doc/parse.ts"],
    submodules: { "docs-slate": "eemeli/yaml-docs" },
    check: "test -f docs-slate/config.rb && npx --no-install vitest run tests/doc/parse.ts",
    install: ["npm ci --no-audit --no-fund"],
  },
  {
    // Starts a process for each of its tests' files, and more.
    name: "semver, many processes",
    repository: "npm/node-semver",
    fix: "9c8692a",
    tests: ["test/fixtures/range-include.js", "test/fixtures/range-parse.js"],
    check: "npx --no-install tap",
    install: ["npm install --no-audit --no-fund"],
    timeout: "8m",
  },
  {
    name: "commander, many processes",
    repository: "tj/commander.js",
    fix: "63eed4aa",
    tests: ["tests/options.bool.combo.test.js"],
    check: "npx --no-install jest",
    install: ["npm install --no-audit --no-fund"],
    timeout: "8m",
  },
  {
    name: "koa, built by `prepare`",
    repository: "koajs/koa",
    fix: "863c211",
    tests: ["__tests__/response/body.test.js"],
    check: "npm test",
    install: ["npm ci --no-audit --no-fund"],
  },
  {
    name: "glob, whole suite",
    repository: "isaacs/node-glob",
    fix: "47473c0",
    tests: ["tap-snapshots/test/bin.ts.test.cjs", "test/bin.ts"],
    check: "npm test",
    install: ["npm ci --no-audit --no-fund"],
    timeout: "10m",
  },
  {
    name: "ws, whole suite",
    repository: "websockets/ws",
    fix: "a2f4e7c0",
    tests: ["test/receiver.test.js"],
    check: "npm test",
    install: ["npm install --no-audit --no-fund"],
  },
  {
    name: "yargs, built by `prepare`",
    repository: "yargs/yargs",
    fix: "437f3a4e",
    tests: ["test/helpers.mjs"],
    check: "npx --no-install mocha ./test/*.mjs --require ./test/before.mjs --timeout=24000 --check-leaks",
    install: ["npm install --no-audit --no-fund"],
    timeout: "10m",
  },
  {
    name: "pino, three files of tests",
    repository: "pinojs/pino",
    fix: "44f983e0",
    tests: ["test/escaping.test.js"],
    check: "npx --no-install borp test/escaping.test.js test/basic.test.js test/multistream.test.js",
    install: ["npm install --no-audit --no-fund"],
    timeout: "10m",
  },
  {
    name: "chai, built by its check",
    repository: "chaijs/chai",
    fix: "53f9484",
    tests: ["test/expect.js"],
    check: "npm run build && npm run test-node",
    install: ["npm ci --no-audit --no-fund"],
  },
  {
    name: "dayjs, one file of tests",
    repository: "iamkun/dayjs",
    fix: "99691c5f",
    tests: ["test/plugin/updateLocale.test.js"],
    check: "npx --no-install jest test/plugin/updateLocale.test.js",
    install: ["npm ci --no-audit --no-fund"],
    timeout: "10m",
  },
  {
    name: "cmark, built by cmake",
    repository: "commonmark/cmark",
    fix: "b320f408",
    tests: ["test/regression.txt"],
    check: "cmake -S . -B build && cmake --build build -j2 && ctest --test-dir build --output-on-failure",
    timeout: "10m",
  },
  {
    name: "mocha, unit tests",
    repository: "mochajs/mocha",
    fix: "35413b66",
    tests: ["test/unit/grep.spec.js"],
    check: "node bin/mocha.js --forbid-only test/unit/*.spec.js",
    install: ["npm ci --no-audit --no-fund"],
  },
  {
    name: "minimatch, whole suite",
    repository: "isaacs/minimatch",
    fix: "11d0df6",
    tests: ["test/nested-extglob.ts"],
    check: "npm test",
    install: ["npm ci --no-audit --no-fund"],
    timeout: "10m",
  },
  {
    name: "lodash, whole suite",
    repository: "lodash/lodash",
    fix: "879aaa931",
    tests: ["test/test.js"],
    check: "npm run test:main",
    install: ["npm ci --no-audit --no-fund"],
  },
  {
    name: "hono, whole suite, bun",
    repository: "honojs/hono",
    fix: "28a9c128",
    tests: ["src/helper/accepts/accepts.test.ts"],
    check: "npx --no-install vitest --run --project main",
    install: [
      "npm install --prefix {venv} --no-audit --no-fund bun@1.2.20",
      "{venv}/node_modules/.bin/bun install --frozen-lockfile",
    ],
    path: ["{venv}/node_modules/.bin"],
    timeout: "10m",
  },
  {
    name: "prettier, some of its tests, yarn 4",
    repository: "prettier/prettier",
    fix: "8e05b371ab",
    tests: ["tests/format/scss/atrule"],
    check: "yarn jest tests/format/scss tests/format/less",
    install: [
      "npm install --prefix {venv} --no-audit --no-fund @yarnpkg/cli-dist",
      "{venv}/node_modules/.bin/yarn install --immutable",
    ],
    path: ["{venv}/node_modules/.bin"],
  },
  {
    name: "more-itertools, whole suite",
    repository: "more-itertools/more-itertools",
    fix: "d992be0",
    tests: ["tests/test_more.py"],
    check: "python3 -m unittest -q",
  },
  {
    name: "jinja, whole suite",
    repository: "pallets/jinja",
    fix: "66587ce9",
    tests: ["tests/test_regression.py"],
    check: "python -m pytest -q",
    install: [...EDITABLE, "{venv}/bin/pip install -q markupsafe trio"],
    path: ["{venv}/bin"],
  },
  {
    name: "mux, whole suite, go",
    repository: "gorilla/mux",
    fix: "395ad81",
    tests: ["mux_test.go"],
    check: "go test ./...",
  },
  {
    name: "pflag, whole suite, go",
    repository: "spf13/pflag",
    fix: "298bcdf",
    tests: ["uint_slice_test.go"],
    check: "go test ./...",
  },
  {
    name: "rack, one file of tests, ruby",
    repository: "rack/rack",
    fix: "6e483c4e",
    tests: ["test/spec_mock_response.rb"],
    check: "ruby -Ilib test/spec_mock_response.rb",
  },
  {
    name: "test262, 57,000 files",
    repository: "tc39/test262",
    fix: "be13516fb6",
    tests: [],
    check: "git rev-parse HEAD^{tree} | grep {fixed}",
  },
];
