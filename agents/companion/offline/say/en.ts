import type { Sentences } from "./sentences.ts";

export const english: Sentences = {
  feelings: {
    rough: ["That sounds like a rough time."],
    overwhelmed: ["That is a lot coming at you at once.", "It sounds as if there is more on you right now than one person can hold."],
    anxious: [
      "That sounds like a lot of worry to carry around.",
      "Being on edge like that takes a great deal out of a person.",
      "I can hear how much this worries you.",
    ],
    angry: ["I can hear how angry this makes you.", "That would make many people angry, and it makes sense that it made you so."],
    ashamed: ["That sounds painful, and you are being honest about something that many people hide.", "It takes something to say that out loud."],
    lonely: ["That sounds lonely.", "Feeling that alone with things is heavy."],
    tired: ["You sound worn out.", "That kind of tiredness goes deeper than one night can mend."],
    sad: ["I am sorry that it is so heavy right now.", "That sounds really sad, and there is no need to hurry past it."],
    hurt: ["That must have hurt.", "I can hear that this went deep."],
    stressed: ["That sounds like a lot of pressure with little room to breathe.", "It sounds as if you have been running for a while now."],
    numb: ["Feeling nothing much at all can be as hard as feeling too much.", "That emptiness sounds hard to sit with."],
    confused: [
      "It sounds tangled, and you do not have to have it sorted before you talk about it.",
      "Not knowing where you stand is tiring in itself.",
    ],
    jealous: ["Jealousy is an uncomfortable thing to carry, and an honest one to name.", "That sounds like a sting that keeps coming back."],
    relieved: ["What a relief that must be.", "It is good to hear that some of the weight has come off."],
    proud: ["That is worth being proud of.", "You did that, and it shows in how you tell it."],
    calm: ["It is good to hear that things are a little easier.", "I am glad that there is some calm in it."],
    happy: ["That is lovely to hear.", "I am glad that you told me about a good thing."],
  },
  heard: [
    "Thank you for telling me.",
    "I am listening.",
    "That sounds like something worth staying with for a moment.",
    "I hear you.",
    "It makes sense that this is on your mind.",
  ],
  of_approach: {
    grief_support: [
      "I am so sorry for your loss.",
      "I am sorry. Losing somebody you love changes even the ordinary hours.",
      "I am so sorry. Grief has its own pace, and there is no wrong way to go through it.",
    ],
    pfa: [
      "That is a frightening thing to go through. You do not have to make sense of any of it yet.",
      "I am sorry that this happened. What your body does now, shaking or going blank, is how people come through such things.",
    ],
    motivational_interviewing: [
      "It sounds as if one part of you wants one thing and another part has good reasons against it.",
      "You are being pulled two ways, and both have something to say.",
    ],
    cbt: ["That is a hard thought to live with.", "Thoughts like that are loud, and they sound surer than they are."],
    interpersonal_therapy: ["It is hard when things are difficult with people who matter.", "That sounds hard to have between you."],
    act: ["It sounds as if something that matters to you gets too little room."],
  },
  grieving: [
    "I am glad that you tell me about them.",
    "That belongs to missing somebody, and there is room for it here.",
    "I hear how much of them is still with you.",
  ],
  glad: ["That is good to hear.", "I am glad."],
  about: [
    "It sounds as if a lot of room goes to {topic} right now.",
    "With {topic} in the middle of it, that is no small thing.",
    "So it is about {topic}, too, and that makes it no lighter.",
  ],
  questions: [
    "What has been the hardest part of it today?",
    "What would you most like me to understand about it?",
    "When did you first notice it?",
    "What is it like right now, as you write this?",
    "What do you find yourself needing most?",
  ],
  light_questions: ["What is that like for you?", "Would you like to say a little more?", "What would you like to say about it?"],
  approach_questions: {
    grief_support: ["Would you like to tell me about them?", "What do you miss most today?"],
    pfa: ["Is somebody with you just now?"],
  },
  onward: [
    "All right. What would help you most right now?",
    "Good. Where would you like to go from here?",
    "I see. What is on your mind as you say that?",
  ],
  no_self: [
    "I have no days and no likings of my own: I am an AI. What made you think of it?",
    "There is not much to tell about me, I am a program. I would rather hear about you: what brought you here today?",
  ],
  glad_questions: ["What helped to make it so?", "What part of it would you like to keep?"],
  listening: [
    "I am here, and I will just listen. Take all the room you want.",
    "No advice, then. I am listening, and nothing has to be fixed here.",
    "Say it the way it comes. I will stay with you in it and leave the solving alone.",
  ],
  greetings: [
    "Hello, it is good to have you here. What is on your mind today?",
    "Hello. How are you, really, today?",
    "Hi. Where would you like to begin?",
  ],
  welcome: ["You are welcome.", "Gladly. I am here if there is more.", "You are welcome. Take from it whatever is of use."],
  patterns: [
    "It sounds as if this is not the first time: something here keeps coming back.",
    "I notice a pattern in how you tell it, as if the same scene were played again with new details.",
    "You have been here before, and you can see it coming. That is already a way of standing a little outside of it.",
  ],
  patterns_about: ["Something about {topic} seems to bring you back to the same place.", "It keeps returning, and it seems to begin with {topic}."],
  pattern_questions: [
    "What tends to happen just before it starts?",
    "What do you usually do next, and what does that cost you?",
    "If it had a warning sign, what would it be?",
  ],
  clarify: [
    "I want to be sure that I understand you. Would you like to talk about it, try a short exercise, or have me look something up?",
    "I would like to follow you, and I am missing a piece. What is it about?",
    "I am not sure yet what you mean. Could you tell me a little more?",
  ],
  explain: {
    any: [
      "Feelings often run ahead of what we can explain: the body notices something that matters and reacts before there are words for it. That you wonder about it is usually how it starts to loosen.",
    ],
    panic: [
      "In panic the body's alarm goes off with nothing to run from: the heart races, breathing gets shallow, and the mind reads those very signs as danger, which feeds the alarm. It feels endless and yet it rises, peaks and falls by itself, usually within minutes.",
    ],
    worry: [
      "Worry is the mind trying to keep you safe by rehearsing what could go wrong. It feels like preparing, and because the bad thing mostly does not come, the mind learns that the worrying helped, so it offers more of it.",
    ],
    sleep: [
      "Sleep comes when the body is tired and the alarm in us is off. Lying awake and trying hard switches that alarm on, and after some such nights the bed itself can become the place where one is awake.",
    ],
    anger: [
      "Anger usually guards something: a limit that was crossed, or a hurt underneath. The body gets ready to push back within a heartbeat, long before the part of us that weighs things has its say, which is why it can feel as if it took over.",
    ],
    sadness: [
      "Sadness slows us down and draws us inward, often where something mattered and is missing. It can also come a good while after its reason, once there is room for it, so that it seems to come from nowhere.",
    ],
    grief: [
      "Grief tends to come in waves rather than in stages: a song or a smell, and it is back in full. That is not going backwards. It is how love and absence are learned side by side.",
    ],
    shame: [
      "Shame says that we are wrong, where guilt says that we did something wrong. It makes us want to hide, and hiding keeps anybody from telling us otherwise, so it grows best in silence.",
    ],
    overwhelm: [
      "When too much comes in at once, attention narrows and everything looks equally urgent. Freezing or snapping then is not weakness: it is what a mind does that has run out of room.",
    ],
    procrastination: [
      "Putting things off is rarely laziness. Mostly the task carries a bad feeling, such as fear of doing it badly, and turning away brings relief at once, so the mind learns to turn away again.",
    ],
    conflict: [
      "In a quarrel both people usually protect something, and each hears an attack in how the other does it. One presses, the other withdraws, and each step makes the other's next one more likely.",
    ],
    loneliness: [
      "Loneliness is a signal, like hunger: it says that some closeness is missing. Oddly it also makes us more wary of people, so that we see rejection sooner and reach out less, just when we need it most.",
    ],
    numbness: [
      "Going numb is often protection: when feelings were too much for too long, the mind turns all of them down together, the good ones too. They tend to come back slowly, in small and safe things first.",
    ],
    ambivalence: [
      "Wanting two opposite things is how change usually feels from the inside. The more somebody pushes for one side, even we ourselves, the louder the other side argues back.",
    ],
    thoughts: [
      "A thought that comes often begins to feel true because it is familiar. And trying not to think it keeps it near, since the mind has to keep checking whether it is gone.",
    ],
    values: [
      "A sense of emptiness can come when the days fill with what has to be done and little of what matters to us. It often says less about us than about the distance between the two.",
    ],
    shock: [
      "After a shock the body stays on alert for a while: shaking, poor sleep, pictures that come back, or feeling nothing at all. For most people that eases over days and weeks, with rest and somebody near.",
    ],
    tiredness: [
      "Tiredness is not only about sleep: being on guard, deciding things and holding feelings back all use the same strength. So one can lie down all day and be worn out still.",
    ],
  },
  explain_questions: ["Does that fit how it is for you?", "Which part of that sounds like you, and which does not?"],
  ways: {
    any: [
      "One small thing to try: write down what is in your hands here and what is not, one line each, and do only the smallest item of the first list today.",
      "You could start very small: name what you feel in one word, breathe out slowly once, and then choose one next step that takes less than five minutes.",
    ],
    panic: [
      "When it rises, let the out-breath be longer than the in-breath, and name aloud what you can see around you. You are not trying to stop the wave, only to stand in it until it turns.",
    ],
    worry: [
      "You could give the worry an appointment: a quarter of an hour at a fixed time, on paper. When it comes earlier, note one word and tell it that it has its turn later.",
    ],
    sleep: [
      "If you lie awake, get up, keep the light low and do something dull until you are sleepy. And get up at the same time each morning: that steadies sleep more than going to bed early.",
    ],
    anger: [
      "Buy yourself a minute before you answer: step outside or hold something cold. Then try one sentence that begins with what it was like for you, rather than with what the other did.",
    ],
    sadness: [
      "Choose one small thing that used to do you good, make it half as big, and give it a time today. Do it without waiting to feel like it: the mood often follows, it seldom leads.",
    ],
    grief: [
      "You could give the loss a place: a photograph and a candle, a letter to them, a walk they would have liked. A set quarter of an hour for it can make the rest of the day a little more bearable.",
    ],
    shame: [
      "Try to say it to yourself the way you would to a friend who had done the same. If you can, tell one person who has earned it: shame shrinks when it is heard kindly.",
    ],
    overwhelm: [
      "Put everything on paper, in any order, then cross out whatever does not have to be today. Of what is left choose one, and take only its first two minutes.",
    ],
    procrastination: [
      "Make the first step so small that it is nearly silly: open the document and write one bad sentence. You may stop after five minutes, and you often will not want to.",
    ],
    conflict: [
      "For the next talk, prepare one sentence: what happened, what it was like for you, and one thing you ask for. Choose a calm moment, and ask first whether it is a good one.",
    ],
    loneliness: [
      "Think of one person who is easy to write to and send two lines that ask for nothing: something you saw that made you think of them. Small and regular beats big and rare.",
    ],
    numbness: [
      "Start with the senses: warm water over your hands, a strong tea, a song from a good year. Look for what you notice, even faintly, and not for what you ought to feel.",
    ],
    ambivalence: [
      "Draw four fields: the good and the bad of changing, the good and the bad of leaving it as it is. Fill all four honestly; the field that was hardest to fill is often where the answer waits.",
    ],
    thoughts: [
      "Write the thought down as one sentence and put in front of it: I am having the thought that. Then note one thing that fits it and one that does not. It need not go away to have less of a say.",
    ],
    values: [
      "Choose one part of life that matters to you and ask what kind of person you want to be in it. Then find one act for this week that such a person would do, small enough to be certain.",
    ],
    shock: [
      "For now only the next hours matter: be somewhere safe, drink something warm, and have somebody with you or on the phone. Put off every decision that can wait.",
    ],
    tiredness: [
      "Look for one thing today that can be dropped or done badly, and put real rest in its place: lying down, a slow walk, no screen. Ten minutes count.",
    ],
  },
  way_questions: [
    "What would the smallest version of that be for you?",
    "Does that sound doable, or should we look for something else?",
    "What might get in the way of it?",
  ],
  closings: [
    "Thank you for talking with me today. I hope the rest of it is gentle with you.",
    "It was good that you came. Go easy on yourself.",
    "Take care of yourself. Whatever is still open can wait until you want it.",
  ],
  closings_about: [
    "Thank you for talking with me. You looked at {topic} today, and that is enough for now.",
    "You gave {topic} some room today. Let it rest now, and take care of yourself.",
  ],
  met: ["It is good to meet you, {name}."],
  met_question: "What is on your mind today?",
  your_name: "You told me that your name is {name}.",
  what_i_can: [
    "You can tell me what is on your mind, and I listen and ask. I can guide you through a short exercise, look up a few things about sleep, worry or stress, and remember what you tell me, or forget it. Where would you like to begin?",
  ],
  cannot_tell: [
    "That is more than I can answer: I run on rules without a language model, and know a few pages about things like sleep, worry and stress. What made you think of it?",
    "I do not know that, and I would rather not guess. Is there something about your day that goes with it?",
  ],
  what_i_am: [
    "I am an AI companion, not a person, and at the moment I run on simple rules without a language model. I can listen, reflect, guide a short exercise or look up general things about wellbeing.",
    "I am a program: an AI companion that answers by rules right now, not a human being. I can listen and think along with you, and I cannot see you or call anybody.",
  ],
  no_name: [
    "I cannot tell you whether you have something, and I would not want to guess. A doctor or another professional who can talk with you properly can, and what you notice about yourself is worth telling them. What have you noticed?",
  ],
  remembered: ['You told me before: "{quote}".', 'I remember that you said: "{quote}".'],
  nothing_remembered: ["I have nothing saved that answers that. Would you like to tell me again?"],
  let_go: "Nothing was deleted, by the way: I let that question go.",
  paused: "The exercise waits where we left it; say so when you want to go back.",
  nothing_found: "I found no source that answers that, so I would rather not guess.",
  last_time: 'From last time I have this note: "{quote}".',
  repair: [
    "I missed what you meant, and I am sorry. Tell me again in your own way, and I will stay with it.",
    "You are right, that was beside the point. What should I have heard?",
  ],
  after_crisis: [
    "I am glad that you told me, and I am still with you.",
    "That matters. One thing after the other is enough for now.",
    "Thank you for keeping me with you in this.",
  ],
  check_in: ["I have not forgotten what you told me. Are you safe right now?"],
  room: ["Say more whenever you like.", "There is room here for more, whenever you want it."],
};
