/**
 * How people say yes, no and which one, as data: ten languages, Hindi also in Latin letters. Written for Throughline from general knowledge. A word is listed only
 * if, as a whole answer to "shall I delete it?", it means this in every language in which it is a word; the exceptions name their languages.
 */
import type { Language } from "./language.ts";
import type { Place } from "./commands.ts";

/** Phrases of a list, which commas separate. */
const phrases = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => line.split(",")).flatMap((phrase) => (phrase.trim() === "" ? [] : [phrase.trim()]));

/** A whole answer that means yes. */
export const yesPhrases = phrases([
  // English
  "yes, yes it is, yeah, yep, yup, yea, aye, sure, sure thing, of course, certainly, absolutely, definitely, ok, okay, confirm,",
  "confirmed, i confirm, correct, that's right, go ahead, do it, do so, do that, please do, yes do, sounds good, delete it,",
  "delete that, delete this, erase it, remove it, forget it now, yes i am sure, i am sure, i'm sure, 👍",
  // Spanish
  "sí, claro, claro que sí, por supuesto, vale, de acuerdo, confirmo, confirmado, adelante, hazlo, bórralo, elimínalo, sí bórralo,",
  "sí elimínalo, estoy seguro, estoy segura, correcto",
  // French
  "oui, ouais, bien sûr, d'accord, je confirme, confirmé, vas-y, allez-y, fais-le, faites-le, supprime-le, efface-le, supprimez-le,",
  "effacez-le, je suis sûr, je suis sûre, tout à fait",
  // German
  "ja, jawohl, jo, jep, klar, na klar, natürlich, sicher, gerne, einverstanden, bestätigt, ich bestätige, mach das, mach es,",
  "machen sie das, lösch es, lösche es, löschen sie es, ja löschen, ich bin sicher, ich bin mir sicher, genau",
  // Portuguese
  "sim, claro que sim, com certeza, tá bom, está bem, pode apagar, apaga, apague, pode, podes apagar, confirmo sim",
  // Italian
  "sì, certo, certamente, va bene, d'accordo, confermo, confermato, fallo, cancellalo, eliminalo, sono sicuro, sono sicura",
  // Hindi
  "हाँ, हां, जी हाँ, जी हां, हाँ जी, हां जी, ठीक है, बिल्कुल, ज़रूर, जरूर, कर दो, कर दीजिए, हटा दो, मिटा दो, मिटा दीजिए, haan, haa,",
  "haan ji, ji haan, theek hai, thik hai, bilkul, zaroor, kar do, hata do, mita do",
  // Arabic
  "نعم, اجل, ايوه, ايوا, اي نعم, طبعا, بالتاكيد, اكيد, موافق, موافقة, اؤكد, احذفه, احذفها, امسحه, امسحها, تمام",
  // Chinese, simplified and traditional
  "是, 是的, 是啊, 对, 对的, 對, 對的, 好, 好的, 好啊, 行, 可以, 当然, 當然, 确认, 確認, 确定, 確定, 同意, 没错, 沒錯, 删除, 删掉, 删了吧, 删吧, 刪除, 刪掉, 刪吧, 删除吧, 我确定, 我確定",
  // Indonesian
  "ya, iya, ya benar, benar, betul, oke, baik, tentu, tentu saja, setuju, silakan, silahkan, hapus, hapus saja, lanjutkan",
]);

