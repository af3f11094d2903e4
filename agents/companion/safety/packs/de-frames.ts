import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";

/** What changes, in German, how the rest is meant: idioms, games, fiction, what is past, what is taken back, and answers to a question. */
export const germanFrames: RulePack["frames"] = {
  subject_other: rows(`
    mein|meine|meiner|meinem|ein|eine|unser|unsere ~2 {people} ~4 sagt|sagte|schreibt|schrieb|geschrieben|gesagt|meinte|meint|erzählt|postet,
    er|sie ~1 sagt|sagte|schreibt|schrieb|meinte|meint, hat ~1 mir ~2 geschrieben|gesagt|erzählt, sorge|sorgen ~3 um ~2 {people}|ihn|sie|jemanden,
    {people} ~3 hat|sich|will|möchte
  `),
  negation: rows("nicht|nie|niemals|kein|keine|keinen|nichts|nix"),
  idiom: rows(`
    was ~1 bedeutet|heißt|ist ~2 suizid*|selbstmord*, mücken|fliegen|ameisen|zombies|spinnen|unkraut ~4 umbringen|töten|killen,
    umbringen|töten ~2 mücken|fliegen|zombies, mit ~3 schluss ~1 machen|gemacht|mache, {people} ~1 schluss ~1 machen|gemacht|mache,
    um acht|neun|zehn|sieben|sechs|fünf|vier|drei|zwei|eins|zwölf|elf|halb|viertel|#, morden|töten|sterben ~1 für,
    springe|spring|springen ~2 unter_die_dusche|ins_bett|ein, schmerz* ~3 kopf*|zahn*, suizidversuch|selbstmordversuch ~4 vor_jahren|heute,
    vor_jahren ~3 suizidversuch|selbstmordversuch, insulin ~3 gespritzt ~3 essen|frühstück, mich ~4 auf_den_neuesten|auf_den_stand,
    kann_nicht_mehr ~2 schlafen|warten|laufen|sitzen, bringt|bringen|brachte ~2 mich ~2 um,
    hitze|mathe|stress|chef|arbeit|rücken|husten|neugier* ~4 bringt_mich ~2 um, bringt_mich ~3 um, brachte_mich ~3 um, bringen_mich ~3 um,
    es ~1 bringt_mich_um, das ~1 bringt_mich ~2 um, danke ~1 für_alles ~2 bis_morgen|bis_bald|bis_dann, in_den_tod ~1 langweilen|treiben,
    mausetot|halbtot|scheintot, sterbe|sterb|gestorben|sterben|stirb|starb ~2 vor,
    totlachen|totgelacht|schlapplachen|kaputtlachen|tot_gelacht|lache|lach ~1 mich ~1 tot|kaputt, mich ~1 tot ~1 lachen|gelacht|ärgern|arbeiten,
    bringt|bringen|brachte ~4 mich ~3 um|ins_grab,
    mama|mutter|papa|vater|chef|eltern|frau|mann|lehrer*|freundin|freund ~2 bringt|wird|werden|killt|killen|bringen|will ~3 mich ~2 um|umbringen|killen|töten,
    bringt|bringen ~2 mich ~1 um ~2 wenn, killt|killen ~1 mich, zum ~1 sterben ~2 schön|langweilig|gut|peinlich|müde,
    zum|fürs sterben ~1 gut|schön|langweilig,
    todmüde|todlangweilig|sterbenslangweilig|todsicher|totschick|sterbenskrank|mordshunger|todesangst|todernst|sterbensmüde,
    tot ~1 umfallen|müde|gefahren|gelacht|punkt, akku|handy|laptop|batterie|telefon|auto|rechner ~3 tot|stirbt|gestorben|leer, über ~1 leichen,
    zeit ~1 totschlagen, spring|springe|springen ~3 schatten|kalte_wasser|pool|see|freude|trampolin|seil|fallschirm|bungee,
    schluss ~1 machen|gemacht|mache ~2 mit ~2 freund|freundin|ihm|ihr|rauchen|ex|{people},
    schneide|schneiden|geschnitten ~3 haare|finger|zwiebel*|kochen|gemüse|brot|rasieren|papier|pony|nägel,
    kochen|rasieren|basteln|zwiebel* ~4 geschnitten, mir ~1 die kugel ~1 geben ~3 wenn|noch, für ~3 sterben|töten|morden,
    würde ~1 für ~3 sterben|töten, mathe|hausaufgaben|hitze|arbeit|chef|training|muskelkater|rücken|stress|warten ~3 bringt|tötet|killt ~1 mich,
    verschwinden ~3 urlaub|insel|wochenende|berge, kann|kannst ~2 nicht mehr ~2 lachen|essen|warten|sitzen|sehen|hören|laufen|vor,
    {pills} ~3 {swallowed} ~4 arzt|erkältung|kopfschmerzen|allergie|verschrieben,
    kopfschmerzen|erkältung|allergie|grippe|arzt|verschrieben ~5 {pills},
    vor ~1 langeweile|scham|lachen|hunger|neugier|hitze|sehnsucht|müdigkeit ~2 sterb*|gestorben|umgekommen|tot|fast,
    kann|konnte ~1 nicht_mehr ~2 vor_lachen|laufen|sitzen|warten|essen|sehen|hören|gucken|stehen,
    ich_kann|kann_nicht|kann_einfach ~1 nicht_mehr|mehr haha*|hahaha*|lol, lachen|gelacht ~4 kann_nicht_mehr|ich_kann_nicht_mehr, hänge ~1 mich rein,
    keine_angst|angst ~2 vor ~1 dem_tod|dem_sterben|tod, würde|werde|will ~1 mich|mir ~2 nie|niemals|nicht|nichts ~3 {kill}|antun|nehmen|tun,
    springen ins_wasser|in_den_pool|in_den_see
  `),
  joke: rows("haha*, hihi*, hehe*, lol, xd*, spaß|spass|scherz|witz, rofl, nur ~1 spaß|scherz"),
  fiction: rows(`
    ,
    roman|geschichte|kurzgeschichte|drehbuch|gedicht|film|serie|figur|protagonist*|buch|kapitel|anime|manga|theaterstück|staffel|folge|krimi|fanfic*|charakter,
    schreibe|schreib ~2 an? ~1 einen|einem|eine|einer|ein ~1 roman|geschichte|drehbuch|gedicht|song, im|in ~1 film|serie|buch|spiel|roman,
    meine|meiner figur|hauptfigur
  `),
  game: rows(`
    ,
    spiel|game|minecraft|fortnite|boss|endboss|level|valorant|zelda|gta|roblox|fifa|raid|respawn|ranked|zombie*|dark_souls|elden_ring|quest|zocke|gezockt|controller,
    sterbe|gestorben|stirbt ~4 boss|level|gegner|lava|creeper|runde
  `),
  quote: rows(`
    zitat|liedtext|songtext|schlagzeile|artikel|sprichwort|lyrics|refrain|meme|tweet, im ~1 lied|song, in ~1 dem|einem|dem_lied ~1 lied|song,
    habe ~2 gelesen ~1 dass
  `),
  academic: rows(`
    ,
    hausarbeit|referat|statistik*|studie*|seminararbeit|forschung|prävention|suizidprävention|soziologie|durkheim|suizidrate*|doktorarbeit|masterarbeit|bachelorarbeit,
    aufsatz|vortrag|klausur ~3 über, was ~1 bedeutet|heißt
  `),
  professional: rows(`
    meine_patient*|mein_patient*|meinen_patient*|ein_patient|eine_patientin|meine_klient*|mein_klient,
    ich_bin|bin|arbeite_als|bin_selbst psycholog*|ärztin|arzt|krankenschwester|pfleger*|lehrer*|sozialarbeiter*|erzieher*|seelsorge*|sanitäter*|therapeut*|ehrenamt*,
    leitfaden|fortbildung|schulung
  `),
  past_recovered: rows(`
    vor ~2 jahren ~6 wollte|versucht|versuchte|habe, wollte ~2 mich ~2 umbringen ~4 damals|früher, vor ~2 jahren|jahr|monaten|langer_zeit,
    als ~1 jugendlich*|teenager|kind, heute|jetzt|inzwischen|mittlerweile ~4 geht ~2 gut|besser,
    heute|jetzt|inzwischen|mittlerweile ~3 bin ~3 froh|glücklich|stabil|gut|gesund|dankbar|gern, froh|dankbar ~4 noch|leben|lebe|da,
    überwunden|überstanden|hinter_mir, seit ~3 jahren|jahr|monaten ~3 clean|nicht_mehr|frei|stabil,
    früher|damals ~4 {kill}|sterben|suizid*|selbstmord*|geritzt|ritzen|depress*|leben, früher|damals
  `),
  bereavement: rows(`
    verstorben|beerdigung|trauer|trauere|begräbnis|witwe|witwer|trauerfeier|todestag|hinterblieben*, {people} ~3 gestorben|verstorben|tot,
    sich ~2 umgebracht|erhängt, verloren ~2 {people}, {people} ~3 verloren, vermisse|vermiss ~2 {people}|ihn|sie,
    {people} ~2 hat_sich ~2 umgebracht|erhängt|das_leben_genommen
  `),
  harmless_plan: rows(`
    ziehe|ziehen ~3 um|ein|aus|zusammen, umziehen|auszug|einzug|kartons|polterabend|verlobung|heiratsantrag, kaffee|frühstück|frühstücken|bier|lese|sonne|grillen|essen_gehen, verspätung|bus|überraschung*|geschenk*|foto|touristen|überraschungsparty,
    foto*|fotografier*|spazier*|aussicht|feierabend|blick|sonnenuntergang|besichtig*, fallschirm*|bungee*|klettern|kletter*|trampolin,
    bis_morgen|bis_bald|bis_später|bis_dann,
    prüfung|meeting|termin|zahnarzt|flug|reise|urlaub|hochzeit|party|umzug|vorstellungsgespräch|konzert|geburtstagsfeier|koffer|abendessen,
    letzter|letzte|letzten ~1 tag|woche|arbeitstag|nacht|abend ~3 arbeit|job|schule|urlaub|firma|büro|semester|ferien|praktikum|uni|hier_in,
    gekündigt|kündigung|rente|ruhestand|arbeitstag|schultag|urlaubstag|junggesell*, verschenkt ~3 geburtstag|weihnachten|flohmarkt
  `),
  denial: rows(`
    {want} ~2 nicht sterben, {want} ~1 mir|mich ~2 nichts|nicht ~2 antun|{kill}|tun, das ~1 meine|meinte|mein ~2 nicht, nicht so gemeint,
    bin ~1 in? ~1 sicher|sicherheit, keine ~2 suizid*|selbstmord*|gedanken|absicht*, tue|tu|mache|mach ~1 mir ~1 nichts|nix,
    nicht ~1 suizidal|lebensmüde|gefahr, habe ~1 nicht ~1 vor
  `),
  retraction: rows(`
    war|ist ~2 nur|bloß|ein ~1 spaß|spass|scherz|witz|quatsch, nicht ~2 ernst ~1 gemeint, mein|meinte|meine ~3 nicht ernst|so, vergiss ~1 es|das|was,
    übertrieben|übertreibe, passt schon
  `),
  yes: rows(`
    ja, jo, joa, jep, jap, jaa, manchmal, ab und zu, hin und wieder, schon, leider ja, ehrlich ~1 ja, oft, öfter, jeden tag, ein bisschen, bisschen,
    ständig, in letzter zeit, vielleicht, ich glaube ~1 ja, ich denke ~1 schon, immer, immer wieder, stimmt, kommt vor, jede nacht, wahrscheinlich,
    seit, habe ~2 daran gedacht, irgendwie
  `),
  no: rows(`
    nein, nee, nö, ne, nope, gar nicht, überhaupt nicht, niemals, nie, auf keinen fall, quatsch nein, na, keineswegs, nicht wirklich
  `),
  evasion: rows(`
    weiß nicht, weiss nicht, keine ahnung, will nicht ~2 reden|sprechen, möchte nicht ~3 reden|sprechen|sagen, ist doch egal, egal, warum fragst,
    wieso fragst, geht dich ~1 nichts, spielt keine rolle, anderes thema, lass, schwer zu sagen, kompliziert, was soll die frage, kein kommentar
  `),
  safety_question: rows(`
    suizidgedanken|selbstmordgedanken, suizidale ~1 gedanken, {want}|möchtest|willst ~2 sterben|tot_sein, nicht_mehr|nicht_länger ~1 leben ~1 zu? ~1 wollen|willst|möchtest, dich ~2 umzubringen|umbringen, dir ~2 weh_zu_tun|wehtun|etwas_antun, gedanken|denkst|gedacht|nachgedacht ~6 leben|suizid*|umzubringen|sterben|selbstmord|tod|tot,
    willst|möchtest ~2 dir|dich|nicht ~4 nehmen|umbringen|antun|leben|sterben, dir ~2 das leben ~1 zu? nehmen, dir ~2 etwas anzutun|antun
  `),
};
