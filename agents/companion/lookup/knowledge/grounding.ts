import type { KnowledgePage } from "../knowledge-base.ts";

export const groundingPage: KnowledgePage = {
  id: "grounding",
  title: "Grounding through the senses",
  keywords: ["senses", "5-4-3-2-1", "present", "dissociation", "unreal", "overwhelm"],
  text: [
    "Grounding means bringing attention back to the present moment, mostly through the senses.",
    "In the 5-4-3-2-1 exercise you name 5 things you see, 4 you hear, 3 you feel, 2 you smell and 1 you taste.",
    "Naming things takes attention, and what attention is busy with has more weight than the worry beside it.",
    "Cold water on the hands, feet pressed to the floor or a textured object can serve for grounding as well.",
    "Grounding does not solve what caused the distress, but it can make the moment more bearable.",
    "Grounding works better for many people when they have practised it in calm moments.",
  ].join(" "),
};
