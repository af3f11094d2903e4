import { describe, expect, it } from "vitest";
import { packs } from "../../../packages/companion/src/gate-data.ts";
import { createScreen } from "../../../packages/throughline/src/safety.ts";

const screen = createScreen(packs);

/** The lines of a table that are not read as one of the accepted results: the level, and with it the kinds of danger. */
function others(table: string, accepted: readonly string[]): readonly string[] {
  return table
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((text) => {
      const { level, risk_types } = screen(text);
      return `${[level, ...(level === 0 ? [] : risk_types)].join(" ")}: ${text}`;
    })
    .filter((line) => !accepted.some((one) => line.startsWith(`${one}: `)));
}

describe("danger said in plain words", () => {
  it("hears an overdose in any words of amount", () => {
    const overdoses = `
      I took a load of paracetamol about an hour ago and now I regret it
      I swallowed a packet of aspirin
      I've had loads of paracetamol, maybe 16
      half a box of paracetamol
      I took half a box of paracetamol
      I took sixteen paracetamols
      I took a strip of ibuprofen
      I've just swallowed a packet of aspirin, I don't want to be here
      me tragué un blíster de ibuprofeno
      me tomé media caja de paracetamol
      maine neend ki poori patti kha li
      मैंने नींद की पूरी पत्ती खा ली
      j'ai avalé une plaquette de doliprane
      ich habe eine halbe Packung Paracetamol genommen
      tomei uma cartela inteira de dipirona
      أخذت شريط بنادول كامل
      我吃了一板布洛芬
      aku minum satu strip paracetamol
    `;
    expect(others(overdoses, ["3 suicide"])).toEqual([]);
  });

  it("hears bodies that fail, fire and gas", () => {
    const emergencies = `
      mi padre se ha desplomado y no respira
      ma grand-mère est tombée, elle ne répond plus
      أمي وقعت على الأرض وما عم تتنفس
      Mein Baby ist ganz blau und atmet komisch
      孩子把洗洁精喝了
      胸口好痛,左手发麻,喘不上气
      my baby is blue and breathing funny
      my friend drank so much he won't wake up
      My chest feels like someone is sitting on it and my left arm is numb
      my mother collapsed and she's grey
      my sugar is 28 and I'm vomiting
      my water broke, 30 weeks
      my son drank something from under the sink
      bacche ne phenyl pee liya
      fire in my kitchen
      my house is on fire
      I smell gas
      hay fuego en mi cocina
      huele a gas en mi casa
      il y a le feu dans ma cuisine
      ça sent le gaz chez moi
      es brennt in meiner Küche
      bei uns riecht es nach Gas
      minha cozinha está pegando fogo
      estou sentindo cheiro de gás
      मेरे घर में आग लग गई है
      गैस की बदबू आ रही है
      mere ghar me aag lag gayi hai
      gas ki badbu aa rahi hai
      في حريق في مطبخي
      أشم رائحة غاز
      我家着火了
      闻到煤气味
      rumahku kebakaran
      bau gas di dapur
    `;
    expect(others(emergencies, ["3 medical_emergency"])).toEqual([]);
  });

  it("hears what others write that they took", () => {
    const told = `
      meine Freundin schreibt mir dass sie Tabletten genommen hat
      朋友说她吞了药
      my friend texted me that she took a bunch of pills
      mi amiga me escribió que se tomó pastillas
      mon amie m'écrit qu'elle a pris des cachets
      minha amiga disse que tomou remédios
    `;
    expect(others(told, ["3 suicide"])).toEqual([]);
  });

  it("hears an intent to hurt others, and the fear of it", () => {
    const threats = `
      I want to kill my stepfather
      quiero matar a mi padrastro
      je veux tuer mon beau-père
      ich will meinen Stiefvater umbringen
      quero matar meu padrasto
      我想打死我老公
      أريد أن أقتل زوجي
      aku ingin membunuh ayahku
      I slapped my toddler so hard his ear bled
      I'm so angry I could stab my brother, I've got the knife in my hand
      I could kill my sister right now, I'm holding a knife
      the baby won't stop screaming and I'm scared of what I'll do to her
      I keep imagining hitting my kid, tonight I nearly did
    `;
    expect(others(threats, ["2 violence_to_others", "3 violence_to_others"])).toEqual([]);
  });

  it("hears preparations and farewells that name no death", () => {
    const preparations = `
      everyone will be better off, I've sorted the insurance
      none of this matters after tonight
      I've written letters to my kids, they're on the table
      I found my dad's pistol and I keep picking it up
      morgen früh bin ich weg, für immer
    `;
    expect(others(preparations, ["2 suicide", "3 suicide"])).toEqual([]);
    const wishes = `
      ياريت ما اصحى بكرا
      tout le monde s'en ficherait si je crevais
    `;
    expect(others(wishes, ["1 suicide"])).toEqual([]);
  });

  it("is not alarmed by the same words in ordinary talk", () => {
    const ordinary = `
      I drowned my sorrows in ice cream
      I drowned my phone
      I'm gonna hang with the boys
      I cut my hand badly chopping onions
      I want to disappear into a good book
      I bought a new razor
      me voy para siempre de esta empresa
      Ich bring mich um vor Arbeit
      je vais me jeter à l'eau et lui demander sa main
      明天跳水比赛
      ich will eine Woche verschwinden, ans Meer
      I took two paracetamol for my headache
      I took a couple of aspirin
      I took half an ibuprofen
      I took the packet of aspirin back to the shop
      we sat around the fire in the garden
      there was a fire drill in my building
      Meine Mutter hat ihre Tabletten genommen
      wir haben ein Feuer im Kamin
      il y a un bon feu dans la cheminée
      huele a flores en mi casa
      my chest freezer is full
      my baby is wearing blue today
    `;
    expect(others(ordinary, ["0"])).toEqual([]);
  });
});
