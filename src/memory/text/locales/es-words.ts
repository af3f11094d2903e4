/** Spanish word lists, written from general knowledge of the language. */

/** Function words, forms of ser, estar and haber, and the fillers of talk. */
export const stopWords = `
  a al algo alguna algunas alguno algunos ante antes aquel aquella aquellas aquello aquellos aquí así aun aún aunque bajo bien cada casi como cómo con contra cual cuál cuales cuáles cualquier cuando cuándo
  cuanta cuánta cuantas cuántas cuanto cuánto cuantos cuántos de del desde donde dónde adónde durante e el él ella ellas ellos en entonces entre era eran eras eres es esa esas ese eso esos está estaba estaban estado
  están estar estás este esta estas esto estos estoy estamos estuve estuvo fue fueron fui fuimos ha había habían haber hace hacia han has hasta hay haya he hemos hola igual incluso ja la las le les lo los luego
  me mi mí mía mío mis misma mismo mucha muchas mucho muchos muy más nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque pues que qué
  quien quién quienes quiénes se sé sea ser será si sí sido siempre sin sobre solo sólo somos son soy su sus suya suyo también tampoco tan tanto te ti toda todas todavía todo todos tras tu tú tus tuya tuyo
  u un una unas uno unos usted ustedes va vale vamos van vos vosotros voy y ya yo puede puedo pueden puedes podría`;

/** Frequent words that are no words of the other languages that are supplied. */
export const telltale = `
  el la de un una en y que qué del por para pero como cómo con muy mi mis su sus yo tú ella ellos ellas nosotros te se lo le está estoy están estaba fue era eran soy eres somos
  cuándo dónde quién cuál cuánto cuántos cuántas también porque más hay tengo tiene tienes tenemos cuando mucho mucha muchos hace ayer mañana hoy este esta eso esto nuestro nuestra desde hasta gusta semana semanas año años mes meses próximo próxima pasado pasada`;

/** Verbs whose forms no suffix rule finds, by their infinitive, and a few nouns. */
export const irregular: Readonly<Record<string, string>> = {
  tener: "tengo tiene tienes tienen tuve tuvo tuvieron tuvimos tendrá tendré tenía",
  hacer: "hago hizo hice hicieron hicimos hecho haré hará",
  decir: "digo dice dices dicen dijo dije dijeron dicho",
  querer: "quiero quiere quieres quieren quiso quise",
  venir: "vengo viene vienes vienen vine vinieron vendrá",
  ver: "veo ve ves ven vio vi vimos vieron visto viendo",
  dar: "doy da das dan dio di dieron dado",
  saber: "sabe sabes sabemos supo supe",
  poner: "pongo pone ponen puso puse pusieron puesto",
  salir: "salgo sale salen saldrá",
  jugar: "juego juega juegas juegan jugué",
  dormir: "duermo duerme duermes duermen durmió durmiendo",
  morir: "muere mueren murió muerto muerta muerte",
  pedir: "pido pide piden pidió",
  sentir: "siento siente sientes sienten sintió",
  pensar: "pienso piensa piensas piensan",
  empezar: "empiezo empieza empiezan empecé",
  comenzar: "comienzo comienza",
  conocer: "conozco conocí conoció",
  conducir: "conduzco conduce condujo",
  traer: "traigo trae trajo traje",
  leer: "leo lee leen leyó leyendo leído leí",
  oír: "oigo oye oyó",
  volver: "vuelvo vuelve vuelven vuelto volvió",
  contar: "cuento cuenta cuentan",
  encontrar: "encuentro encuentra encuentran",
  recordar: "recuerdo recuerda recuerdan",
  perder: "pierdo pierde pierden perdió",
  entender: "entiendo entiende",
  preferir: "prefiero prefiere prefieres prefirió",
  seguir: "sigo sigue siguen siguió",
  vestir: "viste visten vistió",
  soñar: "sueño sueña",
  escribir: "escrito",
  abrir: "abierto abierta",
  romper: "roto rota",
  mover: "muevo mueve mueven",
  costar: "cuesta costó",
  llover: "llueve llovió",
  cerrar: "cierro cierra",
  caer: "caigo cae cayó",
  elegir: "elijo elige eligió",
  madre: "mamá mami mamás",
  padre: "papá papi papás",
};
