import type { Sentences } from "./sentences.ts";

export const french: Sentences = {
  feelings: {
    rough: ["Quelle dure journée."],
    overwhelmed: ["Cela fait beaucoup d'un seul coup.", "On dirait que c'est plus que ce qu'une seule personne peut porter."],
    anxious: ["Cela fait beaucoup d'inquiétude à porter.", "Vivre sous cette tension demande énormément."],
    angry: ["J'entends combien cela te met en colère, et cela se comprend.", "Beaucoup de gens seraient en colère à ta place."],
    ashamed: ["Cela semble douloureux, et il en faut pour le dire.", "Merci d'en parler avec autant de franchise."],
    lonely: ["Cela a l'air bien solitaire.", "Se sentir à ce point sans personne, c'est lourd."],
    tired: ["On te sent vraiment à bout de forces.", "Cette fatigue va plus loin qu'une mauvaise nuit."],
    sad: ["Comme cela doit peser en ce moment.", "C'est bien triste, et rien ne presse pour passer à autre chose."],
    hurt: ["Cela a dû faire mal.", "On sent que cela t'a touché profondément."],
    stressed: ["Cela fait beaucoup de pression et peu de place pour respirer."],
    numb: ["Ne presque rien ressentir peut être aussi dur que ressentir trop."],
    confused: ["C'est emmêlé, et il n'est pas nécessaire d'y voir clair pour en parler."],
    jealous: ["La jalousie est inconfortable à porter, et la nommer est honnête."],
    relieved: ["Quel soulagement ce doit être."],
    proud: ["Il y a de quoi ressentir de la fierté."],
    calm: ["Cela fait plaisir que ce soit un peu plus calme."],
    happy: ["Cela fait plaisir à lire."],
  },
  heard: ["Merci de me le dire.", "Je t'écoute.", "Il est normal que cela t'occupe l'esprit."],
  of_approach: {
    grief_support: [
      "Toutes mes condoléances pour ta perte.",
      "C'est une grande perte. Le deuil va à son rythme, et il n'y a pas de mauvaise façon de le traverser.",
    ],
    pfa: [
      "C'est effrayant à vivre. Rien n'oblige à le comprendre tout de suite.",
      "Cela n'aurait pas dû t'arriver. Ce que fait ton corps à présent l'aide à traverser cela.",
    ],
    motivational_interviewing: ["On dirait qu'une partie de toi veut une chose, et qu'une autre a de bonnes raisons contre."],
    cbt: ["C'est une pensée dure à porter.", "Ces pensées parlent fort, et semblent plus sûres qu'elles ne le sont."],
    interpersonal_therapy: ["C'est dur quand cela va mal avec des gens qui comptent."],
    act: ["On dirait que quelque chose d'important pour toi a trop peu de place."],
  },
  grieving: ["C'est bien que tu m'en parles.", "Cela fait partie du manque, et il y a de la place pour cela ici."],
  glad: ["Cela fait plaisir."],
  about: ["Quelque chose prend beaucoup de place en ce moment : {topic}.", "Et avec {topic} au milieu, ce n'est pas rien."],
  questions: [
    "Qu'est-ce qui a été le plus dur aujourd'hui ?",
    "Qu'aimerais-tu surtout que je comprenne ?",
    "Comment est-ce, là, pendant que tu écris ?",
  ],
  light_questions: ["Comment était-ce pour toi ?", "Qu'aimerais-tu en dire ?"],
  approach_questions: {
    grief_support: ["Veux-tu m'en parler ?", "Qu'est-ce qui te manque le plus aujourd'hui ?"],
    pfa: ["Y a-t-il quelqu'un avec toi en ce moment ?"],
  },
  onward: ["D'accord. Qu'est-ce qui t'aiderait le plus maintenant ?", "Je vois. Par où aimerais-tu continuer ?"],
  no_self: ["Je n'ai ni journées ni goûts à moi : je suis une intelligence artificielle. Qu'est-ce qui t'y a fait penser ?"],
  glad_questions: ["Qu'est-ce qui y a aidé ?"],
  listening: [
    "Je suis là, et je ne fais qu'écouter. Prends toute la place qu'il te faut.",
    "Alors sans conseils. J'écoute, et rien n'est à réparer ici.",
  ],
  greetings: ["Bonjour, c'est bien de te lire. Qu'est-ce qui t'occupe aujourd'hui ?", "Bonjour. Comment vas-tu vraiment aujourd'hui ?"],
  welcome: ["Avec plaisir.", "De rien. Je suis là s'il y a autre chose."],
  patterns: [
    "On dirait que ce n'est pas la première fois : quelque chose revient.",
    "Je remarque un motif dans ta façon de le raconter, comme une scène qui se rejoue.",
  ],
  patterns_about: ["Quelque chose te ramène au même endroit, et au milieu il y a ceci : {topic}."],
  pattern_questions: ["Que se passe-t-il en général juste avant ?", "Que fais-tu ensuite d'habitude, et qu'est-ce que cela te coûte ?"],
  clarify: [
    "J'aimerais bien te comprendre. Veux-tu en parler, faire un court exercice, ou que je cherche une information ?",
    "Il me manque un morceau. De quoi s'agit-il ?",
  ],
  explain: {
    any: [
      "Ce que l'on ressent va souvent plus vite que ce que l'on peut expliquer : le corps remarque quelque chose d'important et réagit avant les mots. Se poser la question est souvent le début du relâchement.",
    ],
    panic: [
      "Dans la panique, l'alarme du corps se déclenche sans rien à fuir, et l'esprit lit ces signes mêmes comme un danger. Cela paraît sans fin, et pourtant cela monte, culmine et redescend tout seul.",
    ],
    worry: [
      "L'inquiétude est l'esprit qui cherche à te protéger en répétant ce qui pourrait mal tourner. Comme cela n'arrive presque jamais, il apprend que s'inquiéter a servi, et il recommence.",
    ],
    sleep: ["Le sommeil vient quand le corps est fatigué et l'alarme intérieure éteinte. S'efforcer de dormir la rallume."],
  },
  explain_questions: ["Est-ce que cela ressemble à ce que tu vis ?"],
  ways: {
    any: [
      "Une petite chose à essayer : note ce qui dépend de toi et ce qui n'en dépend pas, et ne fais aujourd'hui que la plus petite de la première liste.",
      "Tu peux commencer tout petit : nomme ce que tu ressens en un mot, expire lentement, puis choisis un seul pas de quelques minutes.",
    ],
    panic: [
      "Quand cela monte, laisse l'expiration durer plus longtemps que l'inspiration et nomme à voix haute ce que tu vois. Il ne s'agit pas d'arrêter la vague, seulement d'y tenir jusqu'à ce qu'elle retombe.",
    ],
    worry: [
      "Donne rendez-vous à l'inquiétude : un quart d'heure à heure fixe, sur papier. Si elle vient plus tôt, note un mot et remets-la à plus tard.",
    ],
    sleep: [
      "Si tu ne dors pas, lève-toi, garde peu de lumière et fais quelque chose d'ennuyeux jusqu'à avoir sommeil. Et lève-toi chaque matin à la même heure.",
    ],
  },
  way_questions: ["Quelle en serait la plus petite version pour toi ?", "Est-ce faisable, ou cherchons-nous autre chose ?"],
  closings: ["Merci d'avoir parlé avec moi aujourd'hui. Que la suite te soit douce.", "C'est bien que tu aies écrit. Prends soin de toi."],
  closings_about: ["Merci d'avoir parlé avec moi. Tu as fait de la place à ceci aujourd'hui : {topic}. C'est assez pour l'instant."],
  met: ["C'est bien de faire ta connaissance, {name}."],
  met_question: "Qu'est-ce qui t'occupe aujourd'hui ?",
  your_name: "Tu m'as dit que tu t'appelles {name}.",
  what_i_can: [
    "Tu peux me raconter ce qui t'occupe, j'écoute et je demande. Je peux aussi te guider dans un court exercice, chercher quelques informations sur le sommeil, l'inquiétude ou le stress, et me souvenir de ce que tu me dis, ou l'oublier. Par où veux-tu commencer ?",
  ],
  cannot_tell: ["C'est plus que je ne peux répondre : je fonctionne avec des règles, sans modèle de langage. Qu'est-ce qui t'y a fait penser ?"],
  what_i_am: [
    "Je suis un compagnon doté d'intelligence artificielle, pas une personne, et je fonctionne en ce moment avec des règles simples, sans modèle de langue. Je peux écouter, guider un court exercice ou chercher des informations générales sur le bien-être.",
  ],
  no_name: [
    "Je ne peux pas te dire si tu as quelque chose, et je ne veux pas deviner. Un médecin, ou quelqu'un du métier qui parle posément avec toi, le peut. Qu'as-tu remarqué ?",
  ],
  remembered: ["Tu m'avais dit : « {quote} »."],
  nothing_remembered: ["Je n'ai rien gardé qui réponde à cela. Veux-tu me le redire ?"],
  let_go: "Rien n'a été effacé, d'ailleurs : j'ai laissé tomber cette question.",
  paused: "L'exercice attend là où nous l'avons laissé ; dis-le quand tu veux y revenir.",
  nothing_found: "Je n'ai trouvé aucune source qui y réponde, et je préfère ne pas deviner.",
  last_time: "De la dernière fois, il me reste cette note : « {quote} ».",
  repair: ["Ce que tu voulais dire m'a échappé, pardon. Redis-le à ta façon."],
  after_crisis: ["Merci de me le dire, je suis toujours là.", "Cela compte. Une chose après l'autre suffit pour le moment."],
  check_in: ["Je n'ai pas oublié ce que tu m'as dit. Es-tu en sécurité en ce moment ?"],
  room: ["Il y a ici de la place pour la suite.", "Rien ne presse, la suite peut venir quand elle vient."],
};
