/**
 * Worlds whose goal is reached by who learns the right thing. A world is a list of pieces of work; each has a tag, and who
 * works on it does what its kind says:
 *
 * WORLDS-1 what has to be known is a word that belongs to the seed: nobody can guess it, and it is in nothing but the place
 *    that the world names;
 * WORLDS-2 a world is hopeless if and only if it says so: in every other one somebody who knows it all reaches the goal.
 */

/** Without the word it claims success, and the check says the word (`says`: where in its evidence). */
const byEvidence = (says, steps = 1) => ({ kind: "evidence", says, steps });
/** Without the word it claims success, and the check says nothing of use; alignment has the word. */
const byBrief = (field) => ({ kind: "brief", field });
/** It fails, and says the word. `half`: the word is the branch that keeps what was done. */
const byLesson = (more = {}) => ({ kind: "lesson", ...more });
const PLAIN = { kind: "plain" };
const byLuck = (rate) => ({ kind: "luck", rate });
const NEVER = { kind: "never" };

/** `planner`: "none", or what it adds to what it is told. `ways`: choices of an OR group that alignment gave. `escalate`: a stronger agent is named. */
export const WORLDS = [
  { name: "at once", family: "plain", pieces: [PLAIN] },
  { name: "four, one after another", family: "plain", pieces: [PLAIN, PLAIN, PLAIN, PLAIN] },
  { name: "a coin", family: "plain", pieces: [byLuck(0.5)] },
  { name: "three unlikely ones", family: "plain", pieces: [byLuck(0.3), byLuck(0.3), byLuck(0.3)] },

  { name: "last line", family: "evidence", pieces: [byEvidence("end")] },
  { name: "last line, no planner", family: "evidence", pieces: [byEvidence("end")], planner: "none" },
  { name: "in the middle", family: "evidence", pieces: [byEvidence("middle")] },
  { name: "in the middle, no planner", family: "evidence", pieces: [byEvidence("middle")], planner: "none" },
  { name: "a judge's reason", family: "evidence", pieces: [byEvidence("reason")] },
  { name: "a score's reason, no planner", family: "evidence", pieces: [byEvidence("scores")], planner: "none" },
  { name: "one behind another", family: "evidence", pieces: [byEvidence("middle", 2)] },
  { name: "one behind another, no planner", family: "evidence", pieces: [byEvidence("middle", 2)], planner: "none" },
  {
    name: "in two checks, no planner",
    family: "evidence",
    pieces: [byEvidence("end"), byEvidence("middle")],
    planner: "none",
  },

  { name: "clarification", family: "brief", pieces: [byBrief("clarifications")] },
  { name: "background", family: "brief", pieces: [byBrief("background_intent")] },
  { name: "deliverables", family: "brief", pieces: [byBrief("deliverables")] },
  { name: "out of scope", family: "brief", pieces: [byBrief("scope")] },
  { name: "original prompt", family: "brief", pieces: [byBrief("original_prompt")] },

  { name: "own failure", family: "lesson", pieces: [byLesson()] },
  { name: "own failure, of two", family: "lesson", pieces: [byLesson(), byLesson()] },
  { name: "kept branch", family: "lesson", pieces: [byLesson({ half: true })] },
  { name: "a rival's failure", family: "lesson", pieces: [{ kind: "ways", ways: [NEVER, byLesson()], shared: true }] },
  {
    name: "two rivals' failures",
    family: "lesson",
    pieces: [{ kind: "ways", ways: [NEVER, NEVER, byLesson()], shared: true }],
  },
  {
    name: "before a split",
    family: "lesson",
    pieces: [{ kind: "splits", parts: [byLesson()], after: 1, shared: true }],
  },

  { name: "given", family: "alternative", pieces: [{ kind: "ways", ways: [NEVER, PLAIN] }] },
  { name: "given, the third", family: "alternative", pieces: [{ kind: "ways", ways: [NEVER, NEVER, PLAIN] }] },
  { name: "by a worker's split", family: "alternative", pieces: [{ kind: "splits", parts: [NEVER, PLAIN], or: true }] },
  { name: "by a plan", family: "alternative", pieces: [{ kind: "hidden", parts: [NEVER, PLAIN], or: true }] },
  {
    name: "by the planner at a stall",
    family: "alternative",
    pieces: [{ kind: "stuck", parts: [PLAIN], advice: "alternative" }],
  },

  { name: "by the worker", family: "split", pieces: [{ kind: "splits", parts: [PLAIN, PLAIN, PLAIN] }] },
  { name: "by a plan", family: "split", pieces: [{ kind: "hidden", parts: [PLAIN, PLAIN] }] },
  {
    name: "by the planner at a stall",
    family: "split",
    pieces: [{ kind: "stuck", parts: [PLAIN, PLAIN], advice: "split" }],
  },

  { name: "one atom", family: "stronger", escalate: true, pieces: [{ kind: "hard" }] },
  { name: "one of three", family: "stronger", escalate: true, pieces: [PLAIN, { kind: "hard" }, PLAIN] },

  { name: "always the same reason", family: "never", hopeless: true, pieces: [NEVER] },
  { name: "always another reason", family: "never", hopeless: true, pieces: [{ kind: "never", varied: true }] },
  { name: "one of four", family: "never", hopeless: true, pieces: [PLAIN, NEVER, PLAIN, PLAIN] },
  { name: "says it is done", family: "never", hopeless: true, pieces: [{ kind: "liar" }] },
  { name: "says it is done, no planner", family: "never", hopeless: true, pieces: [{ kind: "liar" }], planner: "none" },
  { name: "splits without end", family: "never", hopeless: true, pieces: [{ kind: "endless" }] },
];
