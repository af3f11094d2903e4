import type { RulePack } from "throughline/safety";
import { rows, softRows } from "./rows.ts";
import { shortForms } from "./short-forms.ts";

/** What Spanish says in danger, with the chat spellings of Spain, Mexico and the River Plate. Verbs in the first person stand for the writer, so that
 * a wish that is taken back ("no quiero morir") stands with the idioms: a bare "no" would reach the next sentence of who writes without stops. */
export const spanishPack: RulePack = Object.freeze<RulePack>({
  language: "es",
  version: "2026-11-21.1",
  coverage:
    "Wishes to die, plans, acts, farewells and self-harm in everyday Spanish of Spain, Mexico and the River Plate, also without accents and in chat spelling. Measured on a small set of our own only; irony, slang of other countries and danger told without any usual word are missed.",
  support: "partial",
  detect: {
    words: rows(`
      que, el, los, las, una, estoy, pero, quiero, tengo, muy, porque, esta, esto, yo, mi, hoy, ya, como, nada, soy, todo, todos, mañana, noche,
      nadie, siento, puedo, vida, cuando, hay, fue, hacer, ahora, gracias, hola, voy, más, bien, con, del, al, le, lo, no, me, se, mis, por, para,
      sin, también, ella, eso, otra, vez, siempre
    `),
    script: "Latin",
  },
  words: {
    self: ["yo", "me", "mi", "conmigo", "mis"],
    contrast: ["pero", "aunque", "sino", "mas"],
    want: rows("quiero, kiero, quisiera, queria, deseo, desearia, necesito, ansio, anhelo"),
    going: rows(`
      voy, vamos, pienso, planeo, planeando, decidi, decidido, decidida, dispuesto, dispuesta, intente, intentar, intento
    `),
    kill: rows(`
      matarme, suicidarme, ahorcarme, colgarme, envenenarme, suicidar, desvivirme, desvivir, electrocutarme, inmolarme, degollarme, autoeliminarme,
      dispararme
    `),
    jump: rows("saltar, saltaré, salto, tirarme, aventarme, lanzarme, arrojarme, botarme, tiro, aviento, lanzo, arrojo, tiraré"),
    high: rows(`
      puente, azotea, cornisa, acantilado, barranco, balcon, tejado, terraza, viaducto, precipicio, vias, tren, metro, ventana, anden, baranda,
      barandilla, barandal, piso, edificio, techo, borde, rio, torre, railes, rieles, camion
    `),
    place: rows(`
      puente, azotea, cornisa, acantilado, barranco, tejado, viaducto, precipicio, vias, railes, rieles, anden, baranda, barandilla, barandal,
      balcon, techo, borde, orilla, terraza
    `),
    pills: rows(`
      pastilla*, pildora*, comprimido*, tableta*, medicamento*, medicina*, remedio*, antidepresivo*, ansiolitico*, somnifero*, paracetamol,
      clonazepam, rivotril, alprazolam, diazepam, capsula*, calmante*, tranquilizante*, blister*, pepas, insulina
    `),
    poison: rows("veneno, raticida, cloro, lejia, pesticida, plaguicida, herbicida, insecticida, anticongelante, lavandina"),
    all: rows(`
      todas, todos, todo, toda, entero, entera, enteros, frasco*, bote*, caja*, puñado*, monton*, muchas, muchisimas, demasiadas, demasiados,
      treinta, veinte, cuarenta, cincuenta, cien, 20, 30, 40, 50, 60, 100, sobredosis, blister*
    `),
    weapon: rows("pistola, arma, revolver, escopeta, fusil, rifle, navaja, cuchillo, cuter, cutter, hojilla, bisturi, gillette"),
    tool: rows("soga, cuerda, lazo, nudo, veneno, raticida, cinturon, hojilla, balas, bala, pistola, revolver, escopeta, arma"),
    got: rows("tengo, traigo, compre, consegui, prepare, guarde, junte, escondi, saque, agarre, cargue, cogi, conseguí, llevo"),
    hand: rows("mano, manos, mesa, enfrente, frente, delante, lado, cargada, cargado, lista, listo, listas, preparada, cama"),
    day: rows("lunes, martes, miercoles, jueves, viernes, sabado, domingo, cumpleaños, navidad, finde"),
    end: rows("acaba, termina, acabe, termine, acabara, terminara, acabo, acabó, acabar, terminar, acabará, terminará"),
    people: rows(`
      amigo, amiga, hermano, hermana, hijo, hija, novio, novia, esposo, esposa, pareja, padre, madre, papa, mama, primo, prima, compañero, compañera,
      vecino, vecina, alumno, alumna, abuelo, abuela, ex, marido, mujer, sobrina, sobrino, tio, tia, mejor, jefe, amix, compa, paciente, chico,
      chica, roomie, nieto, nieta
    `),
    theirs: rows("matarse, suicidarse, ahorcarse, quitarse, cortarse, morirse, tirarse, colgarse, lastimarse, desvivirse, lanzarse"),
    body: rows("brazo, brazos, muñeca, muñecas, pierna, piernas, muslo, muslos, venas, piel, antebrazo, antebrazos, estomago"),
    dead: rows("muerto, muerta, muertx"),
  },
  abbreviations: shortForms(`
    q = que, ke = que, xq = porque, pq = porque, xke = porque, tmb = tambien, tb = tambien, ntp = no te preocupes, toy = estoy, stoy = estoy,
    kiero = quiero, qiero = quiero, aser = hacer, grax = gracias, bn = bien, msj = mensaje, mñn = mañana, suisidarme = suicidarme,
    suisidio = suicidio
  `),
  lexicon: rows(`
    suicidarme, suicidio, matarme, morirme, ahorcarme, cortarme, pastillas, desaparecer, despedirme, despedida, muerta, muerto, quitarme, colgarme,
    veneno, pistola, quiero, morir, azotea, puente, suicida
  `),
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
      irme_de_este_mundo|dejar_este_mundo|abandonar_este_mundo, {want} ~1 morir|morirme|muerte, me {want}|gustaria ~1 morir, {want} estar {dead},
      gustaria estar {dead}, desear* estar {dead}, ganas de ~1 morir|morirme, ganas de ~1 no vivir, ojala ~2 me muera|muriera|muriese|mori,
      ojala ~2 muriera|muriese|muera, ojala ~1 estuviera|estuviese {dead}, estaria|estaba|estuviera ~2 mejor {dead}, mejor estar {dead},
      mejor ~1 me muero|muriera, seria mejor ~2 morir|morirme|muriera|{dead}, no {want} ~1 vivir|viva|vivo,
      no {want} ~1 seguir ~1 viviendo|viva|vivo|vida, ya no {want} ~2 vivir|vida, no {want} ~1 estar ~1 viva|vivo|mundo, dejar de ~1 vivir|respirar,
      no tengo ganas ~1 de ~1 vivir, sin ganas de vivir, harta|harto|cansada|cansado ~1 de ~2 vivir|estar_viva|estar_vivo,
      morir es ~3 unica|mejor|salida|solucion, muerte es ~3 unica|mejor|salida|solucion, solo {want} ~2 morir|morirme, pido ~4 morir|morirme|muerte,
      rezo ~4 morir|morirme|muerte
    `),
      ...softRows(`
      prefiero|preferiria ~2 morir|morirme|{dead}, morirme
    `),
    ],
    passive_death: rows(`
      si ~2 no_despierto|no_amanezco, dormirme|dormir|duermo ~2 para_siempre, si ~2 me_pasara_algo|me_muriera|no_volviera ~3 mejor|igual|descansar*,
      que_me_caiga|que_me_parta|que_me_lleve ~3 rayo|muerte|camion, dormir* ~4 no ~2 despertar*|despierte,
      {want}|gustaria|ojala ~4 no ~1 despertar*|despierte, ojala no ~3 despertara|despertar|despierte|amanezca|amaneciera|despertase,
      no {want} ~2 despertar*, ojala|quisiera|gustaria ~4 atropell*|arroll*, no me importaria ~3 morir|morirme|despertar|atropell*,
      me da igual ~4 morir|vivir|viva|muero|muera|muerta, si me muero|muriera ~4 igual|importa|importaria|nadie|mejor|nota*|extrañ*,
      ojala no ~2 despierte, ojala ~3 me ~1 pase|pasara ~1 algo, que ~2 dios ~2 me lleve, dormir para siempre
    `),
    ideation: rows(`
      idea ~1 de ~1 {kill}|morir|morirme|quitarme, imaginando|imagino|imaginar|fantaseo|visualizo ~2 mi_muerte|mi_funeral|mi_entierro|muerta|muerto,
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
      ultimo_mensaje|ultimas_palabras, cuando|si lea*|leas|leen|reciba* ~2 esto|mensaje|carta, pistola|revolver|escopeta|arma ~4 cargada,
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
      regale|regalado|regalando|reparti|repartiendo|done ~4 cosas|gato|gata|perro|perra|mascota*|ropa|todo|pertenencias|guitarra|libros,
      deje|dejo|dejado|dejando|tengo|puse ~4 todo ~2 orden|arreglado|listo|organizado|pagado|preparado, hice|firme|actualice|hecho ~3 testamento,
      contraseñas|claves|papeles ~5 mesa|escritorio|sobre|cajon|cuaderno|libreta, cerre|cerrado|borre|borrado ~2 cuentas|redes|perfiles,
      quien|alguien ~3 cuid* ~2 perro|gato|perra|gata|hijos|mascota*, pague ~2 deudas|funeral|entierro,
      compre|consegui|comprado|conseguido ~3 soga|cuerda|veneno|raticida|pistola|arma|{pills}, me_despedi ~1 de, me_estoy_despidiendo
    `),
    ],
    farewell: [
      ...rows(`
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
      no_se ~2 cuanto ~1 mas|tiempo ~3 aguantar|aguanto|aguantare|resistir|soportar, que_sentido_tiene ~2 todo|vivir|seguir|esto|nada,
      ya_me_rendi|me_rendi|me_he_rendido|tire_la_toalla, que_todo ~1 pare|acabe|termine|se_detenga, vacia|vacio ~3 salida|sentido|nada,
      ya_no ~1 espero|quiero ~1 nada, no_tengo ~1 nada ~2 perder|vivir, no_se ~2 si ~2 quiero ~1 seguir, no_quiero ~1 seguir,
      no_tengo ~1 fuerzas ~2 seguir|mas|nada, todo ~1 me_da_igual, ya_nada_importa|nada_importa|nada_me_importa, estoy ~1 al_limite|en_el_limite,
      toque_fondo|toco_fondo, no_hay_futuro, vivir ~1 duele|es_un_infierno|me_pesa, nada ~2 tiene ~1 sentido, sin sentido ~2 vivir|vida|seguir,
      vida ~2 no ~2 vale|sentido, nada|no ~2 vale la pena,
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
  frames: {
    subject_other: rows(`
      mi|mis|un|una|nuestra|nuestro ~1 {people} ~3 dice|dijo|escribio|mando|conto|puso|publico|cuenta|confeso,
      el|ella ~1 dice|dijo|escribio|conto ~2 que, preocupad* por ~3 {people}|el|ella|alguien, {people} ~2 se|ha
    `),
    idiom: rows(`
      tirarme|lanzarme|saltar|tirar ~3 paracaidas|parapente|bungee|piscina|tobogan, casi ~2 infarto, infarto ~3 susto|precio|cuenta,
      intento|intentó|trato ~2 {theirs} ~1 hace|años, mataria ~2 por|por_una,
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
      no soy|estoy suicida, no me quiero morir|matar, no ~1 {want} ~1 morir|morirme|hacerme|matarme, tengo miedo ~1 a|de ~1 morir,
      me|se mata|matan|esta_matando|estan_matando ~2 la|el|los|las|tu|este|esta|de,
      corte|cortarme|cortar|corto el|mi ~1 pelo|cabello|flequillo|barba|dedo, corte|cortarme|cortar las uñas|puntas
    `),
    joke: rows("jaja*, jeje*, jsjs*, xd*, lol, es|era ~1 broma, de broma, bromeando"),
    fiction: rows(`
      novela|cuento|relato|guion|poema|pelicula|serie|personaje*|protagonista|libro|capitulo|anime|manga|obra|fanfic|ficcion|temporada,
      escribiendo|escribo ~2 un|una|mi ~1 novela|cuento|relato|guion|poema|historia|cancion, en la|el pelicula|serie|libro|novela|juego,
      mi personaje
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
      retraso|autobus|foto*|turista*|paseo|paracaidas|sorpresa|regalo*|vistas,
      examen|reunion|dentista|vuelo|viaje|vacaciones|boda|fiesta|mudanza|mudar*|entrevista|concierto|cumple|maleta*|turno,
      ultimo|ultima|ultimos dia|semana|dias|noche ~3 trabajo|clase*|clases|escuela|vacaciones|viaje|curso|oficina|oferta|practicas|empresa|aqui_en|secundaria|prepa|instituto,
      renunci*|jubil*|despedida ~3 soltera|soltero|trabajo|compañer*, regale|done ~4 cumpleaños|navidad|ropa_vieja|mudanza|caridad|sobrin*
    `),
    denial: rows(`
      no ~1 {want} ~1 morir|morirme|hacerme|matarme, no ~2 es|era eso, no ~1 me ~1 refiero|refería ~2 eso, estoy ~1 a salvo|segura|seguro,
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
      pensado|pensando|piensas|pensaste|pensamientos|ideas ~4 suicid*|morir|quitarte|matarte|muerte,
      {want}|quieres|ganas ~3 morir|morirte|matarte|suicidarte|quitarte|hacerte, hacerte daño, estas pensando ~3 suicid*|quitarte|matarte|morir
    `),
  },
});
