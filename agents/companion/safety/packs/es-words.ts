import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";
import { shortForms } from "./short-forms.ts";

/** Words of Spanish: what tells it from other languages, lists that its patterns name, short forms, and words in which a slip is forgiven. */
export const spanishWords: Pick<RulePack, "detect" | "words" | "abbreviations" | "lexicon"> = {
  detect: {
    words: rows(`
      que, el, los, las, una, estoy, pero, quiero, tengo, muy, porque, esta, esto, yo, mi, hoy, ya, como, nada, soy, todo, todos, mañana, noche,
      nadie, siento, puedo, vida, cuando, hay, fue, hacer, ahora, gracias, hola, voy, más, bien, con, del, al, le, lo, no, me, se, mis, por, para,
      sin, también, ella, eso, otra, vez, siempre, contarme, contarte, ahorrarme, matarte, matarle, matarlo, matarla, cortarle, cortarte, cortarlo,
      quitarle, quitarte, puesta, muestra, mover
    `),
    script: "Latin",
  },
  words: {
    or: rows("o, ni, u"),
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
};
