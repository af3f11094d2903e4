/** Classes of things in German, version 2026-11.1. Written by hand from general knowledge of everyday life. */
export const concepts: Readonly<Record<string, string>> = {
  "hobby freizeit aktivität":
    "malen wandern laufen schwimmen tanzen singen lesen schreiben gärtnern kochen backen fotografieren angeln schach yoga radfahren töpfern nähen stricken gitarre klettern",
  "sport training":
    "fußball basketball tennis golf schwimmen laufen marathon radfahren fitnessstudio yoga boxen skifahren surfen klettern volleyball handball turnen",
  "haustier tier": "hund katze welpe kätzchen hamster kaninchen hase vogel papagei fisch schildkröte pferd",
  instrument: "gitarre klavier geige schlagzeug flöte saxophon trompete bass ukulele cello klarinette akkordeon",
  musik: "lied band konzert album gitarre klavier sängerin jazz rock chor",
  "familie verwandte":
    "mutter vater schwester bruder sohn tochter mann frau großmutter großvater tante onkel cousin cousine neffe nichte enkel schwiegermutter",
  geschwister: "schwester bruder zwilling",
  partner: "freund freundin mann frau ehemann ehefrau verlobt hochzeit verheiratet",
  "essen gericht küche":
    "pizza nudeln reis brot käse hähnchen fleisch fisch suppe salat schnitzel kuchen schokolade obst gemüse ei abendessen mittagessen frühstück wurst kartoffeln",
  getränk: "kaffee tee wasser saft bier wein milch limonade",
  "obst frucht": "apfel banane orange erdbeere traube mango ananas birne pfirsich zitrone",
  land: "deutschland österreich schweiz frankreich italien spanien portugal england polen japan china brasilien kanada türkei griechenland",
  stadt: "berlin hamburg münchen köln frankfurt stuttgart leipzig dresden wien zürich paris london rom",
  "beruf arbeit job":
    "lehrer krankenschwester arzt ingenieur anwalt koch kellner designer programmierer schriftsteller architekt buchhalter polizist journalist büro firma chef pfleger",
  "studium fach": "medizin jura psychologie biologie geschichte kunst informatik wirtschaft universität master",
  "krankheit gesundheit":
    "krebs diabetes asthma grippe migräne allergie angst depression infektion fieber schmerzen operation verletzung krankenhaus arzt",
  allergie: "nuss erdnuss gluten laktose pollen staub katzenhaare",
  "gefühl stimmung": "glücklich traurig wütend ängstlich nervös angst stolz dankbar besorgt gestresst einsam eifersüchtig ruhig freude",
  "fahrzeug auto verkehrsmittel": "auto motorrad fahrrad rad bus zug lastwagen boot flugzeug",
  "reise urlaub": "strand flug hotel berge flughafen kreuzfahrt ausflug",
  "buch lektüre": "roman geschichte gedicht biografie autor fantasy bibliothek",
  sprache: "deutsch englisch französisch spanisch italienisch portugiesisch chinesisch japanisch russisch türkisch",
  "religion glaube": "katholisch evangelisch christ kirche gott beten muslim jüdisch buddhist atheist",
  farbe: "rot blau grün gelb orange lila rosa schwarz weiß braun grau",
  geschenk: "kette ring buch blumen uhr armband spielzeug",
  "feier fest ereignis": "geburtstag hochzeit weihnachten jubiläum abschluss konzert taufe",
};
