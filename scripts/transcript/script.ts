/** What is said in the transcript: five sessions, and where the process is ended between two turns. */

/** A message, or what is done between two messages. */
export type Line = string | { readonly restart: string } | { readonly export: string };

/** A session of a thread. */
export interface SessionScript {
  readonly thread: string;
  readonly about: string;
  readonly incognito?: boolean;
  /** Hours since the session before. */
  readonly hoursLater: number;
  readonly lines: readonly Line[];
}

/** The conversation. Who reads it for the first time sees each way of the companion once, and the gate at each level. */
export const conversation: readonly SessionScript[] = [
  {
    thread: "ada",
    about: "Getting to know each other: styles, approaches, and an exercise that is left",
    hoursLater: 0,
    lines: [
      "hello",
      "my name is Ada, I work as a nurse, and the nights at work wear me out",
      "my sister and I had a huge fight about our parents' house",
      "every time she calls I end up shouting",
      "why does my heart race when I see her name on the phone?",
      "it",
      "I mean the calls. Everything is too much at once, what can I do?",
      "I'm torn, should I go back to the house at all?",
      "I keep thinking that everyone must think I'm a bad sister",
      "can we do the 5-4-3-2-1 exercise?",
      "a lamp",
      "I'm stuck",
      "do you mean right now, or just around me?",
      "why are we doing this?",
      "lamp, chair, window, cup, book",
      "what do you remember about me?",
      "let's go on with the exercise",
      "I want to stop the exercise",
      "thanks, that's all for today",
    ],
  },
  {
    thread: "ada",
    about: "What is remembered, in the hands of whom it is about",
    hoursLater: 30,
    lines: [
      { restart: "The process is ended after the first session, and started again for the second." },
      "hi again",
      "memory status",
      "turn on recall",
      "do you remember what I told you about the house?",
      "from now on, keep your answers short",
      "what do you remember about me?",
      "pin fact 1",
      "forget fact 2",
      "yes",
      "correct fact 1 to: Adela",
      "forget what I told you about my sister",
      "1",
      "no",
      "don't bring up the fight again",
      "turn off recall",
      "I am afraid of the next night shift",
      "my aunt died in spring and I am still grieving",
      "what really matters to me is my family",
      { export: 'Ada asks for a copy of what is kept of her: `runtime.customers.memory("ada").export({ format: "markdown" })`.' },
      "bye",
    ],
  },
  {
    thread: "ada",
    about: "An exercise to its end, over a restart, with a question beside it",
    hoursLater: 50,
    lines: [
      "can we do box breathing?",
      { restart: "The process is ended in the middle of the exercise." },
      "done",
      "look up how much sleep adults need",
      "let's go on with the exercise",
      "done",
      "done",
      "done",
      "good night",
    ],
  },
  {
    thread: "ada",
    about: "A bad night: levels 1, 2 and 3, and the plan that is followed from turn to turn",
    hoursLater: 40,
    lines: [
      "let's do a thought record",
      "I feel so empty and hopeless lately",
      "yes, I want to die",
      "I have what I need here, and I am going to do it tonight",
      { restart: "The process is ended in the middle of the crisis." },
      "yes, my flatmate is here with me now. I'm in New Zealand",
      "yes, I will call them",
      "I called, and we talked for a while",
      "my flatmate knows now, and she listens",
      "I feel a bit calmer now",
      "good night",
    ],
  },
  {
    thread: "ada-incognito",
    about: "A conversation that is not remembered",
    incognito: true,
    hoursLater: 70,
    lines: ["what do you remember about me?", "I'm tired and just want to talk, no advice please", "it is the nights at work, mostly", "bye"],
  },
];
