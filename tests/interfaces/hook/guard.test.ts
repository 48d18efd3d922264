/** What the loop's agents may and may not do (SPEC section 10). */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AOT } from "../../../src/aot.ts";
import type { CommandSpec } from "../../../src/command/spec.ts";
import { decisionIn, guard } from "../../../src/interfaces/hook/guard.ts";
import { readHookInput, type HookInput } from "../../../src/interfaces/hook/hook-input.ts";
import { isToBeAsked, permissionFor } from "../../../src/interfaces/hook/permission.ts";
import { SESSION_COMMANDS } from "../../../src/interfaces/hook/spec.ts";
import { parseShell } from "../../../src/interfaces/hook/shell-words.ts";
import { realPath } from "../../../src/host/real-path.ts";
import { temporaryFolder } from "../../support/bundle.ts";

const project = realPath(temporaryFolder());
mkdirSync(join(project, ".claude", "aot-loop"), { recursive: true });
mkdirSync(join(project, "src"));
writeFileSync(join(project, ".claude", "aot-loop-state.md"), "");
symlinkSync(join(project, ".claude"), join(project, "src", "alias"));
symlinkSync("/", join(project, "src", "root"));
symlinkSync("/etc/passwd", join(project, "src", "link"));
symlinkSync("/etc/no-such-file", join(project, "src", "broken"));
mkdirSync(join(project, "src", "plain"));
const scope = { project, stateFile: join(project, ".claude", "aot-loop-state.md") };

function call(tool: string, tool_input: object, type: string | null, cwd = project): HookInput {
  const agent = type === null ? {} : { agent_id: "a1", agent_type: type };
  const input = { session_id: "S", cwd, hook_event_name: "PreToolUse", tool_name: tool, tool_input, ...agent };
  const read = readHookInput(JSON.stringify(input));
  if (read === null) throw new Error("not read");
  return read;
}
/** Command lines, three blanks or a line apart. */
const apart = (text: string): [string][] => Array.from(text.trim().split(/\s{3,}|\n\s*/), (line) => [line]);
const shell = (command: string, type: string | null = "aot-loop:worker"): string | null =>
  guard(call("Bash", { command }, type), scope);
const edit = (file_path: string, type: string | null = null, tool = "Write"): string | null =>
  guard(call(tool, { content: "x", file_path }, type), scope);

describe("SPEC 10: the loop's files are changed by aot alone", () => {
  test.each([
    [join(project, ".claude/aot-loop-state.md")],
    ...apart(`
      .claude/aot-loop-state.md   .claude/aot-loop-state.md.lock   src/../.claude/aot-loop/journal.jsonl
      src/alias/aot-loop/session
    `),
  ])("%s is not edited, not even by the main thread", (path) => {
    for (const tool of ["Write", "Edit", "MultiEdit", "NotebookEdit"]) expect(edit(path, null, tool)).toMatch("aot");
  });

  test.each([["src/a.ts"], [".claude/settings.json"], ["/etc/passwd"], ["docs/aot-loop-state.md"]])(
    "%s is nothing of the loop's",
    (path) => {
      expect(edit(path)).toBe(null);
    },
  );

  test.each(["Add File", "Update File", "Delete File", "Update File: src/a.ts\n*** Move to"])(
    "a patch by %j does not reach them either",
    (how) => {
      const patch = (path: string): string | null =>
        guard(call("apply_patch", { command: `*** Begin Patch\n*** ${how}: ${path}\n*** End Patch` }, null), scope);
      expect(patch(".claude/aot-loop-state.md")).toMatch("aot");
      expect(patch("src/b.ts")).toBe(null);
    },
  );

  test.each([
    ...apart(`
      echo x > .claude/aot-loop-state.md   sed -i s/a/b/ .claude/aot-loop-state.md
      cd .claude && rm aot-loop-state.md   cat x | tee .claude/aot-loop/journal.jsonl   rm -rf .claude/*
    `),
    ["python3 -c \"open('.claude/aot-loop-state.md','w')\""],
    ["cat <<'E' > .clau'de/aot-loop-'state.md\nx\nE"],
    ...apart(`
      cat $(echo .claude/aot-loop-state.md)   ls .claude/*.md | xargs rm   ls .claude && rm .claude/aot-loop-state.md
      sed -n w.claude/aot-loop-state.md x   sed -n -i 1p .claude/aot-loop-state.md
      sed -n 1p x > .claude/aot-loop-state.md
    `),
    ["sh <<E\nrm .claude/aot-loop-state.md\nE\nls .claude"],
    ...apart(`
      mv .claude/aot-loop/session x   aot verify command "rm .claude/aot-loop/session"
      sed -i s/a/b/ .CLAUDE/aot-loop-state.md   echo x > .cl$1aude/aot-l$@oop-state.md   echo x > $1.cl$'au'de/a
      rg --pre ./x y .claude
    `),
  ])("%s is refused", (command) => {
    expect(shell(command)).toMatch("aot");
    expect(shell(command, null)).toMatch("aot");
  });

  test.each([
    ...apart(`
      cat .claude/aot-loop-state.md | grep status   head -5 .claude/aot-loop-state.md 2>/dev/null
      echo made > made.txt && npm test   node -e "console.log(1)" > out.txt   ls .claude && npm test
      sed -n 1,20p .claude/CLAUDE.md   git commit -m "Enable AOT redirect"   grep -rn "AOT mode" src && npm test
      git log --grep "aot run"; npm test
    `),
    ["cat .claude/CLAUDE.md |\n head -3 && make"],
  ])("%s passes", (command) => {
    expect(shell(command)).toBe(null);
  });
});

