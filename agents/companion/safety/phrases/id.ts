import type { SafetyPhrases } from "throughline/safety";

/** What is said in a crisis in Indonesian. */
export const indonesian: SafetyPhrases = {
  language: "id",
  ask_directly: [
    "Aku ingin benar-benar mengerti, jadi aku bertanya langsung: apakah kamu punya pikiran untuk bunuh diri?",
    "Yang kamu tulis penting bagiku, dan lebih baik bertanya daripada menebak: apakah kamu berpikir untuk mengakhiri hidupmu?",
    "Saat beban terasa sangat berat, ada orang yang berpikir tentang kematian, jadi aku bertanya terus terang: apakah kamu berpikir untuk bunuh diri?",
  ],
  ask_directly_other: [
    "Aku ingin mengerti keadaannya, jadi aku bertanya langsung: apakah dia pernah bicara tentang bunuh diri, atau tentang ingin mati?",
    "Lebih baik bertanya daripada menebak: menurutmu, apakah dia mungkin berpikir untuk mengakhiri hidupnya?",
  ],
  opening: [
    "Terima kasih sudah memberi tahu aku. Ini beban yang berat, dan aku menanggapinya dengan serius.",
    "Aku bersyukur kamu mengatakannya di sini. Aku mendengar betapa sakitnya kamu, dan aku menanggapinya dengan serius.",
    "Butuh keberanian untuk mengatakan ini. Kamu tidak perlu menyembunyikan apa pun di sini, dan aku menanggapinya dengan serius.",
  ],
  opening_imminent: [
    "Terima kasih sudah memberi tahu aku. Sekarang keselamatanmu yang utama, kita jalani selangkah demi selangkah.",
    "Aku bersyukur kamu mengatakannya. Kamu mungkin sedang dalam bahaya, dan saat ini yang terpenting hanyalah membuatmu aman.",
    "Aku mendengarmu, dan aku menanggapinya dengan sangat serius. Sekarang hanya ada satu hal: melewati beberapa menit ke depan dengan aman.",
  ],
  opening_other: [
    "Terima kasih sudah memperhatikan dia. Melihat orang yang kamu sayangi seperti ini memang menakutkan, dan aku menanggapinya dengan serius.",
    "Baik sekali kamu menyadarinya dan tidak berpaling. Aku menanggapi ceritamu dengan serius.",
  ],
  heard: [
    "Aku membaca kata-katamu, dan syukurlah kamu masih menulis.",
    "Terima kasih sudah tetap di sini, apa pun yang bisa atau belum bisa kamu katakan.",
    "Aku mendengarnya. Kamu tidak harus punya jawaban untuk semuanya.",
  ],
  heard_place: "Terima kasih sudah memberi tahu di mana kamu berada.",
  heard_someone: "Syukurlah ada orang di sana. Tolong katakan kepadanya seberapa berat ini, dan tetaplah bersama.",
  heard_willing: "Syukurlah. Tolong lakukan sekarang, dan tetaplah menulis kepadaku kalau itu membantu.",
  heard_no: "Terima kasih sudah jujur kepadaku.",
  call_now: "Tolong hubungi {emergency} atau layanan krisis sekarang, dan katakan kepada mereka apa yang kamu katakan kepadaku.",
  call_still: [
    "Tolong hubungi {emergency} atau layanan krisis sekarang, walaupun terasa berat: mereka ada untuk saat seperti ini.",
    "Yang terpenting tetaplah menghubungi {emergency} atau layanan krisis sekarang.",
  ],
  emergency_unknown: "nomor darurat di tempatmu",
  be_with_someone:
    "Temui seseorang sekarang, atau minta seseorang datang menemanimu: teman, tetangga, keluarga, siapa pun di dekatmu. Ada orang di sampingmu itu membantu.",
  distance: "Jauhkan dirimu dari apa pun yang bisa melukaimu: pindah ke ruangan lain atau ke luar, atau minta seseorang menyingkirkannya.",
  stay_with_them: "Temani dia jika itu aman bagimu, atau pastikan ada orang lain bersamanya, sampai bantuan datang.",
  resources_intro: "Orang yang bisa kamu hubungi di {place}:",
  resources_both: "Ada lebih dari satu tempat dengan nama itu. Pilih tempat kamu berada:",
  resource_stale: "data per {date}, jadi tolong pastikan di situs mereka",
  no_resources: "Aku tidak punya layanan untuk {place} yang sudah terkonfirmasi. Direktori berikut memuat layanan menurut negara:",
  directories: "Direktori berikut memuat layanan gratis dan rahasia menurut negara:",
  ask_location: "Kamu berada di negara mana, supaya aku bisa menunjukkan layanan yang bisa dihubungi dari sana?",
  resources_again: [
    "Layanan yang tadi kuberikan tetap ada untukmu, kapan pun kamu ingin bicara dengan seseorang.",
    "Kamu masih bisa menghubungi mereka yang kusebut tadi kapan saja, juga kalau sebelumnya sudah pernah menghubungi.",
  ],
  ask_plan: "Apakah kamu sudah memikirkan bagaimana kamu akan melakukannya?",
  ask_means: "Apakah ada sesuatu dalam jangkauanmu yang bisa kamu pakai untuk melukai diri?",
  ask_time: "Apakah kamu sudah memikirkan kapan?",
  ask_someone: "Apakah sekarang ada orang bersamamu, atau ada yang bisa datang menemanimu?",
  ask_willing: "Maukah kamu menghubungi salah satu dari mereka, atau seseorang yang kamu percaya, selagi kita bicara?",
  ask_barriers: "Apa yang membuatmu sulit meminta bantuan kepada seseorang saat ini?",
  human_care:
    "Tolong ceritakan juga kepada seseorang yang kamu percaya, dan bicaralah dengan tenaga profesional seperti dokter atau konselor. Kamu layak ditemani, dan tidak apa-apa meminta bantuan.",
  coping: [
    "Sampai saat itu, bisa membantu kalau kamu mengembuskan napas pelan beberapa kali, atau memegang sesuatu yang dingin dan memperhatikan rasanya.",
    "Untuk beberapa menit ke depan, bisa membantu kalau kamu berada di tempat yang ada orang lain, minum air, dan menunda keputusan apa pun.",
    "Kalau bisa, lihat sekelilingmu dan sebutkan beberapa hal yang kamu lihat dan dengar. Perasaan yang kuat naik, dan juga surut.",
  ],
  ai_limits: "Aku AI, bukan manusia. Aku tidak bisa melihat di mana kamu berada, dan tidak bisa menelepon siapa pun untukmu.",
  nobody_watching: "Tidak ada orang yang ikut membaca di sini, jadi tolong jangan menunggu sampai seseorang menyadarinya.",
  somebody_told: "Tim yang menjalankan layanan ini sudah diberi tahu. Tolong jangan menunggu mereka: telepon sekarang jika kamu dalam bahaya.",
  stay: [
    "Aku di sini, dan kita bisa terus bicara selama kamu mau.",
    "Kamu bisa terus menulis kepadaku kapan saja.",
    "Apa pun yang ingin kamu ceritakan berikutnya, aku mendengarkan.",
  ],
  not_saved:
    "Yang kamu tulis barusan mungkin tidak tersimpan, jadi mungkin aku tidak mengingatnya. Tolong kirim lagi sebentar lagi; jika kamu dalam bahaya, hubungi nomor darurat di tempatmu sekarang.",
  limited: "Pemeriksaan keamanan sedang terbatas saat ini. Jika kamu butuh dukungan, kamu bisa menemukan layanan di sini: {directory}",
  disclosure:
    "Aku pendamping AI, bukan manusia, dan aku bisa keliru. Untuk urusan kesehatan atau keselamatan, bicaralah dengan orang yang kamu percaya atau tenaga profesional.",
  apology: "Maaf, barusan aku tidak bisa menyusun jawaban yang baik. Bisakah kamu mengatakannya sekali lagi, mungkin dengan kata lain?",
};
