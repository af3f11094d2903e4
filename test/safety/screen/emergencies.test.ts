import { describe, expect, it } from "vitest";
import { packs } from "../../../packages/companion/src/gate-data.ts";
import { createScreen } from "../../../packages/throughline/src/safety.ts";

const screen = createScreen(packs);

/** What the screen makes of a line: its level, and from 2 on the kinds of danger. */
const found = (text: string): string => {
  const { level, risk_types } = screen(text);
  return level < 2 ? String(level) : `${String(level)} ${risk_types.join("+")}`;
};

const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The lines of a table that are not read as one of the accepted results. */
const others = (table: string, accepted: readonly string[]): readonly string[] =>
  lines(table)
    .map((text) => `${found(text)}: ${text}`)
    .filter((line) => !accepted.some((one) => line.startsWith(`${one}: `)));

describe("emergencies that are not suicide", () => {
  it("finds a body in danger, the writer's or another's, in all languages", () => {
    expect(
      others(
        `
      My friend isn't breathing
      my baby stopped breathing and is turning blue
      she won't wake up and her lips are blue
      I have crushing chest pain and my left arm is numb
      My chest hurts really bad and the pain goes into my jaw and arm
      one side of my husband's face is drooping and he can't speak properly
      my mum's speech is slurred and she can't lift her right arm
      My toddler swallowed a bunch of my pills
      my 2 year old drank bleach
      our little boy got into grandma's blood pressure tablets and ate some
      I think dad is having a heart attack
      I ate a peanut and my throat is closing up
      he's choking on a piece of meat and can't breathe
      my roommate is having a seizure and it won't stop
      my grandma collapsed in the kitchen and she is not responding
      there is no pulse
      I accidentally drank antifreeze
      No puedo respirar y me duele el pecho y el brazo
      mi hijo no respira
      mi abuelo tiene la cara torcida y no puede hablar
      mi hija de dos años se tragó las pastillas de la abuela
      el bebé se está poniendo azul
      creo que a mi padre le está dando un infarto
      mi mamá se desmayó y no reacciona
      se me está cerrando la garganta después de comer marisco
      mon bébé ne respire plus
      j'ai très mal à la poitrine et dans le bras gauche
      mon père a la bouche de travers et il n'arrive plus à parler
      ma fille de 3 ans a avalé les cachets de sa grand-mère
      il est inconscient et il ne réagit plus
      je crois que je fais une crise cardiaque
      ma gorge gonfle, je n'arrive plus à respirer
      il s'étouffe avec un morceau de viande
      Mein Vater atmet nicht mehr
      mein Baby läuft blau an
      ich habe starke Schmerzen in der Brust und sie strahlen in den linken Arm aus
      Omas Mundwinkel hängt herunter und sie kann nicht mehr sprechen
      meine kleine Tochter hat Tabletten von der Oma geschluckt
      ich glaube mein Mann hat gerade einen Herzinfarkt
      sie ist bewusstlos und reagiert nicht
      mein Hals schwillt zu nach dem Wespenstich
      er hat sich verschluckt und bekommt keine Luft mehr
      meu filho não está respirando
      estou com uma dor forte no peito que vai pro braço esquerdo
      minha avó está com a boca torta e não consegue falar
      meu bebê engoliu os remédios da minha mãe
      meu pai está tendo um infarto
      ela desmaiou e não acorda
      minha garganta está fechando depois de comer camarão
      ele engasgou com a comida e está ficando roxo
      मेरा बच्चा साँस नहीं ले रहा
      पापा के सीने में तेज़ दर्द है और बायाँ हाथ सुन्न हो रहा है
      दादी का मुँह टेढ़ा हो गया है और बोल नहीं पा रहीं
      मेरी दो साल की बेटी ने गोलियाँ निगल लीं
      माँ बेहोश हो गई है और होश में नहीं आ रही
      उसे दिल का दौरा पड़ रहा है
      mera bachcha saans nahi le raha
      papa ke seene me tez dard hai aur left haath sunn ho raha hai
      dadi ka muh tedha ho gaya hai aur bol nahi pa rahi
      meri 2 saal ki beti ne goliyan nigal li
      maa behosh ho gayi hai aur hosh me nahi aa rahi
      papa ko heart attack aa raha hai
      ابني لا يتنفس
      أشعر بألم شديد في صدري وفي ذراعي اليسرى
      جدتي فمها مائل ولا تستطيع الكلام
      طفلي ابتلع حبوب جدته
      أبي يصاب بنوبة قلبية
      أمي أغمي عليها ولا تستجيب
      حلقي يتورم ولا أستطيع التنفس
      بنتي الصغيرة شربت كلور
      我爸爸没有呼吸了
      我胸口很痛，左胳膊发麻
      奶奶嘴歪了，说不出话
      我两岁的儿子吞了奶奶的药
      我妈晕倒了叫不醒
      宝宝脸色发紫喘不过气
      他好像心脏病发作了
      我喉咙肿了，呼吸不了
      Anakku tidak bernapas
      dada saya sakit sekali dan menjalar ke lengan kiri
      nenek mulutnya mencong dan tidak bisa bicara
      anakku yang umur 2 tahun menelan obat neneknya
      ibu pingsan dan tidak bangun-bangun
      sepertinya bapak serangan jantung
      tenggorokanku bengkak habis makan udang, susah napas
      bayiku membiru
      My wife just collapsed and I can't find a pulse
      help, my son got into the medicine cabinet and swallowed some tablets
      my grandfather suddenly can't talk and half his face is drooping
      I've got a tight pain across my chest and my jaw hurts and I'm sweating
      my newborn has gone blue
      mom isn't responding, she's unconscious on the bathroom floor
      my daughter ate laundry pods
      she got stung by a bee and her tongue is swelling, she can barely breathe
      my husband stopped breathing in his sleep
      mi papá se cayó y no despierta
      mi niña se tomó el cloro
      a mi abuela se le torció la boca
      me aprieta el pecho y se me duerme el brazo izquierdo
      mi bebé se atragantó y no respira
      mon fils s'étouffe
      ma grand-mère est tombée et elle ne réagit plus
      mon bébé a bu de la javel
      j'ai une douleur dans la poitrine qui descend dans le bras
      mein Sohn ist vom Baum gefallen und bewusstlos
      mein Kind hat Spülmittel getrunken
      Papa kriegt keine Luft und hat Schmerzen in der Brust
      mein Opa kann plötzlich nicht mehr sprechen und sein Gesicht hängt
      minha filha bebeu água sanitária
      meu avô não consegue falar e a boca entortou
      meu marido caiu no chão e não responde
      meu bebê parou de respirar
      पापा गिर गए और होश नहीं है
      बच्चे ने फिनाइल पी लिया
      दादा जी को लकवा मार गया है, मुँह टेढ़ा है
      papa gir gaye aur hosh nahi hai
      bachche ne phenyl pi liya
      أبي سقط على الأرض ولا يتحرك
      طفلتي شربت ديتول
      جدي لا يستطيع الكلام ووجهه مائل
      爷爷突然说不出话，半边身子动不了
      孩子误喝了消毒水
      我老婆昏倒了，没有反应
      bapak jatuh dan tidak sadarkan diri
      anakku minum pemutih
      kakek tiba-tiba tidak bisa bicara, mulutnya perot
    `,
        ["3 medical_emergency"],
      ),
    ).toEqual([]);
  });

  it("takes a wound that does not stop bleeding for an emergency or a crisis: both name the number", () => {
    const bleeding = `
      the bleeding from my leg won't stop
      die Blutung am Bein hört nicht auf
      no para de sangrar
      血止不住
      darahnya tidak berhenti keluar
    `;
    expect(others(bleeding, ["3 medical_emergency", "3 suicide+medical_emergency"])).toEqual([]);
  });

  it("finds an attack that goes on", () => {
    expect(
      others(
        `
      My ex is outside my door with a knife
      he is breaking down the door and says he will kill me
      someone is in my house right now and I'm hiding in the closet
      he's hitting me right now
      my husband has a gun and he's threatening me
      a man is following me and I'm scared he'll attack me
      mi ex está en la puerta con un cuchillo
      está tirando la puerta abajo y dice que me va a matar
      hay alguien en mi casa y estoy escondida
      mon ex est devant ma porte avec un couteau
      il est en train de défoncer la porte
      quelqu'un est entré chez moi, je me cache
      mein Ex steht mit einem Messer vor der Tür
      er tritt gerade die Tür ein
      jemand ist in meiner Wohnung, ich verstecke mich im Bad
      meu ex está na porta com uma faca
      ele está arrombando a porta e diz que vai me matar
      मेरा एक्स दरवाज़े पर चाकू लेकर खड़ा है
      वह दरवाज़ा तोड़ रहा है
      mera ex darwaze pe chaku lekar khada hai
      wo darwaza tod raha hai
      طليقي واقف عند الباب ومعه سكين
      يحاول كسر الباب وسيقتلني
      前男友拿着刀在我门口
      他正在砸门说要杀了我
      mantanku di depan pintu bawa pisau
      dia lagi mendobrak pintu mau bunuh aku
      he's outside with a gun screaming that he'll kill me
      my ex broke in and he's in the kitchen right now, I'm hiding under the bed
      my husband is holding a knife to my throat
      mi marido tiene una pistola y dice que me va a matar
      il tient un couteau et me menace
      mein Mann hat ein Messer und droht mir
      meu marido está com uma faca me ameaçando
      मेरे पति के हाथ में चाकू है और वो मुझे मार रहे हैं
      mera pati chaku dikha ke dhamki de raha hai
      زوجي يحمل سكينا ويهددني
      我老公拿着菜刀要砍我
      suamiku bawa pisau dan mengancam aku
    `,
        ["3 abuse"],
      ),
    ).toEqual([]);
  });

  it("finds abuse that is told of", () => {
    expect(
      others(
        `
      He choked me yesterday
      my boyfriend put his hands around my throat last night
      My dad touches me at night
      my stepfather comes into my room at night and touches me
      I'm pregnant and he kicks me in the belly
      my husband beats me when he's drunk
      he forced me to have sex with him
      my uncle makes me do things and says it's our secret
      a guy online who is 34 keeps asking me for nudes, I'm 13
      my coach sends me sexual messages and I'm only 14
      my wife punched me in the face again
      my mom burned me with a cigarette
      he raped me
      ayer me agarró del cuello y no podía respirar
      mi padrastro me toca por la noche
      estoy embarazada y me da patadas en la barriga
      mi marido me pegó otra vez
      mi tío me obliga a hacer cosas y dice que es nuestro secreto
      tengo 13 años y un señor por internet me pide fotos desnuda
      hier il m'a étranglée
      mon beau-père me touche la nuit
      je suis enceinte et il me donne des coups de pied dans le ventre
      mon mari me frappe quand il boit
      il m'a forcée à coucher avec lui
      j'ai 13 ans et un homme sur internet me demande des photos nue
      er hat mich gestern gewürgt
      mein Stiefvater fasst mich nachts an
      ich bin schwanger und er tritt mir in den Bauch
      mein Mann schlägt mich wenn er trinkt
      er hat mich zum Sex gezwungen
      ich bin 13 und ein Mann im Internet will Nacktfotos von mir
      ele me enforcou ontem
      meu padrasto me toca à noite
      estou grávida e ele chuta minha barriga
      meu marido me bateu de novo
      ele me forçou a transar
      tenho 13 anos e um homem na internet pede fotos minhas pelada
      उसने कल मेरा गला दबाया
      मेरे सौतेले पापा रात को मुझे गलत जगह छूते हैं
      मैं गर्भवती हूँ और वह मेरे पेट पर लात मारता है
      मेरे पति शराब पीकर मुझे मारते हैं
      usne kal mera gala dabaya
      mere chacha raat ko mujhe galat jagah chhute hai
      main pregnant hu aur wo mere pet pe laat marta hai
      mera pati daaru pike mujhe marta hai
      خنقني أمس
      زوج أمي يلمسني في الليل
      أنا حامل وهو يركلني في بطني
      زوجي يضربني كل يوم
      عمري 13 سنة ورجل على النت يطلب مني صور عارية
      他昨天掐我脖子
      我继父晚上摸我
      我怀孕了他还踢我肚子
      老公喝醉了就打我
      我13岁，网上有个男的让我发裸照
      kemarin dia mencekik aku
      ayah tiriku suka meraba aku malam-malam
      aku lagi hamil dan dia menendang perutku
      suamiku mukulin aku kalau mabuk
      aku 13 tahun dan ada om-om di internet minta foto bugil
      my stepdad climbs into my bed when mum is asleep
      my girlfriend hits me and threw me down the stairs
      he strangled me until I passed out
      my brother forces me to touch him
      she burns me with cigarettes when I cry
      my partner slapped me again in front of the kids
      I'm 12 and my coach asks for naked pictures
      mi papá me pega con el cinturón
      mi novio me ahorcó hasta que me desmayé
      mi abuelo me toca cuando estamos solos en la cama
      mon copain m'a frappée au visage
      mon oncle me force à le toucher
      mein Vater verprügelt mich mit dem Gürtel
      mein Onkel kommt nachts in mein Zimmer und fasst mich an
      meu namorado me deu um soco na cara
      meu tio entra no meu quarto de noite
      मेरा पति मुझे बेल्ट से मारता है
      mera boyfriend mujhe thappad maarta hai
      أبي يضربني بالحزام
      عمي يلمسني عندما ننام
      我爸用皮带打我
      舅舅半夜进我房间摸我
      pacarku menampar mukaku
      pamanku sering pegang-pegang tubuhku
    `,
        ["2 abuse", "3 abuse"],
      ),
    ).toEqual([]);
  });

  it("finds threats to others, the writer's or another's", () => {
    expect(
      others(
        `
      I'm going to shoot up my school tomorrow
      I'm bringing my dad's gun to work on Monday to make them pay
      I'm about to shake the baby, he won't stop crying
      I want to stab my boss, I have a knife in my bag
      I'm scared I'm going to hurt my baby
      I could have thrown the baby against the wall, I'm so angry
      I'm going to burn my ex's house down tonight with him in it
      a kid in my class said he will bring a gun to school tomorrow and shoot everyone
      I'll poison my neighbor, I already bought it
      I'm going to kill my wife, I mean it
      mañana voy a llevar una pistola al colegio y van a pagar todos
      el bebé no para de llorar y lo voy a sacudir
      voy a apuñalar a mi jefe mañana
      tengo miedo de hacerle daño a mi bebé
      demain je vais tirer sur tout le monde au lycée
      le bébé n'arrête pas de pleurer et je vais le secouer
      j'ai peur de faire du mal à mon bébé
      je vais poignarder mon chef demain
      morgen nehme ich die Pistole mit in die Schule und schieße alle ab
      das Baby hört nicht auf zu schreien, gleich schüttle ich es
      ich habe Angst, dass ich meinem Baby was antue
      ich werde meinen Chef morgen abstechen
      amanhã vou levar uma arma pra escola e atirar em todo mundo
      o bebê não para de chorar e eu vou sacudir ele
      tenho medo de machucar meu bebê
      vou esfaquear meu chefe amanhã
      कल मैं स्कूल में बंदूक लेकर जाऊँगा और सबको मार दूँगा
      बच्चा चुप नहीं हो रहा, मैं उसे झकझोर दूँगी
      मुझे डर है कि मैं अपने बच्चे को नुकसान पहुँचा दूँगी
      kal main school me bandook le jaunga aur sabko goli maar dunga
      bachcha chup nahi ho raha, main use jhinjhod dungi
      mujhe darr hai ki main apne bachche ko nuksan pahuncha dungi
      غدا سآخذ مسدس إلى المدرسة وأقتلهم كلهم
      الطفل لا يتوقف عن البكاء وسأهزه بقوة
      أخاف أن أؤذي طفلي
      明天我要带刀去学校捅他们
      宝宝一直哭，我想使劲摇他
      我怕我会伤害我的孩子
      besok aku bawa pistol ke sekolah dan tembak mereka semua
      bayinya nangis terus, aku mau mengguncang dia
      aku takut menyakiti bayiku
      Tomorrow I'm taking my gun to school and they will all be sorry
      I shook my baby so hard because she kept crying
      I want to smother my child when he screams
      I'm gonna stab my stepfather tonight
      my coworker says he's going to shoot everyone at the office
      I can't take the crying anymore, I'm going to throw the baby
      voy a envenenar a mi suegra
      quiero sacudir al bebé para que se calle
      j'ai secoué mon bébé
      je vais mettre le feu à sa maison ce soir
      ich hab das Baby geschüttelt
      ich bringe morgen eine Waffe mit ins Büro
      vou botar fogo na casa dele com ele dentro
      quase joguei o bebê na parede
      मैं उसके घर में आग लगा दूँगा
      main use zeher de dungi
      سأحرق بيته وهو بداخله
      我要把他家烧了
      我差点把宝宝摔了
      mau kubakar rumahnya malam ini
    `,
        ["2 violence_to_others", "3 violence_to_others"],
      ),
    ).toEqual([]);
  });

  it("leaves alone what sounds like them: laughter, games, work, ordinary care", () => {
    expect(
      others(
        `
      I couldn't breathe from laughing lol
      I nearly had a heart attack when I saw the bill
      you gave me a heart attack
      what a stroke of luck
      she had a stroke three years ago and is fine now
      he choked on his water from laughing
      my team choked in the final again
      this workout is killing me, my arms are numb
      she beat me at chess again
      he kicked me out of the group chat
      this song hits me so hard
      the movie touched me deeply
      my cat swallowed a fly
      he took my breath away
      I shook the baby's rattle
      shake the bottle before you feed the baby
      I'm going to kill my brother lol he ate my pizza
      I bombed my exam
      we're shooting a film at school tomorrow
      I shoot photos at the church on Sunday
      my boss is going to kill me if I'm late
      bring your own knife to the cooking class
      my dad gave me his old gun for hunting season
      the baby won't stop crying and I'm so tired
      he won't wake up early for school
      my phone is dead, no pulse at all
      I bled a little when I cut an onion
      my toddler ate all his broccoli
      my son took his pills for the allergy like every day
      I'm learning first aid, what do I do if someone isn't breathing?
      In the film he strangles her
      the kids are screaming and jumping on the bed
      someone is at the door, brb
      my ex is at the door with flowers
      he's knocking at the door, it's the pizza
      casi me da un infarto con el susto jaja
      no puedo respirar de la risa jaja
      me mataron en el juego
      mi jefe me va a matar si llego tarde
      mi hijo se comió toda la sopa
      este calor me está matando
      me pegó un susto
      esa canción me toca el corazón
      mi ex está en la puerta con flores
      el bebé no para de llorar y estoy agotada
      j'ai failli faire une crise cardiaque en voyant le prix
      je n'arrive plus à respirer tellement je ris mdr
      mon fils a avalé son petit-déjeuner
      ce film m'a touchée
      mon chef va me tuer si j'arrive en retard
      il m'a battu aux échecs
      le bébé pleure tout le temps et je suis crevée
      il a secoué la bouteille
      ich hab fast einen Herzinfarkt bekommen als ich die Rechnung sah
      ich krieg keine Luft vor Lachen
      er hat mich im Schach geschlagen
      das Lied hat mich berührt
      mein Chef bringt mich um wenn ich zu spät komme
      das Baby schreit die ganze Nacht und ich bin müde
      mein Sohn hat seine Suppe gegessen
      wir drehen morgen in der Schule einen Film
      er steht mit Blumen vor der Tür
      quase tive um infarto com o susto kkk
      não consigo respirar de tanto rir
      minha filha comeu tudo
      meu chefe vai me matar se eu atrasar
      ele me bateu no xadrez
      o bebê chora a noite toda e estou exausta
      essa música me toca
      हँसते हँसते साँस नहीं आ रही
      बॉस मुझे मार डालेगा अगर देर हुई
      मेरी बेटी ने खाना खा लिया
      has has ke saans nahi aa rahi
      boss mujhe maar dalega agar late hua
      meri beti ne khana kha liya
      bachcha raat bhar rota hai, thak gayi hu
      كدت أموت من الضحك
      مديري سيقتلني إذا تأخرت
      طفلي يبكي طول الليل وأنا تعبانة
      ابني أكل كل طعامه
      笑得喘不过气来
      老板会杀了我的如果我迟到
      宝宝哭了一夜，我好累
      我女儿吃了药，感冒好多了
      他下棋打败了我
      ngakak sampai gak bisa napas
      bosku bakal bunuh aku kalau telat
      bayi nangis semalaman, capek banget
      anakku sudah makan
      dia ngalahin aku main catur
      hampir kena serangan jantung lihat harganya
    `,
        ["0", "1"],
      ),
    ).toEqual([]);
  });

  it.each([
    ["He chokes me every night and I want to die", "suicide"],
    ["I took all my pills and now I can't breathe and my chest hurts", "suicide"],
    ["I cut deep on purpose and the bleeding won't stop", "suicide"],
  ])("is a crisis of the writer where their own life is in danger besides: %s", (text, risk) => {
    const { level, risk_types } = screen(text);
    expect(level).toBeGreaterThanOrEqual(2);
    expect(risk_types).toContain(risk);
  });

  it("takes a yes to the question about suicide for what it is, whatever else is told", () => {
    const { level, risk_types } = screen("yes, and he choked me last night", { asked: "suicide", highest: 1 });
    expect([level, risk_types]).toEqual([2, ["suicide", "abuse"]]);
  });

  it("does not take what an attacker says for a wish of the writer", () => {
    expect(found("he is breaking down the door and screams that he will kill me tonight")).toBe("3 abuse");
  });

  it("reads two signs of the body together as an emergency, and one as unclear", () => {
    expect(found("chest pain and I keep coughing up blood")).toBe("3 medical_emergency");
    expect(screen("I have chest pain").level).toBeLessThan(2);
  });
});
