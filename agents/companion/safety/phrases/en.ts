import type { SafetyPhrases } from "throughline/safety";

/** What is said in a crisis in English. */
export const english: SafetyPhrases = {
  language: "en",
  ask_directly: [
    "I want to be sure I understand, so I will ask you straight out: are you having thoughts of suicide?",
    "What you wrote matters to me, and I would rather ask than guess: are you thinking about ending your life?",
    "When things get this heavy, some people think about dying, so I will ask plainly: are you thinking about killing yourself?",
  ],
  ask_directly_other: [
    "I want to be sure I understand how they are, so I will ask straight out: have they talked about suicide, or about wanting to die?",
    "I would rather ask than guess: do you think they may be thinking about ending their life?",
  ],
  opening: [
    "Thank you for telling me. That is a lot to carry, and I take it seriously.",
    "I am glad you said this here. I hear how much pain you are in, and I take it seriously.",
    "That took courage to say. You do not have to hide any of it here, and I take it seriously.",
  ],
  opening_imminent: [
    "I am really glad you told me. Your safety comes first now, so let us take this one step at a time.",
    "Thank you for telling me. You may be in danger right now, and getting you safe is all that matters at this moment.",
    "I hear you, and I take this very seriously. Right now the only thing to do is to get through the next minutes safely.",
  ],
  opening_other: [
    "Thank you for looking out for them. It is frightening to see somebody you care about like this, and I take it seriously.",
    "It is good that you noticed and did not look away. I take what you are telling me seriously.",
  ],
  heard: [
    "I hear you, and I am glad that you are still writing.",
    "Thank you for staying with me in this, whatever you can or cannot say right now.",
    "I hear that. You do not need to have an answer to everything.",
  ],
  heard_place: "Thank you for telling me where you are.",
  heard_someone: "I am glad that somebody is there. Please tell them how bad it is, and stay together.",
  heard_willing: "I am glad. Please do it now, and keep writing to me meanwhile if that helps.",
  heard_no: "Thank you for being honest with me.",
  call_now: "Please call {emergency} or a crisis line now, and tell them what you told me.",
  call_still: [
    "Please do call {emergency} or a crisis line now, even if it is hard: they are there for exactly this.",
    "It still matters most that {emergency} or a crisis line hears from you now.",
  ],
  emergency_unknown: "your local emergency number",
  be_with_someone:
    "Go to somebody now, or ask somebody to come and stay with you: a friend, a neighbour, family, anyone nearby. Being with a person helps.",
  distance: "Put distance between yourself and anything you could hurt yourself with: go to another room or outside, or have somebody take it away.",
  stay_with_them: "Stay with them if you can do so safely, or make sure that somebody else is there, until help has come.",
  resources_intro: "People you can reach ({place}):",
  resources_both: "There is more than one place of that name. Choose the one you are in:",
  resource_stale: "as of {date}, so please make sure on their site",
  no_resources: "I have no line for {place} that I could confirm. These directories list services by country:",
  directories: "These directories list free and confidential services by country:",
  ask_location: "Which country are you in, so that I can show you services that you can reach from there?",
  resources_again: [
    "The services I gave you are still there for you, whenever you want to talk to somebody.",
    "You can still reach the people I listed earlier, at any moment, also if you have called before.",
  ],
  ask_plan: "Have you thought about how you would do it?",
  ask_means: "Is there anything within your reach that you could use to hurt yourself?",
  ask_time: "Have you thought about when?",
  ask_someone: "Is there somebody with you now, or somebody who could come and stay with you?",
  ask_willing: "Would you be willing to call or write to one of them, or to somebody you trust, while we are talking?",
  ask_barriers: "What makes it hard to reach out to somebody just now?",
  human_care:
    "Please also tell somebody you trust, and talk to a professional such as your doctor or a counsellor. You deserve people beside you in this, and it is all right to ask.",
  coping: [
    "Until then, it can help to breathe out slowly a few times, or to hold something cold and notice how it feels.",
    "For the next few minutes, it can help to be where other people are, to drink some water, and to put off any decision.",
    "If you can, look around and name a few things that you see and hear. Strong feelings rise, and they also ebb.",
  ],
  ai_limits: "I am an AI, not a person. I cannot see where you are, and I cannot call anybody for you.",
  nobody_watching: "No person is reading along here, so please do not wait for somebody to notice.",
  somebody_told: "The team that runs this service has been told. Please do not wait for them: call now if you are in danger.",
  stay: [
    "I am here, and we can go on talking for as long as you want.",
    "You can keep writing to me at any time.",
    "Whatever you decide to tell me next, I am listening.",
  ],
  not_saved:
    "What you wrote may not have been saved just now, so I may not remember it. Please send it again in a moment; if you are in danger, call your local emergency number now.",
  limited: "Safety checks are limited at the moment. If you need support, you can find a service here: {directory}",
  disclosure:
    "I am an AI companion, not a person, and I can be wrong. For matters of health or safety, please talk to a person you trust or a professional.",
  apology: "I am sorry, I could not put together a good answer just now. Could you say it once more, perhaps in other words?",
};
