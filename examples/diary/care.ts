/** What people may write to a sleep diary that is not about sleep at all. */

const signs =
  /\b(?:kill(?:ing)? my ?self|suicid(?:e|al)|(?:end|ending|take|taking) my (?:own )?life|end it all|(?:want|wanna|wanted|like|going|ready|rather)(?: to)?(?: be)? (?:die|dead)\b|wish (?:that )?i (?:was|were) dead|better off dead|hope i die|hurt(?:ing)? myself|harm(?:ing)? myself|self[- ]?harm\w*|(?:cut|cutting) myself(?! (?:shav|while|when|on|cook|with the kitchen))|(?:do not|don['’]?t|no longer) (?:want|wanna) (?:to )?(?:live|be alive|be here any ?more|exist)|no reason to live|nothing to live for|not want to wake up|never wake up(?! (?:at|before|by|early|on|in|after|feeling|rested|refreshed))|don['’]?t want to wake up|tired of living|can(?:not|['’]?t) go on\b(?! (?:a|an|the|holiday|vacation|with (?:my|the)|about))|overdos(?:e|ed|ing))\b/iu;

/** Whether a message speaks of wanting to die or of self-harm. A few patterns, no assessment: they miss things. */
export const speaksOfSelfHarm = (text: string): boolean => signs.test(text.replaceAll(/\s+/gu, " "));

/** The answer to it. It diagnoses nothing, promises nothing and names no number, because it cannot know where the reader is. */
export const careText =
  "What you wrote matters more than a sleep diary. I am a small offline program: I cannot judge how serious this is, and I cannot call anyone for you. " +
  "If you might act on it, please contact your local emergency services now, or go to the nearest emergency department. " +
  "If there is someone close to you, tell them today, in your own words, and let them stay with you. You do not have to carry this alone.";
