import type { ExerciseDefinition } from "../definition.ts";

/** What is said in other languages than English. */
export const thoughtRecordTranslations: ExerciseDefinition["translations"] = {
  es: {
    display_name: "Registro de pensamientos",
    rationale: "Un pensamiento escrito se mira mejor que uno en la cabeza: se ve qué partes se sostienen y cuáles no.",
    steps: {
      situation: {
        instruction: "¿Qué pasó? Describe la situación en una o dos frases: dónde estabas, quién estaba, qué se dijo.",
        smaller: "Solo el momento, como una fotografía: ¿dónde estabas cuando empezó?",
      },
      thought: {
        instruction: "¿Qué te pasó por la cabeza en ese momento? Escribe el pensamiento tal como te sonó.",
        smaller: "Si ese momento llevara un pie de foto, ¿qué diría?",
      },
      evidence_against: {
        instruction: "¿Qué no encaja con ese pensamiento? Nombra algo que ocurrió, o que diría alguien que te conoce.",
        smaller: "Imagina que un amigo pensara eso de sí mismo. ¿Qué le dirías?",
      },
      balanced_view: {
        instruction: "Con las dos cosas a la vista, ¿cómo podrías decirlo con más equilibrio? Basta una frase que puedas creer a medias.",
        smaller: "Empieza con «Es verdad que…, y también es verdad que…». ¿Qué pondrías?",
      },
    },
  },
  de: {
    display_name: "Gedankenprotokoll",
    rationale: "Ein Gedanke auf Papier lässt sich besser ansehen als einer im Kopf: Man sieht, was daran hält und was nicht.",
    steps: {
      situation: {
        instruction: "Was ist passiert? Beschreib die Situation in ein, zwei Sätzen: wo du warst, wer da war, was gesagt wurde.",
        smaller: "Nur der Moment selbst, wie ein Foto: Wo warst du, als es anfing?",
      },
      thought: {
        instruction: "Was ging dir in dem Moment durch den Kopf? Schreib den Gedanken so auf, wie er klang.",
        smaller: "Wenn dieser Moment eine Bildunterschrift hätte, was stünde da?",
      },
      evidence_against: {
        instruction: "Was passt nicht zu diesem Gedanken? Nenne etwas, das geschehen ist, oder das jemand sagen würde, der dich kennt.",
        smaller: "Stell dir vor, eine Freundin dächte das von sich. Was würdest du ihr sagen?",
      },
      balanced_view: {
        instruction: "Mit beidem vor Augen: Wie könntest du es ausgewogener sagen? Ein Satz, den du halb glauben kannst, genügt.",
        smaller: "Beginne mit „Es stimmt, dass …, und es stimmt auch, dass …“. Was würdest du einsetzen?",
      },
    },
  },
  fr: {
    display_name: "Journal de pensées",
    rationale: "Une pensée écrite se regarde mieux qu'une pensée dans la tête : on voit ce qui tient et ce qui ne tient pas.",
    steps: {
      situation: {
        instruction: "Que s'est-il passé ? Décris la situation en une ou deux phrases : où tu étais, qui était là, ce qui a été dit.",
        smaller: "Seulement le moment, comme une photo : où étais-tu quand cela a commencé ?",
      },
      thought: {
        instruction: "Qu'est-ce qui t'a traversé l'esprit à ce moment-là ? Écris la pensée comme elle t'est venue.",
        smaller: "Si ce moment avait une légende, que dirait-elle ?",
      },
      evidence_against: {
        instruction: "Qu'est-ce qui ne va pas avec cette pensée ? Nomme quelque chose qui est arrivé, ou que dirait quelqu'un qui te connaît.",
        smaller: "Imagine qu'une amie pense cela d'elle-même. Que lui dirais-tu ?",
      },
      balanced_view: {
        instruction: "Avec les deux sous les yeux, comment le dirais-tu de façon plus juste ? Une phrase que tu peux croire à moitié suffit.",
        smaller: "Commence par « Il est vrai que…, et il est vrai aussi que… ». Que mettrais-tu ?",
      },
    },
  },
  pt: {
    display_name: "Registro de pensamentos",
    rationale: "Um pensamento no papel é mais fácil de olhar do que um na cabeça: dá para ver que partes se sustentam e quais não.",
    steps: {
      situation: {
        instruction: "O que aconteceu? Descreva a situação em uma ou duas frases: onde você estava, quem estava lá, o que foi dito.",
        smaller: "Só o momento, como uma foto: onde você estava quando começou?",
      },
      thought: {
        instruction: "O que passou pela sua cabeça naquele momento? Escreva o pensamento do jeito que soou.",
        smaller: "Se esse momento tivesse uma legenda, o que ela diria?",
      },
      evidence_against: {
        instruction: "O que não combina com esse pensamento? Diga algo que aconteceu, ou que alguém que conhece você diria.",
        smaller: "Imagine que uma amiga pensasse isso de si mesma. O que você diria a ela?",
      },
      balanced_view: {
        instruction: "Com os dois lados à vista, como você diria isso com mais equilíbrio? Basta uma frase em que dê para acreditar pela metade.",
        smaller: "Comece com “É verdade que…, e também é verdade que…”. O que você colocaria?",
      },
    },
  },
  zh: {
    display_name: "思维记录",
    rationale: "写在纸上的想法比脑子里的好看清：哪些站得住，哪些站不住。",
    steps: {
      situation: {
        instruction: "发生了什么？用一两句话说说当时的情形：你在哪里，有谁在，说了什么。",
        smaller: "只说那一刻，像一张照片：开始的时候你在哪里？",
      },
      thought: {
        instruction: "那一刻你脑子里闪过什么？照它出现的样子写下来。",
        smaller: "如果给那一刻配一行字，会写什么？",
      },
      evidence_against: {
        instruction: "有什么和这个想法对不上？说一件发生过的事，或者了解你的人会怎么说。",
        smaller: "想象一个朋友这样想自己，你会对他说什么？",
      },
      balanced_view: {
        instruction: "把两边都放在眼前，怎样说会更平衡一些？一句你能信一半的话就够了。",
        smaller: "用“确实……，同时也确实……”开头，你会填什么？",
      },
    },
  },
};
