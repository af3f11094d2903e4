/** Words that say of a number what it is: one to call, a count of something, a step of an exercise. Patterns for folded text. */

/** The sentence speaks of calling, writing to or a line. */
export const callWord = new RegExp(
  [
    String.raw`\b(?:call(?:s|ed|ing)?|dial(?:s|led|ling|ing)?|phone|ring|text(?:s|ing)?|sms|whatsapp|hot ?line|help ?line|life ?line|crisis line|emergency (?:line|number|services?)|toll[- ]free|(?:phone|the|their|his|her|contact) number(?: is)?|number (?:is|to))\b`,
    String.raw`\b(?:llam\w{1,6}|marc(?:a|ar|as|ue)\b|telefon\w{0,6}|linea|numero|emergencias?|anruf\w{0,4}|ruf(?:e|en|st)?\b|wahl\w{0,4}|notruf|nummer|hotline)`,
    String.raw`\b(?:appel\w{0,5}|compos(?:e|ez|er)|ligne|urgences?|lig(?:ar|ue|a)\b|disque|linha|emergencia|hubung\w{0,4}|telepon|nomor|darurat)\b`,
    String.raw`\b(?:call karo|phone karo|helpline|numbar)\b|कॉल|फ़ोन|फोन|नंबर|हेल्पलाइन|डायल|اتصل|الاتصال|رقم|خط|هاتف|拨|打电话|电话|热线|號|号码|致电|短信`,
  ]
    .join("|")
    .normalize("NFC"),
  "u",
);

/** Told to press a key: one digit is then enough. */
export const pressWord =
  /\b(?:dial|press|punch in|key in|tap|type in|enter|marca|pulsa|wahle|drucke|composez|tapez|disque|digite|aperte|tekan|dabao|dabaye)\b|दबा|डायल|اضغط|اطلب|拨|按/gu;

/** What is counted stands behind the number. */
export const unitAfter =
  /^[\s-]{0,2}(?:%|percent|per cent|prozent|por ciento|pour cent|(?:of )?(?:million|thousand|billion|people|persons|times|friends|years?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|words?|pages?|steps?|miles?|km|kilomet|met(?:er|re)s?|kg|kilos?|pounds?|lbs?|grams?|ml|lit(?:er|re)s?|cups?|calories|kcal|dollars?|euros?|pounds|rupees?|yuan|students?|colleagues?|followers|characters|letters|breaths?|counts?|beats?|degrees?|bpm)\b|jahre?|monate?|wochen?|tage?n?\b|stunden?|minuten?|sekunden?|mal\b|worter|seiten|menschen|anos?\b|meses|semanas?|dias?\b|horas?\b|minutos?|segundos?|veces|vezes|palabras|palavras|personas|pessoas|ans\b|annees?|mois\b|semaines?|jours?|heures?|secondes?|fois\b|mots\b|tahun|bulan|minggu|hari\b|jam\b|menit|detik|kali\b|kata\b|orang|साल|महीने|दिन|घंटे|मिनट|बार|लोग|saal|mahine|din\b|ghante|سنة|سنوات|شهر|يوم|أيام|ساعة|دقيقة|دقائق|ثانية|مرة|年|个月|月|天|小时|分钟|秒|次|个|字|人|岁)/u;

/** The sentence is about breathing, counting or grounding. */
export const technique =
  /\b(?:breath|breathe|breathing|inhale|exhale|ground|senses|count)|atm|respir|inspir|expir|napas|सांस|साँस|saans|تنفس|呼吸|吸气/u;
