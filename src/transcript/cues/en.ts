import type { CueWords } from "../language.ts";

const DONE = [
  "deleted|removed|broke|broken|overwrote|overwritten|ignored|forgot|committed|pushed|skipped|dropped|wiped|killed",
  "ruined|destroyed|changed|touched|edited|renamed|hardcoded|hard-coded|duplicated|bypassed|disabled|messed|reformatted",
  "published|deployed|installed|merged|rewrote|replaced|moved|reverted|undid",
].join("|");
/** After "don't" and "never": not about what the agent does. */
const HARMLESS =
  "worry|forget|hesitate|mind|bother|you (?:think|know|agree)|think|believe|know|see|understand|change a thing|disappoint|seen|have to|need|want|like|get me wrong|sweat|care|be sorry|apologi[sz]e|know|remember|be shy|thank|panic|stop|saw|knew|thought|expected";

export const EN: CueWords = {
  code: "en",
  script: "latin",
  start:
    "(?:^|[,;:.–—!] ?-? ?|- |\\b(?:but|and|so|please|ok|okay|just|also|again|then|though|next time|from now on|in (?:the )?future|hey|dude|said|to|you to|no) )",
  cues: [
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
      pattern:
        "\\b(?:use|run|try|call|take|edit|change|do|add|put|start|go|open|it with|with) (?:\\S+ ){0,4}?instead\\b",
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
      pattern: "^only (?:the |those |that |my )?\\S|<start>only (?:ever )?\\w+ ",
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
      kind: "frustration",
      weight: 0.55,
      needs: "change",
      asks: true,
      pattern:
        "\\b(?:wtf|ffs|fml|omfg|what the (?:hell|fuck|heck)|for (?:fuck'?s|god'?s|heaven'?s|christ'?s) sake|are you (?:kidding|serious|insane)|(?:gotta|got to) be kidding|god ?damn ?it|jesus christ|facepalm)\\b",
    },
    {
      kind: "frustration",
      weight: 0.3,
      needs: "change",
      asks: true,
      pattern: "\\b(?:a+r+gh+|ugh+|gr+r|omg|oh my god|come on|seriously|damn|shit|fuck|fucking|crap|sigh)\\b",
    },
    {
      kind: "frustration",
      weight: 0.8,
      asks: true,
      pattern: "\\bhow (?:many times|often) (?:do|must|have|did|should|will) i\\b",
    },
    {
      kind: "frustration",
      weight: 0.8,
      pattern: "\\bfor the (?:last|third|fourth|fifth|tenth|hundredth|umpteenth|\\d+th|nth) time\\b",
    },
    {
      kind: "frustration",
      weight: 0.75,
      pattern:
        "\\bi(?:'ve| have)? (?:already |just |literally |clearly |explicitly |specifically )+(?:told|said|asked|explained|mentioned)\\b",
    },
    {
      kind: "frustration",
      weight: 0.6,
      asks: true,
      pattern: "\\bi(?:'ve| have)? told you\\b|\\b(?:didn't i|did i not) (?:tell|say|ask|mention)\\b",
    },
    {
      kind: "frustration",
      weight: 0.7,
      asks: true,
      pattern:
        "\\b(?:you keep|you(?:'re| are) still|you still|why do you keep|you always|you constantly|you never listen)\\b(?: on)?(?! \\w+ing me happy)",
    },
    { kind: "frustration", weight: 0.35, asks: true, pattern: "\\b(?:not again|yet again|again with|again)\\b[!?.]*$" },

    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern:
        "<start>(?:please )?(?:revert|undo|roll ?back|restore|back out|take back) (?:please )?(?:that|this|it|your|the last|the change|the edit|those|these|all of|all that|everything|what you|¤|\\S+\\.\\w+)\\b",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      pattern: "<start>(?:revert|undo|roll ?back)(?: please)?[.! ]*$",
    },
    {
      kind: "revert",
      weight: 0.75,
      needs: "change",
      asks: true,
      pattern: "^(?:can|could|would|will) you (?:please )?(?:revert|undo|roll ?back|restore)\\b",
    },
    {
      kind: "revert",
      weight: 0.6,
      needs: "change",
      pattern: "\\b(?:put|roll|change|bring|move|turn|switch|take) \\S+(?: \\S+){0,3} back\\b",
    },
    {
      kind: "revert",
      weight: 0.7,
      needs: "change",
      pattern: "\\bback (?:to )?(?:the way|how|what|as|like) (?:it|they) (?:was|were)\\b|\\bliked it better before\\b",
    },
  ],
  dampers: [
    {
      factor: 0.2,
      pattern:
        "^(?:and |but |so |also )?(?:if|when|whenever|what if|suppose|supposing|imagine|say |let's say|assuming|unless|in case|should (?:a|an|the|someone|somebody)|what would|would it|how would|how could)\\b",
    },
    {
      factor: 0.3,
      pattern:
        "\\b(?:hypothetical(?:ly)?|theoretically|in theory|for example|e\\.g\\.|would (?:be|happen|have been))\\b",
    },
    {
      factor: 0.15,
      pattern:
        "\\b(?!i\\b|you\\b|we\\b|never\\b|not\\b|just\\b|already\\b|literally\\b|clearly\\b|explicitly\\b|specifically\\b|only\\b|what\\b|have\\b|'ve\\b|ve\\b)[\\w']+ (?:says?|said|told|wrote|writes|thinks|thought|claims?|complained|complains|reviewed|remarked|asked|reported)\\b",
    },
    {
      factor: 0.25,
      pattern:
        "\\b(?:customers?|clients?|boss|colleagues?|coworkers?|reviewers?|reviewer's|somebody|someone|people|users?|visitors?|the docs?|documentation|the (?:logs?|error|ticket|issue|comment|old text|thread)|he|she)\\b.*\\b(?:should|must|never|not|don't|stop|wrong|want|wanted|can't|is|was|do|does)\\b",
    },
    {
      factor: 0.2,
      pattern:
        "^(?:now )?(?:(?:please|then|next|also|and|so|ok|okay|great|good|nice)[,.:]? )*(?:add|write|implement|create|build|document|explain|describe|design|draft|make sure|requirements?|show|support)\\b",
    },
    { factor: 0.3, pattern: "^(?:now|next|then|after that)\\b|\\bfor the next (?:step|part)\\b[^,]*:" },
    {
      factor: 0.3,
      pattern: "\\b(?:it|the \\w+|a \\w+|an \\w+|which|that) (?:must|should|may|shall)(?: not| never)? (?!be\\b|have)",
    },
    {
      factor: 0.2,
      pattern:
        "\\b(?:nothing|not|isn't|never|n't)(?: really| actually| all)? (?:wrong|bad|incorrect)\\b|\\bcan't go wrong\\b|\\bwouldn't change\\b",
    },
    {
      factor: 0.3,
      pattern:
        "\\b(?:i|we) (?:used to|learned|once)\\b|\\blast (?:job|week|year|month)\\b|\\byesterday\\b|\\bback then\\b",
    },
    {
      factor: 0.2,
      pattern:
        "^(?:\\S+,? )?(?:perfect|great|nice|awesome|lovely|wow|amazing|cool|excellent|brilliant|fantastic)\\b(?!.*\\b(?:but|however|except|though)\\b)",
    },
    {
      factor: 0.2,
      pattern:
        "\\b(?:so|really|that's|this is|very) (?:fast|nice|good|great|cool|neat|clear|beautiful|clean)\\b(?!.*\\b(?:but|however|except|though)\\b)",
    },
    {
      factor: 0.15,
      message: true,
      pattern:
        "\\bmy (?:bad|fault|mistake|error|own fault)\\b|\\bi was wrong\\b|\\bi (?:told|gave|sent) you the wrong\\b|\\bby accident\\b|\\baccidentally hit\\b|\\bmisspoke\\b|\\bsorry,? i (?:meant|should)\\b|\\bi forgot to (?:tell|mention|say)\\b|^oh no, i meant\\b",
    },
    {
      factor: 0.3,
      message: true,
      pattern: "\\b(?:out of curiosity|just curious|just wondering|i'm curious|just asking|for my understanding)\\b",
    },
    {
      factor: 0.3,
      message: true,
      pattern:
        "\\bhow (?:did|do) you do (?:that|it)\\b|\\bthat's (?:so |really |super )?(?:fast|amazing|incredible|brilliant|impressive)\\b",
    },
    { factor: 0.2, pattern: "\\b(?:no worries|never ?mind|don't worry|no problem|no rush)\\b" },
    { factor: 0.2, pattern: "\\b(?:keep yours|keep it|leave it as it is|stays as it is)\\b" },
    {
      factor: 0.4,
      pattern:
        "\\b(?:rate limits?|their|aws|azure|google|github|the (?:api|ci|network|vendor|server)|it) (?:is|are|again|stopped|keeps)\\b",
    },
    { factor: 0.5, pattern: "\\b(?:i|we) (?:don't|didn't|can't|couldn't) (?:think|believe|know|see|remember)\\b" },
    {
      factor: 0.25,
      pattern: "^(?:(?:ah|oh|so|ok|okay|and)[, ]+)*(?:so )?(?:i|we) (?:can|could|should|would|might)\\b",
    },
    {
      factor: 0.25,
      pattern: "\\bnot sure\\b|\\bdo you think\\b|\\bwonder(?:ing)? (?:if|whether)\\b|\\bwhat do you (?:think|make)\\b",
    },
    { factor: 0.4, message: true, pattern: "\\b(?:good to know|makes sense|got it)\\b" },
  ],
  introduction:
    "\\b(?:wrote|said|says|reviewed|commented|comments?|review|feedback|log|logs|output|error|message|messages|mail|email|ticket|issue|docs?|readme|guide|spec|requirements?|slack|thread|chat|printed|prints|paste|pasted|text|stack ?trace|traceback)\\b[^.!?]*:\\s*$",
  apology:
    "^[^.!?]{0,60}\\b(?:sorry|apologi[sz]e|apologies|my (?:mistake|bad|fault)|i should(?:n't| not)? have|i shouldn't|i was wrong)\\b",
  concepts: [
    { word: "\\bcomments?\\b", call: "(?:^|\\s)(?://|#(?!!)|/\\*|<!--|--\\s)" },
    { word: "\\btests?\\b", call: "(?:^|[\\\\/_.])(?:tests?|specs?|__tests__)(?:[\\\\/_.]|$)|\\btest\\b" },
    { word: "\\bforce[- ]?push", call: "\\bpush\\b.*\\s(?:-f|--force\\S*)(?:\\s|$)" },
    { word: "\\bhooks?\\b", call: "--no-verify\\b" },
    {
      word: "\\b(?:delet|remov|wip|drop|eras)\\w*",
      call: "\\brm\\b|\\bdelete\\b|\\bdrop\\b|\\bprune\\b|\\breset\\b|\\btruncate\\b|\\s-[dD]\\b|\\bclean\\b",
    },
    {
      word: "\\b(?:dbs?|databases?|tables?|schemas?|migrations?)\\b",
      call: "\\b(?:psql|mysql|sqlite3?|prisma|migrate|migrations?|delete from|drop table|create table)\\b",
    },
    { word: "\\bvolumes?\\b", call: "--volumes\\b|\\s-v\\b" },
    { word: "\\bservices?\\b", call: "\\bsystemctl\\b|\\bservice\\b" },
    { word: "\\b(?:all|whole|entire)\\b", call: ":all\\b|--all\\b" },
    { word: "\\bimports?\\b", call: "\\bimport\\b|\\brequire\\(" },
    { word: "\\bmerged\\b", call: "\\bbranch\\b.*\\s-D\\b" },
    { word: "\\bprod(?:uction)?\\b", call: "\\bprod(?:uction)?\\b" },
  ],
};
