import type { SafetyPhrases } from "throughline/safety";

/** What is said in a crisis in Spanish. */
export const spanish: SafetyPhrases = {
  language: "es",
  ask_directly: [
    "Quiero entenderte bien, así que te lo pregunto directamente: ¿estás pensando en el suicidio?",
    "Lo que has escrito me importa, y prefiero preguntar antes que suponer: ¿estás pensando en quitarte la vida?",
    "Cuando todo pesa tanto, hay personas que piensan en morir, por eso te lo pregunto con claridad: ¿piensas en suicidarte?",
  ],
  ask_directly_other: [
    "Quiero entender bien cómo está esa persona, así que pregunto directamente: ¿ha hablado de suicidio o de querer morir?",
    "Prefiero preguntar antes que suponer: ¿crees que esa persona está pensando en quitarse la vida?",
  ],
  opening: [
    "Gracias por contármelo. Es mucho lo que llevas encima, y me lo tomo en serio.",
    "Me alegra que lo digas aquí. Veo cuánto dolor hay en lo que escribes, y me lo tomo en serio.",
    "Hace falta valor para decirlo. Aquí no tienes que esconder nada, y me lo tomo en serio.",
  ],
  opening_imminent: [
    "Me alegra mucho que me lo hayas dicho. Ahora lo primero es tu seguridad; vamos paso a paso.",
    "Gracias por decírmelo. Puede que estés en peligro ahora mismo, y lo único que importa en este momento es que estés a salvo.",
    "Te leo y me lo tomo muy en serio. Ahora solo hay una cosa que hacer: pasar los próximos minutos a salvo.",
  ],
  opening_other: [
    "Gracias por preocuparte por esa persona. Asusta ver así a alguien que te importa, y me lo tomo en serio.",
    "Es bueno que te hayas dado cuenta y que no mires hacia otro lado. Me tomo en serio lo que me cuentas.",
  ],
  heard: [
    "Te leo, y me alegra que sigas escribiendo.",
    "Gracias por seguir aquí conmigo, puedas o no decir algo más ahora.",
    "Te leo. No hace falta que tengas respuesta para todo.",
  ],
  heard_place: "Gracias por decirme dónde estás.",
  heard_someone: "Me alegra que haya alguien ahí. Por favor, dile lo mal que estás y quédense cerca.",
  heard_willing: "Me alegra. Por favor, hazlo ahora, y sigue escribiéndome mientras tanto si te ayuda.",
  heard_no: "Gracias por hablarme con franqueza.",
  call_now: "Por favor, llama ahora a {emergency} o a una línea de crisis, y di lo mismo que me has dicho a mí.",
  call_still: [
    "Por favor, llama ahora a {emergency} o a una línea de crisis, aunque cueste: están justo para esto.",
    "Lo más importante sigue siendo que llames ahora a {emergency} o a una línea de crisis.",
  ],
  emergency_unknown: "tu número local de emergencias",
  be_with_someone:
    "Ve ahora con alguien, o pide a alguien que venga y se quede contigo: una amistad, alguien de tu edificio, tu familia, quien esté cerca. Estar con una persona ayuda.",
  distance: "Aléjate de todo aquello con lo que podrías hacerte daño: cambia de habitación, sal a la calle o pide a alguien que se lo lleve.",
  stay_with_them: "Quédate con esa persona, si puedes hacerlo sin ponerte en peligro, o asegúrate de que alguien la acompañe hasta que llegue ayuda.",
  resources_intro: "Con quién puedes hablar ({place}):",
  resources_both: "Hay más de un lugar con ese nombre. Elige aquel en el que estás:",
  resource_stale: "datos del {date}; confírmalo en su página",
  no_resources: "No tengo ninguna línea confirmada para {place}. Estos directorios reúnen servicios por país:",
  directories: "Estos directorios reúnen servicios gratuitos y confidenciales por país:",
  ask_location: "¿En qué país estás, para que pueda mostrarte servicios a los que puedas acudir desde ahí?",
  resources_again: [
    "Los servicios que te di siguen ahí para ti, cuando quieras hablar con alguien.",
    "Puedes acudir en cualquier momento a los servicios que te mostré antes, también si ya has llamado.",
  ],
  ask_plan: "¿Has pensado en cómo lo harías?",
  ask_means: "¿Hay algo a tu alcance con lo que podrías hacerte daño?",
  ask_time: "¿Has pensado en cuándo?",
  ask_someone: "¿Hay alguien contigo ahora, o alguien que pueda venir a quedarse contigo?",
  ask_willing: "¿Te animarías a llamar o escribir a uno de esos servicios, o a alguien de confianza, mientras hablamos?",
  ask_barriers: "¿Qué es lo que ahora hace difícil pedir ayuda a alguien?",
  human_care:
    "Cuéntaselo también a alguien de confianza y habla con un profesional, por ejemplo en tu centro de salud. Mereces tener personas a tu lado, y está bien pedirlo.",
  coping: [
    "Mientras tanto, puede ayudar soltar el aire despacio varias veces, o sostener algo frío y notar cómo se siente.",
    "Durante los próximos minutos, puede ayudar estar donde haya gente, beber un poco de agua y dejar cualquier decisión para más tarde.",
    "Si puedes, mira a tu alrededor y nombra algunas cosas que ves y que oyes. Lo que ahora es tan intenso sube y también baja.",
  ],
  ai_limits: "Soy una IA, no una persona. No puedo ver dónde estás ni llamar a nadie por ti.",
  nobody_watching: "Aquí no hay ninguna persona leyendo, así que, por favor, no esperes a que alguien se dé cuenta.",
  somebody_told: "El equipo que lleva este servicio ha recibido un aviso. Por favor, no lo esperes: si estás en peligro, llama ahora.",
  stay: [
    "Sigo aquí, y podemos hablar todo lo que quieras.",
    "Puedes seguir escribiéndome en cualquier momento.",
    "Lo que quieras contarme ahora, lo leo.",
  ],
  not_saved:
    "Es posible que lo que has escrito no se haya guardado, y puede que no lo recuerde. Por favor, envíalo otra vez dentro de un momento; si estás en peligro, llama ahora a tu número local de emergencias.",
  limited: "Las comprobaciones de seguridad están limitadas en este momento. Si necesitas apoyo, aquí puedes encontrar un servicio: {directory}",
  disclosure:
    "Soy una IA de acompañamiento, no una persona, y puedo equivocarme. Para asuntos de salud o de seguridad, habla con alguien de confianza o con un profesional.",
  apology: "Lo siento, no he podido darte una buena respuesta. ¿Me lo dices otra vez, quizá con otras palabras?",
};
