/** The example of `aot align --from` in its help and in docs/configuration.md; a test reads it. */
export const FROM_EXAMPLE = `goal: "Log in with a token"
background_intent: "Scripts cannot type passwords."
deliverables: "src/token.js, its tests, a page about it"
definition_of_done: "A script logs in with a token."
clarifications:
  - { question: "Which algorithm?", resolution: "HS256" }
scope: { in_scope: ["login"], out_of_scope: ["refresh tokens"] }
protected: ["LICENSE"] # no work may change these
constraints: { max_iterations: 10, max_cost_usd: 5, max_duration: 2h, max_attempts_per_atom: 3 }
base_case: # all of them; {item, any_of: [...]} needs one
  - { type: command, value: npm test, baseline: pass, timeout: 600 } # passes now, has to stay so
  # with old failures: {type: command, value: npx mocha, expect: no_worse, must_pass: ["logs in"]}
  - command: node --test test/token.test.js
  - { type: command, value: npm run lint, baseline: pass, allow_changed: [test/setup.js] }
  - item: "There is a page about it"
    any_of: ["file: docs/token.md", "contains: ## Tokens in README.md"]
  - item: "The page reads well"
    check:
      type: quality
      scope: docs/token.md
      rubric:
        - { criterion: clear, description: "A newcomer can follow it", weight: 2, levels: { 1: "no", 5: "at once" } }
        - { criterion: complete, weight: 1 }
      pass_threshold: 4
atoms:
  - { id: A1, description: "User model", criteria: "command: node --test test/user.test.js" }
  - { id: A2, description: "Sign tokens with node:crypto", depends_on: [A1], probe: true }
  - { id: A3, description: "Sign tokens with a library", depends_on: [A1], touches: [package.json] }
  - { id: A4, description: "Log in with a token", depends_on: [A2], criteria: "A request with a token is let in." }
or_groups: { signing: [A2, A3] } # A3 is done only if A2 fails
`;
