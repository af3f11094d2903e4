import type { CueWords } from "./cue-words.ts";

const it = "(?:this|it|that|here|the|my|our|these|doing this|doing it|with this)";
const exercise = "(?:(?:guided |breathing |grounding |values )?exercises?|grounding|breathing|thought record|values compass|practice)";
const companion = "(?:(?:can|could|would|will) you (?:please )?|please |i (?:want|need|'d like|would like) you to |i'd like you to )";

export const english: CueWords = {
  before:
    "(?:(?:ok|okay|well|so|um+|uh+|hm+|sorry|please|hey|hi|no|yes|yeah|yep|actually|honestly|i think|and|but|then|oh|ah|right|now|maybe|just|alright|sure)[,.]? )",
  after: "(?: (?:please|now|right now|for now|for today|today|thanks|thank you|sorry|again|then|yet|really|actually|i think|i guess|to be honest))",
  cues: {
    exit_clear: [
      `(?:(?:can|could|may|shall|should) (?:we|i) |let'?s |let us |i (?:want|need|wanna|would like|'d like|prefer) (?:to )?|i'd (?:like|prefer|rather) (?:to )?|please )?(?:stop|quit|end|exit|leave|cancel|abort|drop|finish) (?:with )?(?:(?:this|the|that|our) )?(?:whole )?${exercise}(?: .{0,60})?`,
      `i (?:don'?t|do not) (?:want|feel like|wanna|like) (?:to )?(?:do(?:ing)?|continue|continuing|finish(?:ing)?)?(?: with)? ?(?:(?:this|the|that|any|any more|another) )?${exercise}(?: any ?more| any longer)?`,
      `(?:no more|enough) (?:of (?:this|the) )?${exercise}`,
      `i(?:'m| am) (?:done|finished) with (?:this|the|that) ${exercise}`,
      "i(?:'d| would)? (?:rather|prefer to|want to|like to) (?:just )?talk(?: about .{1,60})? instead",
    ],
    exit: [
      "i'?ll (?:stop|leave it|quit|end|leave)(?: (?:it|this))?(?: (?:here|now|there|at that))?",
      "i(?:'m| am) (?:stopping|quitting|leaving)(?: .{0,20})?",
      "i (?:have|need|got|'ve got|gotta) (?:to )?(?:go|stop|leave|run)(?: .{0,30})?",
      ...[
        "stop",
        "quit",
        "exit",
        "cancel",
        "enough",
        "that'?s enough",
        "i'?ve had enough",
        "end",
        "i'm out",
        "forget it",
        "never ?mind",
        "leave it",
        "drop it",
        "(?:just )?leave me (?:alone|be|in peace)",
      ],
      `(?:let'?s |let us |(?:can|could|may|shall) (?:we|i) )?(?:stop|quit|end|leave|cancel|drop|pause)(?: ${it})?`,
      `i (?:want|need|wanna|would like|'d like) (?:to )?(?:stop|quit|end|leave|cancel|get out)(?: of)?(?: ${it})?(?: and .{1,80})?`,
      `i'd (?:like|prefer|rather) (?:to )?(?:stop|quit|end|leave|not|talk|do something else)(?: ${it})?(?: (?:and|about) .{1,80})?`,
      `i (?:don'?t|do not) (?:want|wanna|feel like|like) (?:to )?(?:do |doing |continue |continuing |go on |going on |keep going |carry on )?(?:with )?(?:${it}|to)?(?: any ?more| any longer)?`,
      "i (?:don'?t|do not) (?:want to|wanna|feel like) (?:continue|continuing|go on|going on|keep going|carry on)(?: any ?more| any longer)?",
      ...["no more", "no thanks?(?: you)?", "no thank you", "not now", "not today", "maybe later", "later", "another time", "some other time"],
      ...["this is(?: not|n'?t) for me", "it'?s not for me", "i(?:'m| am) (?:done|finished) with (?:this|it|that)"],
      "(?:can|could) we (?:do|talk about|try) something else(?: instead)?",
    ],
    unwell: [
      "(?:now |and |but |just |it'?s just )?(?:i )?(?:'?m |am |i'm )?(?:feel(?:ing)?|getting|get|got|becoming)?(?: a bit| a little| really| very| so| even| kind of| actually| much| quite)* ?(?:worse|dizzy|light-?headed|faint|nauseous|sick|panicky|unwell|more (?:anxious|scared|tense|panicky|nervous|stressed|upset))(?: (?:now|than before|from this|doing this|than ever|because of .{1,30}))?",
      "(?:it|this|that|the breathing|the exercise)(?:'?s| is)? (?:mak(?:es|ing)|made|gets?|getting|feels?|got)(?: me| it| everything| things)?(?: feel)?(?: a bit| a little| really| even| much| more| so)* ?(?:worse|dizzy|anxious|panicky?|nervous|tense|sick|scared|bad|upset)",
      "i (?:can'?t|cannot|can not) (?:breathe|catch my breath|get (?:any |enough )?air)(?: .{0,30})?",
      "(?:it|this|my (?:chest|head|heart)) hurts(?: .{0,30})?|my (?:heart|chest) (?:is |feels? )?(?:racing|pounding|tight)(?: .{0,30})?|i(?:'m| am) (?:shaking|hyperventilating|panicking|having a panic attack)(?: .{0,30})?",
    ],
    stuck: [
      ...[
        "i(?:'m| am)?(?: really| kind of| a bit)? (?:stuck|lost|blocked)",
        "stuck",
        "no idea",
        "no clue",
        "nothing",
        "there(?:'s| is) nothing(?: .{0,30})?",
      ],
      "i (?:really )?(?:can'?t|cannot|can not|couldn'?t)(?: do(?: this| it| that)?| think(?: of (?:any|a|one|more|another|what).{0,40})?| find (?:any|one|more|the words).{0,30}| (?:see|hear|feel|smell|taste|name) (?:any|one|more|a single).{0,40}| come up with .{1,40}| breathe like (?:this|that)| do any of (?:this|it))?",
      "i (?:really )?(?:don'?t|do not|dunno)(?: know)?(?: (?:what|how)(?: to .{1,40}| else.{0,30})?)?",
      "i (?:don'?t|do not) (?:understand|get)(?: (?:this|it|that|the .{1,30}|what .{1,40}))?",
      "(?:it|this|that)(?:'s| is)(?: just| really| very| so)? (?:too )?(?:hard|difficult|much|confusing)(?: for me)?",
      "(?:(?:it|this|that)(?:'s| is)(?: just| really| very| so| all)? )?(?:boring|silly|stupid|dumb|pointless|useless|ridiculous|a waste of time)",
      "(?:it|this|that) (?:isn'?t|is not|does ?n'?t|doesn'?t) (?:working|helping|work|help)(?: (?:for me|at all))?",
      ...[
        "nothing comes(?: to (?:me|mind))?",
        "my mind is blank",
        "i(?:'m| am) (?:drawing a blank|struggling)(?: .{0,30})?",
        "(?:can|could) you help(?: me)?(?: with (?:this|it|that))?",
      ],
      ...[
        "help",
        "help me",
        "i need help(?: with (?:this|it|that))?",
        "i (?:struggle|fail)(?: with (?:this|it))?",
        "it makes me (?:more|even more) (?:anxious|nervous|tense)",
      ],
    ],
    hold: [
      ...[
        "(?:i )?(?:got|was|am|i'm|getting|i got)? ?(?:a bit |so |really )?distracted(?: .{0,40})?",
        "where (?:were|was|did) we(?: .{0,20})?",
        "where we left off",
        "same step",
      ],
      ...[
        "repeat(?: (?:that|it|this|the step|the question|please))?",
        "(?:can|could) you (?:please )?(?:repeat|say)(?: (?:that|it|this|the step|the question))?(?: again)?",
      ],
      ...[
        "say (?:that|it) again",
        "again|(?:one|once) more(?: time)?|from the (?:beginning|start|top)",
        "(?:what|which) step (?:am i|are we|is (?:this|it)|was (?:that|it))(?: on| at)?",
        "restart",
        "start over",
        "(?:can|could) we (?:restart|start over|start again|do that again)",
        "wait",
        "hang on",
        "hold on",
      ],
      ...[
        "one (?:moment|second|minute|sec)",
        "just a (?:moment|second|minute|sec)",
        "a (?:moment|second|minute|sec)",
        "give me a (?:moment|second|minute|sec|little time)",
      ],
      ...[
        "(?:i'?m |i am )?not yet",
        "i(?:'m| am) not (?:ready|done|finished)(?: yet)?",
        "not (?:ready|done|finished)",
        "(?:i(?:'m| am) )?still (?:working|doing|thinking|trying|at it|going|looking|here)(?: .{0,30})?",
      ],
      ...[
        "i lost (?:count|track|my place)",
        "let me (?:think|try|see|look)(?: .{0,30})?",
        "what was (?:that|the (?:step|question))",
        "i(?:'m| am) (?:trying|thinking|working on it)",
        "no",
      ],
    ],
    skip: [
      "(?:(?:can|could|may) (?:we|i) |let'?s |i (?:want|would like|'d like) to |i'd like to )?(?:skip|pass)(?: (?:this|it|that|on this|this one|that one|the step|this step|this question))?",
    ],
    advance: [
      ...[
        "next(?: step| one)?",
        "(?:the )?next (?:step|one|thing)",
        "(?:one more|another|one other) step",
        "(?:let'?s |i want to |can we |could we |we can |please )?(?:move|go|carry) on(?: to the next.{0,15})?",
      ],
      ...[
        "(?:let'?s |i want to |can we |please )?(?:keep going|continue|proceed)(?: with (?:this|it))?",
        "what(?:'s| is) next",
        "what now",
        "what comes next",
        "go ahead",
        "onwards?",
      ],
      "(?:i'?m |i am )?ready for (?:the )?(?:next|more)(?: (?:step|one))?",
    ],
    yes: [
      ...[
        "done",
        "(?:i'?m |i am |all )done",
        "(?:i )?did(?: it| that| this| so)?",
        "i(?:'ve| have)(?: done (?:it|that|this))?",
        "(?:i'?m |i am )?(?:finished|through|ready)",
        "(?:ok|okay|k|yes|yep|yeah|yup|sure|alright|all right|got it|check|complete|completed|y|aye)",
      ],
      ...[
        "(?:i )?finished(?: it| that)?",
        "i(?:'ve| have) (?:finished|completed)(?: it| that)?",
        "(?:it|that|this)(?:'s| is) (?:done|finished)",
        "yes i (?:did|have|am)",
        "(?:i )?(?:breathed|held|exhaled|inhaled|rested|paused)(?: .{0,40})?",
        "mhm+|mm+-?hm+|uh-?huh",
        "i can do that",
        "✅|👍|👌|🙏",
      ],
    ],
    nothing: [
      "well|um+|uh+|hm+|so|and|then|please|thanks?|thank you|sorry|oh|ah|hi|hello|hey|right|let'?s see|i guess|maybe|good|great|fine|nice|lol|haha",
    ],
  },
  resume: [
    // With an article or by its name: "back to exercise" and "back to my values" are answers.
    "\\b(?:resume|return to|(?:get |go |come |let'?s get |let'?s go )?back to|pick up)\\b (?:(?:with |at )?(?:the|our|this|that) (?:[\\p{L}\\d-]+ ){0,2}(?:exercise|grounding|breathing|box|record|values|compass)|(?:doing )?(?:grounding|(?:box )?breathing(?! normal)|thought record|values compass|values exercise|where we (?:were|left off)))\\b",
    "^(?:(?:ok|okay|so|now|please|yes|can we|could we|shall we|let'?s|i want to|i'd like to|i would like to)[, ]+)*(?:continue|go on|carry on|keep going|proceed)(?: with)? (?:the|our|this|that) (?:[\\p{L}\\d-]+ ){0,2}(?:exercise|grounding|breathing|record|compass)\\b|\\b(?:continue|go on|carry on|start) (?:from )?where we (?:were|left off)\\b",
    "^(?:ok(?:ay)?,? |so,? |now,? |please )?(?:can we |could we |let'?s )?resume(?: (?:it|this|that|please|now))?[.!?]*$",
  ],
  clarify: [
    "\\bdo you mean\\b|\\bright now or\\b|\\bor just around me\\b|\\bwhat do you mean\\b|\\bwhat does (?:that|it|this) mean\\b|\\bwhat counts\\b|\\b(?:does|do|would|will) .{1,40} count\\?",
    "^(?:so |and |but |ok(?:ay)?,? )?(?:like what|such as|for example|for instance|how many|how long|which one)\\b.{0,40}\\?",
    "^(?:so |and |but |ok(?:ay)?,? )?(?:(?:is it|would it be|is that) (?:ok|okay|fine|alright|allowed) (?:if|to|when)|(?:should|may|can|do|must) i\\b|(?:can|may|must|should) it be)\\b.{1,120}\\?",
  ],
  explain: [
    "(?:so |and |but |ok(?:ay)?,? |wait,? |sorry,? )*(?:why (?:are we|do we|do i|should i|am i|does (?:this|it)|would (?:this|it)|is (?:this|it))|how (?:does|is|will|would|can) (?:this|it|that|breathing|naming|grounding|box breathing|the exercise))\\b.{0,120}\\?",
    "(?:so |and |but )?what(?:'s| is) (?:the point|this (?:good )?for|the purpose|the idea)\\b.{0,60}",
  ],
  memory: [
    `(?:${companion})?(?:show|tell|list)(?: me)? (?:everything |all |what )?(?:that )?(?:you (?:remember|know|(?:have )?(?:saved|stored))|(?:my|your|the)(?: saved| stored)? memor(?:y|ies))\\b`,
    "what (?:do|did|can) you (?:still )?(?:remember|know|recall) (?:about|of|from) (?:me|my|us|our|last|yesterday)\\b|what do you (?:still )?remember(?: now)?$",
    "what (?:have you|did you|do you have|you have) (?:saved|stored|remembered|save|store|noted|kept)\\b|(?:my |show |your )?(?:saved memor(?:y|ies)|memory status)$|do you remember (?:what|when|that|my|me)\\b.{1,120}\\?$",
    `(?:${companion})?forget (?:what|everything|all|anything|whatever|the things?|that) (?:that )?(?:i|i've|we|you|about)\\b`,
    `(?:${companion})forget\\b.{1,120}`,
    `(?:${companion})?(?:delete|remove|erase|clear|wipe) .{0,40}\\b(?:memor(?:y|ies)|saved|remember(?:ed)?|stored|facts?|about me|from your)\\b`,
    `(?:${companion})?turn (?:on|off) .{0,20}\\b(?:recall|memory)\\b|(?:${companion})?turn .{0,20}\\b(?:recall|memory) (?:on|off)\\b`,
    `(?:${companion})?(?:don'?t|do not|stop|never) (?:save|saving|remember|remembering|store|storing) (?:this|that|what|any|everything|the|my)\\b`,
  ],
  lookup: [
    `${companion}(?:look (?:this |that |it )?up|look for|google|search|find|do a search|fact.?check|verify|check)\\b.{0,160}`,
    "(?:look (?:this|that|it) up|fact.?check (?:this|that|it)|search (?:online|the (?:web|internet)))\\b.{0,160}",
    "(?:what(?:'s| is| are)|do you have|give me|where(?:'s| is| are)|which are) (?:the |your |a |any )?(?:official |current |latest |reliable )?(?:sources?|references?|citations?)\\b(?! of (?:the|my|that|this|stress|noise|light|sound)).{0,60}",
    "what(?:'s| is| are) the (?:latest|current|official)\\b.{1,120}\\?$|is (?:that|this|it) (?:really )?(?:official|verified|still current|scientifically .{1,20})\\b.{0,60}\\?$",
  ],
  orders: {
    memory: ["forget (?:about )?(?:my|our|me|the fact)\\b.{0,50}$"],
    lookup: ["(?:look up|search for|google|find (?:out|me|sources?)|verify (?:that|this|whether|if)(?! i\\b| my\\b)|fact.?check)\\b.{0,160}"],
  },
};
