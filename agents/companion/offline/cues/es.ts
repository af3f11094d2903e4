import { cuesFrom, patterns, whole, words } from "./cues.ts";

const polite = "(?:(?:hola|oye|vale|bueno|ahora|por favor|sí)[,!.]? +|(?:puedes|podrías|podemos|quiero que|me gustaría que) (?:por favor )?)*";
const asked = "(?: por favor| ahora| gracias)*";
const kin =
  "(?:madre|mamá|padre|papá|hermano|hermana|hijo|hija|bebé|esposa|esposo|mujer|marido|pareja|novio|novia|amigo|amiga|tío|tía|primo|prima|abuelo|abuela|perro|perra|gato|gata)";
const ejercicio =
  "(?:(?:un|el|ese|otro|algún) )?ejercicios?(?: (?:de|para) (?:respiración|respirar|anclaje|relajación|valores|calma\\p{L}*|pensamientos))?";

/** Spanish. */
export const spanish = cuesFrom({
  memory: {
    status: whole(
      `${polite}(?:estado|cómo está) (?:de )?(?:la|tu) memoria`,
      `${polite}cuánto recuerdas(?: (?:de|sobre) mí)?`,
      `${polite}(?:te acuerdas|sabes quién soy|te acuerdas de mí)`,
    ),
    list: whole(
      `${polite}qué (?:recuerdas|sabes|has guardado|guardas|tienes guardado)(?: (?:de|sobre|acerca de) mí)?${asked}`,
      `${polite}(?:muéstrame|enséñame|dime) (?:todo )?lo que (?:recuerdas|sabes|has guardado)(?: (?:de|sobre) mí)?${asked}`,
      `${polite}(?:muéstrame|enséñame) (?:mis|tus|los) recuerdos`,
    ),
    recall_on: whole(`${polite}(?:activa|enciende) (?:el recuerdo|los recuerdos|la memoria(?: proactiva)?)${asked}`),
    recall_off: whole(`${polite}(?:desactiva|apaga) (?:el recuerdo|los recuerdos|la memoria(?: proactiva)?)${asked}`),
    preference: whole(
      `${polite}(?:de ahora en adelante|a partir de ahora),? (?:por favor,? )?(?<text>.{4,280})`,
      `${polite}(?<text>prefiero (?:que |respuestas |frases ).{3,260})`,
    ),
    forget_by_index: whole(
      `${polite}(?:olvida|borra|elimina) (?:el |la )?(?<kind>dato|recuerdo|hecho|sesión|regla|preferencia) (?:número )?(?<place>\\d{1,3})${asked}`,
      `${polite}(?:olvida|borra|elimina) (?:el |la |el número )?(?<place>\\d{1,3})${asked}`,
    ),
    forget_by_query: whole(
      `${polite}(?:olvida|borra|elimina) (?:todo )?lo que (?:te )?(?:dije|he dicho|conté|he contado|sabes|recuerdas) (?:de|sobre|acerca de) (?<query>.{2,80}?)${asked}`,
      `${polite}(?:olvida|borra|elimina) (?:todo|los recuerdos) (?:de|sobre) (?<query>.{2,80}?)${asked}`,
      `${polite}olvida que (?<query>.{4,80}?)${asked}`,
      `${polite}(?:olvida|borra|elimina) (?:lo|eso) de (?<query>.{2,80}?)${asked}`,
      `${polite}(?:olvida|borra|elimina)(?: a)? (?<query>(?:mi|mis) .{2,60}?)${asked}`,
    ),
    forget_vague: whole(`${polite}(?:olvida|borra|elimina) (?<query>eso|esto|ese|este)${asked}`),
  },
  recalls: words("¿?(?:te acuerdas|recuerdas)(?: (?:de|que|cuando|lo que))?", "la última vez que hablamos", "te (?:conté|dije) (?:que|lo de|sobre)"),
  lookup: patterns(
    `^[¿ ]*${polite}(?:busca(?:r)?(?: información (?:sobre|de))?|averigua|consulta) (?<query>.{3,200})$`,
    `^[¿ ]*${polite}(?:qué dice la (?:ciencia|investigación)|hay (?:evidencia|estudios)|cuántas horas|cuánta gente|cuánto (?:tiempo )?(?:tarda|dura))\\b.*`,
    `^[¿ ]*${polite}(?:qué (?:es|son)) (?!lo que|esto|eso|de mí).{3,200}$`,
    "^[¿ ]*(?:ayuda|sirve|es bueno|afecta) (?:el |la )?(?:café|cafeína|alcohol|ejercicio|magnesio|melatonina|meditación|yoga|siesta)\\b.*",
  ),
  exercise: [
    ...words(
      `(?:podemos|podríamos|vamos a|quiero|quisiera|me gustaría|necesito|hagamos|probemos|empecemos)(?: (?:hacer|probar|empezar|practicar))? ${ejercicio}`,
      `(?:guíame|llévame|enséñame|dame|acompáñame)(?: (?:por|en|con))? ${ejercicio}`,
      "(?:empezar|hacer|probar) (?:la |una )?(?:respiración cuadrada|respiración de caja|técnica 5[- ]?4[- ]?3[- ]?2[- ]?1)",
    ),
    ...whole(
      `${polite}(?:ejercicio de (?:respiración|anclaje|valores|relajación)|respiración cuadrada|registro de pensamientos|brújula de valores)${asked}`,
    ),
  ],
  exercise_vague: whole(`${polite}(?:hagamos|podemos hacer|probemos) (?:algo|eso|uno)`),
  accepts: whole(
    "(?:sí|vale|claro|de acuerdo|bueno|adelante|está bien)(?:[,.! ]+(?:por favor|vamos|hagámoslo|gracias|claro|me gustaría))*",
    "hagámoslo",
  ),
  declines: whole("(?:no|mejor no|ahora no|cancela|déjalo|no gracias)(?:[,.! ]+(?:gracias|déjalo|por favor))*"),
  resumes: words(
    "(?:sigamos|seguir|volver|volvamos|continuemos|retomar|retomemos) (?:con |a )?(?:el|al) ejercicio",
    "dónde (?:estábamos|nos quedamos)",
  ),
  asks_back: words("qué (?:quieres decir|significa)", "no entiendo (?:el paso|la pregunta|qué)", "vale (?:si|con)\\b.*\\?"),
  turns_away: patterns("^(?:por cierto|espera|otra cosa|antes de (?:seguir|eso)|quiero hablar de)[,: ].{6,}"),
  exits: [
    ...whole("(?:para|basta|salir|terminar|ya basta|paremos)(?: (?:aquí|ya|por favor|el ejercicio))*"),
    ...words("no quiero (?:seguir|continuar|hacer esto)", "quiero (?:parar|dejarlo|terminar)"),
  ],
  stuck: words("no puedo\\b.*", "no se me ocurre\\b.*", "no sé qué (?:decir|poner)", "es (?:muy |demasiado )?difícil"),
  holds: words("(?:espera|un momento|dame un (?:momento|minuto|segundo)|todavía no|aún no)", "me distraje"),
  done: [
    ...whole("(?:ya|listo|lista|hecho|ya está|terminé|siguiente|sí)(?:[,. ]+(?:ya|está|listo|lista|siguiente))*"),
    ...words("siguiente paso", "qué sigue"),
  ],
  unclear: whole(
    "(?:eso|esto|cosas?|algo|todo|nada|ayuda|ayúdame|no sé|no estoy segur[oa]|hm+|pues|bueno|otra vez|lo de siempre|la cosa|pasó(?: otra vez)?|da igual|olvídalo|puedes hacerlo|hazlo)(?: (?:por favor|entonces))?",
  ),
  just_listen: words(
    "sin consejos",
    "no (?:quiero|necesito|me des) (?:ningún |más )?consejos?",
    "(?:sólo|solo|solamente) (?:quiero|necesito) (?:que me escuches|desahogarme|hablar)",
    "(?:sólo|solo) escúchame",
    "desahogarme",
  ),
  closing: whole(
    "(?:bueno|vale|ok|gracias)?[,.! ]*(?:adiós|chao|chau|hasta (?:luego|mañana|pronto|la próxima)|buenas noches|nos vemos|me (?:tengo que ir|voy(?: a dormir)?)|tengo que irme|eso es todo(?: por hoy)?|es todo(?: por hoy)?|por hoy es suficiente)(?:[,.! ]+(?:gracias|muchas gracias|por hoy|por escuchar\\p{L}*|por todo|adiós|hasta (?:luego|mañana)))*",
    "(?:muchas )?gracias por (?:escuchar\\p{L}*|todo|tu ayuda|hoy)",
    "(?:muchas )?gracias[,.! ]+(?:eso es todo|es todo|adiós|hasta luego)(?: por hoy)?",
  ),
  greeting: whole("(?:hola|buenas|buenos días|buenas (?:tardes|noches)(?= ))(?:[,.! ]+(?:qué tal|cómo estás|de nuevo))*", "(?:qué tal|cómo estás)"),
  thanks: whole("(?:muchas )?gracias"),
  wants_to_understand: words(
    "por qué (?:me|no|siempre|estoy|soy|siento|lloro|tengo|reacciono|pienso)\\b.*",
    "qué (?:pasa|ocurre|me pasa) (?:en|con|cuando)\\b.*",
    "es normal\\b.*",
    "(?:quiero|quisiera|me gustaría) entender\\b.*",
    "ayúdame a entender\\b.*",
    "no entiendo por qué\\b.*",
  ),
  wants_a_way: words(
    "qué (?:puedo|podría|debo|debería) hacer\\b.*",
    "cómo (?:puedo|podría) (?:\\p{L}+ )?\\p{L}+r(?:me|lo|la)?\\b.*",
    "(?:algún|dame|tienes) (?:consejos?|trucos?|ideas?)\\b.*",
    "ayúdame a (?:calmarme|dormir|organizar\\p{L}*|preparar\\p{L}*|decidir)\\b.*",
    "algo (?:práctico|concreto)\\b.*",
  ),
  recurring: words(
    "(?:una y otra vez|otra vez lo mismo|siempre (?:me|termino|acabo|hago|igual|lo mismo|pasa)|cada vez que|todos los días|siempre que|de nuevo lo mismo|el mismo patrón|sigue pasando|volvió a pasar)\\b.*",
  ),
  approaches: {
    grief_support: words(
      `(?:murió|falleció|ha muerto|perdí a|se murió)(?: mi)?\\b.*`,
      `(?:la muerte|el funeral|la pérdida) de mi\\b.*`,
      `mi ${kin} (?:ha )?(?:murió|falleció|muerto|fallecido)`,
      "(?:duelo|luto)",
    ),
    pfa: words(
      "(?:un|tuve un) accidente",
      "(?:me|nos) (?:robaron|asaltaron|atacaron)\\b.*",
      "en shock",
      "no (?:puedo|paro de) (?:dejar de )?temblar",
      "terremoto|incendio|inundación",
    ),
    motivational_interviewing: words(
      "(?:una )?parte de mí\\b.*",
      "por un lado\\b.*",
      "no (?:sé|estoy segur[oa]) si (?:debo|debería|quiero)\\b.*",
      "(?:debería|tengo que) (?:dejar|cambiar|quedarme|irme)\\b.*",
      "no (?:puedo|logro|consigo) decidir\\p{L}*\\b.*",
    ),
    dbt_skills: words(
      "(?:abrumad[oa]|agobiad[oa]|desbordad[oa]|sobrepasad[oa])",
      "(?:es|todo es) demasiado",
      "no puedo (?:calmarme|más con)\\b.*",
      "ataques? de pánico",
    ),
    cbt: words(
      "soy (?:un |una )?(?:fracaso|fracasad[oa]|inútil|idiota|desastre)",
      "(?:todos|todo el mundo) (?:piensan?|me odian?|se ríen?)\\b.*",
      "no puedo dejar de pensar\\b.*",
      "y si\\b.*",
      "es (?:mi culpa|culpa mía)",
    ),
    act: words("mis valores", "lo que (?:de verdad |realmente )?(?:me importa|importa)", "sentido (?:de|a) (?:la|mi) vida", "en piloto automático"),
    interpersonal_therapy: words(
      "(?:discutí|peleé|me peleé|pelea|discusión|discutimos|peleamos) ?(?:con)?\\b.*",
      "(?:mi jefe|mi jefa|mi novio|mi novia|mi pareja|mi marido|mi mujer|mi madre|mi padre) (?:no|siempre|nunca|me)\\b.*",
      "(?:ruptura|divorcio|me dejó|rompimos)",
      "me siento (?:muy )?(?:sol[oa]|rechazad[oa])",
    ),
  },
  missed: words("(?:no me (?:entiendes|escuchas|estás entendiendo)|no es (?:eso )?lo que (?:quise decir|dije)|no me (?:ayudas?|sirve))"),
  asks_about_it: words("(?:cuál es tu|te gusta|cómo te llamas|cuántos años tienes|cuéntame un (?:chiste|cuento))\\b.*"),
  introduces: words("(?:me llamo|mi nombre es) (?<name>\\p{L}[\\p{L}'-]{1,20})"),
  what_can_you_do: words(
    "qué (?:puedes|sabes) hacer",
    "(?:cómo|en qué) (?:me )?puedes ayudar(?:me)?[?. ]*$",
    "para qué sirves",
    "cómo funciona(?:s)?(?: esto)?[?. ]*$",
  ),
  asks: patterns("[?]\\s*$"),
  what_are_you: words(
    "(?:eres|es usted) (?:una? )?(?:humano|humana|persona|robot|bot|ia|máquina|inteligencia artificial|terapeuta|psicólog[oa]|real)\\b.*",
    "quién eres",
    "qué eres",
  ),
  what_do_i_have: words("tengo (?:depresión|tdah|ansiedad generalizada|un trastorno)\\b.*\\?", "(?:qué tengo|qué enfermedad tengo)"),
});
