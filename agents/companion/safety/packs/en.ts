import type { RulePack } from "throughline/safety";
import { englishConcepts } from "./en-concepts.ts";
import { englishFrames } from "./en-frames.ts";
import { englishWords } from "./en-words.ts";
import { rows } from "./rows.ts";

/** Short forms, with the apostrophes that some of them need to be told from words: `i'll`, not `ill`. */
const contractions: Readonly<Record<string, string>> = {
  ...{ "i'm": "i am", im: "i am", "i've": "i have", ive: "i have", "i'll": "i will", "i'd": "i would", "you're": "you are", youre: "you are", "you've": "you have", "you'll": "you will", "you'd": "you would" },
  ...{ "he's": "he is", hes: "he is", "she's": "she is", shes: "she is", "they're": "they are", theyre: "they are", "they've": "they have", "they'll": "they will", "they'd": "they would", "we're": "we are", "we've": "we have", "we'll": "we will" },
  ...{ "he'll": "he will", "she'll": "she will", "he'd": "he would", "she'd": "she would", "it's": "it is", its: "it is", "it'll": "it will", itll: "it will", "that's": "that is", thats: "that is", "there's": "there is", theres: "there is", "here's": "here is", "what's": "what is", whats: "what is" },
  ...{ "who's": "who is", "how's": "how is", "where's": "where is", "everyone's": "everyone is", "let's": "let us", lets: "let us", "don't": "do not", dont: "do not", "doesn't": "does not", doesnt: "does not", "didn't": "did not", didnt: "did not", "can't": "can not", cant: "can not", cannot: "can not", "won't": "will not", wont: "will not" },
  ...{ "wouldn't": "would not", wouldnt: "would not", "couldn't": "could not", couldnt: "could not", "shouldn't": "should not", shouldnt: "should not", "isn't": "is not", isnt: "is not", "aren't": "are not", arent: "are not", "wasn't": "was not", wasnt: "was not", "weren't": "were not", "haven't": "have not", havent: "have not", "hasn't": "has not", hasnt: "has not", "hadn't": "had not" },
  ...{ "ain't": "am not", aint: "am not", wanna: "want to", wannna: "want to", wana: "want to", wnna: "want to", gonna: "going to", gona: "going to", gunna: "going to", gon: "going to", finna: "going to", gotta: "have to", tryna: "trying to", tryina: "trying to", imma: "i am going to", ima: "i am going to", "i'ma": "i am going to", kinda: "kind of", sorta: "sort of", outta: "out of", hafta: "have to" },
};

const texted: Readonly<Record<string, string>> = {
  ...{ u: "you", ur: "your", r: "are", y: "why", n: "and", "2nite": "tonight", tonite: "tonight", "2night": "tonight", tn: "tonight", tmr: "tomorrow", tmrw: "tomorrow", tomoz: "tomorrow", tmrow: "tomorrow", "2moro": "tomorrow", "2morrow": "tomorrow", tommorow: "tomorrow", rn: "right now", bc: "because", cuz: "because", cos: "because", coz: "because", bcuz: "because" },
  ...{ ppl: "people", plz: "please", pls: "please", w: "with", wo: "without", nvr: "never", evry1: "everyone", every1: "everyone", any1: "anyone", no1: "no one", noone: "no one", sum1: "someone", some1: "someone", smth: "something", "b4": "before", gd: "good", byebuhthx: "thanks", ty: "thank you", ily: "i love you", ilysm: "i love you", luv: "love" },
  ...{ hv: "have", wan: "want", wanto: "want to", liv: "live", lve: "live", dei: "die", mysel: "myself", slp: "sleep", lfie: "life", lif: "life", lief: "life", anymroe: "anymore", kll: "kill", nd: "and", nt: "not", wnt: "want", wnat: "want", dnt: "do not", dun: "do not", cnt: "can not", srsly: "seriously", fr: "for real", ong: "for real", mom: "mom", mums: "mum", moms: "mom", abt: "about", thru: "through", tho: "though", nuthin: "nothing", nthn: "nothing", sux: "sucks", anymor: "anymore", nemore: "anymore", nomore: "no more", suey: "suicide", slef: "self", slf: "self", d1e: "die", dy: "die", dieing: "dying", ded: "dead", lyf: "life", lyfe: "life", urself: "yourself", myslf: "myself", meself: "myself", mysef: "myself", mself: "myself" },
  ...{ sucidal: "suicidal", suicidle: "suicidal", sucide: "suicide", suiside: "suicide", suicid: "suicide", sewerslide: "suicide", sewercide: "suicide", suislide: "suicide", sueside: "suicide", suwerslide: "suicide", sooicide: "suicide", toaster: "toaster", kermit: "kermit", cmmt: "commit", unaliving: "unaliving", unalived: "killed", kyself: "kill myself", kmself: "kill myself", kil: "kill", kl: "kill", odd: "odd", oding: "overdosing", shing: "self harming", "s/h": "self harm", hurtin: "hurting", cuttin: "cutting", dyin: "dying", killin: "killing", livin: "living", feelin: "feeling", thinkin: "thinking", goin: "going", wantin: "wanting", doin: "doing", nothin: "nothing", tellin: "telling", endin: "ending" },
};

