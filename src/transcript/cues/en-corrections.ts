import type { Cue } from "../language.ts";

const DONE = [
  "deleted|removed|broke|broken|overwrote|overwritten|ignored|forgot|committed|pushed|skipped|dropped|wiped|killed",
  "ruined|destroyed|changed|touched|edited|renamed|hardcoded|hard-coded|duplicated|bypassed|disabled|messed|reformatted",
  "published|deployed|installed|merged|rewrote|replaced|moved|reverted|undid",
].join("|");
/** After "don't" and "never": not about what the agent does. */
const HARMLESS =
  "worry|forget|hesitate|mind|bother|you (?:think|know|agree)|think|believe|know|see|understand|change a thing|disappoint|seen|have to|need|want|like|get me wrong|sweat|care|be sorry|apologi[sz]e|know|remember|be shy|thank|panic|stop|saw|knew|thought|expected";

/** English: what is said against something that was done. */
export const EN_CORRECTIONS: readonly Cue[] = [
  {
    kind: "correction",
    weight: 0.55,
    needs: "opening",
    pattern:
      "^(?:no+|nope|nah|noo+)\\b[,.!: –—-]*(?!worries|worry|problem|rush|need|hurry|thanks|thank|idea|doubt|wonder|reason|matter|one\\b|more\\b|longer|that's (?:all|fine|ok|it|good)|comments? from me|¤?$)\\S",
  },
  { kind: "correction", weight: 0.5, needs: "opening", pattern: "^(?:no+|nope|stop)[.! ]*$" },
  {
    kind: "correction",
    weight: 0.55,
    needs: "subject",
    pattern: `<start>(?:do not|don'?t|never|stop|quit|avoid|not to) (?:ever |just |please |you (?:dare|ever) )?(?!${HARMLESS})\\S`,
  },
  {
    kind: "correction",
    weight: 0.55,
    pattern: `<start>(?:do not|don'?t|never|stop) (?:ever )?(?:do|doing|use|using|run|running|touch|touching|edit|editing|change|changing) (?:that|this|it|those|these)\\b`,
  },
  { kind: "correction", weight: 0.6, pattern: "<start>(?:never|don'?t) \\S+.*\\bagain\\b" },
  {
    kind: "correction",
    weight: 0.6,
    pattern:
      "\\byou (?:can'?t|cannot|can not|must not|mustn't|may not|should not|shouldn't|must never|should never|aren't allowed|are not allowed)(?! have to| need| be able| worry)(?: \\S+){1,}",
    needs: "subject",
  },
  {
    kind: "correction",
    weight: 0.5,
    needs: "subject",
    pattern:
      "\\b(?:isn't|is not|aren't|are not|not) (?:allowed|permitted|acceptable|ok|okay)\\b|\\b(?:forbidden|off[- ]limits|against our rules)\\b",
  },
  {
    kind: "correction",
    weight: 0.65,
    pattern:
      "\\b(?:that|this|it)(?:'s| is| was)(?: just| completely| totally| all| still| simply| plain)* (?:wrong|incorrect|not right|not correct|nonsense|garbage|not how)\\b",
  },
  {
    kind: "correction",
    weight: 0.7,
    pattern:
      "^(?:that's the |it's the |the )?wrong (?:file|branch|folder|directory|dir|db|database|table|env|environment|tool|command|package|version|repo|place|one|way|approach|server|port|flag)\\b",
  },
  { kind: "correction", weight: 0.8, pattern: "\\bnot what (?:i|we) (?:asked|wanted|meant|said|had in mind|need)" },
  {
    kind: "correction",
    weight: 0.5,
    needs: "change",
    pattern: `\\byou(?:'ve| have)?(?: just| also| again| accidentally| even| simply| went and)? (?:${DONE})\\b`,
  },
  {
    kind: "correction",
    weight: 0.85,
    pattern: "\\byou (?:shouldn't|should not|should never|shouldnt|should not ever) have\\b",
  },
  {
    kind: "correction",
    weight: 0.75,
    pattern: "\\byou (?:were|weren't|are|aren't)(?: not)? supposed to\\b|\\bwas (?:only |just )?supposed to\\b",
  },
  {
    kind: "correction",
    weight: 0.75,
    pattern:
      "\\b(?:i|we|nobody)(?: did not| didn't| never|) (?:ask|asked|tell|told|want|wanted)(?: you)? (?:to|for)\\b(?<=(?:not|n't|never|nobody) .*)",
  },
  {
    kind: "correction",
    weight: 0.5,
    needs: "change",
    asks: true,
    pattern:
      "\\bwhy (?:on earth |the hell |the fuck |the heck |in the world )?(?:did|do|are|would|were|have) you (?:even |just |still |again )*(?:chang|delet|remov|touch|edit|commit|push|skip|disabl|run|ran|install|renam|overwr|revert|mov|rewr|restart|kill|drop|wip|modif|force)",
  },
  {
    kind: "correction",
    weight: 0.8,
    asks: true,
    pattern: "\\bwhy (?:on earth|the hell|the fuck|the heck|in the world) (?:did|do|are|would|were|have) you\\b",
  },
  {
    kind: "correction",
    weight: 0.55,
    asks: true,
    pattern: "\\b(?:use|run|try|call|take|edit|change|do|add|put|start|go|open|it with|with) (?:\\S+ ){0,4}?instead\\b",
  },
  { kind: "correction", weight: 0.5, needs: "subject", asks: true, pattern: "\\b(?:instead of|rather than) \\S" },
  {
    kind: "correction",
    weight: 0.5,
    needs: "subject",
    pattern: "[, ]+(?:and )?not (?:in |with |by |to |on |the |from |a |via |for )*\\S+(?: \\S+)?[.!]*$",
  },
  {
    kind: "correction",
    weight: 0.65,
    pattern:
      "\\bshould(?:'ve| have) (?:been|used|run|gone|asked|called|put)\\b|\\bshould be \\S+(?: \\S+){0,3},? not\\b",
  },
  {
    kind: "correction",
    weight: 0.3,
    needs: "subject",
    pattern: "^(?:please )?(?:use|run|take|try) \\S+(?: \\S+){0,3}$|<start>(?:please )?use (?:the )?\\S+",
  },
  {
    kind: "correction",
    weight: 0.6,
    pattern: "\\bi said\\b(?! (?:earlier )?that i)|\\bi only (?:wanted|asked|meant|said)\\b",
  },
  {
    kind: "correction",
    weight: 0.6,
    pattern:
      "\\b(?:ask|check with|tell)(?: me)? (?:first|before)\\b|\\bwithout (?:asking|permission|telling|my)\\b|\\b(?:unless|until) i (?:say|tell|ask)",
  },
  {
    kind: "correction",
    weight: 0.55,
    needs: "subject",
    pattern: "\\bleave (?:\\S+ ){1,4}(?:alone|to me|out|untouched|as)\\b",
  },
  {
    kind: "correction",
    weight: 0.55,
    needs: "subject",
    pattern: "<start>not (?:to|the|on|in|with|from|that|this|my) \\S",
  },
  {
    kind: "correction",
    weight: 0.3,
    needs: "subject",
    pattern: "<start>without (?:the |any |that )?\\S+|<start>no \\S+ (?:in|please)",
  },
  {
    kind: "correction",
    weight: 0.45,
    needs: "subject",
    pattern:
      "^only (?!one\\b|two\\b|three\\b|\\d)(?:the |those |that |my )?\\S|<start>only (?!one\\b|two\\b|three\\b|\\d)(?:ever )?\\w+ ",
  },
  {
    kind: "correction",
    weight: 0.3,
    needs: "subject",
    pattern:
      "\\b(?:we|our|everything|everybody|this (?:repo|repository|project|codebase|machine|team|package)|the (?:repo|project|team|codebase)|here)\\b.*\\b(?:use|uses|using|used|is on|are on|goes? through|go through|runs?|lives?|sits?|belongs?|has|write|stands?)\\b",
  },

  {
    kind: "correction",
    weight: 0.55,
    needs: "subject",
    pattern:
      "\\bi(?:'d| would)? (?:really |just |definitely )*(?:don't|do not|didn't|never|rather not) (?:want|like|need|have)\\b",
  },
  {
    kind: "correction",
    weight: 0.4,
    needs: "subject",
    pattern: "\\bthis is an? \\S+ (?:project|repo|repository|codebase|workspace|monorepo)\\b",
  },
  {
    kind: "correction",
    weight: 0.5,
    needs: "subject",
    pattern: "^no (?!idea|rush|problem|worries|need|reason|doubt)\\S+[.!]*$",
  },
  {
    kind: "correction",
    weight: 0.55,
    needs: "change",
    pattern: "<start>please no (?!rush|worries)\\S+|<start>no (?!rush|worries|comment)\\S+ please\\b",
  },
  {
    kind: "correction",
    weight: 0.5,
    needs: "subject",
    pattern:
      "\\b(?:build output|generated|auto-?generated|vendored|third[- ]party code|managed (?:in|by)|overwritten)\\b",
  },
  {
    kind: "correction",
    weight: 0.55,
    needs: "subject",
    asks: true,
    pattern:
      "^(?:can|could|would|will) you (?:please )?(?:only|not|stop|avoid|rather|leave)\\b|^would you mind (?:not|using|only)\\b",
  },
  {
    kind: "correction",
    weight: 0.42,
    needs: "subject",
    pattern:
      "\\bnobody should\\b|\\bforbids?\\b|\\bforbidden\\b|\\b(?:was|were)(?:n't| not) (?:part of|asked|meant|supposed)\\b|\\bonly(?:[,.!]|$)|<start>not (?:globally|by hand|like this|that way)\\b",
  },
  {
    kind: "correction",
    weight: 0.55,
    needs: "change",
    pattern: "\\bwe(?:'ve| have)? (?:all )?agreed\\b|^not \\S+!|^not \\w+ly\\b",
  },
  {
    kind: "correction",
    weight: 0.52,
    needs: "change",
    pattern: "\\byou (?:need|have|ought) to (?:run|use|do|start|call|put|write|keep) (?:it|this|that|them)\\b",
  },
  {
    kind: "correction",
    weight: 0.5,
    needs: "subject",
    pattern:
      "^(?:no|only) (?!one\\b|two\\b|three\\b|\\d|idea|rush|problem|worries|need|reason|doubt|more)\\S+(?: \\S+){0,5}[.!]*$",
  },
  {
    kind: "correction",
    weight: 0.5,
    needs: "subject",
    pattern: "^(?:please )?(?:drop|lose|get rid of|skip|leave out|cut) (?:the|that|those|these|all)\\b",
  },
  {
    kind: "correction",
    weight: 0.55,
    needs: "change",
    pattern: "\\bi(?:'d| would) (?:have (?:expected|preferred|thought|liked)|prefer|rather)\\b",
  },
  {
    kind: "correction",
    weight: 0.45,
    needs: "subject",
    pattern:
      "\\b(?:just |also |now )?(?:touched|deleted|removed|overwrote|killed|broke|wiped|messed up|created|stashed|reformatted) (?:a |an |the |my |our |all )?\\S+",
  },
];
