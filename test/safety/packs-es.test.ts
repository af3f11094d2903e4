import { spanishPack } from "../../packages/companion/src/safety/rule-packs.ts";
import { spanish } from "../../packages/companion/src/safety/crisis-data.ts";
import { holdToTable } from "./pack-table.ts";

holdToTable({
  pack: spanishPack,
  phrases: spanish,
  imminent: `
    me tomé todas las pastillas que había en casa
    acabo de tomarme un frasco entero de clonazepam
    ya me las tomé, solo quiero dormir
    me trague como 40 pastillas hace una hora y me da sueño
    me corté las venas y no para de salir sangre
    me corté demasiado profundo y no deja de sangrar
    estoy en la azotea mirando hacia abajo, ya no quiero estar aquí
    estoy del otro lado de la baranda del puente
    estoy parada en el borde del andén, cuando pase el próximo tren se acaba todo
    tengo la pistola de mi papá cargada en la mano
    tengo las pastillas en la mesa, esta noche lo hago
    ya compré la soga, mañana se termina todo
    esta noche me mato
    hoy es mi último día, ya está decidido
    este es mi último mensaje. díganle a mi mamá que la quiero
    cuando lean esto ya no estaré
    adiós a todos, perdónenme por todo, ya no aguanto
    ya regalé mi gato y escribí las cartas, solo falta el viernes
    dejé todo en orden, las contraseñas están en el escritorio, mañana ya no voy a estar
    que parezca un accidente, así mi familia cobra el seguro
    la última vez me encontraron, esta vez no va a fallar
    las voces me dicen que salte y ya estoy en la ventana
    nadie sabe nada, tengo el veneno guardado para esta noche
    no voy a llegar al lunes
    me voy a tirar al metro hoy
    ya lo hice, no hay vuelta atrás
    estoy junto a las vías esperando el tren, perdón por todo
    he tomado lejía y me quema todo
    ya tengo todo listo para irme esta noche, gracias por todo
    me bajé toda la caja de alprazolam con vodka
    acabo de tragarme las pastillas de mi abuela, todas
    estoy sangrando mucho, esta vez corté hondo
    ya me inyecté toda la insulina
    voy manejando a toda velocidad, voy a estrellarme contra el muro
    estoy sentado en la cornisa del piso 12 y ya no tengo miedo
    tengo la cuerda atada al techo y la silla lista
    escribí mi carta de despedida y la dejé en la almohada
    el sábado cuando todos salgan lo voy a hacer
    para cuando alguien lea esto voy a estar muerto
    cuida a mi hermanita por mí, yo ya no voy a estar
    mañana a esta hora ya no existo
    voy a repetirlo y esta vez nadie me va a salvar
    la voz dice que hoy tengo que colgarme
    solo espero que mi mamá se duerma para tomármelas
    esta noche termina mi dolor para siempre
    tengo 60 pastillas contadas sobre la cama
    mi amiga acaba de tomarse un frasco de pastillas, qué hago
    mi hijo está en la azotea y dice que va a saltar
    ya me tomé las 30 pastillas, no le digan a nadie
    me eché todo el raticida
    estoy en la baranda del puente con los pies afuera
    hoy me voy para siempre, los amo
    me compré una pistola y es para hoy
    no me llamen, ya va a ser tarde
    me estoy desangrando en el baño
    esta es mi última noche en este mundo
    el domingo después de misa me cuelgo
    tengo el frasco abierto y ya me tomé la mitad
    corrí al baño y me abrí los brazos, hay mucha sangre
    voy a colgarme cuando mi esposa salga a trabajar
    les dejé una carta a cada uno, perdónenme
    el viernes será mi último día
    compré una soga ayer y hoy estoy solo en casa
    no le cuentes a nadie pero esta noche me tomo todo
  `,
  high: `
    quiero morir
    quiero morirme ya
    kiero morirme
    no quiero vivir mas
    ya no quiero seguir viviendo
    quiero suicidarme
    pienso en matarme todos los días
    he estado pensando en quitarme la vida
    tengo pensamientos suicidas otra vez
    me quiero matar, no aguanto más
    ojalá me muriera mientras duermo
    preferiría estar muerta
    estaría mejor muerto
    volví a cortarme anoche
    me corto los brazos para calmarme
    necesito hacerme daño para sentir algo
    no tengo un plan, pero quiero morirme
    quiero acabar con todo
    quiero terminar con mi vida
    me dan ganas de tirarme del puente
    no le veo sentido, solo pienso en la muerte
    ganas de desvivirme
    quiero su1cidarme
    q u i e r o  m o r i r
    estoy harta de vivir, quiero morir jaja
    busqué en internet formas de morir sin dolor
    a veces pienso que la muerte es la única salida
    me quemo con el encendedor cuando nadie me ve
    quiero dejar de vivir
    pienso mucho en suicidarme pero no tengo nada planeado
    me dan ganas de no estar viva
    ya no le encuentro el gusto a nada, mejor muerta
    no quiero estar en este mundo
    sueño con morirme
    he pensado seriamente en el suicidio
    la idea de matarme no me deja en paz
    si pudiera apretar un botón y morirme lo haría
    toy pensando en suisidarme
    me hago cortes en las piernas cuando estoy ansiosa
    creo que voy a terminar matándome
    me quiero desvivir
    me paso el día imaginando mi muerte
    no me mataría por mi hija, pero quiero morir
    quisiera estar muerto aunque no haría nada
    odio vivir, ojalá me muera ya
    tengo ganas de cortarme otra vez
    estoy pensando en acabar con mi vida
    fantaseo con tirarme al metro
    m quiero morir
    quiero mrir
    no tengo ganas d vivir
    kiero dejar de existir, kiero morir
    sí he pensado en suicidarme
    me lastimo para no sentir
    me sigo cortando a escondidas
    he vuelto a pensar en matarme
    preferiría no vivir así, quiero morirme
    s u i c i d a r m e
    lo único que quiero es estar muerta
    ya no quiero despertar nunca, quiero morir
    siento ganas de matarme cada vez que vuelvo a casa
    me rasguño los brazos hasta sangrar
    he pensado en tirarme del balcón
    no tengo un plan pero sí quiero morir
    quiero irme de este mundo
    pienso en la muerte todo el tiempo
    soy suicida y nadie lo sabe
  `,
  unclear: `
    no sé si quiero seguir, da igual
    mi familia estaría mejor sin mí
    soy una carga para todos
    quisiera desaparecer
    ojalá no despertara mañana
    quiero dormir y no despertar nunca
    nada tiene sentido
    ya no puedo más
    no veo salida
    para qué seguir
    tengo miedo de lo que pueda hacer
    me vienen imágenes de tirarme a las vías pero no quiero, me asustan
    mi amiga dice que quiere morir
    mi hermano se corta los brazos, ¿qué hago?
    mi novia dijo que se quiere matar
    oigo voces que me hablan
    llevo tres días sin comer, me siento gorda
    mi pareja me pega
    ojalá no hubiera nacido
    regalé casi todas mis cosas, ya no las necesito
    nadie me extrañaría si me fuera
    si mañana no despierto no pasa nada
    a veces siento que sobro en este mundo
    no sé cuánto más voy a aguantar
    todos vivirían más tranquilos si yo no estuviera
    me gustaría dormirme para siempre
    qué sentido tiene todo esto
    estoy cansada de existir
    ya me rendí
    pregunto por un amigo: ¿cómo sé si alguien piensa en suicidarse?
    mi compañera de piso publicó que ya no quiere vivir
    no confío en mí misma esta noche
    quiero que todo pare
    me siento vacía y sin salida
    no le importo a nadie
    me asustan pensamientos de empujarme al tren, jamás lo haría
    no valgo nada para nadie
    si yo no estuviera todo sería más fácil para ellos
    estoy al borde del abismo
    a veces quiero dormir y ya no despertar
    mi primo me mandó un mensaje de despedida
    mi hermana dice que se quiere morir
    todo me da igual ya
    no tengo futuro
    me siento un estorbo
    no aguanto esta vida
    no le veo salida a esto
    quisiera no existir
    tengo miedo de hacerme algo
    mi novio amenaza con matarse si lo dejo
    la vida no vale la pena
    me escuchas? ya me cansé de todo
  `,
  harmless: `
    me muero de hambre, ¿qué cocino?
    me muero de risa jajaja
    casi me muero de vergüenza en la reunión
    este calor me está matando
    mi mamá me va a matar si llego tarde
    me mato estudiando para el examen
    se me murió la batería del celular
    en el juego me mataron tres veces
    estoy escribiendo una novela donde el protagonista se suicida
    ¿cuál es la tasa de suicidio en España? es para mi tesis
    soy psicóloga y mi paciente habla de morir, ¿algún protocolo?
    no quiero morir
    nunca me haría daño
    hace cinco años intenté suicidarme, hoy estoy bien y agradecida
    mi abuelo murió el mes pasado y lo extraño
    estoy triste porque terminé con mi novio
    hoy tuve un día horrible en el trabajo
    el viernes es mi último día de trabajo
    voy a saltar en paracaídas el sábado
    me corté el dedo cocinando
    corté el pelo de mi hija
    mañana tengo examen, deséame suerte
    ¿me recomiendas una serie?
    quiero desaparecer una semana en la playa
    la canción dice "quiero morir en tus brazos"
    compré pastillas para la alergia
    me tomé una pastilla para el dolor de cabeza
    matar dos pájaros de un tiro
    el puente es largo, ¿hacemos un viaje?
    me encantaría morir de viejo en mi casa
    hay que cortar el césped
    no le digas a nadie, es una fiesta sorpresa
    estoy esperando el metro para ir a casa
    voy a hacerlo mañana, lo de la mudanza
    el tren sale a las 8
    necesito ayuda con mi currículum
    no puedo más con esta tarea de mates
    esa película es para morirse de miedo
    mi perro murió ayer
    me regaló un gato mi tía
    se me hace agua la boca, mataría por una pizza
    mi equipo se suicidó en el segundo tiempo
    el jefe me mata si no entrego el informe
    casi me da un infarto con el susto
    vi una serie sobre el suicidio, ¿qué opinas?
    trabajo en prevención del suicidio y quiero ideas para un taller
    qué dolor de cabeza, me voy a dormir
    quiero terminar con mi novio, ¿cómo se lo digo?
    quiero acabar con esta tesis ya
    me tiré toda la tarde en el sofá
    mi hermana se cortó el pelo
    voy a tirarme en paracaídas con mis amigos
    me despedí de mis compañeros porque me mudo a Chile
    escribí una carta a mi abuela
    gracias por todo, me ayudaste mucho
    adiós, gracias por todo
    estoy harta de mi trabajo
    me siento sola desde que me mudé
    qué risa, me muero
    cuchillo nuevo para la cocina, ¿cuál recomiendas?
    no me suicidaría nunca, tranquila
    mi tía intentó suicidarse hace años y ahora está bien
    superé mi depresión, antes quería morir
    tengo que tomar mis pastillas de la tiroides cada mañana
    la batería del coche está muerta
    me mataron en Fortnite otra vez
    perdón por todo el lío de ayer
    nos vemos en el otro lado de la calle
    el último día de vacaciones siempre es triste
    mi gato desapareció ayer
    qué puente me recomiendas visitar en Lisboa
    me caigo de sueño, me muero por dormir
    mataron a mi personaje en el capítulo final
    ese chiste me mató
    fui al funeral de mi tía, la extraño
    estoy ansiosa por el examen de mañana
    mi jefe quiere que renuncie
    me da miedo morir en un avión
    ¿qué significa "ideación suicida"?
    no estoy pensando en suicidarme, solo cansada
    quiero matar a los mosquitos jaja
    tengo pastillas para dormir recetadas por el médico
    ya no puedo más de la risa
    estoy en la terraza tomando un café
    voy a cortar leña con el hacha
    mi ex me dejó y estoy destrozada
    quería morirme de la vergüenza
    perdí mi trabajo y estoy preocupado
    hoy me despedí de mi casa antigua
    este juego es de vida o muerte
    esta noche ceno con mis padres
    hoy fue un día pesado pero bien
    quiero contarte algo que me pasó
    estoy cansado de estudiar
    necesito consejos para dormir mejor
    mi novia se enojó conmigo
    me duele la cabeza desde ayer
    voy a dejar de fumar
    no sé qué carrera elegir
    tengo miedo de hablar en público
    cuéntame un chiste
    quiero adelgazar para el verano
    estoy nervioso por la entrevista de mañana
    mi abuela está en el hospital
    ¿cómo puedo ayudar a un amigo deprimido?
    quiero terminar mi tesis este mes
    estoy feliz, al fin terminé el proyecto
    tengo que comprar una cuerda para saltar
    la nota de mi examen fue mala
    mañana viajo en tren a Sevilla
    no quiero ir al trabajo hoy
  `,
  answers: {
    yes: ["sí", "a veces", "un poco", "sí, desde hace meses", "la verdad es que sí", "creo que sí"],
    no: ["no", "para nada", "no, nunca", "no, solo estoy cansada"],
    evasion: ["prefiero no decirlo", "¿por qué preguntas?", "no lo sé"],
  },
});
