import type { SafetyPhrases } from "throughline/safety";

/** What is said in a crisis in Hindi in Latin letters. */
export const romanisedHindi: SafetyPhrases = {
  language: "hi-Latn",
  ask_directly: [
    "Aapki baat theek se samajhne ke liye seedhe poochna zaroori hai: kya aapke mann mein suicide ke khayal aa rahe hain?",
    "Aapne jo likha woh maayne rakhta hai, aur andaza lagane se behtar hai pooch lena: kya aapke mann mein apni zindagi khatam karne ka khayal hai?",
    "Jab sab kuch itna bhaari ho jaye, toh kuch logon ke mann mein marne ki baat aati hai, isliye saaf sawaal hai: kya aapke mann mein apni jaan lene ka khayal hai?",
  ],
  ask_directly_other: [
    "Unka haal theek se samajhne ke liye seedhe poochna zaroori hai: kya unhone suicide ya marne ki ichchha ki baat ki hai?",
    "Andaza lagane se behtar hai pooch lena: kya aapko lagta hai ki unke mann mein apni zindagi khatam karne ka khayal hai?",
  ],
  opening: [
    "Batane ke liye shukriya. Yeh bahut bhaari hai, aur aapki baat ko poori gambhirta se liya ja raha hai.",
    "Accha hua ki aapne yeh yahan kaha. Aapka dard sunai de raha hai, aur yeh baat gambhir hai.",
    "Yeh kehne mein himmat lagti hai. Yahan aapko kuch chhupane ki zaroorat nahi, aapki baat gambhirta se li ja rahi hai.",
  ],
  opening_imminent: [
    "Batane ke liye shukriya. Abhi sabse pehle aapki suraksha hai, hum ek-ek kadam lete hain.",
    "Aapne bataya, yeh bahut zaroori tha. Aap is waqt khatre mein ho sakte hain, aur is pal sirf aapka safe hona maayne rakhta hai.",
    "Aapki baat suni gayi hai aur ise bahut gambhirta se liya ja raha hai. Abhi bas ek kaam hai: agle kuch minute safe nikalna.",
  ],
  opening_other: [
    "Unka dhyan rakhne ke liye shukriya. Kisi apne ko aise dekhna darawna hota hai, aur aapki baat gambhirta se li ja rahi hai.",
    "Accha hua ki aapne dhyan diya aur munh nahi phera. Aap jo bata rahe hain, woh gambhir hai.",
  ],
  heard: [
    "Aapki baat suni ja rahi hai, aur accha hai ki yahan likhna jaari hai.",
    "Yahan bane rehne ke liye shukriya, chahe abhi kuch keh paana aasaan ho ya nahi.",
    "Yeh baat sun li gayi hai. Har sawaal ka jawaab hona zaroori nahi hai.",
  ],
  heard_place: "Yeh batane ke liye shukriya ki aap kahan hain.",
  heard_someone: "Accha hai ki koi saath hai. Please unhe batayein ki haalat kitni gambhir hai, aur saath hi rahein.",
  heard_willing: "Yeh accha hai. Please abhi aisa karein, aur mann ho toh is beech yahan likhte rahein.",
  heard_no: "Sach batane ke liye shukriya.",
  call_now: "Please abhi {emergency} ya kisi crisis helpline par phone karein, aur unhe wahi batayein jo aapne yahan bataya hai.",
  call_still: [
    "Please abhi {emergency} ya kisi crisis helpline par phone karein, chahe mushkil lage: woh isi ke liye hain.",
    "Sabse zaroori baat ab bhi yahi hai: abhi {emergency} ya kisi crisis helpline par phone karein.",
  ],
  emergency_unknown: "apne ilaake ke emergency number",
  be_with_someone:
    "Abhi kisi ke paas jaayein, ya kisi ko apne paas bulayein: dost, padosi, parivaar, aas-paas ka koi bhi. Kisi ka saath hona madad karta hai.",
  distance:
    "Jis cheez se aapko chot lag sakti hai, usse door ho jaayein: doosre kamre mein ya bahar chale jaayein, ya kisi se kahein ki use hata de.",
  stay_with_them: "Agar aap safe rehte hue aisa kar sakein, toh unke saath rahein, ya madad aane tak pakka karein ki koi aur unke saath ho.",
  resources_intro: "{place} mein aap inse baat kar sakte hain:",
  resources_both: "Is naam ki ek se zyada jagah hain. Woh chunein jahan aap hain:",
  resource_stale: "jaankari {date} tak ki hai, isliye please unki site par pakka kar lein",
  no_resources: "{place} ke liye koi pakki helpline yahan nahi hai. In soochiyon mein desh ke hisaab se sewayein milti hain:",
  directories: "In soochiyon mein desh ke hisaab se muft aur gopniya sewayein milti hain:",
  ask_location: "Aap kis desh mein hain, taaki wahan ki sewayein dikhayi ja sakein?",
  resources_again: [
    "Pehle di gayi sewayein aapke liye ab bhi hain, jab bhi aap kisi se baat karna chahein.",
    "Pehle bataye gaye logon se aap kisi bhi samay phir baat kar sakte hain, chahe pehle phone kar chuke hon.",
  ],
  ask_plan: "Kya aapne socha hai ki aap yeh kaise karenge?",
  ask_means: "Kya aapki pahunch mein kuch aisa hai jisse aap khud ko chot pahuncha sakein?",
  ask_time: "Kya aapne socha hai ki kab?",
  ask_someone: "Kya abhi aapke saath koi hai, ya koi hai jo aakar aapke saath reh sake?",
  ask_willing: "Kya aap hamari baatcheet ke dauran inme se kisi ko, ya kisi bharosemand insaan ko, phone karne ya likhne ke liye taiyaar hain?",
  ask_barriers: "Abhi kisi se madad maangne mein kya baat mushkil lag rahi hai?",
  human_care:
    "Please kisi bharosemand insaan ko bhi batayein, aur kisi jaankar se baat karein, jaise doctor ya counsellor. Isme kisi ka saath hona aapka haq hai, aur madad maangna theek hai.",
  coping: [
    "Tab tak kuch baar dheere-dheere saans chhodna, ya koi thandi cheez pakadkar use mehsoos karna madad kar sakta hai.",
    "Agle kuch minute aisi jagah rehna jahan aur log hon, thoda paani peena, aur har faisle ko taal dena madad kar sakta hai.",
    "Ho sake toh aas-paas dekhein aur kuch cheezon ke naam lein jo dikhti aur sunai deti hain. Tez bhaavnayein uthti hain, aur utarti bhi hain.",
  ],
  ai_limits: "Yeh ek AI hai, insaan nahi. Ise nahi dikhta ki aap kahan hain, aur yeh aapke liye kisi ko phone nahi kar sakta.",
  nobody_watching: "Yahan koi insaan yeh baatcheet nahi padh raha, isliye please kisi ke dhyan dene ka intezaar na karein.",
  somebody_told: "Is seva ko chalane wali team ko bata diya gaya hai. Please unka intezaar na karein: khatre mein hon toh abhi phone karein.",
  stay: [
    "Yeh baatcheet khuli hai, aap jab tak chahein baat kar sakte hain.",
    "Aap kisi bhi samay likhte reh sakte hain.",
    "Aage aap jo bhi batana chahein, yahan suna jayega.",
  ],
  not_saved:
    "Aapne jo likha woh shayad abhi save nahi hua, isliye ho sakta hai ki woh yaad na rahe. Please thodi der mein phir bhejein; khatre mein hon toh abhi apne ilaake ke emergency number par phone karein.",
  limited: "Abhi safety check seemit hai. Agar aapko sahare ki zaroorat ho, toh yahan seva mil sakti hai: {directory}",
  disclosure:
    "Yeh ek AI companion hai, insaan nahi, aur yeh galat ho sakta hai. Sehat ya suraksha ki baaton ke liye kisi bharosemand insaan ya jaankar se baat karein.",
  apology: "Maaf kijiye, abhi theek se jawab nahi ban paya. Kya aap ise ek baar phir, shayad doosre shabdon mein, kahenge?",
};
