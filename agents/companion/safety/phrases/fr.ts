import type { SafetyPhrases } from "throughline/safety";

/** What is said in a crisis in French. */
export const french: SafetyPhrases = {
  language: "fr",
  ask_directly: [
    "Je veux bien vous comprendre, alors je vous pose la question directement : pensez-vous au suicide ?",
    "Ce que vous écrivez compte, et je préfère demander plutôt que supposer : pensez-vous à mettre fin à vos jours ?",
    "Quand tout devient aussi lourd, certaines personnes pensent à mourir, alors je le demande simplement : avez-vous des pensées de suicide ?",
  ],
  ask_directly_other: [
    "Je veux bien comprendre comment va cette personne, alors je demande directement : a-t-elle parlé de suicide, ou de vouloir mourir ?",
    "Je préfère demander plutôt que supposer : pensez-vous que cette personne songe à mettre fin à ses jours ?",
  ],
  opening: [
    "Merci de me le dire. C'est beaucoup à porter, et je le prends au sérieux.",
    "C'est bien de l'avoir dit ici. Je lis combien vous souffrez, et je le prends au sérieux.",
    "Il faut du courage pour le dire. Vous n'avez rien à cacher ici, et je le prends au sérieux.",
  ],
  opening_imminent: [
    "C'est très important que vous me l'ayez dit. Votre sécurité passe avant tout maintenant, une étape après l'autre.",
    "Merci de me le dire. Vous êtes peut-être en danger en ce moment, et la seule chose qui compte, c'est que vous soyez en sécurité.",
    "Je vous lis et je prends cela très au sérieux. Pour l'instant, une seule chose compte : traverser les prochaines minutes en sécurité.",
  ],
  opening_other: [
    "Merci de veiller sur cette personne. C'est effrayant de voir ainsi quelqu'un qui compte pour vous, et je le prends au sérieux.",
    "C'est bien de l'avoir remarqué et de ne pas détourner le regard. Je prends au sérieux ce que vous me dites.",
  ],
  heard: [
    "Je vous lis, et c'est bien que vous continuiez d'écrire.",
    "Merci de rester là, quoi que vous puissiez dire ou non pour le moment.",
    "J'entends cela. Vous n'avez pas besoin d'avoir une réponse à tout.",
  ],
  heard_place: "Merci de me dire où vous êtes.",
  heard_someone: "C'est bien que quelqu'un soit là. Dites-lui à quel point ça va mal, et restez ensemble.",
  heard_willing: "C'est bien. S'il vous plaît, faites-le maintenant, et continuez de m'écrire pendant ce temps si cela aide.",
  heard_no: "Merci de votre franchise.",
  call_now: "S'il vous plaît, appelez maintenant {emergency} ou une ligne d'écoute, et dites ce que vous venez de m'écrire.",
  call_still: [
    "S'il vous plaît, appelez maintenant {emergency} ou une ligne d'écoute, même si c'est difficile : ces services sont là pour cela.",
    "Le plus important reste d'appeler maintenant {emergency} ou une ligne d'écoute.",
  ],
  emergency_unknown: "votre numéro d'urgence local",
  be_with_someone:
    "Allez voir quelqu'un maintenant, ou demandez à quelqu'un de venir et de rester avec vous : un proche, le voisinage, la famille, toute personne à côté. Une présence aide.",
  distance:
    "Mettez de la distance entre vous et ce avec quoi vous pourriez vous faire du mal : changez de pièce, sortez, ou demandez à quelqu'un de l'emporter.",
  stay_with_them:
    "Restez avec cette personne si vous le pouvez sans danger pour vous, ou assurez-vous que quelqu'un soit là jusqu'à l'arrivée des secours.",
  resources_intro: "À qui vous pouvez parler ({place}) :",
  resources_both: "Plusieurs endroits portent ce nom. Choisissez celui où vous êtes :",
  resource_stale: "état au {date}, à confirmer sur le site",
  no_resources: "Je n'ai pas de ligne confirmée pour {place}. Ces annuaires présentent des services par pays :",
  directories: "Ces annuaires présentent des services gratuits et confidentiels par pays :",
  ask_location: "Dans quel pays êtes-vous, pour que je puisse vous montrer des services joignables de là-bas ?",
  resources_again: [
    "Les services que je vous ai indiqués restent là pour vous, dès que vous voulez parler à quelqu'un.",
    "Vous pouvez joindre à tout moment les services de tout à l'heure, même si vous avez déjà appelé.",
  ],
  ask_plan: "Avez-vous pensé à la façon dont vous le feriez ?",
  ask_means: "Y a-t-il à votre portée quelque chose avec quoi vous pourriez vous faire du mal ?",
  ask_time: "Avez-vous pensé à quand ?",
  ask_someone: "Y a-t-il quelqu'un avec vous en ce moment, ou quelqu'un qui pourrait venir et rester avec vous ?",
  ask_willing:
    "Seriez-vous d'accord pour appeler l'un de ces services ou lui écrire, ou contacter quelqu'un de confiance, pendant que nous parlons ?",
  ask_barriers: "Qu'est-ce qui rend difficile, en ce moment, de vous tourner vers quelqu'un ?",
  human_care:
    "Parlez-en aussi à quelqu'un de confiance, et à un professionnel, par exemple votre médecin. Vous méritez d'avoir des personnes à vos côtés, et vous avez le droit de le demander.",
  coping: [
    "En attendant, cela peut aider d'expirer lentement plusieurs fois, ou de tenir quelque chose de froid et de sentir ce que cela fait.",
    "Pour les prochaines minutes, cela peut aider d'aller là où il y a du monde, de boire un peu d'eau et de remettre toute décision à plus tard.",
    "Si vous le pouvez, regardez autour de vous et nommez quelques choses que vous voyez et entendez. Les émotions fortes montent, puis redescendent.",
  ],
  ai_limits: "Je suis une IA, pas une personne. Je ne vois pas où vous êtes et je ne peux appeler personne à votre place.",
  nobody_watching: "Aucune personne ne lit cette conversation, alors, s'il vous plaît, n'attendez pas que quelqu'un s'en aperçoive.",
  somebody_told: "L'équipe de ce service a reçu une alerte. S'il vous plaît, ne l'attendez pas : si vous êtes en danger, appelez maintenant.",
  stay: [
    "Je suis là, et nous pouvons parler aussi longtemps que vous le voulez.",
    "Vous pouvez continuer à m'écrire à tout moment.",
    "Quoi que vous vouliez me dire ensuite, je vous lis.",
  ],
  not_saved:
    "Ce que vous avez écrit n'a peut-être pas été enregistré, et je ne m'en souviendrai peut-être pas. Renvoyez-le dans un instant ; si vous êtes en danger, appelez maintenant votre numéro d'urgence local.",
  limited: "Les vérifications de sécurité sont limitées en ce moment. Si vous avez besoin de soutien, vous trouverez un service ici : {directory}",
  disclosure:
    "Je suis une IA qui accompagne, pas une personne, et je peux me tromper. Pour ce qui touche à la santé ou à la sécurité, parlez à quelqu'un de confiance ou à un professionnel.",
  apology: "Pardon, je n'ai pas pu donner une bonne réponse. Pouvez-vous me le redire, peut-être avec d'autres mots ?",
};
