/** Hindi and Urdu in Latin letters, as they are written in chat, with their many spellings and the English that is mixed in. */
import { frameIds, type RulePack } from "throughline/safety";

import { everyday } from "./everyday.ts";
import { rows, softRows, together } from "./rows.ts";

export const romanisedHindiPack: RulePack = {
  language: "hi-Latn",
  version: "2026-11-21.3",
  coverage:
    "Hindi and Urdu in Latin letters as written in chat, mixed with English: wishes, plans, acts, places, farewells and preparation said plainly, in the usual spellings. Tried on a small table of our own only; rarer spellings are missed.",
  support: "partial",
  negation: "around",
  detect: {
    script: "Latin",
    words: rows(
      "main, mai, mein, me, mujhe, muje, mujhko, mera, meri, mere, hai, hain, hu, hun, hoon, ho, nahi, nahin, nai, nhi, kya, kyu, kyun, kyunki, aur, ab, bas, bhi, ka, ki, ke, ko, se, pe, par, kar, karna, karne, raha, rahi, rha, rhi, tha, thi, gaya, gayi, yaar, bhai, kuch, koi, sab, bahut, bohot, bht, toh, tum, tu, aap, ye, yeh, wo, woh, apna, apni, apne, jaan, zindagi, zindgi, chahta, chahti, aaj, kal, raat, lag, lagta, liya, diya, gyi, gya, kaise, hua, wala, wali, mat, jana, dost, ghar, accha, theek, thik",
    ),
  },
  words: {
    me: rows("main, mai, mein, maine, mene, mujhe, muje, mujhko, mera, meri, mere, mujhse"),
    self: rows("main, mai, maine, mene, mujhe, muje, mujhko, mera, meri, mere, mujhse, i, my"),
    contrast: rows("lekin, magar, but, par, balki"),
    no: rows("nahi, nahin, nai, nhi, nahii, nahe, na, naa, mat, nehi, ni"),
    mar: rows("mar, marr, mer"),
    to_die: rows(
      "marna, marne, marnaa, mrna, mrne, marunga, marungi, marjau, marjaun, marjaunga, marjaungi, marjana, mar jana, mar jaana, mar jau, mar jaun, mar jaau, mar jaaun, mar jaunga, mar jaungi, mar jaaunga, mar jaaungi, mar hi jau, mar hi jaun, maru, marun, maut, mout, mar jane, mar jaane, mar jaye, marr jau, marr jana, mar jaata, mar jata, mar jati",
    ),
    to_live: rows("jeena, jina, jeene, jine, jeeni, jee, ji, zinda, jinda, jeete, jeena hi, jina hi"),
    want: rows(
      "chahta, chahti, chahte, chata, chati, chahata, chahati, chahu, chahun, chah, chahiye, chaiye, cahta, cahti, chahtaa, chahtii, chhata, want, mann, man, dil, ji, iccha, ichha, irada, soch, socha, sochta, sochti, plan, sochra, faisla, decide",
    ),
    kill: rows(
      "suicide, sucide, suside, sucid, khudkushi, khud kushi, khudkhushi, khudkashi, aatmahatya, atmahatya, aatmhatya, atmhatya, aatma hatya, atma hatya, khatm khud ko, apni jaan, apni jan, apni zindagi, apni zindgi, apni life, apna jeevan",
    ),
    does: rows(
      "karna, karne, krna, krne, karunga, karungi, krunga, krungi, karlunga, karlungi, kar lunga, kar lungi, kar lu, kar lun, karlu, karlun, kr lu, kr lunga, kr lungi, kar dunga, kar dungi, kar du, kar dun, kr dunga, kr dungi, lena, lene, lunga, lungi, lelu, lelunga, lelungi, le lu, le lun, le lunga, le lungi, dena, dene, dunga, dungi, dedu, dedunga, dedungi, de du, de dun, de dunga, de dungi, kar raha, kar rahi, kar rha, kar rhi, karne wala, karne wali, karne ja, de raha, de rahi, le raha, le rahi",
    ),
    end: rows("khatam, khatm, khtm, khatem, end, finish, samapt, ant, khallas"),
    life: rows("zindagi, zindgi, jindagi, jindgi, zndgi, life, jaan, jan, jeevan, sab, sabkuch, sab kuch, sb, sb kuch, everything"),
    oneself: rows("khud ko, khudko, khud, apne aap ko, apneaap ko, apne ko, apneko, apne aap"),
    pills: rows(
      "goli, goliya, goliyan, goliyaan, golian, golliya, goliyo, dawai, dawa, dawaai, dawaiya, dawaiyan, davai, tablets, tablet, tablte, pills, pill, medicine, medicines, neend ki goli, neend ki goliya, neend ki goliyan, zeher, zehar, jeher, jehar, zahar, zehr, jahar, poison, keetnashak, phenyl, harpic, sulfas, bottle, botal, sheeshi, sleeping pills, sleeping tablets",
    ),
    poison: rows("zeher, zehar, jeher, jehar, zahar, zehr, jahar, poison, keetnashak, phenyl, harpic, sulfas, acid"),
    all: rows(
      "saari, sari, saara, sara, saare, sare, poori, puri, pura, poora, pure, sab, sabhi, saree, bees, tees, chalis, pachas, kai, bahut, bohot, bahut saari, bohot saari, dher, mutthi, ek saath, whole, all, full",
    ),
    took: rows(
      "kha li, khali, kha liya, kha liye, khaali, kha lee, khaa li, khaa liya, kha chuka, kha chuki, khayi, khai, khaya, nigal li, nigal liya, nigalli, nigal gaya, nigal gayi, pi liya, pee liya, pi li, pee li, piliya, peeliya, pi chuka, pee chuka, le li, le liya, leli, leliya, le chuka, le chuki, gatak li, gatak gaya, kha gaya, kha gayi, kha gya, kha gyi, li hai, khaliya, khalia, kha li hai, pee gaya, pee gayi, pi gaya",
    ),
    soon: rows(
      "aaj, aj, aaj raat, aj raat, aaj rat, abhi, abi, kal, kal subah, aaj hi, aaj sham, parso, thodi der, tonight, today, tomorrow, now, ghante, ghanta, minute, mins, is hafte, weekend, birthday, janamdin, subah tak, raat ko, raat me, raat mein, adhi raat, aadhi raat, exam ke baad, tareekh, monday, tuesday, wednesday, thursday, friday, saturday, sunday, somvar, itwar",
    ),
    blade: rows(
      "chaku, chaaku, chakoo, knife, blade, bled, rassi, rasi, rope, fanda, phanda, phansi, fansi, faansi, gun, pistol, bandook, banduk, dupatta, petrol, kerosene, churi, chhuri, kainchi",
    ),
    edge: rows(
      "chhat, chat, chatt, chhath, terrace, pul, pull, bridge, patri, patriyo, patriyon, track, tracks, railing, khidki, khidaki, window, balcony, platform, munder, tanki, railway track, railway line, building, roof",
    ),
    dear: rows(
      "maa, mumma, mummy, mummi, mom, papa, dad, pita, bhai, bhaiya, behen, behan, didi, beta, beti, bachche, bacche, bacho, bachho, family, parivar, sab, sabko, sabse, dosto, doston, wife, husband, gharwalo, ghar walo, mummy papa, maa papa, maa baap, ammi, abbu",
    ),
    other: rows(
      "dost, friend, saheli, bhai, behen, behan, didi, beta, beti, pati, patni, husband, wife, mummy, papa, roommate, gf, bf, girlfriend, boyfriend, cousin, padosi, wo, woh, usne, use, usko, uska, uski, bestie, student, bhabhi, chacha, bua",
    ),
    arm: rows("haath, hath, hatho, hathon, kalai, kalayi, wrist, wrists, nas, nass, nus, naso, bazu, baju, jaangh, thigh, pair, arm, arms, skin"),
    cut: rows(
      "kaata, kata, kaati, kati, kaat, kaatta, kaatti, katta, katti, kaatna, katna, kaatne, katne, kaatu, kaat li, kaat liya, kat liya, kat li, cut, cutting, cut kiya, cut kar, jalaya, jalata, jalati, jala, cheera, cheer",
    ),
    gone: rows(
      "rahunga, rahungi, rhunga, rhungi, milunga, milungi, bachunga, bachungi, dikhunga, dikhungi, aaunga, aaungi, aunga, aungi, uthunga, uthungi, hounga, hongi, rahu",
    ),
    past: rows("marna, marne, suicide, mar jana, khudkushi, cutting, self harm, aatmahatya"),
  },
  abbreviations: {},
  lexicon: rows("khudkushi, aatmahatya, zindagi, goliyan"),
  concepts: {
    wish_to_die: rows(
      "{no} jeena|jina|jeene, mujhe {no} ~1 jeena|jina, {to_die} ~1 {want}, {to_die} ka|ki|ko ~2 {want}, {me} ~2 {to_die} ~1 hai|h|he, {me} ~1 {to_die} do|de, {to_die} hi ~1 theek|thik|behtar|accha|acha|sahi|best, bas ~1 {to_die}, mar jau|jaun|jaau|jaaun|jana|jaana|jaunga|jaungi, marna ~1 chah*, marna hai|h, kash|kaash ~2 {to_die}, kash|kaash ~2 mar, {to_live} ~1 {no} ~1 {want}, {to_live} {no}, {no} ~1 {to_live} ~1 {want}, {no} ~1 {to_live} ~1 mujhe|ab|hai|h, {to_live} ka|ki ~2 {want} ~1 {no}, ab|aur ~2 {no} ~1 {to_live}, zinda|jinda ~1 {no} ~1 rehna|rahna|rehne, {no} ~1 zinda|jinda ~1 rehna|rahna, duniya ~1 chod|chhod|chor|chodna|chodne|chodke|chodkar|chhodna, duniya ~2 {no} ~1 rehna|rahna, maut ~2 {want}, maut ~2 aa|de|behtar|aaye|aaja|aajaye, bhagwan|god|allah|khuda|rab ~3 utha|uthale|bula|maut, mujhe ~1 utha ~1 le|lo, isse|is_se accha|acha|behtar ~2 {to_die}, isse|is_se accha|acha|behtar ~2 mar, mar ~1 jana ~1 behtar|accha|acha|theek, hamesha ke liye so ~1 jau|jaun|jana, {to_die} de ~1 do, {want} to die, wanna die, life {end} ~1 kar* ~1 {want}, jaan ~1 de_du|de_dun|dedu|dedunga|dedungi|dunga|dungi|de_dunga|de_dungi|dena|dene, apni jaan",
    ),
    passive_death: rows(
      "subah ~3 na|nahi|nhi ~1 uthu|uthun|uthna|khule|uthoon, so ~4 uthu|uthun|uthna ~1 na|nahi|hi|nhi, soke|sokar ~2 na|nahi|nhi ~1 uthu|uthun, neend se ~3 na|nahi|nhi ~1 uthu|uthun|uthna, kabhi ~1 na|nahi|nhi uthu|uthun, aankh|ankh|aankhe ~2 na|nahi|nhi ~1 khule, uthna ~1 na|nahi ~1 pade, paida ~2 na|nahi|nhi, na ~1 paida, kash|kaash ~2 gaadi|gadi|truck|bus|accident|cancer, accident ho jaye|jaaye|jae, koi ~1 gaadi|gadi|truck|bus ~2 uda|maar|thok|kuchal",
    ),
    ideation: rows(
      "{kill} ~2 soch*|khayal|khyal|khayaal|vichar|thought|thoughts|baare|bare, soch* ~3 {kill}, suicidal ~1 thoughts|khayal|vichar|feel|hu|hun|soch*, {to_die} ~2 soch*|khayal|khyal|khayaal|vichar|thoughts, soch* ~2 {to_die}, kaise maru|marun|maroon|mara|marna|mare, easy|aasan ~2 maut|marna|marne, {kill} ~2 tarika|tareeka|tarike|tareeke, {to_die} ~2 tarika|tareeka|tarike|tareeke, jeeu|jiyu ya mar*",
    ),
    kill_self: [
      ...rows(
        "{kill} ~1 {does}, {kill} ~1 {want}, {kill} ~1 {end} ~1 {does}, {oneself} ~1 maar|marna|maarna|maarne|khatam|khatm|khtm|mita|goli|fansi|phansi|aag, {oneself} ~1 {end}, apni|meri|ye|is ~1 {life} ~1 {end} ~1 {does}, {life} {end} ~1 {does}, phansi|fansi|faansi|fanda|phanda ~2 laga*|latak*|jhul*|lunga|lungi|lelu|lgalu, pankhe|fan se ~1 latak*|jhul*, latak jau|jaun|jaunga|jaungi, kood|kud|kudd|jump ~1 jau|jaun|jaunga|jaungi|jana|jaana|jaane|jane, koodne|kudne ~1 wala|wali|ja|ka|lag*, kood|kud|jump ~1 kar|karke|ke ~1 {to_die}, chhalang|chalang ~1 laga*, {poison} ~2 kha|khake|pi|pee|peeke|khakar|peekar ~2 lu|lun|lunga|lungi|mar*|{want}|jau, {pills} ~2 kha|khake|khakar ~2 lu|lun|lunga|lungi|mar*|so, nas|nass|kalai|wrist ~1 kaat|kat|cut ~1 lu|lun|lunga|lungi|lena, train ke|k ~1 aage|samne|neeche|niche, gaadi|gadi|truck|bus ke|k ~1 aage|samne|neeche|niche ~1 aa*|kood*|kud*, nadi|kue|kuan ~1 me|mein ~1 kood*|kud*, doob ~1 mar*, goli ~1 maar ~1 lu|lun|lunga|lungi|lunga, aag ~1 laga ~1 lu|lun|lunga|lungi|li, kill myself, end my life",
      ),
      ...softRows("{kill}"),
    ],
    injure_self: rows(
      "{oneself} ~2 {cut}, {oneself} ~2 hurt|chot|nuksan|nuksaan|dard|takleef|saza|saja|maarta|marta|maarti|harm|zakhm, {arm} ~2 blade|bled|chaku|knife ~2 {cut}, blade|bled|chaku|knife ~3 {arm}, {arm} kaat|kaata|kaati|kaatta|kaatti|cut, maine ~2 {arm} ~1 {cut}, self harm, selfharm, phir|fir se ~1 cutting|cut|kaat*|self, cutting ~1 kar*|karti|karta|ki|start, deewar|diwar ~2 sir|sar ~1 maar*|mar*",
    ),
    plan: [
      ...rows(
        "{kill} ~1 plan|planning|tayari|taiyari|tyari, plan ~2 {to_die}, plan ~2 {kill}, {to_die} ~1 plan|planning|tayari|taiyari|faisla, {kill} ~2 decide|faisla|tay|thaan",
      ),
      ...softRows(
        "plan ~2 ready|bana|taiyar|tayar|pakka, decide kar ~1 liya|lia, tay kar ~1 liya, faisla ~1 kar|le ~1 liya, soch liya ~1 hai, thaan|than li|liya, jagah|din|tarika|tareeka|date ~2 decide|fix|chun|tay",
      ),
    ],
    preparation: [
      ...rows(
        "suicide note|letter, aakhri|akhri|aakhiri|akhiri|last ~1 chitthi|khat|letter|note, {dear} ~3 chitthi|khat|letter|note ~2 likh*, chitthi|khat|letter ~2 likh ~1 di|diya|li|liya|chuka|chuki, goliya|goliyan|tablets|pills|dawai|neend ~3 jama|ikatthi|ikattha|collect|jod ~1 kar*|ki|kiya, jama ~2 goliya|goliyan|tablets|pills, rassi|rope|fanda|phanda|zeher|jeher|zehar|poison|pistol|sulfas ~2 kharid*|khareed*|le_aaya|le_aya|le_aayi|laya|layi|ready|taiyar|tayar|bandh*|manga*, mere ~1 marne|jaane|jane ke baad, mere baad ~2 khayal|khyal|dhyan",
      ),
      ...softRows(
        "vasiyat|wasiyat, saman|samaan|kapde|kitabe|dog|cat|billi|kutta|phone|cheezein|chize ~3 baat*|baant*|de_diya|de_di|donate, {blade} ~2 kharid*|khareed*|le_aaya|le_aayi|laya|layi|ready|taiyar, {pills} ~3 kharid*|khareed*|le_aaya|le_aayi|laya|layi|manga*|ready|taiyar, password ~4 likh*|rakh*|de, karz|karza|udhar ~2 chuka*|nipta*, note ~1 likh|chod ~1 diya|liya, accounts|photos ~2 delete",
      ),
    ],
    farewell: [
      ...rows(
        "alvida ~2 duniya|sabko|{dear}|hamesha, duniya ~1 alvida|bye, sabko alvida, goodbye sabko|duniya, aakhri|akhri|aakhiri|akhiri|last ~1 message|msg|post|salam|mulaqat, mera|meri ~1 aakhri|akhri|aakhiri|akhiri|last ~1 message|msg|din|raat|baat|post, {dear} ~2 kehna|bolna|bata|batana|bol ~4 pyar|love|sorry|maaf|maf, {dear} ~2 khayal|khyal|dhyan ~1 rakhna|rakhiye|rakhlena, jab ~2 tak? ~2 padhoge|padhega|padhogi|padho|padhenge|milega, mujhe ~1 bhul|bhool ~1 jana|jaana|jao, agle janam|janm ~2 mil*, upar mil*|milenge, hamesha ke liye ~1 ja|chala|chali|jaa, mere liye ~1 mat ro*, mujhe ~1 mat dhundh*|dhoondh*, kal ~2 main? ~1 {no} {gone}, kal se ~2 {no} {gone}, subah tak ~2 {no} {gone}, ab ~1 kabhi ~1 {no} mil*, is duniya ~1 {no} {gone}",
      ),
      ...softRows(
        "alvida, aakhri|akhri|aakhiri|akhiri raat|din|sham|baar, maaf|maf ~1 kar ~1 dena|do, mujhe maaf|maf ~1 kar*, sorry {dear}, shukriya|thank_you ~3 sab ~2 ke_liye, agle janam|janm",
      ),
    ],
    act_done: [
      ...rows(
        "{all} ~3 {pills} ~2 {took}, {pills} ~3 {all} ~2 {took}, {took} ~2 {all} ~3 {pills}, # goli|goliya|goliyan|tablets|tablet|pills ~2 {took}, {poison} ~2 {took}, maine ~3 {poison} ~1 kha|pi|pee, overdose ~2 kar|kiya|liya|le|ho, {pills} ~2 nigal ~1 li|liya|gaya|gayi, nas|nass|nus|kalai|wrist ~1 kaat|kat|cut ~1 li|liya|di|diya|chuka|chuki|kar, khoon|khun|blood ~2 {no} ~1 ruk*|band, khoon|khun|blood ruk ~1 {no}, bahut|bohot ~1 gehra|deep ~1 kat|kaat|cut, gale me|mein|m ~1 fanda|phanda|rassi|rope, fanda|phanda|rassi ~2 gale ~1 me|mein|m, gas ~1 khol|chalu|on ~1 di|kar|diya, goliya|goliyan|tablets|pills ~5 chakkar",
      ),
      ...softRows("khoon|khun|blood ~1 beh|bah ~1 raha|rha, maine kar liya|diya|dala, {arm} kaat|kat|cut ~1 li|liya|di|diya"),
    ],
    past_attempt: rows(
      "pichli baar ~4 bach|fail|try|kaam|koshish|{no}, last time ~4 bach|fail|try, {kill} ~2 try|koshish|attempt, koshish ~2 {kill}, attempt ~2 kiya|kia|kar*, phir|fir se ~1 try|koshish",
    ),
    do_it: [
      ...rows(
        "{soon} ~2 sab|sabkuch|sab_kuch|kahani|khel ~1 {end}, {soon} ~2 {end} ~1 kar ~1 dunga|dungi|lunga|lungi, is baar|bar ~3 pakka|{no}|success|bachunga|bachungi|safal, is bar|baar pakka, {soon} ~1 raat? ~2 {no} {gone}, {soon} ~2 chala|chali jaunga|jaungi|jaaunga|jaaungi ~2 hamesha|duniya",
      ),
      ...softRows(
        "kar lunga|lungi|dunga|dungi|lu|lun, karne wala|wali|ja, sab|sabkuch|sab_kuch|kahani|khel ~2 {end} ~1 ho|hoga|kar, {end} ho jayega|jaega|jaunga|jaungi|jaega, mukti, azad|aazad ~1 ho, chala|chali jaunga|jaungi, {no} {gone}, kood|kud jau|jaun|jaunga|jaungi, is baar",
      ),
    ],
    means: softRows("{blade}, {pills}"),
    means_in_hand: [
      ...rows(
        "rassi|rope|fanda|phanda|blade|bled|pistol|gun|zeher|jeher|poison ~2 haath|hath|samne|paas ~1 me|mein|hai|h|m, haath|hath me|mein|m ~2 blade|rassi|pistol|gun|zeher|goliya|goliyan|tablets, goliya|goliyan|tablets|pills|sleeping_pills ~2 haath|hath|samne|ready|nikal, samne ~2 goliya|goliyan|tablets|pills|zeher|rassi, rassi|rope|fanda|phanda ~1 ready|taiyar|tayar|tyar|bandh*|latk*",
      ),
      ...softRows(
        "{blade} ~3 haath|hath|paas|samne|ready|taiyar|jeb, {pills} ~3 haath|hath|paas|samne|ready|taiyar, haath|hath me|mein|m ~3 {blade}, haath|hath me|mein|m ~3 {pills}, mere paas ~3 {pills}, mere paas ~3 {blade}, {pills} ~3 kharid*|khareed*|le_aaya|le_aayi|manga*, {blade} ~3 kharid*|khareed*|le_aaya|le_aayi, sab ~1 ready|taiyar, sab kuch ~1 ready|taiyar",
      ),
    ],
    time_near: [
      ...rows("meri ~1 aakhri|akhri|aakhiri|akhiri raat, mera ~1 aakhri|akhri|aakhiri|akhiri din, kal ~2 subah ~1 {no} dekh*"),
      ...softRows("{soon}, kuch ghanto|ghante|der|minute, sab ~1 so jaye*|jaenge|jayenge, sabke sone ~1 ke, aakhri|akhri|aakhiri|akhiri raat|din"),
    ],
    lethal_place: [
      ...rows(
        "{edge} ~1 pe|par|ke|p ~2 khada|khadi|baitha|baithi|khda|khdi|leta|leti, main|mai ~1 {edge} ~1 pe|par|p ~1 hu|hun|hoon, {edge} ~3 neeche|niche ~1 dekh*, patri|track|tracks|railing ~1 pe|par|p, bas ~1 ek kadam, ek kadam ~1 aur, train ke ~1 samne|aage",
      ),
      ...softRows(
        "{edge} ~2 khada|khadi|baitha|baithi|chadh*, {edge} pe|par hu|hun|hoon, neeche|niche dekh ~1 raha|rahi|rha|rhi, train ~2 intezaar|intzar|wait, train aa ~1 rahi|rhi",
      ),
    ],
    alone_now: softRows(
      "ghar ~2 akela|akeli|khali, ghar pe|me|mein koi ~1 {no}, akela|akeli ~2 kamre|ghar|room, koi ~2 {no} ~1 aayega|bachayega|rokega, darwaza|door ~2 band|lock",
    ),
    secrecy: [
      ...rows("accident ~2 lage*|lagega|lagna|samjhenge, hadsa ~2 lage*|lagega, ambulance ~1 mat ~1 bula*"),
      ...softRows("kisi ~1 ko? ~1 mat bata*|bol*|keh*, kisi ko ~1 {no} ~1 bata*|pata|bolna, kisi ~1 pata {no} ~1 chale*|chalega, police ~1 mat"),
    ],
    hopeless: rows(
      "koi umeed|ummeed|umid|hope|raasta|rasta|fayda|faida|matlab|future|wajah ~1 {no}, umeed|ummeed|umid|hope ~2 {no}|khatam|khatm|toot|khtm, {to_live} ~2 wajah|matlab|maksad|fayda|faida|reason, kyu|kyun|kyon|q ~1 {to_live}, {to_live} kyu|kyun|kyon, life|zindagi|zindgi|jindagi ~2 bekar|bekaar|barbad|matlab|khatam|khatm|narak|jahannum, zindagi|zindgi|life|jeene|jine|sab|sabse se ~1 thak|tang|haar|pareshan, thak gaya|gayi|gya|gyi|chuka|chuki ~1 hu|hun|hoon ~3 {life}, thak ~1 chuka|chuki, haar ~1 gaya|gayi|gya|gyi|chuka|chuki|maan, ab ~1 aur? ~1 {no} ~1 seh|sah|jhel|hota|hoga|bardasht, aur ~1 {no} ~1 seh|sah|jhel|hota|bardasht|jhela|saha, seh|saha|sahan|bardasht|jhela {no}, ab ~1 saha|bardasht|jhela {no}, jiya {no} ~1 jata|jaata, kuch ~1 theek|thik|accha ~1 {no} ~1 hoga|ho, kabhi ~1 theek|thik {no}, sab ~1 {end} ~1 ho ~1 gaya|chuka|gya, sab bekar|bekaar, himmat ~1 {no}, himmat toot, kya fayda|faida|matlab ~1 {to_live}, kya fayda|faida ~1 life|zindagi, nirash, hopeless, helpless, koi rasta ~1 {no}, give up",
    ),
    burden: rows(
      "kisi ko zarurat|jarurat|zaroorat|need {no}, meri ~2 zarurat|jarurat|zaroorat|need {no}, bojh, bojhh, bhoj, boj, burden, mere bina ~4 khush|better|behtar|acche|ache|theek|sukhi|accha, mere marne|jane|jaane ~4 fark|farak|khush|better|behtar, mere hone|na ~4 fark|farak, kisi ~2 fark|farak ~2 {no}, koi ~1 fark|farak {no}, kisi ~1 meri ~1 zarurat|jarurat|zaroorat|parwah|parvah|need ~1 {no}, koi ~1 mujhe|mujhse ~1 pyar {no}, main ~1 na ~1 rahu|rahoon|hota|hoti, main|mai ~1 bekar|bekaar|worthless|useless|nikamma|nikammi, jeene ke ~1 layak {no}, sab ~1 mujhse ~1 pareshan",
    ),
    disappear: rows(
      "gayab ~1 ho|hona|hone, disappear ~1 ho|kar|karna|hona, kahi|kahin ~1 door|dur ~1 chala|chali|ja*, sab ~1 chhod|chod|chhor ~1 kar|ke ~1 ja*|chala|chali|bhag*, hamesha ~2 so|sona ~1 jau|jaun|chah*|jana, dard ~2 khatam|khatm|band|khtm, sab ~1 {end} ~1 karna|ho_jaye|kar_dena|krna, sab kuch ~1 {end} ~1 karna|ho_jaye|krna, chhutkara|chutkara, mukti ~1 chahiye|chahta|chahti|mil*, mit jau|jaun|jana, yaha|yahan ~1 {no} rehna|rahna",
    ),
    fear_of_self: rows(
      "khud se ~1 dar, apne aap se ~1 dar, dar ~4 khud ~2 kuch|hurt|nuksan, kuch ~2 kar baithu|baithun|baithunga|baithungi, kuch ~1 galat ~1 kar, galat kadam, ulta seedha|sidha ~1 kar, khud pe|par ~1 bharosa|control|kabu {no}, safe ~1 feel? {no}",
    ),
    intrusive: rows(
      "dimag|dimaag|mind ~2 khayal|khyal|thoughts|aata|aate|ghum*, achanak ~2 khayal|khyal|thought, khayal|khyal|thoughts ~2 aate|aata|ghum*, na chahte, bina chahe, intrusive, ocd",
    ),
    command_voices: rows(
      "awaz|awaaz|aawaz ~6 mar, dimag|dimaag ~4 mar ~1 jao|ja, awaaz|awaz|aawaz|awaaze|awaazein|awaze|aawaze|voices ~4 keh*|kah*|bol*|sunai|mar*|kood*|kud*, dimag|dimaag|sir|kaan ~2 awaaz|awaz|aawaz|awaazein|voices, awaaz|awaz|voices ~1 sunai",
    ),
    distress: rows(
      "dukhi, udas, udaas, pareshan, tension, akela, akeli, depression, depressed, sad, rona, ro, stress, ghabrahat, bechain, dar, thak, toot, tuta, dard, takleef, khali, anxiety, lonely",
    ),
    violence_to_others: rows(
      "use|usko|unko|sabko|boss|tujhe|tumhe|pati|husband ~1 maar ~1 dalu|dalunga|dalungi|du|dunga|dungi, jaan se maar ~1 dunga|dungi|dalunga|dalungi, murder ~1 kar ~1 dunga|dungi|du, khoon|khun kar dunga|dungi, goli maar dunga|dungi",
    ),
    abuse: rows(
      "mujhe ~2 maarta|marta|maarte|marte|peetta|pitta|peet*|maara|pita, pati ~1 maarta|marta, domestic violence, rape, balatkar, ched chad|chaad, molest*, galat ~1 touch|chhu*, dhamki ~1 de*, gala daba*",
    ),
    eating_disorder: rows(
      "ulti|vomit ~1 kar* ~2 khane|khana|khake, khana|khane|khake|khakar ~2 ulti|vomit, bhuka|bhukha|bhukhi|bhooka|bhookha|bhookhi ~1 rakh*|reh*|rah*, dino|din se ~2 {no} khaya, khana ~1 {no} khaya ~3 din, anorexia, bulimia",
    ),
    psychosis: rows("mera peecha|picha ~1 kar*, nazar ~1 rakh* ~1 rahe|rhe, khane ~2 zeher|jeher ~1 mila*, dimag|dimaag ~2 chip, tv ~1 mujhse"),
    medical_emergency: rows(
      "seene|sine|chest|chhati ~2 dard|pain, saans|sans ~2 {no}, behosh, daura ~1 pad*, overdose, galti se ~3 goliya|goliyan|dawai|tablets",
    ),
    other_at_risk: rows(
      "{other} ~5 mar ~1 jayega|jayegi|jaega|jaegi, wo mar jayega|jayegi, {other} ~5 {kill}, {other} ~5 {to_die} ~1 {want}, {other} ~4 {oneself} ~1 maar|hurt|{end}|{cut}, {other} ~4 {pills} ~2 {took}, {other} ~3 {to_live} {no}, {other} ~3 alvida, {other} ~4 {to_die}",
    ),
  },
  frames: together(frameIds, [
    {
      subject_other: rows(
        "mera|meri|mere|ek|apne|apni {other}, {other} ne ~3 kaha|bola|boli|likha|bheja|kha|ki|bataya, {other} keh|bol|chahta|chahti|soch ~1 raha|rahi|rha|rhi|hai|h, {other} ki|ke|ko|ka ~2 chinta|fikar|madad|help|lekar, usne, usko, uski ~1 help|madad, ek dost, chahta hai, chahti hai, chahta h, chahti h",
      ),
      negation: rows(
        "kabhi ~1 suicide ~2 {no} ~1 soch*, suicide ~1 ka|ke|ki {no}, suicide ka {no}, marna {no} ~1 chah*|hai|h, {no} ~1 marna, {to_die} {no}, {kill} ~2 {no} ~1 kar*|karunga|karungi|soch*, {kill} {no}, khud ko ~2 {no} ~1 maar*|hurt, kabhi ~1 {no} ~1 socha, marne ~2 {no} ~1 soch*, aisa ~1 kuch {no}, jaan {no} dunga|dungi|du, hurt {no} karunga|karungi, not suicidal, don't want to die",
      ),
      idiom: rows(
        "kaam|kam|office|padhai|safar ~1 se ~2 thak, bye ~2 kal, kal milte|milenge|milta|milti, ja|jaa raha|rahi|rha|rhi hu|hun|hoon gym|office|school|college|market|bahar|ghar|sone|khane|class, ghar jaane ~1 ke, train ~4 ghar, uski|unki maut, has|hass|hans|haste|hasi|hansi|hanste|hasste ~2 has|haste|hass|hans|hanste|hasste|ke|se? ~2 mar*, has has ke|k, hasi se|k ~1 mar*, bhook|bhukh|bhuk|garmi|thand|sharm|pyaas|neend|khushi|kaam|padhai|boring|bore|tension|jalan|thakan ~1 se|ke|k|ki|maare ~2 mar*, mar gaya|gayi|gaye|gya|gyi ~2 has*|hans*|yaar|bhook|garmi, bhuka|bhukha|bhookha|bhookhi|bhukhi ~1 mar*, tujh|tum|us|un ~1 pe|par|p ~1 mar*, pe|par|p marta|marti|marte, mar mita|miti|mite, jaan ~1 le ~1 legi|lega|lenge, meri jaan, jaan nikal*, jaan chhidak*, maar ~1 dala|daala|dalega|dalegi|dalenge|daloge, mummy|papa|boss|teacher|mom ~2 maar ~1 dal*|degi|dega|denge, phone|battery|laptop|mobile|charger ~2 mar|dead|khatam|khatm, time|timepass ~1 kaat*|kill, marne ki fursat|bhi, marte dam, sabzi|sabji|pyaaz|pyaj|cake|fal|ticket|baal ~2 kaat*|kat*|cut, dying ~1 has*, mar mar ke, mar ja ~1 tu, goli maar ~1 use|isko|yaar|sabko, aakhri|akhri|last ~1 over|ball|match|paper|exam|semester, suicide squad, political suicide, social suicide, jaan me|mein jaan, meri jaan ~1 ho",
      ),
      joke: rows("haha*, hehe*, lol*, lmao, mazak, majak, mazaak, masti, xd, :laugh:"),
      fiction: rows(
        "movie, film, filmo, novel, story likh*, kahani ~1 me|mein|likh*|ka|ke, serial, webseries, web series, character, climax, episode, anime, hero, heroine, upanyas",
      ),
      game: rows("game, pubg, bgmi, free fire, freefire, minecraft, respawn, gta, cod, valorant, headshot, squad, noob, boss fight"),
      quote: rows("gaana, gana, gaane, gane, song, lyrics, shayari, ghazal, poem, kavita, kahawat, muhavra, dialogue, akhbar, news, headline"),
      academic: rows(
        "research, essay, thesis, psychology, sociology, prevention, rate, statistics, awareness, seminar, durkheim, shodh, rokne ke liye, assignment",
      ),
      professional: rows(
        "main|mai|i ~1 doctor|nurse|counsellor|counselor|psychologist|volunteer ~1 hu|hun|hoon|am, mera|meri|mere patient|client|patients, helpline ~2 kaam|volunteer",
      ),
      past_recovered: rows(
        "ab ~2 theek|thik|better|khush|accha|acha|behtar hu|hun|hoon, ab ~1 theek|thik|better|accha|acha ~1 feel|lag*, saal|mahine|salo pehle|pahle|phle ~6 {past}, bachpan|school|college ~6 {past} ~2 tha|thi, {past} ~4 chahta|chahti|sochta|sochti|karta|karti|aate tha|thi|the, shukar|shukr ~3 zinda|bach*, recover",
      ),
      bereavement: rows(
        "uski|unki|papa_ki|mummy_ki maut ke baad, guzar|gujar ~1 gaye|gaya|gayi|gye, dehant, nidhan, passed away, maut ho ~1 gayi|gyi, ki maut ~2 baad, {other} ~1 mar gaya|gayi|gaye|gya|gyi, dada|dadi|nana|nani ~2 mar|nahi|expire, expire ~1 ho, kutta|dog|cat|billi ~2 mar, barsi, antim sanskar",
      ),
      harmless_plan: rows(
        "naye|naya|nayi|new ghar|naukri|job|sheher|office, shift ~1 ho|kar, last ~1 day|din ~2 office|college|school, farewell party, trip, ghumne, party, picnic, cricket, patang, kite, sunset, sunrise, shaadi ~1 me|mein, sabzi, sabji, khana bana*, rasoi, kitchen, paragliding, bungee, vacation, chutti ~1 pe",
      ),
      denial: rows(
        "aisi koi baat {no}, aisa kuch {no}, aisa ~1 koi ~1 irada|khayal|vichar {no}, main|mai safe hu|hun|hoon, mera ~1 matlab ~2 {no}, kuch {no} karunga|karungi, bilkul {no}",
      ),
      retraction: rows(
        "mazak|majak|mazaak ~1 kar ~1 raha|rahi|rha|rhi|tha|thi, mazak|majak|mazaak me|mein|tha, bas mazak|majak|mazaak, just kidding, jk, aise hi ~1 bol|keh ~1 diya|dia, bhool|bhul jao, chhodo, choro, rehne do, jaane do, gusse me|mein ~1 bol, serious mat|na",
      ),
      yes: rows(
        "haan, han, haa, ha, hmm, hmmm, ji, yes, haanji, bilkul, shayad, kabhi kabhi, aksar, roz, sach, hota hai, aata hai, aate hai, aate hain, thoda, sahi",
      ),
      no: rows("nahi, nahin, nhi, nai, na, naa, no, bilkul nahi, kabhi nahi, nahi to, aisa nahi, aisa kuch nahi"),
      evasion: rows(
        "pata nahi|nhi|nahin, pta nhi|nahi, kya pata, kya farak|fark, kyu|kyun puch|pooch ~1 rahe|rahi|rhe, baat {no} karni|karna, chhodo, rehne do, kuch {no}, idk, {no} batana, topic change",
      ),
      safety_question: rows(
        "suicide ya marne, marne ki ichchha, suicide ~2 khayal|khyal|vichar|baare|thoughts, khud ko ~1 nuksan|hurt|khatam|khatm, jaan|zindagi|life ~1 lene|dene|khatam|khatm, marne ~2 khayal|khyal|baare|vichar",
      ),
    },
    everyday["hi-Latn"],
  ]),
};