describe("SPEC 4, 10: nobody but a person raises a limit, enters, redirects or confirms", () => {
  const commands = [
    ...apart(`
      aot redirect limit max_iterations 99   aot run --restart   aot session enter   aot session interrupt
      aot align x   npx aot redirect set goal x   sh -c 'aot redirect limit max_iterations 99'
      sh -c "aot  redirect limit max_iterations 99"   aot status; aot redirect limit max_iterations 99
      echo $(aot redirect remove A1)   /x/bin/aot redirect remove A1   aot --state-file x redirect remove A1
      aot state set-status completed --confirm   aot clean --all --yes   aot hook Stop   aot verify command "touch x"
      aot --json verify command ls   aot verify --timeout 5 command ls   aot verify --state-file other.md
      AOT redirect limit max_iterations 99   echo "aot redirect limit max_iterations 99" | sh
      echo "aot redirect limit max_iterations 99" |& bash
    `).flat(),
    'printf "aot redirect limit max_iterations 99" |\n sh',
    ...apart(`
      git grep -O"aot redirect limit max_iterations 99 #" foo
      git log --format='aot redirect limit max_iterations 99' --output=x.sh; sh x.sh
      a$1ot redirect limit max_iterations 99   echo aot redirect limit max_iterations 99 > x.sh; sh x.sh
    `).flat(),
    "sh <<E\naot redirect limit max_iterations 99\nE",
    ...apart(`
      git -c alias.x="!aot redirect limit max_iterations 99" x
      git commit -m x && aot redirect limit max_iterations 99   echo x; sh -c "aot redirect limit max_iterations 99"
    `).flat(),
  ];
  test.each(
    commands.flatMap((command) => ["worker", "probe", "verifier", "coordinator"].map((role) => [command, role])),
  )("%s by the %s is refused", (command, role) => {
    expect(shell(command, `aot-loop:${role}`)).not.toBe(null);
  });
  test("a command that runs what it gets is no sub-agent's, as the command table has them", () => {
    const named = (commands: readonly CommandSpec[], path: string): string[] =>
      commands.flatMap((one) => [
        ...(one.programs === "named" ? [`${path} ${one.name}`] : []),
        ...named(one.commands ?? [], `${path} ${one.name}`),
      ]);
    const lines = named(AOT.commands ?? [], "aot");
    expect(lines).toContain("aot verify command");
    for (const line of lines)
      for (const role of ["worker", "probe", "verifier", "coordinator"])
        expect([line, shell(`${line} x`, `aot-loop:${role}`)]).not.toEqual([line, null]);
  });
  test.each(commands.slice(0, 3).map((command) => [command]))(
    "%s by another agent is refused, by the person not",
    (command) => {
      expect(shell(command, "general-purpose")).not.toBe(null);
      expect(shell(command, "")).not.toBe(null);
      expect(shell(command, null)).toBe(null);
    },
  );
  test("a worker changes no atom, a coordinator splits and gives up; nobody says what an agent answered; all may look", () => {
    for (const report of ["aot atom update A1 resolved", 'aot binding add A1 --summary "x"'])
      for (const role of ["worker", "verifier", "coordinator"])
        expect(shell(report, `aot-loop:${role}`)).toMatch(`is not for the ${role}`);
    for (const change of [
      'aot atom decompose A1 --child A1a="x" --reason "y"',
      "aot or switch way B --reason no",
      "aot atom fail A1 --reason no",
    ]) {
      expect(shell(change)).toMatch("is not for the worker");
      expect(shell(change, "aot-loop:verifier")).toMatch("is not for the verifier");
      expect(shell(change, "aot-loop:coordinator")).toBe(null);
    }
    for (const look of ["aot state show --json", "aot verify", "aot status", "aot logs A1", "aot session work"])
      for (const role of ["worker", "verifier", "coordinator"]) expect(shell(look, `aot-loop:${role}`)).toBe(null);
    expect(shell("aot session judge --scores s.json", "aot-loop:verifier")).toBe(null);
    expect(shell("aot session judge --scores s.json", "aot-loop:coordinator")).not.toBe(null);
  });
  test("its reason may hold what a shell leaves alone", () => {
    for (const reason of ['"100 $"', '"a $. b"', "'costs $5'"])
      expect(shell(`aot atom fail A1 --reason ${reason}`, "aot-loop:coordinator")).toBe(null);
    expect(shell('aot atom fail A1 --reason "costs $5"', "aot-loop:coordinator")).toMatch("single quotes");
  });
  test.each(apart(`npm test   aot status > x   aot status | sh   aot atom fail $X --reason no   ls; aot status`))(
    "the coordinator runs aot alone: %s is refused",
    (command) => {
      expect(shell(command, "aot-loop:coordinator")).toMatch("coordinator");
    },
  );
  test("as tools of an MCP server the same commands are the same", () => {
    const offered = (name: string, type: string | null, input: object = {}): string | null =>
      guard(call(`mcp__plugin_x_aot__aot_${name}`, input, type), scope);
    for (const name of ["redirect_limit", "run", "align", "session_enter", "verify_command"])
      for (const role of ["worker", "coordinator", "verifier"])
        expect(offered(name, `aot-loop:${role}`)).not.toBe(null);
    for (const name of ["atom_update", "binding_add", "state_set_status"])
      expect(offered(name, "aot-loop:coordinator")).not.toBe(null);
    for (const name of ["atom_decompose", "atom_fail", "or_switch"]) {
      expect(offered(name, "aot-loop:worker")).not.toBe(null);
      expect(offered(name, "aot-loop:coordinator")).toBe(null);
      expect(offered(name, null)).toBe(null);
    }
    expect(offered("state_set_status", "aot-loop:coordinator", { confirm: true })).toMatch("person");
    for (const name of ["state_show", "status", "verify", "logs"]) expect(offered(name, "aot-loop:worker")).toBe(null);
  });
  test("the coordinator edits nothing", () => {
    expect(edit("src/a.ts", "aot-loop:coordinator")).toMatch("coordinator");
  });
});

