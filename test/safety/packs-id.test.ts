import { indonesianPack } from "../../packages/companion/src/safety/rule-packs.ts";
import { indonesian } from "../../packages/companion/src/safety/crisis-data.ts";
import { holdToTable } from "./pack-table.ts";

holdToTable({
  pack: indonesianPack,
  phrases: indonesian,
  imminent: `
    aku sudah minum semua obat tidur
    barusan nelen 30 pil
    malam ini aku bunuh diri
    aku lagi berdiri di jembatan, mau loncat
    talinya sudah siap, malam ini semuanya selesai
    surat untuk ibu sudah di meja, malam ini aku akhiri semuanya
    udah kuiris nadiku, darahnya gak berhenti
    pisau di tanganku, aku mau mati
    suara di kepalaku nyuruh aku loncat dari gedung sekarang
    kali ini gak akan gagal, obatnya sudah siap
    gue udah minum sebotol obat penenang
    udah di pinggir rel nunggu kereta lewat
    malem ini gue bakal gantung diri
    pil-pilnya udah di depanku, aku siap
    aku akan mengakhiri hidupku besok pagi
    aku nenggak racun tikus
    aku di jembatan, selamat tinggal
  `,
  high: `
    aku pengen mati aja
    gak mau hidup lagi
    capek hidup, pengen mati
    aku kepikiran bunuh diri terus
    gw mau bundir
    semalam aku nyayat tangan lagi
    saya ingin mengakhiri hidup saya
    udah ga kuat, mending mati
    aku gak punya rencana tapi aku ingin mati
    gue sering mikir buat bunuh diri
    lebih baik aku mati daripada begini terus
    aku melukai diriku sendiri tadi
    selamat tinggal semuanya, maafin aku
    ini pesan terakhirku, tolong jaga ibu
    aku sudah kumpulin obat berbulan-bulan
    besok aku udah gak ada lagi
    aku minum baygon
    aku di atas rooftop, lihat ke bawah
    pengen bunuh diri rasanya
    aku gamau hidup
    udah gak pengen hidup
    mati aja kali ya, capek
    aku benci hidupku, ingin mati
    tiap malam kepikiran buat mengakhiri semuanya
    aku nyilet lenganku lagi tadi malam
    pengen loncat dari lantai 20
    gw mending mati daripada gini terus
    kalau kalian baca ini aku sudah tidak ada
    barang-barangku udah kubagiin, surat buat mama di laci
    biar keliatan kayak kecelakaan
    ini malam terakhirku
    kali ini gak bakal gagal
    bisikan di kepala nyuruh aku mati
    setelah ulang tahunku semuanya selesai
  `,
  unclear: `
    aku cuma jadi beban keluarga
    semua orang lebih bahagia tanpa aku
    pengen ngilang aja
    hidup gak ada gunanya
    pengen tidur dan gak bangun lagi
    temanku bilang dia mau bunuh diri, aku harus gimana
    gak ada harapan lagi
    takut sama diri sendiri
    gak sanggup lagi
    buat apa aku hidup
    ga ada yang peduli kalo aku mati
    aku nyusahin semua orang
    udah gak kuat lagi
    seandainya aku gak pernah dilahirkan
    adikku nulis status mau mati
    sahabatku self harm, aku takut
    hidup udah gak ada artinya
  `,
  harmless: `
    ngakak sampe mati wkwkwk
    hp gue mati, lupa charge
    mati lampu di rumah
    capek banget kerja hari ini
    mati gaya banget di pesta
    di game ini aku mati terus, timku noob
    skripsiku tentang angka bunuh diri di jepang
    aku gak mau bunuh diri kok, cuma sedih
    kakekku meninggal minggu lalu
    dulu aku pernah mau bunuh diri, sekarang sudah jauh lebih baik
    filmnya sedih, tokohnya mati di akhir
    aku minum obat flu tadi pagi
    besok mau liburan ke pantai
    aku malu setengah mati
    beli pisau dapur buat masak
    hari ini aku sedih banget
    lapar banget sampai mau mati
    aku tidak ingin mati
    selamat pagi, apa kabar?
    main ke jembatan lihat sunset
    bunuh waktu nonton netflix
    mati gue, lupa ngerjain tugas
    ketawa sampe mau mati wkwk
    gak pernah kepikiran bunuh diri
    apa arti bunuh diri menurut durkheim
    baca berita artis korea bunuh diri, sedih
    lagu ini tentang orang yang mau bunuh diri
    hapeku mati total
    nenekku sudah meninggal tahun lalu, kangen
    capek kuliah, tugas numpuk
    minum obat maag dulu baru makan
    besok terakhir kerja, sedih pamit sama temen kantor
    waktu SMA aku pernah coba bunuh diri, sekarang aku bahagia
    aku main game horor, mati mulu
    lompat kegirangan
    beli tali jemuran di pasar
    mau tidur, besok bangun pagi
    takut mati tenggelam pas berenang
  `,
  answers: {
    yes: ["iya", "kadang-kadang", "ya, sering"],
    no: ["nggak", "tidak kok"],
    evasion: ["gak tau", "entahlah"],
  },
});
