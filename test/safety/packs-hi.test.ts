import { hindiPack, romanisedHindiPack } from "../../packages/companion/src/safety/rule-packs.ts";
import { hindi, romanisedHindi } from "../../packages/companion/src/safety/crisis-data.ts";
import { holdToTable } from "./pack-table.ts";

holdToTable({
  pack: hindiPack,
  phrases: hindi,
  imminent: `
    मैंने नींद की सारी गोलियां खा ली हैं
    मैंने जहर पी लिया
    मैं छत पर खड़ा हूँ और कूदने वाला हूँ
    आज रात मैं अपनी जान दे दूँगा
    रस्सी तैयार है, आज रात सब खत्म हो जाएगा
    चिट्ठी लिख दी है, कल सुबह तक मैं नहीं रहूँगी
    मैंने अपनी नस काट ली है, खून नहीं रुक रहा
    हाथ में ब्लेड है और मैं मरना चाहता हूँ
    आवाज़ें कह रही हैं कि कूद जाओ, मैं पुल पर हूँ
    ट्रेन के आगे कूदने जा रहा हूँ
    मैंने अभी नींद की पूरी शीशी खा ली
    पंखे से फंदा लटका दिया है, अब बस
    आज रात सब सो जाएंगे तो मैं जहर खा लूँगी
    मेरे हाथ में जहर की शीशी है, अब जीना नहीं
    मैंने कीटनाशक पी लिया है
  `,
  high: `
    मैं मरना चाहता हूँ
    मैं जीना नहीं चाहती
    मुझे अब और नहीं जीना
    आत्महत्या के विचार आते हैं
    मैं अपनी जान देना चाहता हूँ
    खुदकुशी करने का मन करता है
    कल रात मैंने अपनी कलाई पर ब्लेड से काटा
    मैं खुद को चोट पहुँचाती हूँ
    मर जाने का मन करता है
    कोई योजना नहीं है पर मैं मरना चाहती हूँ
    काश मैं मर जाऊँ
    इस दुनिया को छोड़कर जाना चाहता हूँ
    यह मेरा आखिरी मैसेज है, मम्मी का ख्याल रखना
    इस बार मैं नहीं बचूँगा
    महीनों से गोलियां जमा कर रखी हैं
    मैं पटरी पर बैठा हूँ
    बीस गोलियां खा लीं
    आत्महत्या करने के बारे में सोच रहा हूँ
    सबको अलविदा, माफ कर देना
    मैंने पहले भी कोशिश की थी, इस बार पक्का
    मुझे मर जाना है
    अब जीने की इच्छा नहीं रही
    मैं ज़िंदा नहीं रहना चाहता
    रोज़ आत्महत्या के ख्याल आते हैं
    मैंने फिर से अपना हाथ काट लिया
    अपनी ज़िंदगी खत्म करना चाहती हूँ
    सोचता हूँ फाँसी लगा लूँ
    मौत ही एक रास्ता है
    मैं अपने आप को खत्म कर लूँगा
    कल से मैं इस दुनिया में नहीं रहूँगा
    सुसाइड नोट लिख दिया है
    मम्मी पापा से कहना मैं उनसे प्यार करता हूँ, अलविदा
    सबको लगेगा कि हादसा था
    पिछली बार बच गया था, इस बार नहीं बचूँगा
    दिमाग में आवाज़ें कहती हैं मर जा
    मेरे जन्मदिन के बाद मैं नहीं रहूँगी
  `,
  unclear: `
    मैं सब पर बोझ हूँ
    मेरे बिना सब खुश रहेंगे
    काश सुबह आँख ही न खुले
    जीने का कोई मतलब नहीं
    बस गायब हो जाना चाहता हूँ
    मेरी दोस्त आत्महत्या करना चाहती है, मैं क्या करूँ
    अब कोई उम्मीद नहीं बची
    मुझे खुद से डर लगता है
    थक गया हूँ ज़िंदगी से
    अब और सहा नहीं जाता
    मेरे भाई ने कहा कि वह मर जाना चाहता है
    मेरे होने या न होने से किसी को फर्क नहीं पड़ता
    ज़िंदगी बेकार लगती है
    थक चुका हूँ, अब और नहीं होता
    काश मैं पैदा ही न होती
    मेरा भाई कह रहा है कि वह जीना नहीं चाहता
    मेरे दोस्त ने गोलियां खा ली हैं
    डर है कि मैं खुद के साथ कुछ कर लूँगा
  `,
  harmless: `
    हँसते हँसते मर गया यार
    भूख से मर रहा हूँ
    मेरी जान कैसी हो
    मैं मरना नहीं चाहता
    मैं आत्महत्या नहीं करूँगा
    फिल्म में हीरो ने आत्महत्या कर ली
    पबजी में फिर मर गया
    मेरे दादाजी पिछले हफ्ते गुज़र गए
    दो साल पहले मैं मरना चाहता था, अब मैं ठीक हूँ
    मैंने सिरदर्द की एक गोली खा ली
    आज ऑफिस में बहुत काम था
    किसानों की आत्महत्या पर शोध कर रहा हूँ
    फोन की बैटरी मर गई
    कल छत पर पतंग उड़ाएंगे
    मैं तुम पर मरता हूँ
    आज मन उदास है
    सब्जी काटते हुए हाथ कट गया
    मम्मी मार डालेगी आज
    शर्म से मर गई मैं
    अब मैं खुश हूँ
    नहीं, ऐसी कोई बात नहीं है
    उसकी मौत के बाद से मैं बहुत दुखी हूँ
    पढ़ पढ़ के मर गया
    तुम्हारी याद में मर रहा हूँ जान
    मैंने कभी आत्महत्या के बारे में नहीं सोचा
    मेरी नानी की मौत हो गई
    आत्महत्या की रोकथाम पर सेमिनार है
    इस गेम में बार बार मर रहा हूँ
    कल परीक्षा है, बहुत टेंशन है
    वो गाना सुनकर मर जाऊँ
    ट्रेन का इंतज़ार कर रहा हूँ, घर जा रहा हूँ
    रस्सी कूद रहा हूँ
    डॉक्टर की दी दवा खा ली
    गर्मी से जान निकल रही है
  `,
  answers: {
    yes: ["हाँ", "कभी कभी", "हाँ, रोज़"],
    no: ["नहीं", "नहीं, बिल्कुल नहीं"],
    evasion: ["पता नहीं"],
  },
});