describe("DECISION-1: what a person decides, typed by a model", () => {
  const decides = (command: string): string | null => decisionIn(call("Bash", { command }, null));

  test.each(
    apart(`
      aot align 'a goal' --check 'npm test' --yes   aot --state-file .claude/x.md align g
      aot redirect limit max_iterations 99   aot redirect --from changes.yaml --yes   aot phases approve review
      aot phases skip-gate review --reason x   aot rules disable no-rm
      aot session enter --take-over
      aot run 'a goal' --check true --yes   aot run --accept goal   aot verify --confirm   aot confirm it && npm test
      sh -c 'aot reject it'   cd src; "$HOME/bin/aot" ali''gn g   node plugin/lib/aot.cjs align g
      aot re$1direct --goal x   aot "re$@direct" --goal x   aot re\${X}direct --goal x   aot $X --goal x
      aot \`echo align\` g   aot $(echo align) g   aot --json re$1   aot phases $X review   aot verify --con$1firm
      a$1ot redirect --goal x   aot re$'direct' --goal x   aot$IFS'redirect' --goal x
      git grep -O"aot redirect --goal x #" foo   git grep --open-files-in-pager="aot redirect --goal x #" foo
      git grep --op="aot redirect --goal x #" foo   git grep -lO"aot redirect --goal x #" foo
      git log --format='aot redirect --goal x' --output=x.sh; sh x.sh
      git -c core.pager='aot redirect --goal x #' log   git -c diff.external='aot redirect --goal x #' diff --ext-diff
      git fetch --upload-pack='aot redirect --goal x #' .
      git archive --remote=. --exec='aot redirect --goal x #' HEAD   git rebase --exec 'aot redirect --goal x' HEAD~1
      git bisect run aot redirect --goal x   GIT_EDITOR='aot redirect --goal x #' git commit
      rg --pre 'aot redirect' x   less '+!aot redirect --goal x' y   test -v 'a[$(aot redirect --goal x)]'
    `),
  )("%s", (command) => expect(decides(command)).not.toBe(null));

  test.each(
    apart(`
      aot status   aot align --help   aot phases status   aot phases run --detach   aot rules list
      aot rules analyze --json   aot run --plan   aot session enter
      aot atom add B1 --description 'align the columns'   git commit -m 'aot align: say why'
      grep -rn 'aot redirect' docs   git grep -n 'aot redirect' docs   aot --state-file "$F" status   aot logs $ID
      aot atom add B1 --description "$(cat x)"   echo \`aot status\`   npx vitest run tests/align/aot.test.ts
    `),
  )("%s is none", (command) => expect(decides(command)).toBe(null));

  test("the same as tools of the server, in its list or not", () => {
    const by = (name: string, input: object = {}): string | null =>
      decisionIn(call(`mcp__plugin_x_aot__aot_${name}`, input, null));
    for (const name of ["align", "redirect", "redirect_limit", "phases_approve", "phases_skip_gate", "rules_disable"]) {
      expect([name, by(name)]).not.toEqual([name, null]);
      expect([name, by("more", { tool: `aot_${name}`, arguments: {} })]).not.toEqual([name, null]);
    }
    for (const name of ["status", "run", "phases_status", "rules_list"]) {
      expect([name, by(name)]).toEqual([name, null]);
      expect([name, by("more", { tool: `aot_${name}`, arguments: {} })]).toEqual([name, null]);
    }
    expect(by("more")).toBe(null);
  });

  test("every flag of the table that is a person's decision is one here", () => {
    const flags = (commands: readonly CommandSpec[], path: string): string[] =>
      commands.flatMap((one) => [
        ...(one.flags ?? []).flatMap(({ name }) =>
          /^(?:take-over|confirm|accept)$/.test(name) ? [`${path} ${one.name} --${name}`] : [],
        ),
        ...flags(one.commands ?? [], `${path} ${one.name}`),
      ]);
    const lines = flags(AOT.commands ?? [], "aot");
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect([line, decides(line)]).not.toEqual([line, null]);
  });
});

