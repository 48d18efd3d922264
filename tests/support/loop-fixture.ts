/** A small loop as a file, for tests of the command as a process: resolved, running, waiting, split and alternative atoms. */
export const LOOP = `---
objective:
  goal: "Log in with a token"
  base_case:
    checklist:
      - item: "Login exists"
        check:
          type: file
          value: "src/login.js"
      - item: "Node runs"
        check:
          type: command
          value: "node --version"
  background_intent: "Existing users log in"
  deliverables: "A login module"
  definition_of_done: "The login module is there"
  constraints:
    max_iterations: 20
    max_parallel_agents: 3
    max_stall_count: 3

control:
  status: running
  iteration: 2
  stall_count: 0
  prev_pending_count: 4
  stop_requested: false
  stop_reason: null
  redirect_requested: false

atoms:
  - id: A1
    description: "User model"
    status: pending
    depends_on: []
  - id: A2
    description: "Session store"
    status: pending
    depends_on: [A1]
  - id: A3
    description: "Password hashing"
    status: resolved
    depends_on: []
  - id: A4
    description: "Signed tokens"
    status: pending
    depends_on: []
    or_group: token_method
  - id: A4_alt
    description: "Server sessions"
    status: pending
    depends_on: []
    or_group: token_method
  - id: A5
    description: "Login endpoint"
    status: pending
    depends_on: [A3, A4]
  - id: A6
    description: "Audit log"
    status: pending
    depends_on: []

decompositions: []
or_groups:
  token_method:
    choices: [A4, A4_alt]
    selected: A4
    failed: []
bindings:
  A3:
    summary: "bcrypt"
    artifacts: ["src/auth.js"]
trail: []
corrections: []
---

# Original Prompt

Please let users log in.
`;