/** A whole answer that means no. */
export const noPhrases = phrases([
  // English
  "no, nope, nah, no way, not now, not yet, don't, dont, do not, don't do it, do not do it, don't do that, do not do that,",
  "don't delete it, do not delete it, dont delete it, don't delete that, do not delete that, don't delete anything, keep it,",
  "keep that, keep them, leave it, cancel, cancel it, cancel that, stop, never mind, nevermind, 👎, i changed my mind, of course not,",
  "absolutely not, certainly not, definitely not, no don't, rather not, i'd rather not",
  // Spanish
  "mejor no, claro que no, por supuesto que no, no lo hagas, no lo borres, no la borres, no lo elimines, cancela, cancelar, déjalo,",
  "nunca, todavía no, ahora no, guárdalo, para nada",
  // French
  "non, pas du tout, bien sûr que non, ne le fais pas, ne le supprime pas, ne l'efface pas, annule, annuler, annulez, laisse,",
  "garde-le, laisse tomber, pas maintenant, surtout pas, jamais",
  // German
  "nein, nee, nö, nicht, nicht löschen, lieber nicht, bitte nicht, auf keinen fall, natürlich nicht, abbrechen, abbruch, behalten,",
  "behalte es, lass es, lass das, noch nicht, jetzt nicht, niemals, lösch es nicht, lösche es nicht, mach das nicht",
  // Portuguese
  "não, claro que não, melhor não, agora não, ainda não, não apague, não apagues, não faça isso, deixa, deixa estar",
  // Italian
  "certo che no, assolutamente no, meglio di no, non farlo, non cancellarlo, annulla, lascia stare, lascia perdere, tienilo, non ora",
  // Hindi
  "नहीं, नही, जी नहीं, मत करो, मत हटाओ, मत मिटाओ, रहने दो, रहने दीजिए, रद्द करो, nahi, nahin, nahi ji, ji nahi, mat karo, mat hatao,",
  "mat mitao, rehne do, rahne do",
  // Arabic
  "لا, كلا, لا تحذفه, لا تحذفها, لا تحذف, لا تفعل, لا تمسحه, الغ, الغاء, الغي, ليس الان, ابدا",
  // Chinese
  "不, 不是, 不要, 不用, 不用了, 不行, 不可以, 不对, 不對, 不必, 别, 別, 别删, 別刪, 不删, 不刪, 不删除, 不刪除, 不要删除, 不要刪除, 别删除, 別刪除, 取消, 算了, 保留, 留着, 留著, 不同意, 不确定, 不確定",
  // Indonesian
  "tidak, tidak usah, tidak jadi, nggak, enggak, gak, ngga, jangan, jangan dihapus, jangan hapus, batal, batalkan, simpan saja",
]);

/** Words that are no clear answer to a question in one of these languages: Indonesian "ya" is yes, the Spanish one is rather "enough". */
export const unclearIn: Readonly<Record<string, readonly Language[]>> = { ya: ["es"] };

/** What is said around an answer and changes nothing. */
export const politePhrases = phrases([
  "please, pls, plz, thanks, thank you, thank you very much, thanks a lot, thx, ty, por favor, gracias, muchas gracias, s'il te plaît,",
  "s'il vous plaît, stp, svp, merci, merci beaucoup, bitte, bitte schön, danke, danke schön, vielen dank, obrigado, obrigada,",
  "muito obrigado, muito obrigada, per favore, per piacere, grazie, grazie mille, कृपया, धन्यवाद, शुक्रिया, kripya, dhanyavaad,",
  "dhanyavad, shukriya, من فضلك, لو سمحت, شكرا, شكرا لك, 请, 請, 谢谢, 謝謝, 谢谢你, 謝謝你, 麻烦, 麻烦你, 吧, tolong, terima kasih, makasih",
]);