describe("SPEC 10: a worker need not ask for what stays in the project and is known to be harmless", () => {
  const agreed = ["npm test", "cd web && npx vitest run", 'test -z "$DEMO"'];
  const ask = (command: string, role = "worker", cwd = project): ReturnType<typeof permissionFor> =>
    permissionFor(call("Bash", { command }, `aot-loop:${role}`, cwd), scope, agreed);
  test.each([
    ...apart(`touch made.txt   mkdir -p a/b && cp src/a.ts a/b/c.ts   echo made > made.txt`),
    [`cat ${project}/x`],
    [`cd ${project} && ls -la src`],
    ...apart(`
      aot verify   cat src/a.ts | grep -n 'foo.*bar' | head -20   sed -n 1,20p src/a.ts
      git diff main..HEAD -- src/core/   git status --short; git log --oneline -5
      find . src/core -name '*.ts' -newer x   grep -rn '<div>' src   cat src/*.ts   ls *
    `),
    ["printf '%s: %5s%%\\n' a b"],
    ...apart(`[ -f src/a.ts ] && test src = lib || test -z x   diff src/a.ts src/b.ts   grep 'x$' src/a.ts`),
    // As the person agreed to them at the alignment.
    ...apart(`npm test 2>&1 > /dev/null   npm test 2>&1 | tail -20   cd web && npx vitest run   test -z "$DEMO"`),
  ])("%s is allowed", (command) => {
    expect(ask(command)).toEqual({ allow: true });
  });
  test.each([
    ...apart(`
      touch ../outside.txt   echo x > /etc/hosts   cat < /etc/passwd   cp a ~/.bashrc   cat src/../../x
      cat src/root/../etc/passwd /etc/passwd   cat s*/root/etc/passwd   cat src/link   touch src/root/etc/x   cd ..
      cd src && cat root/etc/passwd   grep -f/etc/passwd x   echo x > src/*/etc/x   cat src/root/../etc/passwd
      echo x > src/broken   cp src/a.ts src/broken   cat src/lin*   cat src/?ink   cat src/[l]ink   ls src/r*
      ls .cl*   grep -R x .   egrep -nR x src   grep --dereference-recursive x .   rg -L x   rg --follow x
      ls -RL src   ls --dereference -R .   find -L . -name x   find . -follow   find -files0-from list
      wc --files0-from=list   file --files-from list   diff -r src src/plain   diff src src/plain
    `),
    ["jq -n 'import \"../x\" as $x; $x'"],
    ["cat =ls"],
    // A shell expands all of these.
    ...apart(`
      echo x > $1/etc/x   echo x > "$1/etc/x"   cat $@/etc/passwd   cat $*/etc/passwd   cat "$9/etc/passwd"
      cat $"/etc/passwd"   cat $'/etc/passwd'   touch a$#/x
    `),
  ])("%s leads out of the project: the person is asked", (command) => {
    expect(ask(command)).toBe(null);
  });
  test.each([
    ...apart(`
      git reset --hard   git clean -fdxq   git stash -u   git -c core.pager=x log   git diff --output=src/a.ts
      git grep -Orm x   npx --yes x   terraform destroy   psql -c 'drop table'   rm -rf src   rm made.txt   node x.js
      node -e 'x'   python3 made.py   npm test -- --globalSetup ./x   npm run deploy   npx vitest run   X=1 npm test
      rm -rf $DIR   cat $(echo x)   cat x | xargs rm   find . -name x -delete   find . -name x -exec scp y host: +
      rg --pre ./x y   sed -i s/a/b/ src/a.ts   /usr/bin/cat x   ./build.sh   timeout 5 sh -c 'rm -rf ~'
      ln -s .claude x   cp x .git/hooks/pre-commit   cp -r made/. .   mv made/.git .   echo x > .claude/settings.json
    `),
    [`rm -rf ${project}/.git`],
    // A shell ends the first line there.
    ["echo \\\\\nrm -rf src"],
    ["echo $'\\'' ; rm -rf src ; echo $'\\'' '"],
    ["for x in a; do rm $x; done"],
    ["cat x; rm() { :; }; rm x"],
    // What sets a variable has the next command run another program.
    ...apart(`
      printf -v PATH %s bin; cat x   printf -vPATH %s bin; cat x   printf '%n' PATH; cat x
      printf 'bin%n' PATH; cat x   printf '%d' 'PATH=5'; cat x   test -v 'a[$(rm x)]'   [ -v 'a[\`rm x\`]' ]
      [ 'a[$(rm x)]' -eq 0 ]   [ 'PATH=5' -eq 5 ]; cat x   echo x {PATH}>made.txt; cat x
    `),
    ...[
      ..."read mapfile readarray getopts declare export local typeset readonly let unset hash alias".split(" "),
      ..."enable eval exec source . set shift shopt builtin command trap pushd popd coproc select case".split(" "),
    ].map((builtin) => [`${builtin} PATH=bin; cat x`]),
    ...apart(`
      ((PATH=5)); cat x   [[ PATH=5 -eq 5 ]]; cat x   PATH=bin cat x   PATH=bin; cat x
      for PATH in bin; do cat x; done   cd bin; cat x
    `),
    [""],
  ])("%s is left to the person", (command) => {
    expect(ask(command)).toBe(null);
  });
  test("the same line is not what was agreed in another folder", () => {
    expect(ask("ls", "worker", "/etc")).toBe(null);
    expect(ask("npm test", "worker", "/etc")).toBe(null);
    expect(ask("ls", "worker", join(project, "src"))).toEqual({ allow: true });
  });
  test("files by their path", () => {
    const of = (tool: string, input: object, role = "worker"): unknown =>
      permissionFor(call(tool, input, `aot-loop:${role}`), scope, agreed);
    expect(of("Write", { file_path: "src/new.ts" })).toEqual({ allow: true });
    for (const file_path of ["/etc/x", "src/root/etc/x", ".git/hooks/pre-commit", "made/.git/x", "~/x"])
      expect([file_path, of("Write", { file_path })]).toEqual([file_path, null]);
    expect(of("Glob", { pattern: "src/**" })).toEqual({ allow: true });
    expect(of("Glob", { pattern: "/etc/**" })).toBe(null);
    expect(of("WebFetch", { url: "http://x" })).toBe(null);
    expect(of("Read", { file_path: "src/a.ts" }, "probe")).toEqual({ allow: true });
    expect(of("Write", { file_path: "src/a.ts" }, "probe")).toBe(null);
  });

  describe.each(["probe", "verifier"])("a %s only reads", (role) => {
    const why = (tool: string, input: object): string | null => guard(call(tool, input, `aot-loop:${role}`), scope);
    const reads = (command: string): boolean => !isToBeAsked(call("Bash", { command }, `aot-loop:${role}`), scope);
    test.each(["cat src/a.ts | grep x", "git log -3", "aot verify --json", "find . -name '*.ts'"])("%s", (command) => {
      expect(ask(command, role)).toEqual({ allow: true });
      expect(reads(command)).toBe(true);
    });
    test.each(["rm -rf src", "echo x > src/a.ts", "touch made.txt", "npm test", "node -e 1", "cat $X"])(
      "%s is for the person to allow, whatever is allowed",
      (command) => {
        expect(ask(command, role)).toBe(null);
        expect(reads(command)).toBe(false);
      },
    );
    test("no file is changed", () => {
      for (const tool of ["Edit", "Write", "MultiEdit", "NotebookEdit"])
        expect(why(tool, { file_path: "src/a.ts" })).toContain("changes no file");
    });
  });
  test("what the verifier hands in", () => {
    expect(ask('aot session judge --scores - <<\'JSON\'\n{"a": {"passed": true}}\nJSON', "verifier")).toEqual({
      allow: true,
    });
  });
});

