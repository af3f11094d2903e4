import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";

type Frames = RulePack["frames"];

/** What is said every day in the words of danger, by language: wills at a lawyer's, ropes for climbing, last days of work, one meeting too many. */
export const everyday = {
  es: {
    everyday: rows(
      "reunión, jefe, jefa, lunes, examen, examenes, deberes, tarea*, tráfico, wifi, impresora, profe, novela, trabajo, clase, dieta, celular, móvil, calor, vecino*, crush, alarma",
    ),
    past: rows(
      "a los ~1 #|doce|trece|catorce|quince|dieciséis|diecisiete|dieciocho|diecinueve|veinte, cuando tenía ~2, hace ~1 #|muchos|diez|ocho|cinco|doce|quince|veinte|varios años, en mi adolescencia|juventud, de adolescente|joven|niña|niño, en 19*|200*|201*, hubo un tiempo, una vez estuve",
    ),
    idiom: rows(
      `rebané|rebane ~2 dedo, si ~2 equipo ~2 pierde ~3 me tiro, ni loco|loca me mato, despido ~3 oficina, despido ~6 semanas, reunión|examen|deberes|tráfico|trabajo|clase|lunes ~3 me mata|mató|matan, otra|otro|una|un ~1 más? ~1 reunión|examen|correo|lunes|informe ~6 me tiro|mato|muero|suicido|corto, testamento ~6 notario|notaria|abogado|firm*|familia, notario|abogado|notaria ~6 testamento, muero ~3 video|risa|meme|chiste ~4 no puedo más, video|risa|chiste|calor ~3 no puedo más, no puedo más ~1 con ~2 calor|tráfico|ruido|vecino*|tarea*|deberes|dieta,
       dejé|deje ~1 una? ~1 nota|carta ~4 nevera|reyes|cena|vuelvo|tarde|pistas|ratón, azotea|terraza|techo ~5 fuegos|estrellas|asado|fiesta|cerveza*|ropa, despedí|despido|despedida ~4 compañer*|colegas|oficina ~8 nuev*|empiezo|fiesta, cocina|cocinar|cebolla|jamón ~4 corté|corte, corté|corte ~2 dedo|pelo, bomba de agua, un tiro ~2 precio*|tarifas`,
    ),
    harmless_plan: rows(
      "escalar, escalada, mosqueton*, notario, notaria, abogado, herencia, mudanza, mudarme, aniversario, reyes magos, ratón pérez, fuegos artificiales, estrellas, tren a, tren de las, al trabajo, de vacaciones, vuelvo ~2 lunes|domingo|semana, nuevo trabajo, nueva vida, receta, según el médico, como dijo el médico, sobrin*, feria, concierto, partido",
    ),
  },
  fr: {
    everyday: rows(
      "réunion, chef, cheffe, lundi, examen, partiel*, devoirs, trafic, wifi, imprimante, prof, boulot, cours, régime, portable, téléphone, chaleur, voisin*, crush, réveil",
    ),
    past: rows(
      "à ~1 #|douze|treize|quatorze|quinze|seize|dix_sept|dix_huit|dix_neuf|vingt ans, quand j'avais ~2, il y a ~1 #|dix|huit|cinq|douze|quinze|vingt|plusieurs|longtemps ans, dans ma jeunesse, à l'adolescence, en 19*|200*|201*, il fut un temps, il y a longtemps",
    ),
    idiom: rows(
      `pendu au téléphone, coupé l'eau|internet|électricité|courant, rien à voir avec, donné ~5 emmaüs|croix_rouge|recyclerie, adieu comme, jette à l'eau ~5 lance|boîte|projet|entreprise|dire|avouer, réunion|examen|devoir|partiel|prof|chef|lundi ~3 me tue|tuer, encore|une|un autre? ~1 réunion|examen|mail|lundi|rapport ~6 me jette|tue|pends|suicide|flingue, tirer|tire une balle ~4 prix|tarifs|réunion|lundi, suicide social|commercial|politique, testament ~6 notaire|avocat|famille|signé, notaire|avocat ~6 testament, laissé ~1 un|une ~1 mot|lettre ~8 rentre|reviens|tard|frigo|indices|anniversaire|père_noël|souris|dîner,
       toit|terrasse|balcon ~5 feu|étoiles|apéro|barbecue|fête|panneaux, adieu|adieux|au_revoir ~4 collègues|voisins|classe|équipe ~8 nouveau|nouvelle|demain|pot|cadeau, coupé ~2 doigt|cheveux, en peux plus ~2 de ~2 bruit|chaleur|chef|métro|pluie|régime`,
    ),
    harmless_plan: rows(
      "escalade, grimper, mousquetons, notaire, avocat, héritage, déménager, emménager, anniversaire, père noël, petite souris, feu d'artifice, étoiles, train pour, train de, au bureau, en vacances, reviens ~2 lundi|dimanche|semaine, nouveau boulot, nouvelle vie, ordonnance, prescrit, concert, match, pot de départ, recette",
    ),
  },
  de: {
    everyday: rows(
      "meeting, chef, chefin, montag, prüfung, klausur, hausaufgaben, verkehr, wlan, drucker, lehrer, arbeit, kurs, diät, handy, hitze, nachbar*, schwarm, wecker, schicht, zurückschreibt",
    ),
    past: rows(
      "mit ~1 #|dreizehn|vierzehn|fünfzehn|sechzehn|siebzehn|achtzehn|neunzehn|zwanzig wollte|war|habe|hab|hatte|wäre|stand|lag, als ich ~1 #|zwölf|dreizehn|vierzehn|fünfzehn|sechzehn|siebzehn|achtzehn|neunzehn|zwanzig|jung|jugendliche*|kind, vor ~1 #|zehn|acht|fünf|zwölf|fünfzehn|zwanzig|vielen|einigen jahren, in meiner jugend, damals, im jahr 19*|200*|201*, es gab eine zeit",
    ),
    idiom: rows(
      `bring|bringt|bringst mich um den verstand, abschiedsbrief ~4 von|auf|gastfamilie|1944|japanisch|soldaten, schluss mit ~2 rauche|rauchen|trinken, zug ~6 gleis, verschenkt ~6 sprinter|umzug|passt, messer gekauft ~4 kurs|sushi|küche|kochen, meeting|prüfung|hausaufgaben|chef|montag|verkehr ~3 bringt|bringen ~1 mich ~1 um, noch ein|eine|so_ein|so_eine ~1 meeting|prüfung|mail|montag|bericht ~6 spring|springe|bring|bringe|erschieß*|häng*|sterbe, testament ~6 notar|anwalt|familie|unterschrieben, notar|anwalt ~6 testament, zettel|brief|nachricht ~5 komme|kühlschrank|später|einkauf|geburtstag|essen|hinweise, dach|balkon|terrasse ~5 feuerwerk|sterne|grillen|bier|party|solar*|sonne,
       kollegen|kolleginnen|team|klasse ~4 verabschiedet|verabschieden, verabschied* ~4 kollegen|team|klasse|nachbarn, finger|haare ~2 geschnitten, kann nicht mehr ~2 vor lachen, lachen ~4 kann nicht mehr`,
    ),
    harmless_plan: rows(
      "klettern, kletterhalle, karabiner, notar, anwalt, erbe, umzug, umziehen, jahrestag, geburtstag, nikolaus, feuerwerk, sterne, zug nach, zur arbeit, im urlaub, urlaub, zurück ~2 montag|sonntag|woche, neuer job, neue job, neue stelle, rezept, verordnet, konzert, spiel, abschiedsfeier, ausstand",
    ),
    past_recovered: rows(
      "anno ~3, damals, vor ~2 jahrzehnten, liegt ~3 zurück, heute danke, heute lache, dankbar dass ich, froh dass ich ~3 lebe|da",
    ),
    professional: rows("patient*|patientin, krankenpfleger|krankenschwester|pfleger|ärztin|arzt|lehrer|lehrerin|sanitäter"),
  },
  pt: {
    everyday: rows(
      "reunião, chefe, segunda, prova, provas, dever, tarefa*, trânsito, wifi, impressora, professor*, trabalho, aula, dieta, celular, calor, vizinho*, crush, alarme",
    ),
    past: rows(
      "com # eu, aos ~1 #|doze|treze|quatorze|quinze|dezesseis|dezessete|dezoito|dezenove|vinte, quando tinha ~2, há ~1 #|dez|oito|cinco|doze|quinze|vinte|muitos anos, na adolescência|juventude, em 19*|200*|201*, houve um tempo",
    ),
    idiom: rows(
      `morreu ~2 dormindo|de, engoli ~2 oceano|mar|água, veterinári* ~8 noite, reunião|prova|trabalho|aula|segunda|trânsito ~3 me mata|matou|matando, mais ~1 um|uma reunião|prova|email|segunda|relatório ~6 me jogo|mato|morro|suicido, testamento ~6 cartório|advogado|família|assin*, cartório|advogado ~6 testamento, deixei ~1 um|uma ~1 bilhete|carta ~6 volto|geladeira|tarde|fada|fadinho|pistas|jantar|dentes|natal, terraço|laje|telhado|varanda ~5 fogos|estrelas|churrasco|festa|cerveja|roupa,
       despedi|despedida ~4 colegas|turma|equipe ~8 novo|nova|começo|festa, cortei ~2 dedo|cabelo, não aguento ~3 rir|vídeo|calor|trânsito|vizinho*, vídeo|calor|rir ~3 não aguento`,
    ),
    harmless_plan: rows(
      "escalar, escalada, mosquet*, cartório, advogado, herança, mudança, aniversário, fada do dente, fadinho, papai noel, fogos, estrelas, trem para, ônibus para, ao trabalho, de férias, volto ~2 segunda|domingo|semana, emprego novo, vida nova, receita, receitou, sobrinh*, show, jogo",
    ),
  },
  hi: {
    past: rows("साल पहले, सालों पहले, बरस पहले, 19*|200*|201* में, जब मैं ~1 #|छोटा|छोटी|स्कूल|कॉलेज, की उम्र में"),
    idiom: rows(
      "वसीयत ~6 वकील|बच्चों|बनवा*|काग़ज़*, वकील ~8 वसीयत, पेपर|परीक्षा|इम्तिहान ~6 छुट्टी|छुट्टियाँ, सब खत्म ~2 आखिरी|आख़िरी पेपर, ट्रेन|गाड़ी|बस ~3 लेट, गर्मी|भूख|हँसी|शर्म|बोरियत से ~1 मर*, हँसते हँसते मर*, मम्मी|पापा|बॉस|टीचर ~3 मार डाल*",
    ),
    harmless_plan: rows("वकील, परीक्षा, पेपर, छुट्टी, छुट्टियाँ, स्टेशन पर ~4 खा*, समोसे, लेट है, इंतज़ार, पतंग, नई नौकरी, चढ़ाई, ट्रेकिंग"),
    subject_other: rows("मरीज़|मरीज|रोगी|छात्र ने?, जिस ~1 मरीज़|मरीज|छात्र ने, चाचा|मामा|दोस्त|भाई ने"),
  },
  "hi-Latn": {
    past: rows("saal pehle, sal pehle, saalon pehle, 200*|201* me|mein|mai, jab mai|main ~2 tha|thi, ki umar me"),
    academic: rows("viva, risk factors, exam me, paper hai, assignment, psych ka"),
    idiom: rows(
      "vasiyat|wasiyat ~6 vakil|wakil|papa|mummy|banwa*|bachon, vakil|wakil ~8 vasiyat|wasiyat, paper|exam|exams ~6 chutti|chuttiyan|party, sab khatam ~3 paper|exam, last paper ~4, garmi|bhook|hasi|sharam|boriyat se ~1 mar*, has has ke mar*, mummy|papa|boss|teacher ~3 maar dal*",
    ),
    harmless_plan: rows("vakil, wakil, chutti, chuttiyan, station pe|par, late hai, wait kar, patang, nayi job, nayi naukri, trekking"),
    negation: rows("nahi ~1 soch|sochta|sochti|soch_raha"),
    bereavement: rows("barsi, chacha|mama|dost|bhai|cousin ~6 suicide kar, unki|uski yaad aati"),
  },
  ar: {
    past: rows(
      "قبل ~1 عشر|سبع|خمس|ثلاث|ست|أربع|ثمان|تسع سنوات|سنين, وأنا بعمر, بعمر ~1 #, وأنا عمري, لما كان عمري, قبل # سنوات|سنين|سنة, في مراهقتي, زمان كنت",
    ),
    idiom: rows(
      "آخر ليلة ~3 رمضان|بيت|السفر|العطلة, آخر رسالة ~1 كاتبها|كتبها|كتبتها|أرسلها, وصية|الوصية ~6 محامي|المحامي|كاتب|العدل|الأولاد, محامي|المحامي|العدل ~6 وصية|الوصية, أنتظر|انتظر|أنتظرك|انتظرك, متت|اموت|أموت ~2 من|في|على ~1 الضحك|ضحك|القهوة|الجوع|الحر|البرد|الخجل, امتحان|الامتحان ~6 العطلة|عطلة|إجازة",
    ),
    harmless_plan: rows("المحامي, محامي, العطلة, امتحان, الامتحان, الألعاب النارية, متأخر, القطار ~3 متأخر, وظيفة جديدة, تسلق"),
    past_recovered: rows(
      "قبل ~1 عشر|سبع|خمس|ثلاث|ست|أربع|سنوات|سنين ~4 حاولت, اليوم ~2 حياتي|أنا ~3 تغيرت|بخير|أحسن|سعيدة|سعيد, والحمد لله اليوم, واليوم ~1 أنا ~1 بخير",
    ),
    subject_other: rows("عمي|خالي|صديقي|أخي|جاري|زميلي|جارتي|صديقتي|خالتي|عمتي"),
    bereavement: rows("عمي|خالي|صديقي|أخي|ابن_عمي|جاري انتحر, انتحر قبل, أشتاق له|إليه|لها"),
  },
  zh: {
    past: rows("年前, 那年, 当年, 當年, 小时候, 小時候, 高中时, 高中的时候, 大学时, 大學時, 十几岁, 十幾歲"),
    idiom: rows(
      "程序员的遗言, 降落伞, 毒圈, 修水塔, 上屋顶修, 上屋頂修, 骨灰撒在公司, 律师~6遗嘱, 遗嘱~8律师, 公证~8遗嘱, 遗嘱~8公证, 考试~6放假, 天台~6烟花, 天台~4烧烤, 天台~4晒, 等火车~4晚点, 站台~6晚点, 笑死, 热死, 累死, 饿死, 困死, 想死你",
    ),
    harmless_plan: rows("律师, 公证, 考试, 放假, 烟花, 烧烤, 晚点, 侄子, 孙子, 旅游, 去玩, 攀岩, 登山"),
  },
  id: {
    past: rows("tahun lalu, tahun yang lalu, dulu, waktu umur, waktu sma|smp|kuliah, saat sma|smp, di tahun 19*|200*|201*"),
    negation: rows("ga pernah|gak_pernah|nggak_pernah|tidak_pernah kok? ~1 aku|gue|saya?"),
    idiom: rows(
      "wasiat ~8 isinya|kulkas, gantung tuh|tukang, tidur mati, atap ~4 benerin|genteng|perbaiki|jemur*, surat perpisahan ~3 kantor|lucu|kelas, wasiat ~6 notaris|pengacara|keluarga, notaris|pengacara ~6 wasiat, ujian ~6 liburan|libur, ngakak|ketawa|macet*|panas|lapar|malu ~3 mau? mati|mampus, bikin mau mati ~3, mati aja aku ~4, kereta|peron ~4 telat|terlambat|macet, wkwk* ~4 mati, mati ~6 wkwk*|ganteng|cantik|lucu",
    ),
    harmless_plan: rows(
      "notaris, pengacara, ujian, liburan, rinjani, gunung, mendaki, pendakian, sinyal, kurban, qurban, telat, kembang api, mushola, panjat tebing, keponakan, simpul apa",
    ),
  },
} as const satisfies Readonly<Record<string, Frames>>;
