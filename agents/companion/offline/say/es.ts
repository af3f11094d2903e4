import type { Sentences } from "./sentences.ts";

export const spanish: Sentences = {
  feelings: {
    rough: ["Suena a un día muy duro."],
    overwhelmed: ["Es mucho lo que te está cayendo encima a la vez.", "Suena a más de lo que una sola persona puede sostener."],
    anxious: ["Suena a mucha preocupación para llevar a cuestas.", "Vivir con esa tensión cansa muchísimo."],
    angry: ["Se nota cuánto te enfada esto, y tiene sentido.", "A muchas personas les enfadaría algo así."],
    ashamed: ["Suena doloroso, y hace falta valor para decirlo.", "Gracias por contarlo con tanta sinceridad."],
    lonely: ["Suena a mucha soledad.", "Cargar con las cosas en soledad pesa mucho."],
    tired: ["Suenas a cansancio de verdad.", "Ese cansancio va más allá de una mala noche."],
    sad: ["Siento que ahora pese tanto.", "Suena muy triste, y no hay prisa por dejarlo atrás."],
    hurt: ["Eso tuvo que doler.", "Se nota que te llegó muy adentro."],
    stressed: ["Suena a mucha presión y poco espacio para respirar."],
    numb: ["No sentir casi nada puede ser tan duro como sentir demasiado."],
    confused: ["Suena enredado, y no hace falta tenerlo claro para hablar de ello."],
    jealous: ["Los celos son incómodos de llevar, y nombrarlos es honesto."],
    relieved: ["Qué alivio debe de ser."],
    proud: ["Eso merece orgullo."],
    calm: ["Me alegra que haya un poco más de calma."],
    happy: ["Qué bueno leer eso."],
  },
  heard: ["Gracias por contármelo.", "Te escucho.", "Tiene sentido que le des vueltas."],
  of_approach: {
    grief_support: ["Siento mucho tu pérdida.", "Lo siento mucho. El duelo lleva su propio ritmo, y no hay una forma equivocada de vivirlo."],
    pfa: [
      "Es algo que asusta. No hace falta entenderlo todo todavía.",
      "Siento que haya pasado. Lo que hace ahora el cuerpo es una forma de atravesarlo.",
    ],
    motivational_interviewing: ["Suena como si una parte de ti quisiera una cosa y otra tuviera buenas razones en contra."],
    cbt: ["Es un pensamiento duro de llevar.", "Los pensamientos así gritan, y suenan más seguros de lo que son."],
    interpersonal_therapy: ["Duele cuando hay dificultades con quienes importan."],
    act: ["Parece que algo que te importa tiene poco espacio."],
  },
  glad: ["Me alegra leerlo."],
  about: ["Mucho de tu espacio parece ocupado ahora por {topic}.", "Y con {topic} de por medio, no es poca cosa."],
  questions: ["¿Qué ha sido lo más difícil hoy?", "¿Qué te gustaría que entendiera de esto?", "¿Cómo es en este momento, mientras lo escribes?"],
  light_questions: ["¿Cómo fue para ti?", "¿Qué te gustaría contar de eso?"],
  approach_questions: {
    grief_support: ["¿Te gustaría contarme cómo era?", "¿Qué es lo que más echas de menos hoy?"],
    pfa: ["¿Hay alguien contigo ahora mismo?"],
  },
  onward: ["Está bien. ¿Qué te ayudaría más ahora mismo?", "Entiendo. ¿Por dónde te gustaría seguir?"],
  no_self: ["No tengo días ni gustos propios: soy una inteligencia artificial. ¿Qué te hizo pensar en eso?"],
  glad_questions: ["¿Qué ayudó a que fuera así?"],
  listening: [
    "Aquí estoy, y solo voy a escuchar. Toma el espacio que necesites.",
    "Sin consejos, entonces. Te escucho, y aquí no hay que arreglar nada.",
  ],
  greetings: ["Hola, qué bueno que estés aquí. ¿Qué tienes hoy en la cabeza?", "Hola. ¿Cómo estás hoy, de verdad?"],
  welcome: ["Con mucho gusto.", "De nada. Aquí estoy si hay algo más."],
  patterns: ["Parece que no es la primera vez: hay algo que vuelve.", "Noto un patrón en cómo lo cuentas, como una escena que se repite."],
  patterns_about: ["Algo vuelve siempre al mismo lugar, y en medio está esto: {topic}."],
  pattern_questions: ["¿Qué suele pasar justo antes de que empiece?", "¿Qué haces normalmente después, y qué te cuesta?"],
  clarify: [
    "Quiero entenderte bien. ¿Prefieres hablar de ello, hacer un ejercicio corto o que busque información?",
    "Me falta una pieza para seguirte. ¿De qué se trata?",
  ],
  explain: {
    any: [
      "Lo que sentimos suele ir por delante de lo que podemos explicar: el cuerpo nota algo que importa y reacciona antes de que haya palabras. Preguntárselo suele ser el comienzo de que afloje.",
    ],
    panic: [
      "En el pánico salta la alarma del cuerpo sin nada de lo que huir, y la mente lee esas señales como peligro. Parece no tener fin, pero sube, llega a su punto más alto y baja por sí solo.",
    ],
    worry: [
      "La preocupación es la mente intentando protegerte al ensayar lo que podría salir mal. Como casi nunca ocurre, aprende que preocuparse sirvió, y ofrece más.",
    ],
    sleep: ["El sueño llega cuando el cuerpo está cansado y la alarma interior está apagada. Esforzarse por dormir la enciende."],
  },
  explain_questions: ["¿Encaja con lo que te pasa?"],
  ways: {
    any: [
      "Algo pequeño para probar: escribe qué está en tus manos y qué no, y haz hoy solo lo más pequeño de la primera lista.",
      "Podrías empezar muy poco a poco: nombra lo que sientes con una palabra, suelta el aire despacio y elige un solo paso de pocos minutos.",
    ],
    panic: [
      "Cuando suba, deja que el aire salga más despacio de lo que entra y nombra en voz alta lo que ves. No se trata de parar la ola, sino de estar en ella hasta que baje.",
    ],
    worry: [
      "Puedes darle una cita a la preocupación: un cuarto de hora a una hora fija, por escrito. Si llega antes, anota una palabra y déjala para luego.",
    ],
    sleep: ["Si no te duermes, levántate, deja poca luz y haz algo aburrido hasta tener sueño. Y levántate cada día a la misma hora."],
  },
  way_questions: ["¿Cuál sería la versión más pequeña de eso para ti?", "¿Te parece posible, o buscamos otra cosa?"],
  closings: ["Gracias por hablar conmigo hoy. Ojalá el resto del día sea amable contigo.", "Qué bueno que viniste. Cuídate."],
  closings_about: ["Gracias por hablar conmigo. Hoy le diste espacio a esto: {topic}. Por ahora es suficiente."],
  what_i_am: [
    "Soy una compañía con inteligencia artificial, no una persona, y ahora mismo funciono con reglas sencillas, sin modelo de lenguaje. Puedo escuchar, guiar un ejercicio corto o buscar información general sobre bienestar.",
  ],
  no_name: [
    "No puedo decirte si tienes algo, y no quiero adivinar. Una médica u otra persona profesional que hable contigo con calma sí puede. ¿Qué has notado?",
  ],
  remembered: ["Me contaste antes: «{quote}»."],
  nothing_remembered: ["No tengo guardado nada que responda a eso. ¿Quieres contármelo otra vez?"],
  let_go: "Por cierto, no se borró nada: dejé esa pregunta.",
  paused: "El ejercicio espera donde lo dejamos; dímelo cuando quieras volver.",
  nothing_found: "No encontré ninguna fuente que lo responda, y prefiero no adivinar.",
  last_time: "De la última vez tengo esta nota: «{quote}».",
  repair: ["No entendí lo que querías decir, y lo siento. Cuéntamelo otra vez a tu manera."],
  after_crisis: ["Me alegra que me lo cuentes, y sigo aquí contigo.", "Eso importa. Ahora basta con ir paso a paso."],
  check_in: ["No he olvidado lo que me contaste. ¿Estás a salvo en este momento?"],
  room: ["Cuenta más cuando quieras."],
};