test("the help of `aot hook` names every event that the loop or a guard rule answers", () => {
  const events = (file: string): string[] =>
    [...readFileSync(`src/interfaces/hook/${file}.ts`, "utf8").matchAll(/ {4}case "(\w+)":/g)].map(
      ([, name = ""]) => name,
    );
  const [loop = "", rules = ""] = (SESSION_COMMANDS[0]?.description ?? []).join("").split("Of guard rules");
  expect(events("hook").filter((name) => !loop.includes(`${name},`) && !loop.includes(`${name};`))).toEqual([]);
  expect(events("rules").filter((name) => !rules.includes(`${name},`))).toEqual([]);
});

describe("shell words", () => {
  test("quotes, operators, redirections and here-documents", () => {
    expect(parseShell('a \'b c\' "d\\"e" f\\ g && h>i 2>&1 | j >> k;l <<E\nbody > x\nE\nm # n')).toEqual({
      commands: [
        { words: ["a", "b c", 'd"e', "f g"], outputs: [], piped: false },
        { words: ["h"], outputs: ["i"], piped: false },
        { words: ["j"], outputs: ["k"], piped: true },
        { words: ["l"], outputs: [], piped: false },
        { words: ["m"], outputs: [], piped: false },
      ],
      dynamic: false,
      fed: true,
    });
  });
  test.each([
    ...apart(
      `a $X   a $1   a "$9"   a $@   a $*   a $#   a $"b"   a $[1]   a \`b\`   a "$(b)"   a {b,c}   a 'b   a "b`,
    ),
    ["a <<E\n$X\nE"],
    ["a >"],
  ])("%s is not known before it runs", (text) => {
    expect(parseShell(text).dynamic).toBe(true);
  });
  test("any text is taken apart, and ends", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("ab '\"\\$`<>|&;(){}#\n\t2-E")), maxLength: 60 }),
        (text) => {
          const { commands } = parseShell(text);
          expect(commands.length).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: 5_000 },
    );
  });
  test("a word in single quotes is itself", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ minLength: 1 }).filter((s) => !s.includes("'") && !s.includes("\\\n")),
          { minLength: 1 },
        ),
        (words) => {
          const line = parseShell(`w ${words.map((word) => `'${word}'`).join(" ")}`);
          expect(line.dynamic).toBe(false);
          expect(line.commands.flatMap((command) => command.words)).toEqual(["w", ...words]);
        },
      ),
    );
  });
});
