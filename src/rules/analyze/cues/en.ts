/** What is said in English. */
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
  script: "latin",
  start: String.raw`(?:^|[,;:.–—!] ?-? ?|- |\b(?:but|and|so|please|ok|okay|just|also|again|then|though|next time|from now on|in (?:the )?future|hey|dude|said|to|you to|no) )`,
  cues: String.raw`
    correction 0.55 opening: ^(?:no+|nope|nah|noo+)\b[,.!: –—-]*(?!worries|worry|problem|rush|need|hurry|thanks|thank|idea|doubt|wonder|reason|matter|one\b|more\b|longer|that's (?:all|fine|ok|it|good)|comments? from me|¤?$)\S
    correction 0.5 opening: ^(?:no+|nope|stop)[.! ]*$
    correction 0.55 subject: <start>(?:do not|don'?t|never|stop|quit|avoid|not to) (?:ever |just |please |you (?:dare|ever) )?(?!${HARMLESS})\S
    correction 0.55: <start>(?:do not|don'?t|never|stop) (?:ever )?(?:do|doing|use|using|run|running|touch|touching|edit|editing|change|changing) (?:that|this|it|those|these)\b
    correction 0.6: <start>(?:never|don'?t) \S+.*\bagain\b
    correction 0.6 subject: \byou (?:can'?t|cannot|can not|must not|mustn't|may not|should not|shouldn't|must never|should never|aren't allowed|are not allowed)(?! have to| need| be able| worry)(?: \S+){1,}
    correction 0.5 subject: \b(?:isn't|is not|aren't|are not|not) (?:allowed|permitted|acceptable|ok|okay)\b|\b(?:forbidden|off[- ]limits|against our rules)\b
    correction 0.65: \b(?:that|this|it)(?:'s| is| was)(?: just| completely| totally| all| still| simply| plain)* (?:wrong|incorrect|not right|not correct|nonsense|garbage|not how)\b
    correction 0.7: ^(?:that's the |it's the |the )?wrong (?:file|branch|folder|directory|dir|db|database|table|env|environment|tool|command|package|version|repo|place|one|way|approach|server|port|flag)\b
    correction 0.8: \bnot what (?:i|we) (?:asked|wanted|meant|said|had in mind|need)
    correction 0.5 change: \byou(?:'ve| have)?(?: just| also| again| once again| accidentally| even| simply| went and)? (?:${DONE})\b
    correction 0.85: \byou (?:shouldn't|should not|should never|shouldnt|should not ever) have\b
    correction 0.75: \byou (?:were|weren't|are|aren't)(?: not)? supposed to\b|\bwas (?:only |just )?supposed to\b
    correction 0.75: \b(?:i|we|nobody)(?: did not| didn't| never|) (?:ask|asked|tell|told|want|wanted)(?: you)? (?:to|for)\b(?<=(?:not|n't|never|nobody) .*)
    correction 0.5 change asks: \bwhy (?:on earth |the hell |the fuck |the heck |in the world )?(?:did|do|are|would|were|have) you (?:even |just |still |again )*(?:chang|delet|remov|touch|edit|commit|push|skip|disabl|run|ran|install|renam|overwr|revert|mov|rewr|restart|kill|drop|wip|modif|force)
    correction 0.8 asks: \bwhy (?:on earth|the hell|the fuck|the heck|in the world) (?:did|do|are|would|were|have) you\b
    correction 0.55 asks: \b(?:use|run|try|call|take|edit|change|do|add|put|start|go|open|it with|with) (?:\S+ ){0,4}?instead\b
    correction 0.5 subject asks: \b(?:instead of|rather than) \S
    correction 0.5 subject: [, ]+(?:and )?not (?:in |with |by |to |on |the |from |a |via |for )*\S+(?: \S+)?[.!]*$
    correction 0.65: \bshould(?:'ve| have) (?:been|used|run|gone|asked|called|put)\b|\bshould be \S+(?: \S+){0,3},? not\b
    correction 0.3 subject: ^(?:please )?(?:use|run|take|try) \S+(?: \S+){0,3}$|<start>(?:please )?use (?:the )?\S+
    correction 0.6: \bi said\b(?! (?:earlier )?that i)|\bi only (?:wanted|asked|meant|said)\b
    correction 0.6: \b(?:ask|check with|tell)(?: me)? (?:first|before)\b|\bwithout (?:asking|permission|telling|my)\b|\b(?:unless|until) i (?:say|tell|ask)
    correction 0.55 subject: \bleave (?:\S+ ){1,4}(?:alone|to me|out|untouched|as)\b
    correction 0.55 subject: <start>not (?:to|the|on|in|with|from|that|this|my) \S
    correction 0.3 subject: <start>without (?:the |any |that )?\S+|<start>no \S+ (?:in|please)
    correction 0.45 subject: ^only (?!one\b|two\b|three\b|\d)(?:the |those |that |my )?\S|<start>only (?!one\b|two\b|three\b|\d)(?:ever )?\w+[ ]
    correction 0.3 subject: \b(?:we|our|everything|everybody|this (?:repo|repository|project|codebase|machine|team|package)|the (?:repo|project|team|codebase)|here)\b.*\b(?:use|uses|using|used|is on|are on|goes? through|go through|runs?|lives?|sits?|belongs?|has|write|stands?)\b
    correction 0.55 subject: \bi(?:'d| would)? (?:really |just |definitely )*(?:don't|do not|didn't|never|rather not) (?:want|like|need|have)\b
    correction 0.4 subject: \bthis is an? \S+ (?:project|repo|repository|codebase|workspace|monorepo)\b
    correction 0.5 subject: ^no (?!idea|rush|problem|worries|need|reason|doubt)\S+[.!]*$
    correction 0.55 change: <start>please no (?!rush|worries)\S+|<start>no (?!rush|worries|comment)\S+ please\b
    correction 0.5 subject: \b(?:build output|generated|auto-?generated|vendored|third[- ]party code|managed (?:in|by)|overwritten)\b
    correction 0.55 subject asks: ^(?:can|could|would|will) you (?:please )?(?:only|not|stop|avoid|rather|leave)\b|^would you mind (?:not|using|only)\b
    correction 0.42 subject: \bnobody should\b|\bforbids?\b|\bforbidden\b|\b(?:was|were)(?:n't| not) (?:part of|asked|meant|supposed)\b|\bonly(?:[,.!]|$)|<start>not (?:globally|by hand|like this|that way)\b
    correction 0.55 change: \bwe(?:'ve| have)? (?:all )?agreed\b|^not \S+!|^not \w+ly\b
    correction 0.52 change: \byou (?:need|have|ought) to (?:run|use|do|start|call|put|write|keep) (?:it|this|that|them)\b
    correction 0.5 subject: ^(?:no|only) (?!one\b|two\b|three\b|\d|idea|rush|problem|worries|need|reason|doubt|more)\S+(?: \S+){0,5}[.!]*$
    correction 0.5 subject: ^(?:please )?(?:drop|lose|get rid of|skip|leave out|cut) (?:the|that|those|these|all)\b
    correction 0.55 change: \bi(?:'d| would)(?: \w+ly)? (?:have (?:expected|preferred|thought|liked)|prefer|rather)\b
    correction 0.45 subject: \b(?:just |also |now )?(?:touched|deleted|removed|overwrote|killed|broke|wiped|messed up|created|stashed|reformatted) (?:a |an |the |my |our |all )?\S+
    correction 0.7 change: \bwhat i (?:actually |really )?(?:meant|said|asked)\b|\b(?:that|this|it)(?:'s| is) not (?:the|what|how|where|a)\b|\bi(?:'m| am| was) talking about\b
    correction 0.68 change: \b(?:this|that|it|they|we) should(?: not|n't) be\b|\bnot you \w+ing\b
    correction 0.5 change: ^(?:no,? |but )?i (?:actually |just )?mean[t]?\b
    correction 0.48 change asks: \bwhy (?:are|did|do|would) you \w+
    correction 0.5 change: \bbetter (?:not to|to not)\b
    correction 0.68 change: <start>(?:do not|don'?t|never) .* (?:as|because|since) (?:that|it|this|they|we)\b
    correction 0.66 change: \b(?:i want|i'd like|needs? to|live|put|keep)\b.*, (?:and )?not (?:just |only )?\S
    correction 0.68 change: ^\S+(?: \S+){0,3} (?:is|are) never\b
    correction 0.6 change: \bi(?:'d| would) (?:call|name)\b
    correction 0.7 change: \bshould \w+(?: \S+){0,6}?,? (?:and )?not (?:just |only )?\S
    correction 0.5 change: \bwon't work\b
    correction 0.6 change: \bso (?:that )?i (?:won't|don't) have to\b
    correction 0.55 change: ^(?:and |please )?remember to\b
    correction 0.62 change: \b(?:does not|doesn't) (?:look|sound|seem|feel) (?:right|rigth|correct)\b
    correction 0.6 change: \bis(?: still| also)? not (?:quite )?(?:correct|right)\b
    frustration 0.7 change asks: \bwhat are you doing\b
    correction 0.62 change: \b(?:is|was|are) (?:unnecessary|not needed|not necessary)\b|\b(?:does not|doesn't|didn't) need to (?:be |change)
    frustration 0.52 change asks: ^(?:oh,? |no,? )?(?:come on|seriously|for real)\b[,.!?]
    frustration 0.7 asks: \b(?:did|doing|do) (?:it|that|this) again\b|\bhow hard can (?:it|that) be\b
    revert 0.75 change: <start>(?:restore|bring back|go back to|keep) (?:the |my )?(?:old|original|previous|former|earlier)\b
    frustration 0.55 change asks: \b(?:wtf|ffs|fml|omfg|what the (?:hell|fuck|heck)|for (?:fuck'?s|god'?s|heaven'?s|christ'?s) sake|are you (?:kidding|serious|insane)|(?:gotta|got to) be kidding|god ?damn ?it|jesus christ|facepalm)\b
    frustration 0.3 change asks: \b(?:a+r+gh+|ugh+|gr+r|omg|oh my god|come on|seriously|damn|shit|fuck|fucking|crap|sigh)\b
    frustration 0.8 asks: \bhow (?:many times|often) (?:do|must|have|did|should|will) i\b
    frustration 0.8: \bfor the (?:last|third|fourth|fifth|tenth|hundredth|umpteenth|\d+th|nth) time\b
    frustration 0.75: \bi(?:'ve| have)? (?:already |just |literally |clearly |explicitly |specifically )+(?:told|said|asked|explained|mentioned)\b
    frustration 0.6 asks: \bi(?:'ve| have)? told you\b|\b(?:didn't i|did i not) (?:tell|say|ask|mention)\b
    frustration 0.7 asks: \b(?:you keep|you(?:'re| are) still|you still|why do you keep|(?<!can |could |should |please |if )you always|you constantly|you never listen)\b(?: on)?(?! \w+ing me happy)
    frustration 0.35 asks: ^(?!.*\btry\b).*\b(?:not again|yet again|again with|again)\b[!?.]*$
    revert 0.75 change: <start>(?:please )?(?:revert|undo|roll ?back|restore|back out|take back) (?:please )?(?:that|this|it|your|the last|the change|the edit|those|these|all of|all that|everything|what you|¤|\S+\.\w+)\b
    revert 0.7 change: ^i(?:'ve| have)? (?:just )?(?:reverted|removed|undone|undid|deleted|took out) (?:your|the|those|these|all|what)\b
    revert 0.75 change: <start>(?:revert|undo|roll ?back)(?: please)?[.! ]*$
    revert 0.75 change asks: ^(?:can|could|would|will) you (?:please )?(?:revert|undo|roll ?back|restore)\b
    revert 0.6 change: \b(?:put|roll|change|bring|move|turn|switch|take) \S+(?: \S+){0,3} back\b
    revert 0.7 change: \bback (?:to )?(?:the way|how|what|as|like) (?:it|they) (?:was|were)\b|\bliked it better before\b
  `,
  dampers: String.raw`
    0.2: ^(?:and |but |so |also )?(?:if|when|whenever|what if|suppose|supposing|imagine|say |let's say|assuming|unless|in case|should (?:a|an|the|someone|somebody)|what would|would it|how would|how could)\b
    0.3: \b(?:hypothetical(?:ly)?|theoretically|in theory|for example|e\.g\.|would (?:be|happen|have been))\b
    0.15: \b(?!i\b|you\b|we\b|second\b|never\b|not\b|just\b|already\b|literally\b|clearly\b|explicitly\b|specifically\b|only\b|what\b|have\b|'ve\b|ve\b)[\w']+ (?:says?|said|told|wrote|writes|thinks|thought|claims?|complained|complains|reviewed|remarked|asked|reported)\b
    0.25: \b(?:customers?|clients?|boss|colleagues?|coworkers?|reviewers?|reviewer's|somebody|someone|people|users?|visitors?|the docs?|documentation|the (?:logs?|error|ticket|issue|comment|old text|thread)|he|she)\b.*\b(?:should|must|never|not|don't|stop|wrong|want|wanted|can't|is|was|do|does)\b
    0.2: ^(?:now )?(?:(?:please|then|next|also|and|so|ok|okay|great|good|nice)[,.:]? )*(?:add|write|implement|create|build|document|explain|describe|design|draft|make sure|requirements?|show|support)\b(?!.*\binstead\b)
    0.3: ^(?:now|next|then|after that)\b|\bfor the next (?:step|part)\b[^,]*:
    0.3: \b(?:it|the \w+|a \w+|an \w+|which|that) (?:must|should|may|shall)(?: not| never)? (?!not\b|never\b|be\b|have)
    0.2: \b(?:nothing|not|isn't|never|n't)(?: really| actually| all)? (?:wrong|bad|incorrect)\b|\bcan't go wrong\b|\bwouldn't change\b
    0.3: \b(?:i|we) (?:used to|learned|once)\b|\blast (?:job|week|year|month)\b|\byesterday\b|\bback then\b
    0.2: ^(?:\S+,? )?(?:perfect|great|nice|awesome|lovely|wow|amazing|cool|excellent|brilliant|fantastic)\b(?!.*\b(?:but|however|except|though)\b)
    0.2: \b(?:so|really|that's|this is|very) (?:fast|quick|nice|good|great|cool|neat|clear|beautiful|clean|consistent)\b(?!.*\b(?:but|however|except|though)\b)
    0.15 message: \bmy (?:bad|fault|mistake|error|own fault)\b|\bi was wrong\b|\bi (?:told|gave|sent) you the wrong\b|\bby accident\b|\baccidentally hit\b|\bmisspoke\b|\bsorry,? i (?:meant|should)\b|\bi forgot to (?:tell|mention|say)\b|^oh no, i meant\b
    0.3 message: \b(?:out of curiosity|just curious|just wondering|i'm curious|just asking|for my understanding)\b
    0.3 message: \bhow (?:did|do) you do (?:that|it)\b|\bthat's (?:so |really |super )?(?:fast|amazing|incredible|brilliant|impressive)\b
    0.2: \b(?:no worries|never ?mind|don't worry|no problem|no rush)\b
    0.2: \b(?:keep yours|keep it|leave it as it is|stays as it is)\b
    0.4: \b(?:rate limits?|their|aws|azure|google|github|the (?:api|ci|network|vendor|server)|it) (?:is|are|again|stopped|keeps)\b
    0.5: \b(?:i|we) (?:don't|didn't|can't|couldn't) (?:think|believe|know|see|remember)\b|\byet[.!]*$|n't \S+(?: \S+)? yet\b
    0.25: ^(?:(?:ah|oh|so|ok|okay|and)[, ]+)*(?:so )?(?:i|we) (?:can|could|should|would|might)\b(?! have (?:expected|preferred|thought|liked))
    0.25: \bnot sure\b|\bdo you think\b|\bwonder(?:ing)? (?:if|whether)\b|\bwhat do you (?:think|make)\b
    0.4 message: \b(?:good to know|makes sense|got it)\b
  `,
  introduction: String.raw`\b(?:wrote|said|says|reviewed|commented|comments?|review|feedback|log|logs|output|error|message|messages|mail|email|ticket|issue|docs?|readme|guide|spec|requirements?|slack|thread|chat|printed|prints|paste|pasted|text|stack ?trace|traceback)\b[^.!?]*:\s*$`,
  apology: String.raw`^[^.!?]{0,60}\b(?:sorry|apologi[sz]e|apologies|my (?:mistake|bad|fault)|i should(?:n't| not)? have|i shouldn't|i was wrong)\b`,
  concepts: String.raw`
    \bmarkdown\b => \.mdx?\b
    \bcomments?\b => (?:^|\s)(?://|#(?!!)|/\*|<!--|--\s)
    \bemojis?\b => \p{Extended_Pictographic}
    \btests?\b => (?:^|[\\/_.])(?:tests?|specs?|__tests__)(?:[\\/_.]|$)|\btest\b
    \bforce[- ]?push => \bpush\b.*\s(?:-f|--force\S*)(?:\s|$)
    \bhooks?\b => --no-verify\b
    \b(?:delet|remov|wip|drop|eras)\w* => \brm\b|\bdelete\b|\bdrop\b|\bprune\b|\breset\b|\btruncate\b|\s-[dD]\b|\bclean\b
    \b(?:dbs?|databases?|tables?|schemas?|migrations?)\b => \b(?:psql|mysql|sqlite3?|prisma|migrate|migrations?|delete from|drop table|create table)\b
    \bvolumes?\b => --volumes\b|\s-v\b
    \bservices?\b => \bsystemctl\b|\bservice\b
    \b(?:all|whole|entire)\b => :all\b|--all\b
    \bimports?\b => \bimport\b|\brequire\(
    \bmerged\b => \bbranch\b.*\s-D\b
    \bprod(?:uction)?\b => \bprod(?:uction)?\b
  `,
};