holdToTable({
  pack: romanisedHindiPack,
  phrases: romanisedHindi,
  imminent: `
    maine neend ki saari goliyan kha li
    zeher pi liya maine
    chhat pe khada hu kood jaunga
    aaj raat suicide kar lunga
    rassi ready hai aaj raat sab khatam
    maine nas kaat li khoon nahi ruk raha
    chitthi likh di hai kal subah main nahi rahunga
    haath me blade hai marna chahti hu
    abhi 40 goliya kha li hai
    bridge pe khadi hu, kood jaungi
    aaj sab khatam kar dunga, pills samne hai
    kal exam ke baad main nahi rahungi, note likh diya hai
    harpic pi liya
  `,
  high: `
    main marna chahta hu
    mujhe jeena nahi hai
    mar jaane ka mann karta hai
    suicide karne ka mann kar raha hai
    khudkushi ke khayal aate hain
    ab aur nahi jeena mujhe
    maine phir se haath kaata blade se
    apni jaan dena chahti hu
    bas mar jau main
    koi plan nahi hai par marna hai mujhe
    ye mera last message hai mummy ka khayal rakhna
    is baar pakka nahi bachunga
    30 tablets kha li
    sabko alvida maaf kar dena
    mai mar jana chahti hu
    jina nhi chahta ab
    bas suicide kr lu kya
    man krta hai khud ko khatam kar lu
    roz marne ke khayal aate h
    mujhe nahi jeena yaar
    phansi laga lunga
    maine apne aap ko kaata
    zindagi khatam karna chahta hun
    mummy papa ko bolna main unse pyar karta hu, alvida
    accident lagega sabko
    is baar koi nahi bachayega
    awaz aati hai dimag me ki mar jao
    last msg hai mera, mujhe bhool jana
  `,
  unclear: `
    main sab pe bojh hu
    mere bina sab khush rahenge
    jeene ka koi matlab nahi
    kash subah aankh na khule
    meri dost suicide karna chahti hai kya karu
    gayab ho jana chahta hu
    ab aur saha nahi jata
    khud se dar lagta hai
    meri kisi ko zarurat nahi
    life bekar lagti hai
    ab nahi hota mujhse, thak gaya hu zindagi se
    mera dost bol raha hai wo mar jayega
    kash paida hi nahi hota
    koi farak nahi padta kisi ko mere hone se
  `,
  harmless: `
    has has ke mar gaya yaar
    bhook se mar raha hu
    meri jaan kaisi ho
    pubg me fir mar gaya
    main marna nahi chahta
    aaj office me bahut kaam tha
    phone ki battery mar gayi
    mummy maar dalegi aaj
    movie me hero suicide kar leta hai
    dada ji guzar gaye pichle hafte
    do saal pehle main marna chahta tha ab theek hu
    tujhpe marta hu main
    kal trip pe ja rahe hain
    aaj mood kharab hai
    ek tablet kha li sar dard ki
    sharm se mar gayi main
    padh padh ke mar gaya
    gaane sunke mar gayi, itna accha hai
    suicide squad dekhi kya
    maine kabhi suicide ka nahi socha
    mazak kar raha tha, mai theek hu
    bohot thak gaya aaj
    uski maut ke baad akela lagta hai
    jaan tum kab aaoge
    exam me fail ho gaya, sad hu
    dar lag raha hai kal ke interview se
    game me sab mar gaye
  `,
  answers: {
    yes: ["haan", "kabhi kabhi"],
    no: ["nahi"],
    evasion: ["pata nahi"],
  },
});