/** English: the widest of the packs. */
export const englishPack: RulePack = Object.freeze<RulePack>({
  language: "en",
  version: "2026-11-21.2",
  coverage:
    "Wishes, thoughts, plans, means, acts in progress, places, farewells and dates in everyday English of chats, with text-speak, slips and disguised " +
    "words; idioms, games, fiction, quotes, studies and recovered pasts are told apart. Of fresh messages of our own it found 65 to 80 % of " +
    "the disclosures at first sight, before they joined its examples. Irony, hints that take knowing the person, and long stories are missed or asked about.",
  support: "full",
  detect: {
    script: "Latin",
    words: rows(
      `i, a, in, no, the, and, to, you, my, is, it, of, that, this, was, for, not, with, have, are, what, just, me, but, so, do, can, be, on, your, all, want, about, am, if, know, like, how, get, will, going, feel, think, would, been, they, she, he, her, his, them, we, our, there, when, from, or, an, at, by, as, had, has, did, does, could, should, because, really, very, too, then, than, some, any, more, much, good, bad, day, today, time, people, life, work, home, out, up, down, off, over, back, now, here, please, thanks, thank, hello, hi, hey, yes, no, ok, okay, sorry, love, need, help, make, take, see, say, said, tell, told, go, went, got, come, came, one, two, who, why, where, which, never, always, ever, every, nothing, something, anything, everything, everyone, nobody, someone, myself, yourself, anymore, still, even, only, after, before, again, right, well, way, things, thing, feeling, tired, sad, tonight, tomorrow, yesterday, night, week, year, years, last, next, new, old, long, little, let, us, these, those, while, into, through, without, friend, friends, family, mom, dad, mum, school, job, wanted, trying, thinking, being, doing, having, getting, looking, talking, talk, lol, am, were, isn, it's, i'm, don't, game, boss, phone, head, dead, hate, live, alone, stop, keep, give, find, put, done, goodbye, bye, best, great, nice, cool, fine, sure, maybe, kind, lot, first, own, other, another, same, such, also, most, many, few, both, each, hour, minutes, whole, hard, better, worse, end, start, around, away, stuff, guy, girl, man, woman, kids, thought, thoughts, felt, planning, planned, considered, actually, ever, tried, attempted, sounds, honestly, might, may, since, during, between, explain, mean, means, number, question, answer, write, read, wish, hope, guess, believe, understand, remember, ago, about, of, book, song, movie, show`,
    ),
  },
  words: englishWords,
  abbreviations: { ...contractions, ...texted },
  lexicon: rows(
    "life, live, kill, die, dead, death, died, cut, cuts, hurt, harm, pills, knife, noose, blood, hang, jump, murder, suicides, killed, self, suicide, suicidal, myself, killing, overdose, overdosed, overdosing, goodbye, farewell, anymore, tonight, tomorrow, hopeless, worthless, pointless, burden, disappear, swallowed, bleeding, cutting, hanging, thoughts, living, alive, existing, without, everyone, dying, hurting, thinking, commit, committing, platform, railing, bridge, wrists, painkillers, tablets, noose, jumping, ending, wanted, nobody, letters, voices, unalive, already, bottle, better, voice, telling, standing, sitting, tracks, loaded",
  ),
  concepts: englishConcepts,
  frames: englishFrames,
});
