import type { ExerciseDefinition } from "../definition.ts";

/** What is said in other languages than English. */
export const valuesCompassTranslations: ExerciseDefinition["translations"] = {
  es: {
    display_name: "Brújula de valores",
    rationale: "Saber qué te importa hace más fácil encontrar el siguiente paso pequeño, también cuando los sentimientos tiran hacia varios lados.",
    steps: {
      domain: {
        instruction:
          "¿Qué parte de tu vida te gustaría mirar: las personas, el trabajo o el aprendizaje, el cuerpo y la salud, el juego, la casa u otra cosa?",
        smaller: "Si la próxima semana tuviera una hora libre para algo que te importa, ¿qué parte de tu vida se la llevaría?",
      },
      why: {
        instruction: "¿Por qué te importa? ¿Qué clase de persona te gustaría ser ahí?",
        smaller: "Piensa en un momento de ahí que se sintió bien. ¿Qué tenía de bueno?",
      },
      alignment: {
        instruction: "Del 1 al 10, ¿cuánto te has acercado a eso en la última semana? Ningún número está mal.",
        smaller: "Más o menos: ¿más cerca del 1, por la mitad o más cerca del 10?",
      },
      small_step: {
        instruction: "¿Qué cosa pequeña te acercaría medio punto? Lo bastante pequeña para esta semana.",
        smaller: "Hazla más pequeña: algo que lleve cinco minutos. ¿Qué podría ser?",
      },
    },
  },
  de: {
    display_name: "Wertekompass",
    rationale: "Wer weiß, was ihm wichtig ist, findet den nächsten kleinen Schritt leichter, auch wenn Gefühle in mehrere Richtungen ziehen.",
    steps: {
      domain: {
        instruction:
          "Welchen Teil deines Lebens möchtest du ansehen: Menschen, Arbeit oder Lernen, Körper und Gesundheit, Spiel, Zuhause oder etwas anderes?",
        smaller: "Wenn die nächste Woche eine freie Stunde für etwas hätte, das dir wichtig ist, welcher Teil deines Lebens bekäme sie?",
      },
      why: {
        instruction: "Warum ist dir das wichtig? Was für ein Mensch möchtest du dort sein?",
        smaller: "Denk an einen Moment dort, der sich richtig anfühlte. Was war gut daran?",
      },
      alignment: {
        instruction: "Von 1 bis 10: Wie nah daran hast du in der letzten Woche gelebt? Keine Zahl ist falsch.",
        smaller: "Ungefähr: näher an 1, irgendwo in der Mitte oder näher an 10?",
      },
      small_step: {
        instruction: "Welche kleine Sache würde dich einen halben Punkt näher bringen? Klein genug für diese Woche.",
        smaller: "Mach sie kleiner: etwas, das fünf Minuten dauert. Was könnte das sein?",
      },
    },
  },
  fr: {
    display_name: "Boussole des valeurs",
    rationale: "Savoir ce qui compte pour toi aide à trouver le prochain petit pas, même quand les sentiments tirent dans plusieurs sens.",
    steps: {
      domain: {
        instruction:
          "Quelle partie de ta vie voudrais-tu regarder : les gens, le travail ou l'apprentissage, le corps et la santé, le jeu, la maison, ou autre chose ?",
        smaller: "Si la semaine prochaine avait une heure libre pour ce qui compte, quelle partie de ta vie la recevrait ?",
      },
      why: {
        instruction: "Pourquoi est-ce important pour toi ? Quelle personne voudrais-tu être là ?",
        smaller: "Pense à un moment là-dedans qui sonnait juste. Qu'avait-il de bon ?",
      },
      alignment: {
        instruction: "De 1 à 10, à quel point as-tu vécu près de cela la semaine passée ? Aucun nombre n'est mauvais.",
        smaller: "À peu près : plus près de 1, vers le milieu, ou plus près de 10 ?",
      },
      small_step: {
        instruction: "Quelle petite chose te rapprocherait d'un demi-point ? Assez petite pour cette semaine.",
        smaller: "Fais plus petit : quelque chose qui prend cinq minutes. Qu'est-ce que ce serait ?",
      },
    },
  },
  pt: {
    display_name: "Bússola de valores",
    rationale: "Saber o que importa para você torna mais fácil achar o próximo passo pequeno, mesmo quando os sentimentos puxam para vários lados.",
    steps: {
      domain: {
        instruction: "Que parte da sua vida você gostaria de olhar: pessoas, trabalho ou estudo, corpo e saúde, lazer, casa ou outra coisa?",
        smaller: "Se a próxima semana tivesse uma hora livre para algo que importa, que parte da sua vida ficaria com ela?",
      },
      why: {
        instruction: "Por que isso importa para você? Que tipo de pessoa você gostaria de ser ali?",
        smaller: "Pense em um momento ali que pareceu certo. O que tinha de bom?",
      },
      alignment: {
        instruction: "De 1 a 10, quão perto disso você viveu na última semana? Nenhum número é errado.",
        smaller: "Mais ou menos: mais perto de 1, no meio ou mais perto de 10?",
      },
      small_step: {
        instruction: "Que coisa pequena traria você meio ponto mais perto? Pequena o bastante para esta semana.",
        smaller: "Faça menor: algo que leve cinco minutos. O que poderia ser?",
      },
    },
  },
  zh: {
    display_name: "价值观罗盘",
    rationale: "知道什么对你重要，下一小步就好找一些，就算心里被往几个方向拉。",
    steps: {
      domain: {
        instruction: "你想看看生活里的哪一部分：人、工作或学习、身体和健康、玩乐、家，还是别的？",
        smaller: "如果下周有一小时可以给对你重要的事，你会给生活的哪一部分？",
      },
      why: {
        instruction: "它为什么对你重要？在那里你想成为怎样的人？",
        smaller: "想一个在那里觉得对的时刻。好在哪里？",
      },
      alignment: {
        instruction: "从1到10，过去一周你活得离它有多近？没有错误的数字。",
        smaller: "大概是：更靠近1，在中间，还是更靠近10？",
      },
      small_step: {
        instruction: "做哪一件小事能让你靠近半分？小到这周就能做。",
        smaller: "再小一点：五分钟就能做的事。会是什么？",
      },
    },
  },
};
