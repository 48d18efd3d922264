import type { Damper } from "../language.ts";

/** English: questions, praise, other people's words, plans and a person's own mistakes. */
export const EN_DAMPERS: readonly Damper[] = [
  {
    factor: 0.2,
    pattern:
      "^(?:and |but |so |also )?(?:if|when|whenever|what if|suppose|supposing|imagine|say |let's say|assuming|unless|in case|should (?:a|an|the|someone|somebody)|what would|would it|how would|how could)\\b",
  },
  {
    factor: 0.3,
    pattern: "\\b(?:hypothetical(?:ly)?|theoretically|in theory|for example|e\\.g\\.|would (?:be|happen|have been))\\b",
  },
  {
    factor: 0.15,
    pattern:
      "\\b(?!i\\b|you\\b|we\\b|second\\b|never\\b|not\\b|just\\b|already\\b|literally\\b|clearly\\b|explicitly\\b|specifically\\b|only\\b|what\\b|have\\b|'ve\\b|ve\\b)[\\w']+ (?:says?|said|told|wrote|writes|thinks|thought|claims?|complained|complains|reviewed|remarked|asked|reported)\\b",
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
      "\\b(?:so|really|that's|this is|very) (?:fast|quick|nice|good|great|cool|neat|clear|beautiful|clean|consistent)\\b(?!.*\\b(?:but|however|except|though)\\b)",
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
  {
    factor: 0.5,
    pattern:
      "\\b(?:i|we) (?:don't|didn't|can't|couldn't) (?:think|believe|know|see|remember)\\b|\\byet[.!]*$|n't \\S+(?: \\S+)? yet\\b",
  },
  {
    factor: 0.25,
    pattern:
      "^(?:(?:ah|oh|so|ok|okay|and)[, ]+)*(?:so )?(?:i|we) (?:can|could|should|would|might)\\b(?! have (?:expected|preferred|thought|liked))",
  },
  {
    factor: 0.25,
    pattern: "\\bnot sure\\b|\\bdo you think\\b|\\bwonder(?:ing)? (?:if|whether)\\b|\\bwhat do you (?:think|make)\\b",
  },
  { factor: 0.4, message: true, pattern: "\\b(?:good to know|makes sense|got it)\\b" },
];
