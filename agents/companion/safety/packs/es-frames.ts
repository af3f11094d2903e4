import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";

/** What changes, in Spanish, how the rest is meant: idioms, games, fiction, what is past, what is taken back, and answers to a question. */
export const spanishFrames: RulePack["frames"] = {
  subject_other: rows(`
    mi|mis|un|una|nuestra|nuestro ~1 {people} ~3 dice|dijo|escribio|mando|conto|puso|publico|cuenta|confeso,
    el|ella ~1 dice|dijo|escribio|conto ~2 que, preocupad* por ~3 {people}|el|ella|alguien, {people} ~2 se|ha
  `),
  idiom: rows(`
    que ~1 significa|es|quiere_decir ~2 ideacion|suicid*, significa ~3 suicid*, chiste|risa|pelicula|cancion|eso|meme|video|frase ~2 me_mato|me_mata,
    matar|mate ~3 mosquito*|cucaracha*|bicho*|hormigas|zombies|plantas, tirarme|lanzarme|saltar|tirar ~3 paracaidas|parapente|bungee|piscina|tobogan,
    casi ~2 infarto, infarto ~3 susto|precio|cuenta, intento|intentó|trato ~2 {theirs} ~1 hace|años, mataria ~2 por|por_una,
    acabar|terminar ~1 con ~3 tesis|novio|novia|tarea|libro|proyecto|relacion|reforma|mudanza,
    me_despedi ~2 compañer*|vecin*|amig* ~4 mudo|viaje|trabajo, acabo_de|acaba_de tomar ~4 cafe|desayuno|agua|cerveza,
    otro_lado_de_la calle|ciudad|puerta, lo_voy_a_hacer|lo_hago|voy_a_hacerlo|lo_hare ~1 mañana|luego|despues,
    gracias ~1 por_todo ~3 hasta_mañana|hasta_luego|hasta_pronto|nos_vemos|saludos|un_abrazo,
    no_quiero_seguir ~4 trabajo|carrera|estudiando|jugando|dieta|serie|curso|hablando|discutiendo,
    muero|muriendo|morir*|murió|mori|muerta|muerto|morimos|muere|matan|mato|mata ~2 de ~2 risa|hambre|sueño|frio|calor|verguenza|pena|ganas|amor,
    muero|muriendo|morir*|mori|muerta|muerto ~2 de ~2 aburrimiento|sed|miedo|envidia|ternura|curiosidad|cansancio|nervios|gusto|celos|emocion|asco,
    muero|muriendo|moriria ~1 por, mata|matan|matando|mataron|matar|matarme ~1 de ~1 risa|hambre|aburrimiento|calor|frio,
    mama|papa|jefe|jefa|madre|padre|mujer|esposa|profe|novia|novio|marido|hermana|viejos ~2 va|van|quiere|quieren a? ~1 matarme|matar,
    va|van a matarme|matar ~4 {people}|si|cuando|tarde, esta|es|era|estuvo ~1 para_morirse|para_morir, de mala muerte, muerto|muerta de,
    matar ~1 el_tiempo|tiempo|gusanillo|dos_pajaros|el_gusanillo|el_hambre, de vida o muerte,
    me quiero morir ~4 verguenza|foto|oso|examen|partido|ternura|lindo|bonito,
    corte|cortarme|cortar ~6 cocina*|cebolla|afeitar*|papel|lata|verdura*|pan|vidrio, cortarme las uñas|puntas, saltar ~2 de ~1 alegria|felicidad,
    saltar ~3 paracaidas|cuerda|bungee|trampolin|piscina, desaparecer ~5 playa|vacaciones|finde|montaña,
    no puedo|aguanto mas ~2 con|por|ganas ~3 tarea|calor|risa|trafico|examen|examenes|trabajo|ganas|esperar|hambre|comer|ver|serie|estreno,
    no ~1 puedo|aguanto mas ~1 de ~1 la? risa|llena|lleno|hambre|calor|frio|ganas, colgarme ~3 telefono|llamada|wifi|mochila|medalla,
    tirarme ~3 sofa|cama|sillon|piscina|pedo|playa|horas|rato, fin de semana ~2 muert*,
    matarme ~2 estudiando|trabajando|entrenando|gimnasio|gym|estudiar|trabajar, me mato ~2 estudiando|trabajando|entrenando|gimnasio|gym,
    bateria|celular|movil|telefono|compu|coche|wifi ~3 muri*|muert*|muere,
    {pills} ~4 alergia|gripe|receta*|presion|resfriado|desayuno|tiroides|medico|doctor,
    no {want} ~1 morir|morirme|{kill}|quitarme|hacerme|lastimarme|saltar|muerte, no ~1 voy a ~1 {kill}|quitarme|hacerme|lastimarme|morir|saltar,
    no ~1 me ~1 {want}|voy a? ~1 matar|morir|suicidar, no ~1 pienso|pensando|he_pensado ~2 en? ~2 {kill}|quitarme|morir|hacerme|suicidio,
    nunca|jamas ~3 {kill}|quitarme|hacerme|lastimarme|mataria|suicidaria|haria|pensado|pense, no ~1 me ~1 mataria|suicidaria|haria ~1 daño?,
    no ~2 tengo ~3 pensamientos|ideas|ganas ~2 suicid*|morir|muerte|morirme, sin|ni ~1 {want}|ganas|ideas|pensamientos ~2 morir|suicid*|{kill},
    no soy|estoy suicida, no me quiero morir|matar, no {want} ~1 morir|morirme|hacerme|matarme, tengo miedo ~1 a|de ~1 morir,
    me|se mata|matan|esta_matando|estan_matando ~2 la|el|los|las|tu|este|esta|de,
    corte|cortarme|cortar|corto el|mi ~1 pelo|cabello|flequillo|barba|dedo, corte|cortarme|cortar las uñas|puntas
  `),
  joke: rows("jaja*, jeje*, jsjs*, xd*, lol, es|era ~1 broma, de broma, bromeando"),
  fiction: rows(`
    novela|cuento|relato|guion|poema|pelicula|serie|personaje*|protagonista|libro|capitulo|anime|manga|obra|fanfic|ficcion|temporada,
    escribiendo|escribo ~2 un|una|mi ~1 novela|cuento|relato|guion|poema|historia|cancion, en la|el pelicula|serie|libro|novela|juego, mi personaje
  `),
  game: rows(`
    juego|jugando|videojuego|minecraft|fortnite|boss|jefe_final|nivel|lol|valorant|zelda|gta|roblox|fifa|free_fire|respawn|ranked|mision|zombie*,
    me mato|mataron|mataba ~3 boss|jefe|enemigo|equipo|zombie*|lava|creeper
  `),
  quote: rows("dice la|una letra|cancion, la cancion|letra, cita|frase|titular|noticia|articulo|refran|meme|tuit"),
  academic: rows(`
    tesis|ensayo|estadistica*|tasa|tasas|prevencion|sociologia|durkheim|epidemiologia, trabajo|tarea ~3 sobre|de ~3 suicid*,
    que ~2 significa|es ~2 suicid*, etimologia|definicion
  `),
  professional: rows(`
    mi|mis|un|una paciente*|consultante*|alumn*,
    soy ~1 psicolog*|enfermer*|medic*|doctor*|maestr*|profesor*|terapeuta|orientador*|voluntari*|trabajador*, protocolo|taller|capacitacion
  `),
  past_recovered: rows(`
    antes ~2 queria|pensaba|me_cortaba, antes|entonces ~3 queria_morir|queria_morirme, de_adolescente|de_joven|en_mi_adolescencia,
    antes ~3 {want}|pensaba|queria|me, cuando era ~1 adolescente|joven|chica|chico|niña|niño,
    ahora|hoy ~3 estoy ~2 bien|mejor|feliz|contenta|contento|vida|agradecid*|recuperad*, supere|superado|superé|recuper*|sobrevivi,
    me alegro|alegra ~3 seguir|estar|haber|viva|vivo, años|meses ~2 limpia|limpio|sin_cortarme|sin_lastimarme|sin_hacerme, en el pasado,
    hace ~2 años|meses, hace_tiempo, ya estoy|me_siento mejor|bien|recuperada|recuperado, ya ~2 lo? ~1 supere|superado
  `),
  bereavement: rows(`
    murio|fallecio|fallecimiento|falleció|murieron|funeral|entierro|velorio|luto|duelo|viuda|viudo, {people} ~2 se ~1 suicido|mato|quito|ahorco,
    se suicido ~6 {people}|año|años|hace, perdi a mi|un|una ~1 {people}|perro|gato, extraño ~3 {people}
  `),
  harmless_plan: rows(`
    nos_mudamos|me_mudo|nos_casamos|me_caso|matrimonio|pedida|propuesta, nuevo|nueva|otra trabajo|empresa|casa|piso|escuela, cuerda|soga ~1 para_saltar|de_saltar|para_escalar|de_tender, cafe|desayuno|desayunando|cerveza|cenando|leyendo|tomando_el_sol,
    retraso|autobus|foto*|turista*|paseo|paracaidas|sorpresa|regalo*|vistas,
    examen|reunion|dentista|vuelo|viaje|vacaciones|boda|fiesta|mudanza|mudar*|entrevista|concierto|cumple|maleta*|turno,
    ultimo|ultima|ultimos dia|semana|dias|noche ~3 trabajo|clase*|clases|escuela|vacaciones|viaje|curso|oficina|oferta|practicas|empresa|aqui_en|secundaria|prepa|instituto,
    renunci*|jubil*|despedida ~3 soltera|soltero|trabajo|compañer*, regale|done ~4 cumpleaños|navidad|ropa_vieja|mudanza|caridad|sobrin*
  `),
  denial: rows(`
    no {want} ~1 morir|morirme|hacerme|matarme, no ~2 es|era eso, no ~1 me ~1 refiero|refería ~2 eso, estoy ~1 a salvo|segura|seguro,
    no ~2 pienso|voy ~2 hacer* ~2 nada|daño, no ~1 estoy ~1 en peligro|riesgo, no soy suicida, nunca ~1 me haria daño
  `),
  retraction: rows(`
    era|es|fue|estaba ~1 broma|bromeando|chiste|mentira|joda|jodiendo|coña, no ~2 en serio, no ~1 lo ~1 decia|dije|digo ~1 en? ~1 serio,
    solo ~1 bromeaba|bromeo|exageraba|exagero, olvidalo|olvida ~2 dije|eso, no ~1 importa ya, mentira, nah, ya|ahora estoy bien
  `),
  yes: rows(`
    si, sip, sep, simon, claro, a veces, aveces, de vez en cuando, lo he pensado, lo pienso, un poco, todos los dias, sinceramente si,
    la verdad ~1 si, creo que si, puede ser, tal vez, quizas, quiza, muchas veces, todo el tiempo, supongo, cada noche, mas o menos, ultimamente,
    asi es, correcto, obvio, desde hace, por desgracia si, siempre
  `),
  no: rows("no, nop, nel, para nada, nunca, jamas, que va, en absoluto, no no, claro que no, ni loca, ni loco, nah, tampoco"),
  evasion: rows(`
    no se, nose, no quiero hablar, prefiero no, que importa, da igual, que mas da, por que preguntas, porque preguntas, para que ~2 saber,
    no importa, cambiemos de tema, dejalo, no te ~1 importa, equis, no lo se, depende, es complicado, ni idea
  `),
  safety_question: rows(`
    acabar|terminar ~2 con ~1 tu|su vida, hacerte|hacerse ~1 daño, pensado|pensando|piensas|pensaste|pensamientos|ideas ~4 suicid*|morir|quitarte|matarte|muerte,
    {want}|quieres|ganas ~3 morir|morirte|matarte|suicidarte|quitarte|hacerte, hacerte daño, estas pensando ~3 suicid*|quitarte|matarte|morir
  `),
};
