/** What is said around a looked-up answer, per language. */
import type { Refused } from "./refused.ts";

export interface LookupPhrases {
  /** Nothing was found that bears out an answer. */
  readonly unverified: string;
  readonly failed: string;
  readonly refused: Readonly<Record<Refused, string>>;
  /** Stands before sentences that are quoted as they are. */
  readonly quoted: string;
  readonly sources: string;
  /** Stands below help lines. */
  readonly listening: string;
}

const english: LookupPhrases = {
  unverified:
    "I found nothing that bears out an answer to that, so I would rather not guess. If you tell me more exactly what you want to know, I can look again.",
  failed: "I could not look that up just now, so I would rather not guess. You can ask me again in a moment.",
  refused: {
    crisis:
      "Help lines I take only from one fixed list with sources, never from a search. Tell me which country you are in, and I will give you what stands there.",
    medical:
      "Amounts and effects of medicines or substances I do not look up. A pharmacist or a doctor can tell you, and they know what else matters for you.",
    subjective:
      "That is not something that a source can answer, because it depends on you and your life. We can think about it together, if you like.",
  },
  quoted: "This is what I found, word for word:",
  sources: "Sources:",
  listening: "If it is for you: I am here to listen, too. What is going on?",
};

export const lookupPhrases: Readonly<Record<string, LookupPhrases>> = {
  en: english,
  es: {
    unverified:
      "No he encontrado nada que respalde una respuesta, así que prefiero no adivinar. Si me dices con más detalle qué quieres saber, puedo buscar otra vez.",
    failed: "Ahora mismo no he podido buscarlo, así que prefiero no adivinar. Puedes preguntármelo de nuevo en un momento.",
    refused: {
      crisis:
        "Las líneas de ayuda las tomo solo de una lista fija con sus fuentes, nunca de una búsqueda. Dime en qué país estás y te doy lo que figura allí.",
      medical:
        "Cantidades y efectos de medicamentos o sustancias no los busco. Una farmacéutica o un médico te lo puede decir, y sabe qué más importa en tu caso.",
      subjective: "Eso no lo puede responder una fuente, porque depende de ti y de tu vida. Podemos pensarlo juntos, si quieres.",
    },
    quoted: "Esto es lo que he encontrado, palabra por palabra:",
    sources: "Fuentes:",
    listening: "Si es para ti: también estoy aquí para escucharte. ¿Qué está pasando?",
  },
  de: {
    unverified:
      "Ich habe nichts gefunden, was eine Antwort darauf belegt, also rate ich lieber nicht. Wenn du mir genauer sagst, was du wissen willst, suche ich noch einmal.",
    failed: "Das konnte ich gerade nicht nachsehen, also rate ich lieber nicht. Du kannst mich gleich noch einmal fragen.",
    refused: {
      crisis:
        "Hilfetelefone nehme ich nur aus einer festen Liste mit Quellen, nie aus einer Suche. Sag mir, in welchem Land du bist, dann nenne ich dir, was dort steht.",
      medical:
        "Mengen und Wirkungen von Medikamenten oder Substanzen schlage ich nicht nach. Eine Apotheke oder Ärztin kann es dir sagen und weiß, worauf es bei dir noch ankommt.",
      subjective: "Das kann keine Quelle beantworten, denn es hängt von dir und deinem Leben ab. Wir können gern zusammen darüber nachdenken.",
    },
    quoted: "Das habe ich gefunden, Wort für Wort:",
    sources: "Quellen:",
    listening: "Wenn es für dich ist: Ich höre dir auch zu. Was ist los?",
  },
  fr: {
    unverified:
      "Je n'ai rien trouvé qui appuie une réponse, je préfère donc ne pas deviner. Si tu me dis plus précisément ce que tu veux savoir, je peux chercher encore.",
    failed: "Je n'ai pas pu chercher cela à l'instant, je préfère donc ne pas deviner. Tu peux me le redemander dans un moment.",
    refused: {
      crisis:
        "Les lignes d'aide, je les prends seulement d'une liste fixe avec ses sources, jamais d'une recherche. Dis-moi dans quel pays tu es, et je te donne ce qui y figure.",
      medical:
        "Les quantités et les effets de médicaments ou de substances, je ne les cherche pas. Un pharmacien ou une médecin peut te le dire et sait ce qui compte pour toi.",
      subjective: "Aucune source ne peut répondre à cela, car cela dépend de toi et de ta vie. Nous pouvons y réfléchir ensemble, si tu veux.",
    },
    quoted: "Voici ce que j'ai trouvé, mot pour mot :",
    sources: "Sources :",
    listening: "Si c'est pour toi : je suis là aussi pour t'écouter. Que se passe-t-il ?",
  },
  pt: {
    unverified:
      "Não encontrei nada que sustente uma resposta, então prefiro não adivinhar. Se me disser com mais detalhe o que quer saber, posso procurar de novo.",
    failed: "Não consegui procurar isso agora, então prefiro não adivinhar. Pode me perguntar de novo daqui a pouco.",
    refused: {
      crisis:
        "Linhas de ajuda eu tiro apenas de uma lista fixa com fontes, nunca de uma busca. Diga em que país você está e eu passo o que consta lá.",
      medical:
        "Quantidades e efeitos de remédios ou substâncias eu não procuro. Uma farmacêutica ou um médico pode dizer, e sabe o que mais importa no seu caso.",
      subjective: "Isso nenhuma fonte pode responder, porque depende de você e da sua vida. Podemos pensar juntos, se quiser.",
    },
    quoted: "Foi isto que encontrei, palavra por palavra:",
    sources: "Fontes:",
    listening: "Se for para você: também estou aqui para ouvir. O que está acontecendo?",
  },
  zh: {
    unverified: "我没有找到能证实答案的内容，所以不想乱猜。如果你说得更具体一些，我可以再查一次。",
    failed: "我刚才没能查到，所以不想乱猜。你可以稍后再问我一次。",
    refused: {
      crisis: "求助热线我只从一份注明来源的固定名单里取，从不靠搜索。告诉我你在哪个国家，我就把名单上的给你。",
      medical: "药物或其他物质的用量和作用我不查。药剂师或医生可以告诉你，也知道对你还有什么要注意。",
      subjective: "这不是资料能回答的，因为这取决于你和你的生活。如果你愿意，我们可以一起想一想。",
    },
    quoted: "这是我查到的原文：",
    sources: "来源：",
    listening: "如果是你自己需要：我也在这里听你说。发生了什么？",
  },
};

/** The phrases of a language, English where there are none. */
export const phrasesIn = (language: string): LookupPhrases => lookupPhrases[language] ?? english;
