/** Phrases of Spanish, written by us. */
import { spanish } from "../../text/locales/es.ts";
import type { RuleLanguage } from "./phrase.ts";

const kin =
  "(?:(?:mejor |gran )?(?:hermanit[oa]|herman[oa]|madre|mam[aá]|padre|pap[aá]|hij[oa]|t[ií][oa]|prim[oa]|sobrin[oa]|abuel[oa]|cuñad[oa]|suegr[oa]|amig[oa]|jef[ea]|compañer[oa]|vecin[oa]|terapeuta|profesora?|psicólog[oa]))";
const partner = "(?:esposa|esposo|mujer|marido|pareja|novia|novio|prometid[oa])";
const animal = "(?:perr[oa]|gat[oa]|caballo|conejo|loro|hámster|tortuga)";

/** Spanish. */
export const spanishRules: RuleLanguage = {
  code: "es",
  before: "[,;:—–(¡]\\s*|\\b(?:y|pero|porque|pues|también|además|sí|hola|bueno|por favor|ahora|hoy|últimamente)\\s+",
  adverb: "(?:muy|mucho|siempre|todavía|aún|ya|también|bastante|un poco|realmente|ahora|de verdad|tan)",
  people: kin,
  partner,
  animal,
  facts: [
    {
      say: "(?:me llamo|mi nombre es|puedes llamarme|llámame|llamame|dime) (?<o>.+)",
      form: "name",
      category: "preference",
      predicate: "PREFERRED_NAME",
      object: "Value",
      small: true,
    },
    {
      say: "(?:yo )?(?:{adverb} )*(?:vivo en|me (?:he mudado|mudé|mude) a|estoy viviendo en) (?<o>.+)",
      form: "place",
      category: "context",
      predicate: "LIVES_IN",
      object: "Place",
    },
    {
      say: "(?:yo )?(?:soy de|nací en|naci en|crecí en|creci en|vengo de) (?<o>.+)",
      form: "place",
      category: "context",
      predicate: "COMES_FROM",
      object: "Place",
    },
    { say: "(?:yo )?(?:{adverb} )*trabajo (?:como|de) (?<o>.+)", form: "words", category: "context", predicate: "WORKS_AS", object: "Occupation" },
    { say: "(?:yo )?(?:{adverb} )*trabajo (?:en|para) (?<o>.+)", form: "place", category: "context", predicate: "WORKS_AT", object: "Organisation" },
    { say: "tengo (?<o>\\d{1,3}) años\\b", form: "age", category: "context", predicate: "AGE", object: "Value" },
    { say: "mi {partner}(?: se llama| es|,)? (?<o>.+)", form: "name", category: "relationship", predicate: "PARTNER_OF", object: "Person" },
    { say: "mi {people}(?: se llama| es|,)? (?<o>.+)", form: "name", category: "relationship", predicate: "KNOWS", object: "Person" },
    { say: "mi {animal}(?: se llama|,)? (?<o>.+)", form: "name", category: "relationship", predicate: "HAS", object: "Animal" },
    {
      say: "tengo (?<o>(?:un|una|dos|tres|\\d) (?:{animal}|hij[oa]|herman[oa])s?)\\b",
      form: "listed",
      category: "relationship",
      predicate: "HAS",
      object: "Thing",
    },
    {
      say: "(?:yo )?soy alérgic[oa] (?:a los|a las|al|a la|a) (?<o>.+)",
      form: "words",
      category: "context",
      predicate: "AVOIDS",
      object: "Thing",
      sensitivity: "sensitive",
    },
    {
      say: "(?:yo )?soy (?<o>vegan[oa]|vegetarian[oa]|celíac[oa]|diabétic[oa])\\b",
      form: "listed",
      category: "context",
      predicate: "IS",
      object: "Thing",
      sensitivity: "sensitive",
    },
    {
      say: `mi (?<o>${kin}|${partner}|${animal}) (?:se )?(?:ha )?(?:murió|murio|falleció|fallecio|muerto|fallecido)\\b`,
      form: "listed",
      category: "loss",
      predicate: "EXPERIENCED",
      object: "Event",
      id: "muerte de {o}",
    },
    {
      say: `(?:he perdido|perdí|perdi) (?:a mi|mi) (?<o>${kin}|${partner}|${animal}|trabajo|empleo|casa|bebé)\\b`,
      form: "listed",
      category: "loss",
      predicate: "EXPERIENCED",
      object: "Event",
      id: "pérdida de {o}",
    },
    {
      say: "(?:estoy|me siento)(?: {adverb})* (?:preocupad[oa]|nervios[oa]|ansios[oa]|asustad[oa]|estresad[oa]|angustiad[oa]) (?:por|con|de|sobre) (?<o>.+)",
      form: "words",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
    },
    {
      say: "me (?:preocupa|da miedo|angustia|pone nervios[oa])(?: {adverb})* (?<o>.+)",
      form: "words",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
    },
    {
      say: "(?:soy|me siento)(?: como| {adverb})* (?:un |una )?(?<o>inútil|fracaso|fracasad[oa]|carga|desastre)\\b",
      form: "listed",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
      id: "sentirse {o}",
    },
    {
      say: "(?:me (?:encantan?|gustan?)(?: {adverb})*|prefiero|adoro) (?<o>.+)",
      form: "words",
      category: "preference",
      predicate: "LIKES",
      object: "Thing",
    },
    { say: "(?:odio|detesto|no me gustan?|no soporto) (?<o>.+)", form: "words", category: "preference", predicate: "DISLIKES", object: "Thing" },
    {
      say: "(?:quiero|quisiera|me gustaría|espero|planeo|mi (?:meta|objetivo) es) (?<o>\\p{L}+(?:ar|er|ir|me|arme|erme|irme|rlo)\\b.*)",
      form: "words",
      category: "goal",
      predicate: "WANTS",
      object: "Goal",
    },
    { say: "(?:estoy aprendiendo|estudio|estoy estudiando) (?<o>.+)", form: "words", category: "context", predicate: "STUDIES", object: "Thing" },
    {
      say: "(?:me he apuntado a|he empezado|empecé|empece)(?: a| con)? (?<o>.+)",
      form: "words",
      category: "context",
      predicate: "PARTICIPATED_IN",
      object: "Thing",
    },
    {
      say: "(?<o>\\p{L}[^,.;:!?]{1,60}?) me ayuda\\b(?: a (?:relajarme|dormir|calmarme|concentrarme))?",
      form: "words",
      category: "coping_strategy",
      predicate: "USES",
      object: "CopingStrategy",
    },
    {
      say: "(?:lo que )?me ayuda(?: {adverb})* (?:es |a )?(?<o>.+)",
      form: "words",
      category: "coping_strategy",
      predicate: "USES",
      object: "CopingStrategy",
    },
  ],
  rules: [
    {
      say: "(?:respuestas? (?:más )?(?:cortas?|breves?)|s[eé] (?:más )?breve|responde(?:me)? (?:de forma )?(?:más )?(?:breve|corto|corta|brevemente))\\b",
      text: "Keep your replies short.",
    },
    { say: "(?:no me des|no quiero|sin)(?: más| tantos)* consejos\\b|solo escúchame\\b", text: "Do not give advice unless you are asked for it." },
    { say: "no me hagas(?: tantas| más)* preguntas\\b", text: "Ask few questions." },
    { say: "(?:sé|se)(?: más)? direct[oa](?: conmigo)?\\b", text: "Be direct." },
    { say: "(?:no uses|sin)(?: tantos)* emojis\\b", text: "Use no emojis." },
  ],
  uncertain:
    "^(?:¿|qué|quién|dónde|cuándo|cómo|por qué|si|imagina|supón)\\b|^¿|\\b(?:ojalá|como si|si (?:yo|fuera|tuviera|viviera|pudiera)|en mi sueño|en un sueño|es broma|antes)\\b",
  ends: "(?<![\\p{L}])(?:y|pero|porque|aunque|cuando|mientras|que|si|desde|hasta|o|ahora|hoy|ayer|mañana|últimamente|también|ya|por favor|con|para|en este momento|mucho|hace)(?![\\p{L}])",
  noObject:
    "(?:esto|eso|ello|él|ella|nada|nadie|nunca|no|que|qué|cómo|cuando|algo|todo|morir\\w*|matar\\w*|decir\\w*|saber\\w*|hablar\\w*|preguntar\\w*|ser|estar|lo|le|te|me)(?![\\p{L}])",
  crisis: "\\b(?:morir\\w*|matarme|suicid\\w*|hacerme daño|cortarme|desaparecer|acabar con todo|quitarme la vida)",
  locale: spanish,
  feelings:
    "triste|ansios[oa]|nervios[oa]|preocupad[oa]|asustad[oa]|enfadad[oa]|sol[oa]|cansad[oa]|agotad[oa]|estresad[oa]|culpable|tranquil[oa]|mejor|aliviad[oa]|feliz|content[oa]|agradecid[oa]",
  not: "(?:no|nunca|poco|nada)(?: \\p{L}+)?",
};
