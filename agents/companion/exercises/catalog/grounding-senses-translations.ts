import type { ExerciseDefinition } from "../definition.ts";

/** What is said in other languages than English. */
export const sensesTranslations: ExerciseDefinition["translations"] = {
  es: {
    display_name: "Anclaje 5-4-3-2-1",
    rationale: "Nombrar lo que notan tus sentidos le da a tu atención algo que está aquí de verdad, y a la preocupación le queda menos sitio.",
    steps: {
      see: {
        instruction: "Mira a tu alrededor y nombra cinco cosas que puedas ver.",
        smaller: "Deja que tu mirada descanse en una cosa cercana. ¿Qué es y de qué color? Con una basta para empezar.",
      },
      hear: {
        instruction: "Ahora escucha y nombra cuatro cosas que puedas oír, cerca o lejos.",
        smaller: "Busca un solo sonido, por débil que sea: un ventilador, la calle, tu respiración. ¿Cuál es?",
      },
      feel: {
        instruction: "Nota tres cosas que puedas sentir: el suelo bajo los pies, la ropa en la piel, el aire.",
        smaller: "Pon una mano en lo que tengas al lado. ¿Está templado o fresco, es liso o áspero?",
      },
      smell: {
        instruction: "Nombra dos cosas que puedas oler. Si no hay nada, dos olores que te gusten.",
        smaller: "Piensa en un olor que te guste, como el café o la lluvia. ¿Cuál elegirías?",
      },
      taste: {
        instruction: "Y por último, nombra una cosa que puedas saborear, o un sabor que te guste.",
        smaller: "Bebe un sorbo de agua si tienes, o piensa en un sabor que te guste. ¿Cuál es?",
      },
    },
  },
  de: {
    display_name: "5-4-3-2-1-Erdung",
    rationale:
      "Wenn du benennst, was deine Sinne merken, hat deine Aufmerksamkeit etwas, das wirklich da ist, und die Sorge daneben hat weniger Platz.",
    steps: {
      see: {
        instruction: "Schau dich um und nenne fünf Dinge, die du sehen kannst.",
        smaller: "Lass deinen Blick auf einem Ding in der Nähe ruhen. Was ist es, und welche Farbe hat es? Eines genügt für den Anfang.",
      },
      hear: {
        instruction: "Jetzt hör hin und nenne vier Dinge, die du hören kannst, nah oder fern.",
        smaller: "Such ein einziges Geräusch, und sei es noch so leise: einen Lüfter, die Straße, deinen Atem. Welches ist es?",
      },
      feel: {
        instruction: "Bemerke drei Dinge, die du spüren kannst: den Boden unter den Füßen, Stoff auf der Haut, die Luft.",
        smaller: "Leg eine Hand auf das, was neben dir ist. Ist es warm oder kühl, glatt oder rau?",
      },
      smell: {
        instruction: "Nenne zwei Dinge, die du riechen kannst. Wenn da nichts ist, zwei Gerüche, die du magst.",
        smaller: "Denk an einen Geruch, den du magst, etwa Kaffee oder Regen. Welchen nimmst du?",
      },
      taste: {
        instruction: "Und zuletzt: Nenne ein Ding, das du schmecken kannst, oder einen Geschmack, den du magst.",
        smaller: "Trink einen Schluck Wasser, wenn welches da ist, oder denk an einen Geschmack, den du magst. Welcher ist es?",
      },
    },
  },
  fr: {
    display_name: "Ancrage 5-4-3-2-1",
    rationale: "Nommer ce que tes sens remarquent donne à ton attention quelque chose qui est vraiment là, et l'inquiétude à côté a moins de place.",
    steps: {
      see: {
        instruction: "Regarde autour de toi et nomme cinq choses que tu peux voir.",
        smaller: "Laisse ton regard se poser sur une chose proche. Qu'est-ce que c'est, et de quelle couleur ? Une seule suffit pour commencer.",
      },
      hear: {
        instruction: "Maintenant écoute, et nomme quatre choses que tu peux entendre, proches ou lointaines.",
        smaller: "Cherche un seul son, même faible : un ventilateur, la rue, ton souffle. Lequel est-ce ?",
      },
      feel: {
        instruction: "Remarque trois choses que tu peux sentir : le sol sous tes pieds, le tissu sur ta peau, l'air.",
        smaller: "Pose une main sur ce qui est à côté de toi. Est-ce tiède ou frais, lisse ou rugueux ?",
      },
      smell: {
        instruction: "Nomme deux odeurs que tu peux sentir. S'il n'y en a pas, deux odeurs que tu aimes.",
        smaller: "Pense à une odeur que tu aimes, comme le café ou la pluie. Laquelle choisis-tu ?",
      },
      taste: {
        instruction: "Et pour finir, nomme une chose que tu peux goûter, ou un goût que tu aimes.",
        smaller: "Prends une gorgée d'eau s'il y en a, ou pense à un goût que tu aimes. Lequel est-ce ?",
      },
    },
  },
  pt: {
    display_name: "Ancoragem 5-4-3-2-1",
    rationale: "Nomear o que seus sentidos percebem dá à sua atenção algo que está aqui de verdade, e a preocupação ao lado fica com menos espaço.",
    steps: {
      see: {
        instruction: "Olhe ao redor e diga cinco coisas que você consegue ver.",
        smaller: "Deixe os olhos pousarem em uma coisa perto de você. O que é, e de que cor? Uma basta para começar.",
      },
      hear: {
        instruction: "Agora escute e diga quatro coisas que você consegue ouvir, perto ou longe.",
        smaller: "Procure um único som, por mais fraco que seja: um ventilador, a rua, sua respiração. Qual é?",
      },
      feel: {
        instruction: "Perceba três coisas que você consegue sentir: o chão sob os pés, o tecido na pele, o ar.",
        smaller: "Ponha a mão no que estiver ao seu lado. É morno ou fresco, liso ou áspero?",
      },
      smell: {
        instruction: "Diga duas coisas que você consegue cheirar. Se não houver nada, dois cheiros de que gosta.",
        smaller: "Pense em um cheiro de que gosta, como café ou chuva. Qual você escolheria?",
      },
      taste: {
        instruction: "E por último, diga uma coisa que você sente no paladar, ou um sabor de que gosta.",
        smaller: "Tome um gole de água, se houver, ou pense em um sabor de que gosta. Qual é?",
      },
    },
  },
  zh: {
    display_name: "5-4-3-2-1着陆练习",
    rationale: "说出感官注意到的东西，注意力就有了真实存在的落脚点，旁边的担心占的地方也就小了。",
    steps: {
      see: {
        instruction: "看看四周，说出你能看到的五样东西。",
        smaller: "让目光停在身边的一样东西上。它是什么，是什么颜色？先说一样就够了。",
      },
      hear: {
        instruction: "现在听一听，说出你能听到的四种声音，远近都可以。",
        smaller: "只找一种声音，再轻也行：风扇、街道、自己的呼吸。是哪一种？",
      },
      feel: {
        instruction: "留意你能感觉到的三样东西：脚下的地面、皮肤上的衣料、空气。",
        smaller: "把手放在旁边的东西上。是暖还是凉，光滑还是粗糙？",
      },
      smell: {
        instruction: "说出你能闻到的两种气味。如果没有，就说两种你喜欢的气味。",
        smaller: "想一种你喜欢的气味，比如咖啡或雨水。你选哪一种？",
      },
      taste: {
        instruction: "最后，说出你能尝到的一种味道，或者一种你喜欢的味道。",
        smaller: "有水的话喝一小口，或者想一种你喜欢的味道。是哪一种？",
      },
    },
  },
};
