import { frameIds, type RulePack } from "throughline/safety";
import { everyday } from "./everyday.ts";
import { spanishFrames } from "./es-frames.ts";
import { spanishWords } from "./es-words.ts";
import { rows, softRows, together } from "./rows.ts";

/** What Spanish says in danger, with the chat spellings of Spain, Mexico and the River Plate. Verbs in the first person stand for the writer, so that
 * a wish that is taken back ("no quiero morir") stands with the idioms: a bare "no" would reach the next sentence of who writes without stops. */
export const spanishPack: RulePack = Object.freeze<RulePack>({
  language: "es",
  version: "2026-11-21.3",
  coverage:
    "Wishes to die, plans, acts, farewells and self-harm in everyday Spanish of Spain, Mexico and the River Plate, also without accents and in chat spelling. " +
    "Of 16 grave messages written after its rules, 9 were found at 2 or more, and of 20 harmless ones none; the rules were widened since. " +
    "What is said in irony or in slang of other countries, or without any usual word, is missed.",
  support: "partial",
  ...spanishWords,
  concepts: {
    wish_to_die: [
      ...rows(`
      ganas ~2 de ~1 no_estar|no_seguir|no_vivir ~1 viva|vivo|viviendo,
      sueño|soñando|suplico|ruego|deseando ~2 morir|morirme|muerte|estar_muerta|estar_muerto, mejor {dead},
      no {want} ~1 estar ~2 este_mundo|esta_vida, poder|pudiera ~3 morirme|morir, deseo|desearia|ojala ~3 no_haber_despertado|no_despertar_jamas,
      morirme|morir ~2 lo_haria|ahora_mismo|de_una_vez|ya, no_soporto|no_aguanto ~1 vivir|estar_viva|estar_vivo|estar_en_este_mundo,
      vivir ~2 no_quiero|ya_no_puedo, me ~1 dejar|dejara|dejen ~1 morir, prefiero|preferiria ~1 estar {dead},
      quisiera|quiero|me_gustaria ~1 haberme|haber_muerto, lo_unico_que_quiero ~2 morir|morirme|no_vivir,
      no_me_interesa ~1 vivir|seguir_viviendo|la_vida, vivir|vida ~2 ya_no ~1 quiero, no_merezco ~1 vivir|estar_viva|estar_vivo,
      no_deberia ~1 vivir|seguir_vivo|seguir_viva, se ~1 me ~1 quitaron ~2 ganas ~1 de_vivir, me_quiero ~1 morir,
      no_tengo ~2 motivo*|razon|razones ~2 para ~1 vivir|seguir_viviendo, que_ganas ~1 de_morirme|de_morir,
      irme_de_este_mundo|dejar_este_mundo|abandonar_este_mundo, {want} ~1 morir|morirme|muerte, me {want}|gustaria ~1 morir, {want} ~2 estar {dead},
      gustaria estar {dead}, desear* estar {dead}, ganas de ~1 morir|morirme, ganas de ~1 no vivir, ojala ~2 me muera|muriera|muriese|mori,
      ojala ~2 muriera|muriese|muera, ojala ~1 estuviera|estuviese {dead}, estaria|estaba|estuviera ~2 mejor {dead}, mejor estar {dead},
      mejor ~1 me muero|muriera, seria mejor ~2 morir|morirme|muriera|{dead}, no {want} ~1 vivir|viva|vivo,
      no {want} ~1 seguir ~1 viviendo|viva|vivo|vida, ya no {want} ~2 vivir|vida, no {want} ~1 estar ~1 viva|vivo|mundo, dejar de ~1 vivir|respirar,
      no tengo ganas ~2 vivir, sin ganas de vivir, harta|harto|cansada|cansado ~1 de ~2 vivir|estar_viva|estar_vivo,
      morir es ~3 unica|mejor|salida|solucion, muerte es ~3 unica|mejor|salida|solucion, solo {want} ~2 morir|morirme, pido ~4 morir|morirme|muerte,
      rezo ~4 morir|morirme|muerte
    `),
      ...softRows(`
      prefiero|preferiria ~2 morir|morirme|{dead}, morirme
    `),
    ],
    passive_death: rows(`
      ojala ~2 durmiera|duerma|durmiese|dormir|dormirme ~4 no ~3 despertar|despertara|despierte, si ~2 no_despierto|no_amanezco, dormirme|dormir|duermo ~2 para_siempre, si ~2 me_pasara_algo|me_muriera|no_volviera ~3 mejor|igual|descansar*,
      que_me_caiga|que_me_parta|que_me_lleve ~3 rayo|muerte|camion, dormir* ~4 no ~2 despertar*|despierte,
      {want}|gustaria|ojala ~4 no ~1 despertar*|despierte, ojala no ~3 despertara|despertar|despierte|amanezca|amaneciera|despertase,
      no {want} ~2 despertar*, ojala|quisiera|gustaria ~4 atropell*|arroll*, no me importaria ~3 morir|morirme|despertar|atropell*,
      me da igual ~4 morir|vivir|viva|muero|muera|muerta, si me muero|muriera ~4 igual|importa|importaria|nadie|mejor|nota*|extrañ*,
      ojala no ~2 despierte, ojala ~3 me ~1 pase|pasara ~1 algo, que ~2 dios ~2 me lleve, dormir para siempre
    `),
    ideation: rows(`
      soy|estoy|ando ~2 suicida, idea ~1 de ~1 {kill}|morir|morirme|quitarme,
      imaginando|imagino|imaginar|fantaseo|visualizo ~2 mi_muerte|mi_funeral|mi_entierro|muerta|muerto,
      me_pregunto ~4 morir|morirme|muerta|muerto|matarme, terminar|acabar matandome|suicidandome|quitandome_la_vida,
      matandome|suicidandome|quitandome_la_vida, tentaciones ~3 {kill}|acabar, suicidio ~3 cabeza|mente|serio|seriamente,
      seriamente ~3 suicidio|{kill}|suicidarme, boton ~4 morir|morirme|dejar_de_existir, idea|ideas ~2 de ~2 {kill}|morir|quitarme|acabar_con,
      me ~1 dan|da|vienen|entran ~2 ganas ~1 de ~2 {kill}|morir|tirarme|saltar|acabar, pensando ~3 suicidio|suicidarme|matarme|quitarme|morir|muerte,
      pienso ~2 en ~2 la_muerte|el_suicidio|morir, pensamientos ~3 {kill}|quitarme|morir,
      pienso|pensando|pensado|pensar|pense|penso|piensa ~2 en ~3 {kill}|morir|morirme|muerte|suicidio|suicidarme,
      pienso|pensando|pensado|pense ~2 en ~1 quitarme, pensamientos|ideas|ideacion ~1 suicidas|suicidio|muerte|suicida,
      pasa por|cabeza|mente ~5 {kill}|suicidio|quitarme|morir,
      imagino|imaginando|fantaseo|fantaseando ~4 {kill}|muerte|suicid*|morir|saltar|muerta|muerto,
      considerado|considerando|planteado|planteando|planteo|considero ~3 suicid*|{kill}|quitarme,
      tentada|tentado|tentacion ~3 {kill}|saltar|quitarme|tomarmelas, suicidio ~2 es|seria ~3 salida|opcion|solucion|unica,
      como seria ~2 no estar|morir|{dead}, buscando|busque|busco ~4 formas|maneras|metodos ~3 morir|{kill}|suicid*,
      googleando|googlee ~5 morir|{kill}|suicid*
    `),
    kill_self: [
      ...rows(`
      me_tiro|me_aviento|me_lanzo|me_arrojo|me_boto ~3 tren|metro|puente|azotea|ventana|balcon|vias,
      estrellarme|estrellar|estamparme|choco|estrello|chocar ~5 contra|muro|arbol|camion|poste, a_toda_velocidad ~5 contra|estrellar*|muro,
      dejarme ~1 caer|atropellar|morir, {want}|voy|ganas ~2 dejar_de_respirar|desangrarme|intoxicarme, sobredosis ~2 quiero|voy|pienso,
      voy|quiero ~3 sobredosis, hacer ~1 una? ~1 locura ~2 conmigo, me ~1 voy ~1 a_colgar|a_ahorcar|a_aventar|a_arrojar|a_tirar|a_envenenar,
      {want}|voy|ganas|pienso ~2 aventarme|tirarme|lanzarme|arrojarme,
      acabar|terminar ~1 con ~1 mi_vida|mi_existencia|este_sufrimiento|esta_vida|todo_de_una_vez, acabar ~1 con_todo|de_una_vez,
      cortarme|abrirme las_venas|las_muñecas|el_cuello, {want}|voy|pienso ~2 quitarme_del_medio|quitarme_de_en_medio, suicidarse ~2 yo|conmigo,
      {want} ~2 {kill}, {going} ~1 a? ~1 {kill}, voy a ~1 {kill}, ganas ~1 de ~2 {kill}, me {want} ~1 matar|suicidar|ahorcar|colgar|desvivir,
      me voy a ~1 matar|suicidar|ahorcar|colgar|envenenar|desvivir|disparar|tirar|lanzar, me iba|ire a ~1 matar|suicidar|ahorcar|colgar,
      suicidarme|ahorcarme, me mato|matare|suicido|suicidare|ahorco|ahorcare|cuelgo|colgare, me voy ~2 a matar, quitarme ~2 vida|existencia,
      me quito|quitare|quitaria ~1 la vida, me voy|quiero|ire|iba a? quitar la vida,
      acabar|terminar|acabare|terminare|acabo|termino|acabaria ~1 con ~1 mi|esta ~1 vida|existencia|sufrimiento,
      acabar|terminar|acabare|terminare ~1 conmigo, poner*|dar*|ponerle|darle ~1 fin ~3 vida|existencia|sufrimiento|todo|dolor,
      {want}|voy|ganas ~2 acabar|terminar ~1 con ~1 todo|todo, pegarme|dispararme|meterme|darme|pego|meto|disparo ~2 tiro|balazo|cabeza|plomazo|bala,
      volarme|vuelo ~2 sesos|cabeza, {jump} ~3 {high}, me {jump} ~3 {high}, {want}|voy|ganas ~2 saltar $,
      voy_a|quiero ~1 saltar ~1 ya|ahora|del|de_aqui|desde, cortarme|abrirme|corto|abro ~2 venas,
      tomarme|tragarme|tomare|tragarmelas|tomarmelas ~2 {all} ~3 {pills}, voy|quiero ~1 a? tomarme|tragarme ~2 {all},
      tomarme ~1 {pills} ~3 morir|dormir|despertar|acabar, beberme|tomarme ~3 {poison}, atentar contra ~1 mi ~1 vida,
      me encontraran|encontraréis ~2 {dead}|colgad*, que me encuentren ~2 {dead}
    `),
      ...softRows("matarme|desvivirme"),
    ],
    injure_self: rows(`
      rasguño|araño|muerdo|golpeo|pellizco ~3 brazo*|pierna*|cara|piel ~4 sangr*|dolor|calmar*|sentir, hasta ~1 sangrar,
      me|sigo|estoy|ando|vivo ~1 cortando|lastimando|cortandome|lastimandome ~2 escondidas|brazos|piernas|otra_vez|siempre|todavia|mucho,
      sin_cortarme|sin_lastimarme ~5 recai|volvi|fallé, recai ~1 ayer|anoche|hoy|otra_vez,
      me_lastimo|me_hiero|me_lesiono ~1 para|cuando|porque|sola|solo|escondidas|otra_vez|proposito|siempre,
      cortandome ~2 escondidas|otra_vez|de_nuevo|todavia|brazos|piernas, para ~1 no_sentir|sentir_algo ~3 corto|cortarme|lastimo,
      me ~1 hago|hice|hacia ~1 cortes|heridas|daño|quemaduras, sin_cortarme|limpia|limpio ~5 recai|volvi, recai ~5 cort*|lastim*|autoles*,
      cutter|navaja|hojilla|gillette ~4 brazo*|pierna*|piel|me_corto|muñeca*, me ~1 rajo|raje|rajarme ~3 {body}, castigarme ~3 cort*|golpe*|dolor,
      autolesion, hacerme|hago|haciendome|hice|hacer ~1 daño, me hago|hice|hare|estoy ~1 daño, autolesion*, lastimarme|lastimandome|autolastim*,
      me lastimo|lastime ~3 mi|misma|mismo|proposito|calmar*|brazo*|pierna*, cortarme|cortandome, me corto|corte|corté ~4 {body},
      me corto ~4 sentir|calmar*|aliviar*|dolor|cuando, me corto|corte ~2 otra|nuevo|vez|anoche|ayer|siempre, me ~1 volvi|volví|vuelto ~1 a? cortar,
      volvi|volver|vuelvo|recai ~3 cortarme|cortes|lastimarme|quemarme|rasguñarme,
      quemarme|rasguñarme|arañarme|golpearme ~4 {body}|sentir|castig*|proposito|calmar*,
      me quemo|queme|golpeo|rasguño ~5 proposito|sentir|castig*|encendedor|cigarr*|misma|mismo, cortes|cicatrices|marcas ~3 mis ~1 {body},
      escondo|tapo|cubro ~2 cortes|cicatrices|marcas
    `),
    plan: [
      ...rows(`
      esta_noche|hoy|mañana ~2 me_las|me ~1 tomo|tomare|trago ~2 todo|todas|todos, me_tomo|me_trago ~1 todo|todas,
      mañana ~3 ya_no ~1 existo|existire|estare|estoy|voy_a_estar|vivo, yo_ya ~1 no ~1 voy_a_estar|estare, voy_a_estar|estare {dead},
      espero|esperando|espere|cuando ~4 duerma*|duerman|salga*|vayan ~4 tomarm*|hacerlo|matarme|irme|colgarme|saltar,
      dolor|sufrimiento|pesadilla ~1 termina|acaba|terminara|acabara|se_acaba ~3 hoy|noche|siempre|mañana,
      hoy|esta_noche|mañana|{day} ~2 termina|acaba|se_acaba ~1 mi|este|todo_este ~1 dolor|sufrimiento|infierno|vida,
      voy_a_repetirlo|lo_intentare_de_nuevo|lo_voy_a_intentar_otra_vez|voy_a_intentarlo_otra_vez,
      tengo ~2 plan ~3 morir|{kill}|quitarme|acabar|terminar|suicid*|irme, tengo ~2 decidido|decidida|planeado|planeada|pensado|fecha,
      ya ~1 decidi ~3 cuando|como|fecha|dia|hora|acabar|irme|terminar|morir, ya ~1 se ~1 como|cuando|donde ~2 hacerlo|hare|voy,
      se ~1 como ~1 hacerlo ~3 dolor|rapido|vida|morir|falle,
      mañana ~2 ya? no ~2 estare|existire|voy|estar|despertare|amanezco|amanecere|habra ~4 aqui|vida|mundo|mi|estar|viva|vivo|mas|despertar,
      mañana ya no ~1 estare|existire|despertare|amanecere,
      no ~1 llego|llegare|llegar|llegue|paso|pasare|pasar ~2 de? esta|mañana|{day}|hoy ~1 noche|año,
      no ~2 llegar|llego|llegare ~2 {day}|mañana|noche, esta vez ~2 si|no ~3 fall*|funcion*|encontr*|salvar*,
      cuando|si lea*|leas|leen|reciba*|despierte* ~2 esto|mensaje|carta ~4 ya? no|muert*|ido,
      cuando ~2 encuentren|lean|despierten ~4 tarde|ya|muert*, sera|parezca|parecera|parecer* ~2 accidente,
      otro|otra lado ~2 baranda|barandilla|barandal|reja|valla, pies|piernas colgando,
      mi|es|sera ~1 ultimo|ultima ~1 dia|noche|semana|cumpleaños|navidad|amanecer, no ~1 voy_a|pienso ~1 ver|llegar ~3 manana|{day}|navidad|año,
      no ~2 estare|voy_a_estar ~1 aqui|vivo|viva ~3 {day}|mañana|semana
    `),
      ...softRows(`
      esta_noche|hoy|mañana ~1 me_voy $, sera|va_a_ser|ya_es ~1 tarde|demasiado_tarde $, ultimo_mensaje|ultimas_palabras,
      cuando|si lea*|leas|leen|reciba* ~2 esto|mensaje|carta, pistola|revolver|escopeta|arma ~4 cargada,
      soga|cuerda ~3 colgad*|atad*|lista|puesta|amarrad*|viga, {pills}|veneno|soga|pistola ~3 frente_a_mi|delante_de_mi|en_la_mano|enfrente,
      se_acaba|se_termina|acabara|terminara ~1 todo, se ~1 acabo ~1 todo, {day}|noche|hoy|mañana ~3 todo se? {end},
      despues|luego ~4 se ~1 {end} ~1 todo, esta vez ~4 funcion*|fall*|sali*|definitiv*|logr*|encontra*|encuentr*|verdad|salvar*,
      {day}|noche|hoy|mañana ~5 se_acaba|termina ~1 todo, de hoy no paso, de esta noche no paso
    `),
    ],
    preparation: [
      ...rows(`
      ya ~1 escribi ~1 las|mis|todas ~1 cartas, deje|dejo|escribi ~2 carta|cartas ~3 mesa|almohada|hijos|familia|despedida|padres,
      escribi|escrito|escribiendo|deje|dejo|dejando|redacte|redactando|escribo ~3 despedida|notas_de_despedida,
      carta*|nota* ~1 de? ~1 despedida|suicid*|adios, despedirme de ~2 todos|familia|mama|hijos|ustedes|amig*,
      guardando|juntando|ahorrando|acumulando|guardado|juntado|junte|guarde ~3 {pills}
    `),
      ...softRows(`
      deje|dejo ~2 testamento|llaves|papeles|documentos|contraseñas ~3 hermano|hermana|mesa|madre|familia,
      regale|regalado|regalando|reparti|repartiendo|done ~4 cosas|gato|gata|perro|perra|mascota*|ropa|todo|pertenencias|guitarra|libros,
      deje|dejo|dejado|dejando|tengo|puse ~4 todo ~2 orden|arreglado|listo|organizado|pagado|preparado, hice|firme|actualice|hecho ~3 testamento,
      contraseñas|claves|papeles ~5 mesa|escritorio|sobre|cajon|cuaderno|libreta, cerre|cerrado|borre|borrado ~2 cuentas|redes|perfiles,
      quien|alguien ~3 cuid* ~2 perro|gato|perra|gata|hijos|mascota*, pague ~2 deudas|funeral|entierro,
      compre|consegui|comprado|conseguido ~3 soga|cuerda|veneno|raticida|pistola|arma|{pills},
      me_despedi ~2 todos|todas|familia|hijos|mama|papa|mundo, me_estoy_despidiendo
    `),
    ],
    farewell: [
      ...rows(`
      carta|cartas|nota ~3 cada_uno|todos|ustedes|mis_hijos ~4 perdon*, no ~1 me ~1 llamen|llames|busquen|busques ~3 tarde,
      no ~1 me ~1 llamen|esperen|busquen, hoy|esta_noche ~1 me_voy ~1 para_siempre,
      cuida|cuiden|cuidad ~2 de|a ~1 mi|mis ~4 no_voy_a_estar|no_estare|me_voy|cuando_no_este|cuando_me_vaya,
      alguien|cuando ~2 lea|lean|leas ~1 esto ~4 muerto|muerta|no_estare|lejos, adios ~3 perdon*|gracias|perdonenme,
      este|esta ~1 es ~2 mi ~1 ultimo|ultima ~1 mensaje|carta|adios|noche|dia|post|publicacion|despedida, mi ultimo mensaje|adios|dia,
      es|esta ~1 mi despedida, me despido ~2 de ~2 todos|ustedes|ti|vosotros|mundo, cuando|si lea*|leas|leen|reciba* ~2 esto|mensaje|carta,
      diganle|dile|digan|decidle|decile|diles ~4 que ~3 quiero|amo|quise|ame|perdon*|siento|queria|amaba, perdon|perdonenme ~4 no pude mas,
      no me busquen|busques|lloren|llores|extrañen|olviden|esperen, otra_vida|proxima_vida, sean|sed|se ~1 felices|feliz ~3 sin mi,
      los|las|te|os quiero|amo ~3 perdon*|adios|nunca_lo_olviden|culpa, no es|fue ~2 culpa de nadie|ustedes|vosotros, me voy ~1 para siempre
    `),
      ...softRows(`
      adios ~2 a? ~1 todos|todas|mundo|mama|papa|amigos|familia|siempre|chicos, gracias ~2 por ~1 todo ~3 adios|chao|chau|hasta|perdon*,
      hasta siempre|nunca, perdonenme|perdoname|perdonadme|perdonen|perdon ~3 por_todo|por_esto|por_hacer|por_lo_que_voy_a_hacer|por_el_dolor $,
      cuida*|cuiden ~2 de|a ~1 mi|mis ~1 perro|perra|gato|gata|hijos|hija|hijo|madre|mama|hermanos|hermana|familia|padres,
      del_otro_lado ~2 nos_vemos|nos_veremos|espero $, fue un placer|gusto|honor ~2 conocer*|haber*, siempre ~2 los|te|las|os quise|ame|querre|amare,
      ya me voy ~4 perdon*|quiero|adios|mundo
    `),
    ],
    act_done: [
      ...rows(`
        ya me las|los ~1 tomé|tragué, ya me tomé ~2 todo|todas|todos,
      me ~1 tome|trague|bebi ~1 ya? ~1 la_mitad|casi_todo|casi_todas, la_mitad ~3 pastillas|frasco ~3 tome|trague,
      abri|corte|raje ~1 los|las ~1 brazos|muñecas|venas ~5 sangre|sangr*,
      me_abri|me_raje|me_corte ~1 los|las brazos|muñecas|venas|piernas ~5 sangre|sangr*,
      me ~1 baje|meti|zampe|eche|empine|acabe ~2 {all} ~3 {pills}|{poison}, tragarme|tomarme|tragar|tomar ~2 {all} ~3 {pills},
      acabo_de|recien|acabo ~2 tomarme|tragarme|tomar|tragar|meterme ~3 {pills}|{all}, inyecte|inyectado|inyecte ~3 {all}|insulina,
      esta_vez ~2 corte ~2 hondo|profundo|fuerte, sangrando|sangre ~3 muchisimo|mucho|mucha|demasiado|chorros|todas_partes|todos_lados,
      acaba ~1 de ~1 tomarse|tragarse|cortarse|tomar ~4 {all}|{pills}|venas, me_acabo|acabo ~2 de ~1 cortar|cortarme ~2 venas|muñecas,
      vacie|vacié ~2 {all}|frasco|botiquin, me_las|me_los ~1 tome|trague ~2 todas|todos,
      tome|trague|bebi ~2 todo ~1 el ~1 frasco|bote|botiquin|blister, no ~1 dejo ~1 de_sangrar, sangrando ~2 mucho|muchisimo,
      hay ~2 sangre ~2 por_todas_partes|por_todos_lados|todos,
      me ~1 tome|tomé|trague|tragué|tomado|meti|zampe|bebi|embuche|empuje|eche ~3 {all} ~4 {pills}|{poison},
      me ~1 tome|trague|tomado|meti|zampe ~4 {pills} ~3 {all}|morir|despertar|dormir, me ~1 las|los|lo tome|trague|tomé|tragué|meti|he ~2 {all},
      me las|los acabo ~1 de tomar|tragar, acabo de|me ~1 acabo? ~2 tomar|tomarme|tragar|tragarme|beber|beberme|ingerir ~4 {all}|{pills}|{poison},
      acabo de tomarme|tragarme|tragar ~2 {all}, tome|trague|ingeri|bebi ~2 {all} ~4 {pills}|{poison}|frasco*|botella*,
      tome|trague|bebi|ingeri|tomado|bebido|tragado ~3 {poison}, he tomado|tragado ~2 {all}, me ~1 he tomado|tragado ~2 {all}, tome sobredosis,
      me ~1 inyecte|inyectado ~3 {all}|insulina|sobredosis, me ~1 corte|cortado|corté|abri|abierto ~1 las? ~1 venas,
      me ~1 corte|cortado ~3 profundo|hondo|sangr*, no ~2 para|deja|parar ~2 de? ~1 sangrar|sangre|sangrando,
      sangre|sangrando ~3 no ~1 para|deja|detiene, me ~1 estoy desangrando, desangrandome,
      me ~1 dispare|colgue|ahorque|tire|lance|avente ~4 {high}|cuello|cabeza, me ~1 queda* ~2 minutos|horas ~2 vida,
      ya ~1 lo hice ~5 atras|tarde|adios|perdon*|despert*|pastillas|sueño, ya ~1 esta hecho ~4 adios|perdon*|atras|tarde|nada,
      ya ~2 es|sera demasiado tarde, llame|llamen|llama ~5 no ~2 a? tiempo, empiezo a|siento ~2 sueño|dormirme|mareo|marear* ~4 {pills}|tome|todas,
      abri|prendi|deje ~2 gas, tengo|puse|pongo|puesta|esta ~2 soga|cuerda|cinturon|lazo ~3 cuello,
      se ~1 tomo|trago|bebio ~3 {all} ~4 {pills}|{poison}, se ~1 corto ~2 venas|muñecas, de_hoy_no_paso ~3 tome
    `),
      ...softRows(`
      ya ~1 me_las|me_los tome|trague, ya_lo_hice, ya ~1 me_las|me_los he_tomado
    `),
    ],
    past_attempt: rows(`
      otra_vez|de_nuevo ~3 intentar*|intentarlo ~2 suicid*|matarme, ya_lo_intente|lo_intente_antes|ya_lo_habia_intentado|lo_he_intentado,
      intente|intenté|trate|intentado ~3 {kill}|quitarme|morir|acabar, me ~1 intente|intenté|trate ~2 matar|suicidar|ahorcar|quitar,
      mi ~1 intento|ultimo|primer ~2 intento|suicid*, tuve|hubo ~4 intento* ~2 suicid*,
      ultima|otra|primera vez ~3 encontr*|salvar*|fall*|intente|sobrevivi|lavado, sobrevivi ~4 intento|suicid*|pastillas|sobredosis
    `),
    do_it: [
      ...rows("un paso"),
      ...softRows(`
      mirando|miro|viendo|veo|asomado|asomada ~3 abajo|vacio, al_borde ~2 puente|azotea|anden|acantilado|techo|precipicio|balcon|tejado, en_el_borde,
      lo ~1 voy|vamos ~1 a? ~1 hacer, voy a ~1 hacerlo|hacer, lo ~1 hare|hago|haré,
      quiero|listo|lista|ganas|capaz|decidida|decidido|pienso|valor ~2 hacerlo, hacerlo ~2 hoy|ya|esta|ahora|mañana, es ~1 la hora|noche|momento|dia,
      ha llegado|llego ~1 el|la ~1 hora|momento|dia, voy ~1 a saltar|soltarme|dispararme|tragar*|tomarmelas, me voy ~1 a soltar|tirar|lanzar
    `),
    ],
    means: softRows("{tool}|{weapon}|{poison}, {all} ~2 {pills}"),
    means_in_hand: [
      ...rows(`
      {tool}|{poison}|{pills} ~3 guardad*|preparad*|escondid*|listo|lista|listas|a_mano, cargada ~2 mano|mesa|cajon,
      {got} ~3 {pills} ~4 {hand}|guardadas|juntadas|listas|contadas|delante|aqui|enfrente|noche,
      guardando|juntando|ahorrando|acumulando|guardado|juntado|juntando ~3 {pills}, arma|pistola|revolver ~4 cargada|cargado|cajon|padre|papa|abuelo,
      soga|cuerda|cinturon ~3 colgad*|atad*|lista|techo|puesta|amarrad*|viga
    `),
      ...softRows(`
      {got} ~3 {tool}|{weapon}|{poison}, {got} ~2 {all} ~3 {pills}|{poison}, {tool}|{weapon}|{poison}|{pills} ~4 {hand},
      {pills}|{tool}|{weapon} ~2 estan|esta ~2 aqui|listas|lista|conmigo|mi|frente, frente|delante ~3 {pills}|{tool}|{weapon},
      contando|conte ~2 {pills}, compre|consegui|comprado|conseguido ~3 {tool}|{poison}|{pills}|{weapon}
    `),
    ],
    time_near: softRows(`
      hoy|ahorita|ahora|mañana|anoche, esta|misma noche|tarde|madrugada|semana|mañana,
      en un|una|unos|pocos|cinco|diez ~1 rato|hora|horas|minutos|momento|dias, este|el|proximo ~1 {day},
      cuando ~3 duerman|duerma|duermen|vayan|dormidos|salga|salgan, antes de ~2 amanec*|medianoche|{day}|noche|que, a medianoche, ya mismo,
      despues de ~2 {day}, fin de semana
    `),
    lethal_place: [
      ...rows(`
      azotea|tejado|terraza|puente|acantilado|balcon ~2 al|en_el borde|filo|limite, {people} ~2 esta|subio|sentado|parado ~3 azotea|puente|cornisa|vias|barandal|baranda,
      en|sobre ~1 la ~1 baranda|barandilla|barandal|cornisa ~3 puente|pies|edificio|piso,
      en|sobre|junto ~1 a? ~1 las vias|rieles ~4 tren|perdon|sentado|sentada|esperando,
      estoy|sentado|sentada|parado|parada ~2 en_las|sobre_las|junto_a_las vias|rieles,
      sentado|sentada|parado|parada|subido|subida|trepado|trepada ~2 en|sobre ~1 la|el|una ~1 cornisa|baranda|barandilla|barandal|borde|pretil,
      perdon|adios ~3 puente|azotea|vias, puente|azotea|vias ~3 perdon|adios|perdonenme,
      estoy|parada|parado|sentada|sentado ~3 ventana ~4 piso|saltar|abajo|abierta, estoy ~3 piso|torre|edificio ~6 abajo|saltar|vacio,
      {place} ~5 mirando|miro|veo|viendo ~3 abajo|vacio|agua|tren|trenes|coches|autos|suelo|rio, mirando|miro|viendo ~3 abajo|vacio ~4 {place},
      otro|otra lado ~2 baranda|barandilla|barandal|reja|valla, al borde ~2 puente|azotea|anden|acantilado|techo|precipicio|balcon|tejado,
      pies|piernas colgando
    `),
      ...softRows(`
      tren|metro ~3 pasa|viene|llega ~3 minutos|ahora|ya,
      estoy|toy|sentado|sentada|parado|parada|subido|subida|vine|llegue|voy|camino|subi|caminando|pie|asomado|asomada ~4 {place}
    `),
    ],
    alone_now: softRows("estoy ~1 sola|solo, nadie ~1 en? ~1 casa, no hay nadie, casa sola"),
    secrecy: softRows(`
      no ~2 digas|cuentes|digan|cuenten ~3 nadie, no ~1 se lo digas|cuentes, no ~2 llames|llamen ~3 policia|ambulancia|nadie|emergencias,
      nadie ~1 lo? ~1 sospecha|sospechara|va_a_sospechar
    `),
    hopeless: rows(`
      me_canse ~1 de ~1 todo|vivir|luchar|la_vida, cansada_de_todo|cansado_de_todo, ya_me_canse, la_vida ~1 no_vale,
      no_tengo_futuro|no_tengo_salida|no_tengo_esperanza|no_tengo_remedio, todo ~1 da_igual, no_le_veo|no_veo ~1 caso|sentido|salida,
      vivir ~2 no_vale|para_que, no_se ~2 cuanto ~1 mas|tiempo ~3 aguantar|aguanto|aguantare|resistir|soportar,
      que_sentido_tiene ~2 todo|vivir|seguir|esto|nada, ya_me_rendi|me_rendi|me_he_rendido|tire_la_toalla, que_todo ~1 pare|acabe|termine|se_detenga,
      vacia|vacio ~3 salida|sentido|nada, ya_no ~1 espero|quiero ~1 nada, no_tengo ~1 nada ~2 perder|vivir, no_se ~2 si ~2 quiero ~1 seguir,
      no_quiero ~1 seguir, no_tengo ~1 fuerzas ~2 seguir|mas|nada, todo ~1 me_da_igual, ya_nada_importa|nada_importa|nada_me_importa,
      estoy ~1 al_limite|en_el_limite, toque_fondo|toco_fondo, no_hay_futuro, vivir ~1 duele|es_un_infierno|me_pesa, nada ~2 tiene ~1 sentido,
      sin sentido ~2 vivir|vida|seguir, vida ~2 no ~2 vale|sentido, nada|no ~2 vale la pena,
      no ~2 veo|hay|encuentro|queda ~3 salida|futuro|esperanza|solucion|escapatoria|razon|motivo*|razones,
      sin salida|esperanza|esperanzas|futuro|fuerzas, para que ~1 seguir|sigo|vivir|vivo|sirvo|intentar*|esforz*|levantar*,
      no ~1 puedo|aguanto|soporto|doy ~1 mas, no ~1 puedo|aguanto|soporto ~2 seguir|vida|dolor|vivir, ya no ~1 puedo|aguanto|soporto,
      perdi|perdido ~2 esperanza|ganas|fe, nunca ~2 va a mejorar|mejorara|cambiar*|mejorar, nada ~2 va a mejorar|cambiar|mejorara|cambiara, me rindo,
      estoy|harta|harto|cansada|cansado ~1 de ~2 todo|luchar|vida|existir|sufrir|seguir, mi vida ~2 es ~2 mierda|infierno|asco|basura,
      odio ~1 mi vida, me odio, no hay ~2 vuelta atras, que todo ~1 acabe|termine|pare, {want} que ~3 acabe|termine|pare|deje,
      nada|vida|todo|seguir|vivir|existir ~3 no? ~1 tiene ~2 sentido, no ~1 encuentro|veo|hallo ~2 sentido,
      no ~2 tiene_sentido ~2 seguir|vivir|nada|vida|mi
    `),
    burden: rows(`
      me_siento ~2 estorbo|carga|inutil|basura|peso, me_siento ~1 un|una estorbo|carga|basura,
      si_yo ~1 no_estuviera|no_existiera|desapareciera|muriera ~4 mejor|facil|tranquil*|feliz|felices|alivio,
      vivirian|estarian|serian|estaria|viviria ~3 mejor|tranquilos|felices|tranquilas ~4 si_yo_no|sin_mi|no_estuviera|no_existiera,
      sobro ~2 mundo|aqui|vida, a_nadie_le_importo|nadie_me_quiere,
      estarian|estaran|estaria|viviran|vivirian ~2 mejor|felices|tranquilos ~2 sin_mi|si_no_estoy,
      solo_doy_problemas|solo_les_doy_problemas|solo_causo_problemas, nadie ~2 me_quiere|me_necesita|me_echaria_de_menos,
      soy_un_estorbo|soy_una_molestia|soy_un_fracaso|soy_un_inutil, soy ~2 carga|estorbo|peso|problema|molestia|lastre, mejor ~2 sin mi,
      sin mi ~3 mejor|felices|felicidad|tranquil*|descansar*, solo ~1 estorbo|molesto|causo, nadie ~2 me ~1 extrañ*|necesita|echaria|quiere|notaria,
      nadie ~2 notaria|extrañaria|lloraria, les hago|haria ~2 favor|daño, no ~1 le|les importo ~2 nadie, a nadie ~2 importo|importa|importaria,
      no sirvo ~2 para? ~1 nada, no valgo nada, arruino ~2 vida|todo, mundo ~3 mejor ~2 sin, sobro
    `),
    disappear: rows(`
      no_existir|dejar_de_existir, quiero_irme ~1 de ~1 este_mundo|aqui_para_siempre,
      {want}|ganas|gustaria|pudiera|ojala ~3 desaparecer|desapareciera|esfumarme|desaparezca, desaparecer ~2 siempre|mundo|todo,
      no {want} ~1 existir|estar|seguir|ser, {want}|gustaria ~1 no existir|estar|haber, dejar de existir|sentir|ser,
      ojala ~1 no ~1 existiera|existiese|hubiera|haber|estuviera, no ~1 haber nacido, nunca ~1 hubiera|haber nacido, no deberia ~1 existir|haber,
      no ~1 hubiera nacido, no estar ~1 aqui, irme ~2 siempre|lejos y no volver
    `),
    fear_of_self: rows(`
      miedo ~3 lo que ~2 pueda|puedo|podria|haga|llegue|hacer*|voy, miedo ~2 hacerme|de_mi_misma|de_mi_mismo|a_mi_misma,
      miedo ~2 hacer ~1 una? ~1 locura|tonteria, miedo de mi, no confio ~2 mi, no ~1 me ~1 siento|estoy ~1 segura|seguro ~2 sola|solo|conmigo|mi,
      no_se ~2 si|que ~3 capaz|aguant*, no deberia|quiero|puedo ~1 estar|quedarme sola|solo, no estoy ~1 a salvo, voy a hacer una locura|barbaridad
    `),
    intrusive: rows(`
      pensamientos|imagenes|ideas ~3 empujar*|tirarme|saltar|lastimar* ~5 jamas|nunca|no_quiero|asustan|asusta|horror*,
      me_asustan ~1 pensamientos|mis_pensamientos|imagenes, pensamientos|imagenes ~2 intrusiv*,
      me vienen|asaltan|llegan|aparecen ~3 pensamientos|imagenes|impulsos, pensamientos|ideas ~3 que no quiero,
      impulso* ~2 de saltar|tirarme|cortarme, ganas raras
    `),
    command_voices: rows(`
      voces ~4 dicen|ordenan|mandan|piden|gritan|digan|obligan, voz ~4 dice|ordena|manda|pide|grita|repite, oigo|escucho ~1 voces|voz,
      me ~1 dicen|ordenan ~2 que ~1 me ~1 mate|haga|salte|corte|tire
    `),
    distress: rows(`
      triste|deprimid*|ansiosa|ansioso|angusti*|desesperad*|agobiad*|destrozad*|vacia|vacio|hundid*|llorando|panico|soledad,
      depresion|ansiedad|desesperacion, me siento ~2 mal|fatal|horrible|sola|solo|perdid*|inutil, no ~1 dejo|paro de llorar, todo ~2 mal
    `),
    violence_to_others: rows(`
      voy a|quiero|ganas ~2 matarlo|matarla|matarlos|matar|apuñalar*|dispararle ~2 a, lo|la|los voy a matar, {want} matar ~2 a|todos,
      hacerle|hacerles daño
    `),
    abuse: rows(`
      me pega|golpea|pegan|golpean|viola|violo|abusa|abuso|abusan|toca, mi {people} ~2 me pega|golpea|maltrata|amenaza|viola|violo,
      me maltrata*|amenaza*, fui|sido violada|abusada|abusado|violado, va|quiere a? matarme
    `),
    eating_disorder: rows(`
      vomitar|vomito|provoco ~3 despues|comer|comida|vomito, llevo ~3 sin comer, no ~1 como ~3 dias|adelgazar|gorda,
      anorexia|bulimia|atracon*|purgo|purgarme|purgas|laxantes, dejar de comer, merezco comer
    `),
    psychosis: rows(`
      me persiguen|vigilan|espian|envenenan, chip ~3 cabeza|cerebro, veo cosas ~3 no ~2 estan|existen|ve, me ~1 controlan ~2 mente|pensamientos,
      tele|television|radio ~2 me ~1 habla|manda|mensajes
    `),
    medical_emergency: rows("no ~1 puedo respirar, dolor ~3 pecho, infarto|desmayada|desmayado|inconsciente|convuls*, sobredosis"),
    other_at_risk: rows(`
      {people} ~3 esta ~3 azotea|puente|cornisa|borde ~6 saltar|matarse|tirarse,
      dice|amenaza|grita ~2 que ~2 va_a_saltar|se_va_a_matar|se_mata|va_a_matarse, {people} ~3 acaba ~1 de ~1 tomarse|tragarse|cortarse,
      amigo|amiga|alguien ~6 suicidarse|suicidio|suicida|suicidarte, {people} ~4 ya_no_quiere_vivir|quiere_morir|no_quiere_seguir,
      {people} ~4 quiere|queria|va|piensa|penso|planea|amenaza*|intento|intentó|trato|dice|dijo ~3 {theirs}|morir|suicidar*|matar,
      se quiere|queria|va ~2 a? ~1 matar|suicidar|morir|quitar|tirar|lanzar|colgar, {people} ~3 se ~1 quiere|queria|va ~2 matar|suicidar|morir,
      se ~1 tomo|trago ~3 {all}|{pills}|{poison}, se ~1 corta|corto ~3 {body}|venas, {people} ~3 se corta|autolesiona|lastima|corto,
      {people} ~4 suicid*, {people} ~3 no ~1 quiere ~1 vivir|seguir, {people} ~6 quiere_morir|no_quiere_vivir|quiere_desaparecer,
      {people} ~5 despedida|despidio|despidiendo, quiere|piensa|amenaza* ~2 con? ~1 {theirs}, ayudo|ayudar ~4 suicid*
    `),
  },
  frames: together(frameIds, [spanishFrames, everyday.es]),
});
