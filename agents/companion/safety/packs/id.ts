/** Indonesian as written in chat, with the short spellings of it, and the Malay that is close to it. */
import { frameIds, type RulePack } from "throughline/safety";

import { everyday } from "./everyday.ts";
import { rows, softRows, together } from "./rows.ts";

export const indonesianPack: RulePack = {
  language: "id",
  version: "2026-11-21.3",
  coverage:
    "Indonesian as written in chat, short spellings included: wishes, plans, acts, places, farewells and preparation said plainly. Tried on a small table of our own only; regional languages are not covered, Malay in part.",
  support: "partial",
  detect: {
    script: "Latin",
    words: rows(
      "aku, saya, gue, gw, gua, kamu, yang, yg, tidak, nggak, gak, ga, enggak, tdk, dan, itu, ini, ingin, pengen, pengin, mau, sudah, udah, udh, untuk, dengan, dari, banget, bgt, juga, kalau, kalo, bisa, ada, semua, lagi, hidup, mati, malam, besok, sama, orang, teman, temen, saja, aja, karena, krn, tapi, apa, kenapa, sekarang, nanti, bukan, belum, jangan, dia, kami, kita, mereka, rumah, bunuh, diri, capek, lelah, sakit, obat, ibu, ayah, mama, tolong, maaf, terima, kasih, selamat",
    ),
  },
  words: {
    me: rows("aku, saya, gue, gw, gua, ane, sy, gwe, ak, aq, akuu, awak"),
    want: rows(
      "ingin, pengen, pengin, pgn, pngn, pngen, pingin, mau, berniat, niat, rencana, berencana, berpikir, mikir, mikirin, kepikiran, terpikir, kepengen, kepingin, akan, bakal, bakalan, hendak, siap, memutuskan, mutusin, pertimbangkan, harap, berharap, pengennya, inginnya, maunya, rasanya, nekat, coba, mencoba, kepikir, memikirkan, pikirkan, harus, cuma",
    ),
    not: rows(
      "tidak, gak, ga, nggak, ngga, enggak, engga, tdk, gk, kagak, kaga, g, tak, ndak, udah_gak, sudah_tidak, malas, males, ogah, bosan, bosen, jenuh, muak",
    ),
    die: rows("mati, meninggal, matii, modar, wafat, tiada, mokat, metong"),
    suicide: rows(
      "bunuh diri, bunuhdiri, bundir, bun dir, bunuh_diri, bnuh diri, bunuh dri, b*nuh diri, mengakhiri hidup, akhiri hidup, ngakhirin hidup, akhirin hidup, mengakhiri hidupku, akhiri hidupku, mengakhiri nyawa, akhiri semuanya, mengakhiri semuanya, akhiri semua, akhirin semua, akhirin semuanya, ngakhirin semua, ngakhirin semuanya, mengakhiri semua ini, mengakhiri hidup ini, akhiri hidup ini, mengakhiri segalanya, menghabisi nyawa, habisi nyawa, menghabisi diri, membunuh diri, bunuh diriku, membunuh diriku, bunuh diri sendiri, ngebunuh diri, bunuh aku sendiri, gantung diri, gantung diriku, menggantung diri, gantungdiri, menabrakkan diri, nabrakin diri, tabrakin diri, menceburkan diri, mengiris nadi, potong nadi, iris nadi, sayat nadi, menembak diri, bakar diri, cabut nyawa sendiri, menghilangkan nyawa, menjatuhkan diri, jatuhin diri",
    ),
    pills: rows(
      "obat, obatnya, pil, tablet, kapsul, obat tidur, racun, baygon, paracetamol, parasetamol, obat penenang, obat nyamuk, pemutih, botol, strip, papan, butir, antidepresan, pestisida, kaporit, obat2an, obat-obatan, obat obatan, panadol, potas, cairan pembersih, pil tidur, bodrex",
    ),
    all: rows(
      "semua, semuanya, seluruh, seluruhnya, sebotol, satu botol, 1 botol, segenggam, satu strip, dua strip, tiga strip, banyak, puluhan, dua puluh, tiga puluh, empat puluh, lima puluh, 20, 30, 40, 50, 100, sekaligus, habis, abis, satu papan, satu kotak, sekotak, sebanyak, seisi",
    ),
    took: rows(
      "minum, meminum, menelan, nelen, telan, ditelan, telen, diminum, menenggak, nenggak, tenggak, tertelan, kuminum, kutelan, minumin, ngabisin, menghabiskan, habisin, makan, memakan, kutenggak",
    ),
    soon: rows(
      "malam ini, malem ini, mlm ini, nanti malam, nanti malem, ntar malam, ntar malem, hari ini, sekarang, skrg, skrng, besok, bsk, besok pagi, lusa, pagi ini, sore ini, siang ini, minggu ini, akhir pekan, minggu depan, senin, selasa, rabu, kamis, jumat, jum'at, sabtu, tanggal, tgl, ulang tahunku, ulang tahun, sebentar lagi, bentar lagi, jam, subuh, tengah malam, setelah lebaran, habis lebaran, setelah ujian, abis ujian, akhir bulan, bulan ini, habis ini, abis ini, setelah ini, segera, secepatnya",
    ),
    self: rows("aku, saya, gue, gw, gua, ku"),
    contrast: rows("tapi, tetapi, namun, cuma, padahal"),
    drop: rows("lompat, loncat, terjun, melompat, meloncat, menceburkan diri, jatuhin diri, menjatuhkan diri, nabrakin diri"),
    poison: rows("racun, baygon, pemutih, potas, pestisida, kaporit, obat nyamuk, racun tikus, cairan pembersih, racun serangga"),
    edge: rows("jembatan, atap, atap gedung, rooftop, rel, rel kereta, jurang, tebing, peron, flyover, jalan layang, gedung, pagar pembatas, balkon"),
    past: rows("bunuh diri, mati, menyakiti diri, nyakitin diri, menyayat, nyilet, self harm, mengakhiri hidup, akhiri hidup"),
    blade: rows(
      "pisau, silet, cutter, kater, gunting, tali, tali tambang, tambang, pistol, senjata, senapan, bensin, sabuk, jerat, golok, parang, pisau dapur, kabel, ikat pinggang, beling, pecahan kaca, kaca, arang, belati",
    ),
    place: rows(
      "jembatan, atap, rooftop, balkon, tepi, tebing, rel, rel kereta, pinggir rel, peron, jurang, gedung, lantai atas, lantai sepuluh, lantai 10, lantai 20, jendela, pagar pembatas, pinggir, ujung atap, flyover, jalan layang, menara, pinggir jembatan, pembatas, ketinggian, tower, pantai, laut, sungai",
    ),
    dear: rows(
      "ibu, ibuku, ayah, ayahku, mama, mamaku, mamah, papa, papaku, papah, bapak, bapakku, emak, bunda, bundaku, adik, adikku, adek, adekku, kakak, kakakku, keluarga, keluargaku, anak, anakku, anak-anak, semua, semuanya, semua orang, kalian, teman, teman-teman, temen-temen, sahabat, istri, istriku, suami, suamiku, orang tua, orangtua, ortu, dunia, guys",
    ),
    other: rows(
      "teman, temen, temanku, temenku, teman saya, sahabat, sahabatku, adik, adikku, adek, adekku, kakak, kakakku, anak, anakku, pacar, pacarku, suami, suamiku, istri, istriku, ibu, ibuku, ayah, ayahku, mama, papa, bapak, sepupu, sepupuku, tetangga, tetanggaku, dia, ia, rekan, rekanku, murid, muridku, siswa, siswaku, mantan, mantanku, seseorang, om, tante, bapakku, mamaku, bestie, sodara, saudara, saudaraku, ponakan, keponakan",
    ),
    body: rows(
      "diri, diriku, diri sendiri, diriku sendiri, diri gue, diri saya, badan, badanku, tubuh, tubuhku, tangan, tanganku, tangan gue, pergelangan, pergelangan tangan, lengan, lenganku, paha, pahaku, kulit, kulitku, nadi, nadiku, kaki, kakiku, perut",
    ),
    hurts: rows(
      "menyakiti, nyakitin, menyakitin, sakiti, sakitin, melukai, ngelukain, lukai, ngelukai, lukain, menyayat, nyayat, nyayatin, sayat, kusayat, mengiris, ngiris, iris, menggores, gores, ngegores, memotong, motong, menyilet, nyilet, silet, memukuli, mukulin, mukuli, membakar, bakar, nyundut, menyundut, sundut, membenturkan, benturin, jedotin, mencakar, nyakar, mencederai, cutting, kulukai, ngebeset, beset, mutilasi",
    ),
  },
  abbreviations: {
    bundir: "bunuh diri",
    bndir: "bunuh diri",
    gmw: "gak mau",
    selfharm: "self harm",
    pgn: "pengen",
    pngn: "pengen",
    sdh: "sudah",
    udh: "sudah",
    udah: "sudah",
    dah: "sudah",
    yg: "yang",
    dgn: "dengan",
    krn: "karena",
    org: "orang",
    hdp: "hidup",
    idup: "hidup",
    mt: "mati",
    bnh: "bunuh",
    dri: "diri",
    trs: "terus",
    kalo: "kalau",
    klo: "kalau",
    kl: "kalau",
    aja: "saja",
    aj: "saja",
    mlm: "malam",
    malem: "malam",
    bsk: "besok",
    skrg: "sekarang",
    lg: "lagi",
    tp: "tapi",
    cape: "capek",
    bgt: "banget",
    temen: "teman",
  },
  lexicon: rows("bunuh, meninggal, mengakhiri, menyayat, overdosis, jembatan"),
  concepts: {
    wish_to_die: [
      ...rows(
        "gamau hidup, gamau ~1 hidup, gakmau hidup, benci ~1 hidup|hidupku ~2 mati, {want} ~2 {die}, {want} {me} {die}, {die} saja, lebih baik|baek ~1 {me}? ~1 {die}, lebih baik {die}, mending ~2 {die}, mendingan ~2 {die}, mending {die}, lebih enak {die}, enakan {die}, seandainya ~2 {die}, andai ~2 {die}, andaikan ~2 {die}, coba saja ~2 {die}, semoga ~3 {die}, berharap ~3 {die}, harapan ~1 {die}, {me} ~1 harus|layak|pantas {die}, pantas|layak|pantes ~1 {die}, ajal|maut ~2 jemput|menjemput|datang, tuhan ~3 ambil|cabut|panggil ~1 nyawaku|aku|saya|nyawa, ya allah ~3 ambil|cabut|panggil, ambil ~1 nyawaku|nyawa, cabut ~1 nyawaku|nyawa, kapan ~2 {me} ~1 {die}, kapan ~1 {die}, {die} lebih baik|baek|enak|tenang, {die} adalah|itu ~2 jalan|solusi|jawaban|pilihan|satu-satunya, kematian ~2 jalan|solusi|jawaban|pilihan|terbaik|satu satunya, menunggu|nunggu|nungguin|rindu|merindukan|menginginkan|mengharapkan ~1 kematian|ajal|mati|maut, kematianku, matiku, keinginan ~2 {die}, hasrat ~2 {die}, rasa ingin {die}",
      ),
      ...rows(
        "{not} ~2 {want} ~1 hidup, {not} ~3 hidup ~1 lagi, {not} ~1 pengen|ingin|mau|pengin|pingin|nak ~2 hidup, {not} ~1 sanggup|kuat|bisa|tahan|mampu|kuad ~2 hidup, {not} hidup lagi, berhenti hidup, capek|lelah|letih|cape|penat ~2 hidup, capek hidup, lelah hidup, sudah capek|lelah|cukup|bosan|bosen|muak ~2 hidup, bosan|bosen|muak|males|malas|jenuh ~1 hidup, {not} ~2 ada ~2 di dunia ini, {not} {want} ~2 di dunia, pergi|meninggalkan ~2 dunia ini|selamanya|selama-lamanya, meninggalkan dunia, tinggalkan dunia, {want} ~2 meninggalkan|tinggalkan ~1 dunia, {want} ~1 tinggal nama, nyusul|menyusul ~2 ke ~1 alam|surga|sana|atas, {want} ~1 nyusul|menyusul ~1 {dear}, pulang ke ~1 tuhan|pencipta|allah|rahmatullah, {not} ~2 melanjutkan ~1 hidup, {not} ~2 lanjutin ~1 hidup, {not} ~1 lanjut hidup, hidupku ~2 berakhir|diakhiri, {not} ~1 layak|pantas|pantes ~1 hidup, lahir ~1 buat mati, biarin ~1 {me} {die}, biarkan ~1 {me} {die}",
      ),
    ],
    passive_death: rows(
      "{not} ~1 bangun|terbangun|kebangun|melek ~2 lagi|selamanya|besok, tidur ~4 {not} ~1 bangun|terbangun|kebangun, tidur selamanya, tidur ~2 selama-lamanya, {not} pernah ~1 bangun, {not} perlu|usah|harus ~1 bangun ~1 lagi, {not} bangun bangun, {not} pernah ~1 lahir|dilahirkan|ada, {not} ~1 dilahirkan|lahir, {not} usah ~1 lahir, nyesel ~1 lahir, menyesal ~2 lahir|dilahirkan, kenapa ~2 lahir|dilahirkan, {want} ~2 ditabrak|ketabrak|tertabrak|kecelakaan, semoga ~3 ditabrak|ketabrak|tertabrak|kecelakaan, ditabrak|ketabrak|tertabrak mobil|truk|kereta ~1 saja, kecelakaan saja, kena kanker saja, {want} ~2 sakit parah|keras, seandainya ~2 {not} ~1 ada|pernah, andai ~2 {not} ~1 ada|pernah, {want} ~1 koma",
    ),
    ideation: rows(
      "mikirin|berpikir|memikirkan|kepikiran|mikir|pikiran|terpikir|terpikirkan|terlintas|pikirin|kepikir|pikirkan|pikir ~3 {die}, pikiran|pikiran-pikiran|keinginan|niat|dorongan|ide|gagasan|hasrat|rencana|perasaan ~2 {suicide}, mikirin|berpikir|memikirkan|kepikiran|mikir|pikiran|terpikir|terpikirkan|terlintas|pikirin|kepikir|pikirkan|pikir ~3 {suicide}, pernah ~2 {suicide}, kepikiran|mikirin|memikirkan ~1 kematian|mati|bundir, cara ~2 {suicide}, cara ~2 {die}, cara ~1 mati, gimana|bagaimana ~1 cara|caranya ~2 {die}, cara ~1 tercepat|termudah|tanpa|paling ~2 {die}, metode ~1 {suicide}, googling ~2 {suicide}, pikiran ~1 kematian, suicidal, ide bunuh diri",
    ),
    kill_self: [
      ...softRows("{suicide}, kill myself"),
      ...rows(
        "{want} ~3 {suicide}, {me} ~3 {suicide}, {suicide} ~1 saja, {suicide} ~1 {soon}, {soon} ~2 {suicide}, mending|mendingan|lebih_baik ~1 {suicide}, {want} ~3 {drop} ~2 {edge}, {drop} dari|ke ~1 {edge} ~2 {soon}, {soon} ~3 {drop} ~2 {edge}, {want} ~2 {drop}, mengakhiri|akhiri|ngakhirin|akhirin ~1 hidup|hidupku|nyawaku|semuanya|semua, {want} ~2 lompat|loncat|terjun|melompat|meloncat, lompat|loncat|terjun|melompat ~1 saja, {want} ~2 menggantung|gantung, {want} ~2 minum ~1 racun|baygon|pemutih, {want} ~2 nabrakin|menabrakkan, {want} ~2 mengakhiri|akhiri|ngakhirin|akhirin, {want} ~2 sudahi|menyudahi|nyudahin ~1 hidup|semua|semuanya|hidupku",
      ),
    ],
    injure_self: rows(
      "{hurts} ~1 {body}, {hurts} ~1 sendiri, {hurts} ~2 {body} ~1 lagi, self harm, self-harm, nyilet ~1 lagi, nyayat ~1 lagi, cutting ~1 lagi, barcode ~2 tangan|lengan, {hurts} pakai|pake|dengan ~1 {blade}, {body} ~2 disayat|disilet|digores|diiris|dilukai|kusayat|kusilet, luka ~2 sayatan|sayat, bekas|luka sayatan, kepala ~2 tembok|dinding, {want} ~1 lihat|liat darah, relapse ~2 sh|cutting|self|nyayat|nyilet",
    ),
    plan: [
      ...rows(
        "nemuin|menemukan|nemu|temukan ~1 {me} ~3 {not} ada, nemuin|menemukan|nemu|temukan ~2 mayat|mayatku|jasad|jasadku, rencana ~1 {suicide}, rencana ~1 mati|kematianku, {suicide} ~2 rencana|rencanaku, sudah ~1 tahu|tau ~1 cara|gimana|bagaimana|caranya ~2 {die}, sudah ~1 memutuskan|putuskan|mutusin ~2 {die}, sudah ~1 memutuskan|putuskan|mutusin ~2 {suicide}",
      ),
      ...softRows(
        "rencanaku|rencananya|rencana ~2 siap|matang|lengkap|jadi|bulat, sudah ~2 rencana|rencanain|rencanakan|merencanakan, sudah ~1 nentuin|menentukan|tentukan|pilih|memilih|milih ~2 tempat|tanggal|hari|waktu|cara|caranya|tempatnya|tanggalnya, tempat|tanggal|hari|waktu|cara ~2 sudah ~1 ditentukan|dipilih|fix|siap, sudah ~1 putuskan|mutusin|memutuskan|bulat|mantap, keputusanku ~1 bulat|final, tekadku ~1 bulat, sudah kuputuskan",
      ),
    ],
    preparation: [
      ...rows(
        "surat ~1 wasiat|perpisahan|terakhir|pamit|bunuh, surat ~1 buat|untuk ~1 {dear} ~3 sudah|meja|laci|siap, sudah ~1 nulis|menulis|tulis|bikin ~1 surat|pesan ~2 {dear}, mengumpulkan|kumpulin|ngumpulin|nimbun|menimbun|simpan|nyimpen ~3 {pills}, sudah ~2 beli|siapin|siapkan|menyiapkan|pasang|ikat|nyiapin|membeli ~2 tali|tambang|pistol|racun|baygon|potas|obat_tidur, beli|membeli|kubeli ~1 racun|baygon|obat_tidur|potas, tali ~1 sudah ~1 siap|diikat|terpasang|disiapkan|dibeli|digantung, setelah|kalau|sesudah|pas ~1 {me} ~1 {die}|tiada, setelah kematianku, pemakamanku, buat ~1 pemakamanku",
      ),
      ...softRows(
        "wasiat, nulis|menulis|tulis|kutulis|bikin|ninggalin|meninggalkan|titip|nitip ~2 surat|pesan ~2 {dear}, surat ~2 sudah ~2 meja|laci|siap|ditulis|kutulis, sudah ~2 kasih|bagi|bagiin|bagikan|sumbangin|berikan|kasihin|hibahkan|titipkan|titipin|nitipin|kukasih ~2 barang|barang-barang|barangku|baju|kucing|kucingku|anjing|anjingku|koleksi|koleksiku|mainan|gitar, membagikan|membagi|bagi-bagi|bagiin|menyerahkan|ngasihin|kubagikan ~2 barang|barang-barang|barangku|baju|kucing|kucingku|anjing|anjingku|koleksi, kucingku|anjingku|barang-barangku ~3 titip|titipkan|dititipkan|kasih|dikasih|kubagikan|kutitipkan, barang ~2 sudah ~2 kasih|dibagi|bagikan, melunasi|lunasin|lunasi ~2 utang|hutang ~2 {dear}, password|kata_sandi|pin ~4 meja|surat|catat|tulis|kutulis|laci|tinggalkan, sudah ~2 beli|bawa|siapin|siapkan|menyiapkan|pasang|ikat|nyiapin|membeli|punya ~2 {blade}, sudah ~2 beli|siapin|siapkan|menyiapkan|nyiapin|membeli|kumpulin|ngumpulin|mengumpulkan|punya ~2 {pills}, beli|membeli|kubeli ~1 {blade}, {blade} ~1 sudah ~1 siap|diikat|terpasang|disiapkan|dibeli, {pills} ~1 sudah ~1 siap|disiapkan|dikumpulkan|terkumpul, sudah ~1 hapus|ngehapus|menghapus ~2 akun|semua|foto|medsos|chat",
      ),
    ],
    farewell: [
      ...rows(
        "selamat tinggal ~1 dunia|semua|semuanya|kalian|{dear}, bye dunia, dadah dunia, {me} ~1 pamit ~1 selamanya|dunia|semua|kalian|untuk, {want} ~1 pamit, pergi ~1 untuk selamanya, pergi selamanya, ini ~1 pesan|chat|tulisan|kata|kata-kata|malam|hari|postingan|status|salam ~1 terakhirku|terakhir, pesan|chat|tulisan|malam|hari|status terakhirku|terakhir ~1 {me}, sampaikan|sampein|bilang|bilangin|kasih_tau|beritahu|bilangkan|titip ~4 sayang|cinta|maaf|minta_maaf, tolong ~1 jaga|jagain|rawat|urus|urusin ~1 {dear}, titip ~1 anak|anakku|adik|adikku|ibu|ibuku|kucingku|mama|orang_tua, jangan ~1 cari|nyari|mencari|tangisi|nangisin|tangisin|sedihin|lupakan ~1 {me}, jangan ~1 sedih|nangis|bersedih|menangis ~2 pergi|{me}, lupakan {me}, lupain {me}, sampai ~1 jumpa|ketemu|bertemu ~3 surga|sana|akhirat|kehidupan|alam, ketemu ~2 surga|akhirat, saat|ketika|pas|waktu|begitu|kalau ~1 kalian|kamu|kau ~2 baca|membaca ~1 ini|surat|pesan, besok|lusa ~2 {me} ~1 {not} ~1 ada|lagi, {me} ~1 {not} ~1 akan|bakal|bakalan ~2 ada|disini ~1 lagi|besok, kalian ~1 {not} ~1 akan|bakal|bakalan|bisa ~2 lihat|liat|ketemu|bertemu|nemuin ~1 {me}|lagi, malam terakhirku, hari terakhirku",
      ),
      ...softRows(
        "selamat tinggal, {me} pamit, terakhirku, malam ~1 ini ~1 terakhir, maafkan {me}, maafin {me}, maafin ~1 {me}, maaf ~1 semua|semuanya|kalian|ma|bu|mah|pak|{dear}, jaga|jagain|rawat ~1 {dear}, jangan cari, terima_kasih|makasih ~3 selama_ini|segalanya|semuanya, di kehidupan ~1 selanjutnya|berikutnya|lain|depan, {not} ~1 akan|bakal|bakalan ~3 ketemu|bertemu|lihat|liat|jumpa ~2 lagi, {not} ~1 akan|bakal|bakalan ~1 ada ~1 lagi",
      ),
    ],
    act_done: [
      ...rows(
        "{all} ~1 pilnya|obatnya|tabletnya|kapsulnya|pil|obat|tablet ~3 telan|minum|tenggak|habiskan|habisin, pilnya|obatnya|tabletnya|kapsulnya ~2 sudah ~2 telan|minum|tenggak|habis ~1 semua, {took} ~2 {all} ~3 {pills}, {took} ~2 # ~1 {pills}, {took} {pills} ~3 {all}, {all} ~2 {pills} ~4 {took}, {pills} ~3 sudah ~2 kuminum|kutelan|diminum|ditelan ~1 semua|semuanya, {took} ~1 {poison}, kutelan|kutenggak|nenggak|menenggak|telan|menelan|nelen ~3 {pills}, {me} ~1 overdosis, sudah ~1 overdosis, {me} ~1 OD, sudah ~1 {hurts} ~1 nadi|nadiku|pergelangan|urat, memotong|kupotong|motong|menyayat|mengiris|ngiris|nyayat|kuiris|kusayat|iris|sayat ~1 nadi|nadiku|urat|pergelangan, nadi|nadiku ~1 sudah, darah|darahnya|darahku ~1 {not} ~1 berhenti|stop|berenti, {not} ~1 berhenti ~1 berdarah|darahnya, lukanya|sayatannya|lukaku|sayatan ~1 terlalu|kedalaman|kedaleman ~1 dalam|dalem ~3 darah|darahnya, sayatannya|sayatan|irisannya|nyayatnya|motongnya ~1 terlalu ~1 dalam|dalem, tali ~3 leher|leherku, leher|leherku ~2 tali|jerat, buka|membuka|nyalain|kunyalakan|kubuka ~1 gas ~3 {me}|mati|pintu|tidur, sudah ~1 buka|kubuka ~1 gas, obatnya ~2 mulai ~1 kerja|bekerja|bereaksi, mulai ~2 pusing|ngantuk|lemas|kabur|gelap ~4 obat|pil",
      ),
      ...softRows(
        "sudah ~1 kuminum|kutelan|ditelan|ketelen ~1 semua|semuanya, sudah ~1 kulakukan, sudah ~1 {me} ~1 lakukan|lakuin, sudah ~1 {hurts} ~2 {body}, darah|darahnya ~2 banyak|ngalir|mengalir|deras, darah ~1 dimana mana|mana",
      ),
    ],
    past_attempt: rows(
      "pernah ~2 coba|mencoba|nyoba|percobaan ~2 {suicide}, percobaan ~1 {suicide}, coba|mencoba|nyoba|nyobain ~2 {suicide}, coba ~1 lagi, yang|kali ~1 lalu|kemarin ~2 gagal|ketahuan|selamat|diselamatkan, gagal ~1 mati|bunuh|bundir, kali ini ~3 gagal|berhasil|pasti|{not}, terakhir kali ~3 gagal|selamat|ketahuan|diselamatkan|nyelametin, kali ini ~1 harus|pasti|bakal|akan|{not}",
    ),
    do_it: [
      ...rows(
        "{soon} ~2 semua|semuanya|segalanya ~2 berakhir|selesai|kelar|usai, semua|semuanya|segalanya ~2 berakhir|selesai|kelar|usai ~1 {soon}, {soon} ~2 {want} ~2 mengakhiri|akhiri|ngakhirin|akhirin, {soon} ~2 mengakhiri|akhiri|kuakhiri, {soon} ~2 kulakukan|kuakhiri, {soon} ~1 {me} ~1 {want}? lakuin|lakukan|melakukannya|ngelakuin, {soon} ~1 {me} ~1 pergi ~1 selamanya, kali ini ~2 {not} ~1 gagal, kali ini ~1 pasti|bakal|akan|harus ~1 berhasil|mati|sukses, kali ini ~2 {not} ~1 ada ~2 nyelametin|menyelamatkan|menolong|nolong|nyelamatin, {soon} ~1 {me} ~1 {not} ~1 ada",
      ),
      ...softRows(
        "nunggu|menunggu|nungguin ~1 kereta, siap mati, aku siap, lakukan|lakuin|ngelakuin|melakukan|melakukannya|kulakukan|lakuinnya, semua|semuanya|segalanya ~2 berakhir|selesai|kelar|usai|beres, berakhir ~1 sudah|semua|semuanya, selesai sudah, {want} ~1 selesai|selesaikan|berakhir|menyelesaikan, {me} ~1 pergi, akhirnya ~2 tenang|bebas|damai, {not} ~1 akan|bakal|bakalan ~1 ada, {want} ~2 mengakhiri|akhiri|ngakhirin|akhirin, {drop}, bebas ~1 dari ~1 semua|penderitaan, kali ini ~1 harus|pasti|bakal",
      ),
    ],
    means: softRows("{blade}, {pills}, gas"),
    means_in_hand: [
      ...rows(
        "silet|cutter|kater|pisau|pistol|tali|tambang|racun|baygon ~3 tanganku|depanku|genggaman|genggamanku|sampingku, obat_tidur|pil|racun|botol|baygon ~3 tangan|tanganku|depan|depanku, megang|pegang|memegang|genggam|menggenggam|kupegang|kugenggam ~1 silet|cutter|kater|pistol|racun|tali|baygon, tali ~1 sudah ~1 siap|terpasang|diikat|digantung|terikat|kuikat, sudah ~2 kumpulin|ngumpulin|mengumpulkan|terkumpul ~3 {pills}, punya ~1 cukup ~1 {pills}, punya ~1 pistol",
      ),
      ...softRows(
        "{blade} ~3 tangan|tanganku|depan|depanku|genggaman|samping|sampingku|siap|laci|disini|sini|tas, {pills} ~3 tangan|tanganku|depan|depanku|genggaman|samping|sampingku|siap|disini|sini, megang|pegang|memegang|genggam|menggenggam|bawa|membawa|kupegang|kugenggam ~2 {blade}, megang|pegang|memegang|genggam|menggenggam|bawa|kupegang|kugenggam ~2 {pills}, di ~1 depan|depanku|tangan|tanganku|samping ~3 {pills}, di ~1 depan|depanku|tangan|tanganku|samping ~3 {blade}, sudah ~2 siap|siapin|siapkan|beli|ada|punya|nyiapin|menyiapkan|membeli ~3 {pills}, sudah ~2 siap|siapin|siapkan|beli|ada|pasang|ikat|punya|nyiapin|menyiapkan|membeli ~3 {blade}, {blade} ~1 sudah, {pills} ~1 sudah ~1 siap|cukup|ada, semua|semuanya ~1 sudah ~1 siap|disiapkan",
      ),
    ],
    time_near: [
      ...rows(
        "malam terakhirku, hari terakhirku, {not} ~1 sampai ~1 besok ~1 pagi, {not} ~1 akan|bakal ~1 lihat|liat ~1 besok|matahari, {not} ~1 ada ~1 hari ~1 esok ~1 buatku|untukku",
      ),
      ...softRows(
        "{soon}, dalam ~1 beberapa ~1 jam|menit, beberapa ~1 jam|menit ~1 lagi, malam terakhir, hari terakhir, setelah|kalau|pas|begitu ~2 tidur",
      ),
    ],
    lethal_place: [
      ...rows(
        "berdiri ~3 {edge}, duduk ~2 pinggir|tepi|ujung|atas|pagar|pembatas ~1 {edge}, {me} ~2 di ~2 {edge}, di ~1 atas|pinggir|tepi|ujung ~1 jembatan|atap|rooftop|rel|rel_kereta|tebing|jurang|peron|gedung, naik ~2 atap|rooftop|pagar_jembatan|gedung ~3 {drop}, tinggal ~1 selangkah|melangkah|lompat|loncat|satu_langkah, satu langkah lagi, selangkah lagi, tiduran|baring|berbaring ~1 di ~1 rel, nunggu|menunggu|nungguin ~1 kereta ~3 {drop}|lewat",
      ),
      ...softRows(
        "{me} ~3 di ~2 {place}, berdiri ~3 {place}, duduk ~3 {place}, sudah ~2 di ~2 {place}, naik ~2 atap|rooftop|jembatan|gedung|pagar, {place} ~3 lihat|liat|melihat|ngeliat ~1 bawah, lihat|liat|melihat|ngeliat|menatap ~1 ke bawah, nunggu|menunggu|nungguin ~2 kereta, keretanya ~1 datang",
      ),
    ],
    alone_now: softRows(
      "sendirian ~2 rumah|kamar|kos|kosan|sini, sendiri ~1 di ~1 rumah|kamar|kos|kosan, {not} ada ~1 orang ~2 rumah|sini, {not} ada ~1 yang ~2 nemuin|menemukan|nyari|temuin, pintu ~2 dikunci|kukunci|terkunci, ngunci|mengunci|kunci ~1 pintu|kamar|diri, rumah ~1 kosong, kosan ~1 sepi",
    ),
    secrecy: [
      ...rows(
        "biar|supaya ~2 kelihatan|keliatan|terlihat|dikira|kayak ~2 kecelakaan, dikira|seperti|kayak ~1 kecelakaan ~1 saja, jangan ~1 telepon|telpon|panggil ~1 ambulans",
      ),
      ...softRows(
        "jangan ~1 bilang|kasih|cerita|ceritain|beritahu|lapor ~3 siapa-siapa|siapapun|siapa|ibu|ayah|mama|polisi|ortu, jangan ~1 telepon|telpon|panggil ~1 polisi, {not} ~1 ada ~2 yang ~1 tahu|tau ~2 {me}, rahasiain, seperti|kayak|dikira ~1 kecelakaan",
      ),
    ],
    hopeless: rows(
      "putus asa, putusasa, {not} ~1 ada ~2 harapan|gunanya|artinya|arti|jalan|masa|makna|tujuan|alasan|solusi|gunanya|guna, tanpa ~1 harapan|tujuan|arti, hilang ~1 harapan|arah|semangat, kehilangan ~1 harapan|arah|tujuan, harapan ~2 hilang|habis|sirna|pupus, {not} ~1 kuat ~1 lagi, {not} ~2 sanggup ~1 lagi, {not} ~1 tahan ~1 lagi, {not} kuat, {not} sanggup, {not} tahan, {not} ~1 bisa ~2 lagi, buat ~1 apa ~2 hidup, untuk ~1 apa ~2 hidup, ngapain ~2 hidup, kenapa ~2 hidup|masih, hidup ~2 {not} ~1 ada|berarti|berguna|guna|arti|bermakna|makna, hidupku|hidup ~2 hancur|berantakan|sia-sia|sia sia|hampa|kosong|berakhir|neraka|gelap|percuma|kacau, percuma, sia sia, sia-sia, {not} ~1 akan|bakal ~2 membaik|berubah|baik, {not} ~1 ada ~1 gunanya, mau ~1 nyerah, pengen ~1 nyerah, menyerah, nyerah, sudah ~1 nyerah|menyerah|muak|cukup, capek ~2 semua|semuanya|begini|kayak, lelah ~2 semua|semuanya|begini, semua|semuanya ~1 sudah ~1 berakhir|selesai|hancur|percuma, jalan buntu, {not} lihat ~1 masa depan, masa depan ~2 {not}, alasan ~2 hidup, {not} ~1 ada ~1 yang ~1 peduli",
    ),
    burden: rows(
      "beban, jadi ~1 beban, hanya ~1 beban, cuma ~1 beban, bebani, membebani, ngebebanin, nyusahin, menyusahkan, merepotkan, ngerepotin, tanpa ~1 {me}|aku|ku|kehadiranku|gue, lebih ~1 baik|bahagia|tenang|enak|mudah ~1 tanpa, kalau ~1 {me} ~1 {not} ada, kalau ~1 {me} ~1 {die}|pergi|hilang, {not} ada ~1 yang ~2 peduli|sedih|nangis|kehilangan|kangen|butuh|membutuhkan|sayang|nyari|nyariin|sadar|mencari, {not} ~1 ada ~1 yang ~1 butuh, {not} berguna, {me} ~1 sampah, {me} ~1 {not} ~1 guna|berguna|berharga|layak|pantas, {not} ~1 ada ~1 gunanya ~1 {me}, dunia ~2 lebih ~1 baik ~1 tanpa",
    ),
    disappear: rows(
      "{want} ~1 hilang|menghilang|lenyap|ngilang|musnah|ngilang, hilang ~1 saja, menghilang ~1 saja, lenyap ~1 saja, ngilang ~1 saja, hilang ~1 dari ~1 dunia|bumi|sini, menghilang ~1 dari ~1 dunia|bumi|sini, {want} ~1 tenang ~1 selamanya, {want} ~1 tidur ~1 panjang|selamanya|lama, tidur panjang, istirahat ~1 selamanya|selama-lamanya, {want} ~1 istirahat ~1 selamanya, {want} ~2 semua|semuanya|rasa|sakit ~2 berakhir|selesai|berhenti|kelar|hilang, {want} ~1 semua ~1 ini ~1 berakhir|selesai|berhenti, {want} ~1 berhenti ~1 merasakan|merasa, {want} ~1 bebas, {want} ~1 pergi, pergi ~1 jauh, {not} ~1 {want} ~1 ada ~1 lagi, {not} {want} ~1 ada, {not} ~1 {want} ~1 disini|di sini ~1 lagi, {not} ~1 ada ~1 hari ~1 esok, semoga ~1 besok ~1 {not}",
    ),
    fear_of_self: rows(
      "takut ~1 sama|dengan|pada|akan ~1 diri|diriku, takut ~2 nyakitin|menyakiti|melukai|bunuh|ngapa-ngapain|ngelakuin|melakukan|berbuat|kebablasan|khilaf, takut ~2 {suicide}, {not} ~1 percaya ~1 diriku|sama|diri, {not} ~1 aman ~1 sendirian|sendiri|dari, {not} ~1 merasa ~1 aman, {not} bisa ~1 kontrol|mengontrol|nahan|menahan ~1 diri, berbuat|bertindak|ngelakuin|melakukan ~1 nekat|bodoh|hal bodoh, takut ~1 nekat",
    ),
    intrusive: rows(
      "pikiran ~2 muncul|datang|terlintas|tiba-tiba|tiba tiba|masuk|menghantui|{not} diinginkan, tiba-tiba|tiba tiba|mendadak ~2 kepikiran|terlintas|muncul|kebayang|terpikir, {not} ~1 mau ~1 mikirin|kepikiran, intrusif, intrusive, ocd, bayangan|gambaran ~2 muncul|datang",
    ),
    command_voices: rows(
      "suara|suara-suara|suara2|bisikan|bisikan-bisikan ~4 nyuruh|menyuruh|suruh|bilang|memerintah|memaksa|perintah|berkata|ngajak|memanggil|bisikin, dengar|denger|mendengar|dengerin ~1 suara|suara-suara|bisikan, suara|bisikan|suara-suara ~2 kepala|kepalaku|telinga, disuruh ~1 mati|bunuh|lompat|loncat, mereka ~1 nyuruh|menyuruh ~2 {die}, mereka ~1 nyuruh|menyuruh ~3 {suicide}",
    ),
    distress: rows(
      "sedih, depresi, stres, stress, cemas, kesepian, hampa, nangis, menangis, takut, panik, lelah, capek, sakit hati, hancur, kacau, kosong, frustrasi, frustasi, gelisah, insomnia, sendirian, galau, down, terpuruk, tertekan, overthinking, burnout",
    ),
    violence_to_others: rows(
      "{want} ~1 bunuh|membunuh|habisin|bacok|menusuk|nusuk|tikam|tembak|ngebunuh ~1 dia|mereka|orang|bosku|suamiku|istriku|bapakku|ayahku|semua|nya|lo|lu|kamu, kubunuh ~1 dia|kau|mereka|kamu, aku bunuh dia, gue bunuh lo, balas dendam ~2 bunuh, {want} ~1 mati ~1 bareng|bersama ~2 anak, bawa ~1 anak ~2 mati",
    ),
    abuse: rows(
      "dipukul|dipukuli|dipukulin|digebukin|dihajar|ditampar|ditendang|dicekik|disiksa|dianiaya, kdrt, diperkosa, diperkosain, pemerkosaan, dilecehkan, pelecehan, dicabuli, {other} ~1 mukul|mukulin|memukul|memukuli|nampar|nyiksa|menyiksa|nendang ~1 {me}, diancam ~1 dibunuh|bunuh|mati|akan, mengancam ~1 membunuh, dikurung, {not} boleh ~1 keluar ~1 rumah",
    ),
    eating_disorder: rows(
      "muntahin|memuntahkan|dimuntahin|muntahkan|dimuntahkan ~1 makanan|makan, muntahin, memuntahkan, {not} makan ~1 berhari-hari|seharian|tiga|3|dua|beberapa|empat ~1 hari, {not} ~1 makan ~1 sejak, sengaja ~1 {not} ~1 makan, anoreksia, bulimia, takut ~1 makan, puasa ~1 ekstrem, obat pencahar, pencahar, binge, menyiksa ~1 diri ~1 lapar, kelaparan ~1 sengaja",
    ),
    psychosis: rows(
      "dimata-matai, dimata matai, diikuti ~1 orang ~1 terus, diawasi, mereka ~1 mengawasi, ngawasin ~1 aku, racun ~2 makananku|minumanku, diracun|diracuni, chip ~2 kepala|otak|otakku|kepalaku, tv ~1 bicara|ngomong, pikiranku ~1 dibaca|disadap|dikendalikan, halusinasi, disantet",
    ),
    medical_emergency: rows(
      "nyeri dada, dada ~2 sakit|nyeri|sesak, sesak ~1 napas|nafas, {not} ~1 bisa ~1 napas|nafas|bernapas|bernafas, pingsan, kejang, kejang-kejang, keracunan, {not} ~1 sadar ~1 diri, {not} sadarkan, overdosis, kelebihan ~1 obat|dosis, salah ~1 minum ~1 obat, pendarahan ~1 hebat",
    ),
    other_at_risk: rows(
      "{other} ~5 {suicide}, {other} ~3 {want} ~2 {die}, {other} ~4 {hurts} ~1 {body}, {other} ~4 {took} ~3 {pills}, {other} ~4 {not} ~2 hidup, {other} ~4 surat ~1 wasiat|perpisahan, {other} ~4 di ~1 {place}, {other} ~4 selamat tinggal, {other} ~3 capek ~1 hidup, {other} ~4 self harm, {other} ~3 pamit",
    ),
  },
  frames: together(frameIds, [
    {
      subject_other: rows(
        "{other} ~1 bilang|cerita|ngomong|ingin|mau|pengen|ngirim|kirim|nulis|menulis|minum|menelan|sering|lagi|sedang|sudah|terus|katanya|kayaknya|curhat|chat, {other} {me}, {other} saya, {other} gue, khawatir ~2 {other}, takut ~2 {other}, cemas ~2 {other}, bantu ~1 {other}, punya ~1 teman|sahabat, ada ~1 teman, {other} yang ~1 ingin|mau|pengen|bunuh, dia ~1 bilang|mau|ingin|pengen|nulis|minum|sudah|di|lagi, gimana|bagaimana ~2 bantu|membantu|nolong|menolong, nanya ~1 buat ~1 teman",
      ),
      negation: rows(
        "{not} ~1 {want} ~2 {die}, {not} ~2 {suicide}, {not} {want} ~2 {suicide}, bukan ~2 {want} ~1 {die}, bukan ~2 {suicide}, {not} ~1 akan|bakal|bakalan|pernah|ada ~3 {suicide}, {not} ~1 akan|bakal|bakalan|pernah ~2 {hurts} ~1 {body}, {not} ~1 pernah ~1 berpikir|kepikiran|mikir|terpikir ~2 {die}, {not} ~1 pernah ~1 berpikir|kepikiran|mikir|terpikir ~3 {suicide}, {not} ~1 ada ~1 niat|pikiran|keinginan|rencana ~3 {suicide}, {not} ~1 ada ~1 niat|pikiran|keinginan ~2 {die}, {not} ~1 mikirin|kepikiran|berpikir|mikir ~2 {die}, {not} ~1 mikirin|kepikiran|berpikir|mikir ~3 {suicide}, {not} ~1 menyakiti|nyakitin|melukai ~1 {body}, jangan ~1 {suicide}, {not} ~1 suicidal, belum ~1 {want} ~1 {die}, anti ~1 {suicide}, {not} ~2 self harm",
      ),
      idiom: rows(
        "pamit dulu, pamit ~1 pulang|tidur|kerja|kuliah|ngantor, lapar|laper|kelaparan|ngantuk|kepanasan|ketawa|ngakak|kebelet|kehausan ~4 mati, ngakak ~2 mati|mampus, ketawa ~2 mati|mampus, mati ~1 ketawa|tertawa|ngakak|kutu|gaya|lampu|rasa|suri|listrik|bosan|bosen|penasaran|kelaparan|kepanasan|kedinginan|kangen|lapar|laper|malu|gaya|total|matian|langkah|akal|kata|pajak|muda|angin|klakson|konyol|kebosanan|ketakutan|gaya|gantung|jantung, mati-matian, mati matian, mati lampu, mati gaya, mati rasa, mati kutu, mati penasaran, mati listrik, mati bosan, {want} ~1 mati ~1 rasanya, rasanya ~2 mati ~3 panas|dingin|bosan|malu|lapar|ngantuk|ketawa|ngakak|macet|deg-degan, bosan|bosen ~1 setengah ~1 mati, setengah mati, capek|lelah|lapar|laper|malu|takut|kangen|ngantuk|cinta|sayang|benci|panas|enak|lucu|ganteng|cantik ~1 setengah ~1 mati, sampai|sampe|ampe ~1 mati ~1 ketawa|rasanya, malu ~2 mati|mampus, mampus ~1 gue|gw|aku|lo|lu, mati ~1 gue|gw ~2 lupa|deadline|telat|ketahuan, mati ~1 {me} ~2 lupa|belum|deadline|ketahuan|telat, hp|hape|hpku|hpnya|laptop|laptopku|baterai|batre|lampu|mesin|motor|mobil|tv|listrik|wifi|internet|kipas|ac|pc|komputer|sinyal|tanaman|tanamanku|bunga|bungaku ~3 mati, mati ~1 hp|hpnya|laptop, matiin ~1 lampu|hp|tv|ac|laptop|mesin|kipas|alarm|notif|musik, cinta|sayang|setia ~1 mati, harga mati, harga ~1 mati, bunuh ~1 waktu|bosan|nyamuk|kecoa, membunuh waktu, bunuh diri ~1 karir|politik|karier|ekonomi|bisnis, bunuh ~1 proses|nyamuk|semut|bakteri, mati ~1 satu ~1 tumbuh, hidup mati, hidup segan mati, demi hidup mati, urusan hidup mati, lompat-lompat, lompat tali, loncat-loncat, loncat dari ~1 kasur|sofa|kursi, lompat dari ~1 kasur|sofa|kursi, lompat ke ~1 kesimpulan|kolam|topik|bab|halaman|level, terjun ke ~1 lapangan|dunia|politik|kolam|masyarakat|bisnis, terjun payung, air terjun, capek ~2 kerja|kuliah|nugas|tugas|macet|jalan|lari|olahraga|ngantor|skripsi, beban kerja|pajak|sks|listrik|tugas|kuliah|mental|puncak|maksimal, suicide squad, dead ~1 gue|gw, menghilang ~1 dari ~1 medsos|sosmed|ig|instagram|grup, {want} ~1 hilang ~1 dari ~1 grup|medsos, mau ~1 mati ~1 ketawa, obat ~1 rindu|kangen|hati|galau, hidup sehat, sehidup semati",
      ),
      joke: rows("wkwk*, wkwkwk*, haha*, hehe*, kwkwk*, awokawok*, bercanda, becanda, canda, lol, xixi*, anjir, ngakak, :laugh:"),
      fiction: rows(
        "novel, novelku, cerpen, film, filmnya, sinetron, drakor, tokohnya, karakternya, skenario, naskah, adegan, episode, anime, komik, manga, webtoon, fanfic, ending, endingnya, protagonis, pemeran, wattpad, teater, buku ini, netflix",
      ),
      game: rows(
        "game, gamenya, mabar, mobile legends, pubg, free fire, valorant, minecraft, respawn, boss, bos, turret, push spawn, savage, hp lobby, genshin, dota, roblox, gta, squad, zombie, jungler, midlane",
      ),
      quote: rows(
        "lirik, liriknya, lagu, lagunya, puisi, pepatah, peribahasa, kutipan, quote, berita, beritanya, chairil, hadis, baca berita, tweet",
      ),
      academic: rows(
        "skripsi, penelitian, jurnal, makalah, esai, statistik, angka bunuh diri, tingkat bunuh diri, kasus bunuh diri, pencegahan, mencegah, presentasi, seminar, mata kuliah, dosen, durkheim, sosiologi, psikologi, riset, survei, apa terjemahan, bahasa inggrisnya, webinar, edukasi, apa hukumnya, penyebab bunuh diri, faktor, hari pencegahan, kuliah tentang, sel, apoptosis",
      ),
      professional: rows(
        "aku psikolog, klien yang, saya ~1 dokter|perawat|psikolog|konselor|guru|relawan|pekerja|psikiater, aku ~1 dokter|perawat|psikolog|konselor|guru|relawan|psikiater, pasien, pasienku, pasien saya, klien, klienku, klien saya, hotline tempat, relawan hotline, rumah sakit tempat, kerja ~1 di ~1 hotline|rumah sakit|puskesmas",
      ),
      past_recovered: rows(
        "sekarang ~2 sudah ~1 baik|membaik|bahagia|sembuh|pulih|lega|tenang, sekarang ~2 jauh|lebih ~1 baik|bahagia|membaik, sekarang ~1 {me} ~1 bersyukur|bahagia|sembuh|baik-baik, sudah ~1 sembuh|pulih|membaik, tahun ~1 lalu|silam ~6 {past}, dulu ~5 {past}, waktu|zaman|jaman|pas ~1 sma|smp|kuliah|remaja|sekolah|kecil ~5 {past}, {past} ~4 tahun ~1 lalu|silam, {not} ~1 pernah ~1 lagi, bersyukur ~2 masih|selamat|hidup|gagal, untung ~2 masih|selamat|gagal|{not}, senang ~1 masih ~1 hidup, melewati ~2 masa, semua sudah ~1 lewat|berlalu",
      ),
      bereavement: rows(
        "{other} ~1 meninggal, {other} ~2 sudah ~1 meninggal|tiada|wafat, {other} ~2 bunuh diri ~2 tahun|lalu|bulan|kemarin, meninggal ~3 lalu|tahun|kemarin|bulan|dunia|minggu|karena, kematian ~1 {other}, kepergian, almarhum, almarhumah, alm, berduka, duka, belasungkawa, pemakaman, kuburan, makam, ziarah, kehilangan ~1 {other}, nenek ~1 meninggal, kakek ~1 meninggal, nenek, kakek, kucingku|anjingku|kucing|anjing|hamster ~2 mati, tahlilan, melayat, wafat",
      ),
      harmless_plan: rows(
        "pindah ~1 ke|rumah|kantor|kos|kerja|kota|kampus|tugas, pindahan, perpisahan ~2 kantor|sekolah|kelas|sma, resign, wisuda, lamaran, kerja baru, rumah baru, potong ~1 kue|buah|sayur|ayam|daging|bawang, dapur, bergadang, liburan, jalan-jalan, mudik, nikahan, masak, memasak, sayur, bawang, mancing, renang, sunset, pemandangan, ngopi, kondangan, belanja, jogging, sepeda, camping, darah tinggi, hipertensi, diabetes, bungee, paralayang, nonton, konser, jemuran, kado, arisan, skincare, salad, kue, buah",
      ),
      denial: rows(
        "{not} ~1 kok, {not} ~1 ada ~1 niat|pikiran|rencana, bukan ~1 gitu|begitu ~1 maksud|maksudku|maksudnya, {not} ~1 maksud, {not} ~1 sampai ~1 segitu|segitunya|kesitu|ke situ, {me} ~1 aman, {me} ~1 baik ~1 saja, {me} ~1 baik-baik ~1 saja, {not} ~1 akan|bakal ~1 nyakitin|menyakiti|melukai ~1 {body}, {not} ~1 {suicide}, {not} akan ~1 ngapa-ngapain",
      ),
      retraction: rows(
        "cuma|hanya|cuman ~1 bercanda|becanda|canda, bercanda ~1 kok|doang|saja, becanda ~1 kok|doang|saja, canda ~1 doang, just kidding, jk, lupain ~1 saja, lupakan ~1 saja, abaikan, {not} ~1 serius ~1 kok, {not} serius, jangan ~1 dianggap|diambil, {not} ~1 usah ~1 dipikirin|dipikirkan, {not} jadi, lupakan ~1 yang, asal ~1 ngomong|bicara|ketik, prank",
      ),
      yes: rows(
        "iya, ya, iyaa, y, he'eh, heeh, iye, yes, yoi, benar, bener, betul, pernah, sering, kadang, kadang-kadang, kadang kadang, setiap hari, tiap hari, selalu, sepertinya, kayaknya, mungkin, ada, sedikit, iya ada, iya pernah, jujur iya, terkadang, sempat, sempet",
      ),
      no: rows(
        "tidak, gak, nggak, enggak, ga, ngga, tdk, bukan, tidak ada, gak ada, gak pernah, tidak pernah, nggak pernah, ga pernah, belum pernah, sama sekali tidak, no, gak kok, nggak kok, ndak, engga",
      ),
      evasion: rows(
        "gak tahu, gak tau, ga tau, gatau, tidak tahu, nggak tau, nggak tahu, entah, entahlah, gtw, terserah, gak penting, nggak penting, tidak penting, kenapa nanya|tanya, ngapain nanya|tanya, kenapa kamu tanya|nanya, gak mau bahas|bicara|ngomongin|cerita, nggak mau bahas|bicara|ngomongin|cerita, tidak ingin|mau ~1 membahas|bicara|membicarakan, bodo amat, bodoamat, ganti topik, emang kenapa, apa bedanya, apa urusanmu, gak usah tanya",
      ),
      safety_question: rows(
        "pikiran ~2 bunuh diri, berpikir ~3 bunuh diri, berpikir ~3 mengakhiri ~1 hidup|hidupmu, mengakhiri ~1 hidup|hidupmu, menyakiti ~1 dirimu|diri, bunuh diri, ingin ~1 mati, pikiran ~1 tentang ~1 kematian|bunuh",
      ),
    },
    everyday.id,
  ]),
};