/** How a place is said: those from 1 to 9, and the last. "once", "do" and "um" are not among them: they are other words elsewhere. */
export const placePhrases: readonly (readonly [place: Place, phrases: readonly string[]])[] = [
  [
    1,
    phrases([
      "one, first, 1st, uno, una, primero, primera, primer, 1º, un, une, premier, première, eins, erste, erster, erstes, ersten, primeiro,",
      "primeira, एक, पहला, पहली, pehla, pehli, ek, واحد, الاول, الاولى, 一, 第一, satu, pertama",
    ]),
  ],
  [
    2,
    phrases([
      "two, second, 2nd, dos, segundo, segunda, deux, deuxième, seconde, zwei, zweite, zweiter, zweites, zweiten, dois, duas, secondo,",
      "seconda, दो, दूसरा, दूसरी, doosra, dusra, doosri, dusri, اثنان, الثاني, الثانية, 二, 两, 第二, dua, kedua",
    ]),
  ],
  [
    3,
    phrases([
      "three, third, 3rd, tres, tercero, tercera, tercer, trois, troisième, drei, dritte, dritter, drittes, dritten, três, terceiro,",
      "terceira, tre, terzo, terza, तीन, तीसरा, तीसरी, teesra, teesri, ثلاثة, الثالث, الثالثة, 三, 第三, tiga, ketiga",
    ]),
  ],
  [
    4,
    phrases([
      "four, fourth, 4th, cuatro, cuarto, cuarta, quatre, quatrième, vier, vierte, vierter, viertes, vierten, quatro, quarto, quarta,",
      "quattro, चार, चौथा, चौथी, chaar, char, chautha, اربعة, الرابع, الرابعة, 四, 第四, empat, keempat",
    ]),
  ],
  [
    5,
    phrases([
      "five, fifth, 5th, cinco, quinto, quinta, cinq, cinquième, fünf, fünfte, fünfter, fünftes, fünften, cinque, पाँच, पांच, पाँचवाँ,",
      "paanch, paanchva, خمسة, الخامس, الخامسة, 五, 第五, lima, kelima",
    ]),
  ],
  [
    6,
    phrases([
      "six, sixth, 6th, seis, sexto, sexta, sixième, sechs, sechste, sechster, sechstes, sechsten, sei, sesto, sesta, छह, छठा, chhah, ستة,",
      "السادس, السادسة, 六, 第六, enam, keenam",
    ]),
  ],
  [
    7,
    phrases([
      "seven, seventh, 7th, siete, séptimo, séptima, sept, septième, sieben, siebte, siebter, siebtes, siebten, sete, sétimo, sétima,",
      "sette, settimo, सात, सातवाँ, saat, سبعة, السابع, السابعة, 七, 第七, tujuh, ketujuh",
    ]),
  ],
  [
    8,
    phrases([
      "eight, eighth, 8th, ocho, octavo, octava, huit, huitième, acht, achte, achter, achtes, achten, oito, oitavo, oitava, otto, ottavo,",
      "आठ, आठवाँ, aath, ثمانية, الثامن, الثامنة, 八, 第八, delapan, kedelapan",
    ]),
  ],
  [
    9,
    phrases([
      "nine, ninth, 9th, nueve, noveno, novena, neuf, neuvième, neun, neunte, neunter, neuntes, neunten, nove, nono, nona, नौ, नौवाँ, nau,",
      "تسعة, التاسع, التاسعة, 九, 第九, sembilan, kesembilan",
    ]),
  ],
  [
    "last",
    phrases([
      "last, último, última, dernier, dernière, letzte, letzter, letztes, letzten, ultimo, ultima, आखिरी, aakhri, الاخير, الاخيرة, 最后, 最後,",
      "terakhir",
    ]),
  ],
];

/** How all of several are said. */
export const allPhrases = phrases([
  "all, all of them, all of it, everything, every one, both, both of them, todos, todas, todo, ambos, ambas, tous, toutes, tout,",
  "les deux, alle, alles, alle davon, beide, todos eles, tutti, tutte, tutto, entrambi, सभी, सब, sab, sabhi, الكل, كلها, جميعها, 全部,",
  "所有, 都, 全部都, semua, semuanya",
]);

/** What is said around a place: articles, counters, and verbs that say again what was asked. */
export const aroundPlaces = phrases([
  "the, one, number, option, item, it's, its, it is, i mean, i meant, i think, let's do, take, delete, forget, remove, el, la, lo,",
  "número, opción, es, creo que, borra, elimina, olvida, le, l', numéro, c'est, celui, supprime, efface, oublie, der, die, das, den,",
  "nummer, ich meine, ich glaube, lösche, lösch, vergiss, o, a, il, numero, opção, apaga, esquece, cancella, dimentica, वाला, वाली,",
  "नंबर, wala, wali, number, رقم, 个, 個, 条, 條, 项, 項, 号, 號, 一个, 一條, 一条, 一項, 一项, 删除, 刪除, 忘记, 忘記, 那, yang, nomor, hapus",
]);

/** Words that speak of the question without answering it: with one of them a message is no change of topic. */
export const aboutTheQuestion = phrases([
  "delete, deleted, deleting, erase, forget, remove, keep, which, option, wait, hold on, maybe, perhaps, not sure, what do you mean,",
  "borrar, borra, borres, eliminar, olvida, olvidar, espera, quizás, quizá, tal vez, supprimer, supprime, effacer, oublie, attends,",
  "peut-être, löschen, lösche, lösch, vergiss, vergessen, behalten, warte, moment, vielleicht, apagar, esquece, espera aí, talvez,",
  "cancellare, cancella, aspetta, forse, हटा, मिटा, रुको, शायद, hatao, mitao, ruko, shayad, احذف, امسح, انتظر, ربما, 删, 刪, 忘, 等, 也许,",
  "也許, 可能, hapus, lupakan, tunggu, mungkin",
]);
