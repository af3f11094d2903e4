/** German word lists, written from general knowledge of the language. */

/** Function words, forms of sein, haben and werden, and the fillers of talk. */
export const stopWords = `
  aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist da dabei dafür damit dann daran darauf das dass daß dein deine deinem deinen
  deiner deines dem den denn der des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch eben ein eine einem einen einer eines einige einigen er es etwas euch euer eure für gegen
  gewesen hab habe haben hast hat hatte hatten hattest hier hin hinter hätte ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist ja jede jedem jeden jeder jedes jene jener jetzt kann kannst
  kein keine keinem keinen keiner können könnte man manche mein meine meinem meinen meiner meines mich mir mit muss musste müssen nach nein nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen
  seiner seines seit selbst sich sie sind so solche soll sollen sollte sondern sonst über um und uns unser unsere unserem unseren unserer unter viel viele vom von vor war waren warst was weg weil
  weiter welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder will wir wird wirst wo woher wohin wollen wollte worden wurde wurden während würde würden zu zum zur zwar zwischen
  wann warum wieso weshalb schon mal halt gerade hallo`;

/** Frequent words that are no words of the other languages that are supplied. */
export const telltale = `
  der die das und ist ich du er sie wir ihr nicht ein eine einen einem einer kein keine mit von zu zum zur auf für den dem auch aber oder wie wo wer wann warum mein meine meinen meiner meinem dein
  deine sein seine unser unsere habe hast haben bist sind waren wird werden wurde kann bei nach aus über sich mich mir dich dir noch nur sehr schon immer gern gerne heute gestern dass weil wenn
  ja nein vom beim hatte hatten vor seit letzte letzten letzter letztes nächste nächsten woche wochen monat monate monaten jahr jahre jahren gefällt`;

/** Strong verbs by their infinitive, and a few nouns. */
export const irregular: Readonly<Record<string, string>> = {
  gehen: "ging gingen gegangen geht",
  essen: "isst aß aßen gegessen",
  trinken: "trank tranken getrunken",
  fahren: "fährt fuhr fuhren gefahren",
  sehen: "sieht siehst sah sahen gesehen",
  geben: "gibt gibst gab gaben gegeben",
  nehmen: "nimmt nimmst nahm nahmen genommen",
  kommen: "kam kamen gekommen",
  lesen: "liest las lasen gelesen",
  schreiben: "schrieb schrieben geschrieben",
  sprechen: "spricht sprichst sprach sprachen gesprochen",
  finden: "fand fanden gefunden",
  bleiben: "blieb blieben geblieben",
  laufen: "läuft lief liefen gelaufen",
  schlafen: "schläft schlief schliefen geschlafen",
  tragen: "trägt trug trugen getragen",
  treffen: "trifft traf trafen getroffen",
  sterben: "stirbt starb starben gestorben",
  helfen: "hilft half halfen geholfen",
  verlieren: "verlor verloren",
  beginnen: "begann begannen begonnen",
  singen: "sang sangen gesungen",
  schwimmen: "schwamm schwammen geschwommen",
  denken: "dachte dachten gedacht",
  bringen: "brachte brachten gebracht",
  kennen: "kannte kannten gekannt",
  wissen: "weiß weißt wusste wussten gewusst",
  ziehen: "zog zogen gezogen",
  umziehen: "umgezogen umzug",
  fliegen: "flog flogen geflogen flug",
  heißen: "hieß hießen geheißen",
  fallen: "fiel fielen gefallen",
  halten: "hielt hielten gehalten",
  rufen: "rief riefen gerufen",
  sitzen: "saß saßen gesessen",
  stehen: "stand standen gestanden",
  tun: "tat taten getan tut",
  vergessen: "vergaß vergisst",
  gewinnen: "gewann gewannen gewonnen",
  werfen: "warf wirft geworfen",
  brechen: "brach bricht gebrochen",
  steigen: "stieg stiegen gestiegen",
  reiten: "ritt ritten geritten",
  mögen: "mag magst mochte mochten gemocht",
  mutter: "mama mutti mütter",
  vater: "papa vati väter",
  großmutter: "oma omas",
  großvater: "opa opas",
};
