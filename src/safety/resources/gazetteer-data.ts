/** Names of places by country. Names of countries in the languages come from the platform's Unicode data; here is what that lacks. One row per country: `CODE: name|name`. */

/** ISO 3166-1 alpha-2. */
export const countryCodes = (
  "AD AE AF AG AI AL AM AO AR AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ " +
  "EC EE EG ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP " +
  "KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MH MK ML MM MN MO MQ MR MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PR PS " +
  "PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WS YE ZA ZM ZW"
).split(" ");

/** Other names of countries, and of their parts. */
export const otherNames = `
AE: uae|emirates|the emirates|dubai|abu dhabi|sharjah|الامارات|دبي|أبو ظبي|emiratos arabes|alemirat
AR: argentine|buenos aires|rosario|mendoza|mar del plata|tucuman|la plata
AT: wien|vienna|graz|linz|salzburg|innsbruck|tyrol|tirol|viena|维也纳
AU: oz|sydney|melbourne|brisbane|perth|adelaide|canberra|hobart|darwin|gold coast|queensland|new south wales|nsw|tasmania|western australia|south australia|悉尼|墨尔本
BA: bosnia|sarajevo
BD: dhaka|chittagong|sylhet
BE: brussels|bruxelles|brussel|antwerp|antwerpen|ghent|gent|bruges|liege|flanders|wallonia|flandern|bruselas
BG: sofia|plovdiv
BO: la paz|santa cruz de la sierra
BR: brasil|sao paulo|rio|rio de janeiro|brasilia|salvador|fortaleza|belo horizonte|manaus|curitiba|recife|porto alegre|belem|goiania|floripa|florianopolis|campinas|santos
BY: minsk
CA: toronto|montreal|vancouver|calgary|edmonton|ottawa|winnipeg|quebec city|halifax|mississauga|ontario|quebec|british columbia|alberta|manitoba|saskatchewan|nova scotia|new brunswick|newfoundland|prince edward island|yukon|nunavut|northwest territories|kanada|多伦多|温哥华|टोरंटो
CD: drc|dr congo|kinshasa|congo kinshasa|democratic republic of congo|democratic republic of the congo
CG: brazzaville|congo brazzaville|republic of the congo
CH: swiss|zurich|zuerich|geneva|geneve|genf|basel|bern|lausanne|lucerne|luzern|schweiz|suisse|苏黎世
CI: ivory coast|cote d'ivoire|abidjan|costa de marfil|elfenbeinkuste
CL: santiago de chile|valparaiso|concepcion|antofagasta|chilie
CM: douala|yaounde
CN: prc|mainland china|beijing|shanghai|guangzhou|shenzhen|chengdu|wuhan|chongqing|tianjin|hangzhou|nanjing|xian|北京|上海|广州|深圳|成都|武汉|重庆|天津|杭州|南京|西安|苏州|大陆|中国大陆|广东|四川|浙江|江苏|山东|chine|cina|tiongkok|peking|चाइना
CO: bogota|medellin|cali|barranquilla|cartagena
CR: san jose costa rica
CU: havana|la habana
CY: nicosia|limassol
CZ: czech republic|czechia|prague|praha|brno|prag|praga|republica checa|tschechien
DE: germany|deutschland|berlin|munich|munchen|muenchen|hamburg|cologne|koln|koeln|frankfurt|stuttgart|dusseldorf|duesseldorf|leipzig|dresden|hanover|hannover|nuremberg|nurnberg|bremen|dortmund|essen|bavaria|bayern|saxony|sachsen|hessen|nrw|baden wurttemberg|柏林|慕尼黑|برلين|बर्लिन|berlim
DK: copenhagen|kobenhavn|aarhus|kopenhagen
DO: santo domingo|dominican republic
DZ: algiers|alger|oran|الجزائر العاصمة
EC: quito|guayaquil
EE: tallinn|tartu
EG: cairo|alexandria|giza|القاهرة|الإسكندرية|الاسكندرية|الجيزة|le caire|kairo
ES: madrid|barcelona|seville|sevilla|zaragoza|malaga|murcia|bilbao|palma|mallorca|catalonia|cataluna|andalucia|andalusia|basque country|pais vasco|galicia|canary islands|tenerife|马德里|巴塞罗那|مدريد|madri
ET: addis ababa
FI: helsinki|tampere|turku|espoo
FR: paris|marseille|lyon|toulouse|nantes|strasbourg|montpellier|bordeaux|lille|rennes|brittany|bretagne|normandy|normandie|provence|巴黎|باريس|पेरिस
GB: uk|u k|great britain|britain|england|scotland|wales|northern ireland|london|manchester|liverpool|leeds|sheffield|bristol|glasgow|edinburgh|cardiff|belfast|nottingham|newcastle upon tyne|leicester|southampton|brighton|aberdeen|swansea|oxford|inglaterra|angleterre|escocia|ecosse|schottland|grossbritannien|großbritannien|royaume uni|inggris|skotlandia|londres|londra|伦敦|英格兰|苏格兰|لندن|بريطانيا|انجلترا|إنجلترا|लंदन|इंग्लैंड|ब्रिटेन|यूके|edimburgo|reino unido|vereinigtes konigreich|grande bretagne
GE: tbilisi|republic of georgia|georgia the country|sakartvelo
GH: accra|kumasi
GR: athens|athina|thessaloniki|crete|athen|atenas|athenes
GT: guatemala city
HK: hong kong|hongkong|kowloon|香港|هونغ كونغ
HN: tegucigalpa
HR: zagreb|split croatia|dubrovnik
HU: budapest|debrecen
ID: indo|jakarta|surabaya|bandung|medan|semarang|makassar|yogyakarta|jogja|jogjakarta|bali|denpasar|palembang|malang|java|jawa|sumatra|jabar|jateng|jatim|depok|bekasi|tangerang|bogor|雅加达
IE: eire|dublin|cork|galway|limerick|republic of ireland|irland|irlande
IL: tel aviv|jerusalem|haifa
IN: bharat|hindustan|delhi|new delhi|mumbai|bombay|bangalore|bengaluru|hyderabad india|chennai|kolkata|calcutta|pune|ahmedabad|jaipur|lucknow|kanpur|nagpur|indore|bhopal|patna|kerala|tamil nadu|karnataka|maharashtra|gujarat|uttar pradesh|bihar|rajasthan|west bengal|goa|noida|gurgaon|gurugram|chandigarh|kochi|दिल्ली|मुंबई|बेंगलुरु|चेन्नई|कोलकाता|पुणे|जयपुर|लखनऊ|पटना|इंडिया|हिंदुस्तान|भोपाल|कानपुर|बिहार|उत्तर प्रदेश|نيودلهي|孟买|新德里
IQ: baghdad|basra|erbil|بغداد|البصرة
IR: tehran|teheran|isfahan|shiraz|persia
IS: reykjavik
IT: rome|roma|milan|milano|naples|napoli|turin|torino|palermo|florence|firenze|bologna|venice|venezia|sicily|sicilia|sardinia|tuscany|rom|罗马|米兰|روما|mailand
JM: jamaica
JO: amman|عمان الأردن
JP: tokyo|osaka|kyoto|yokohama|nagoya|sapporo|fukuoka|hokkaido|okinawa|tokio|东京|大阪|طوكيو
KE: nairobi|mombasa|kisumu
KP: north korea|dprk|pyongyang|corea del norte|coree du nord|nordkorea|coreia do norte|朝鲜|korea utara
KR: south korea|s korea|rok|seoul|busan|incheon|daegu|corea del sur|coree du sud|sudkorea|suedkorea|coreia do sul|韩国|首尔|korea selatan|दक्षिण कोरिया|كوريا الجنوبية|republic of korea
KW: kuwait city|الكويت
KZ: almaty|astana
LB: beirut|beyrouth|بيروت|liban
LK: ceylon|colombo|kandy
LT: vilnius|kaunas
LU: luxemburg
LV: riga
LY: benghazi
MA: casablanca|rabat|marrakech|marrakesh|fez|tangier|الدار البيضاء|الرباط|maroc
MM: burma|myanmar|yangon
MO: macau|macao|澳门
MT: valletta
MU: port louis
MX: mexico city|cdmx|ciudad de mexico|guadalajara|monterrey|puebla|tijuana|cancun|mejico|mexiko|mexique
MY: kuala lumpur|kl|penang|johor|johor bahru|sabah|sarawak|吉隆坡
MZ: maputo
NG: lagos|abuja|kano|ibadan|port harcourt
NL: holland|the netherlands|amsterdam|rotterdam|the hague|utrecht|eindhoven|den haag|groningen|paises bajos|pays bas|niederlande|holanda|hollande|belanda|hollanda|阿姆斯特丹
NO: oslo|bergen|trondheim|stavanger
NP: kathmandu|pokhara
NZ: aotearoa|nz|auckland|wellington|christchurch|dunedin|奥克兰
OM: muscat|مسقط
PE: lima|arequipa|cusco
PH: the philippines|philippines|manila|cebu|davao|quezon city|pinas
PK: karachi|lahore|islamabad|rawalpindi|peshawar|faisalabad|कराची|लाहौर
PL: warsaw|warszawa|krakow|cracow|gdansk|wroclaw|poznan|lodz|warschau|varsovia
PS: palestine|gaza|west bank|ramallah|فلسطين|غزة
PT: lisbon|lisboa|porto|oporto|braga|coimbra|algarve|madeira|azores|acores|lissabon|lisbonne|里斯本
PY: asuncion
QA: doha|الدوحة
RO: bucharest|bucuresti|cluj|timisoara
RS: belgrade|beograd|novi sad
RU: russia|moscow|moskva|saint petersburg|st petersburg|siberia|moskau|moscu|莫斯科
SA: ksa|saudi|riyadh|jeddah|mecca|medina|dammam|الرياض|جدة|مكة|الدمام|السعودية|المدينة المنورة
SE: stockholm|gothenburg|goteborg|malmo|uppsala|estocolmo
SG: s'pore|新加坡
SI: ljubljana|maribor
SK: bratislava|slovakia
SN: dakar
SV: el salvador|san salvador
SY: damascus|aleppo|دمشق|حلب
SZ: swaziland
TH: bangkok|chiang mai|phuket|曼谷
TN: tunis|تونس العاصمة
TR: turkey|turkiye|istanbul|ankara|izmir|antalya|turquia|turkei|turquie|turki|伊斯坦布尔
TT: trinidad|tobago
TW: taipei|kaohsiung|taichung|台湾|臺灣|台北|高雄|taiwan
TZ: dar es salaam
UA: kyiv|kiev|kharkiv|lviv|odesa|odessa
UG: kampala
US: usa|u s|u s a|us of a|the us|the states|the united states|united states of america|america|new york|nyc|new york city|brooklyn|manhattan|queens|los angeles|chicago|houston|phoenix|philadelphia|san antonio|san diego|dallas|austin|san francisco|seattle|denver|boston|detroit|miami|atlanta|las vegas|baltimore|minneapolis|cleveland|new orleans|tampa|orlando|sacramento|pittsburgh|cincinnati|st louis|kansas city|charlotte|indianapolis|columbus ohio|portland oregon|nashville|memphis|milwaukee|honolulu|washington dc|washington d c|dc|alabama|alaska|arizona|arkansas|california|cali usa|socal|norcal|colorado|connecticut|delaware|florida|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|jersey city|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|washington state|west virginia|wisconsin|wyoming|puerto rico|eeuu|ee uu|estados unidos|etats unis|eua|vereinigten staaten|amerika|amerika serikat|amrika|अमेरिका|यूएसए|न्यूयॉर्क|أمريكا|امريكا|نيويورك|الولايات المتحدة الأمريكية|美国|纽约|洛杉矶|旧金山|加州|nueva york|nova york|nova iorque
UY: montevideo
VE: caracas|maracaibo
VN: vietnam|viet nam|hanoi|saigon|ho chi minh city|hcmc|da nang|越南
ZA: rsa|south africa|cape town|johannesburg|joburg|durban|pretoria|soweto|port elizabeth|sudafrica|südafrika|sudafrika|africa do sul|afrique du sud|afrika selatan
ZM: lusaka
ZW: harare|bulawayo
`;

/** Names of two places or more: none is chosen for the person. */
export const ambiguousNames: Readonly<Record<string, readonly string[]>> = {
  ...{
    georgia: ["GE", "US"],
    georgien: ["GE"],
    korea: ["KR", "KP"],
    corea: ["KR", "KP"],
    coree: ["KR", "KP"],
    coreia: ["KR", "KP"],
    كوريا: ["KR", "KP"],
    कोरिया: ["KR", "KP"],
  },
  ...{
    congo: ["CD", "CG"],
    kongo: ["CD", "CG"],
    刚果: ["CD", "CG"],
    ireland: ["IE", "GB"],
    irlanda: ["IE", "GB"],
    irlande: ["IE", "GB"],
    irland: ["IE", "GB"],
  },
  ...{
    cordoba: ["ES", "AR"],
    birmingham: ["GB", "US"],
    valencia: ["ES", "VE"],
    granada: ["ES", "NI"],
    santiago: ["CL", "DO", "ES"],
    merida: ["ES", "MX", "VE"],
  },
  ...{
    guadalupe: ["MX", "GP"],
    leon: ["ES", "MX", "NI"],
    cambridge: ["GB", "US"],
    hyderabad: ["IN", "PK"],
    tripoli: ["LY", "LB"],
    guinea: ["GN", "GW", "GQ"],
  },
  ...{
    portland: ["US"],
    kingston: ["JM", "CA"],
    hamilton: ["CA", "NZ"],
    newcastle: ["GB", "AU"],
    victoria: ["AU", "CA"],
    "san jose": ["CR", "US"],
    richmond: ["US", "GB"],
  },
  ...{
    punjab: ["IN", "PK"],
    kashmir: ["IN", "PK"],
    bengal: ["IN", "BD"],
    toledo: ["ES", "US"],
    "la rioja": ["ES", "AR"],
    cartagena: ["CO", "ES"],
    halifax: ["CA", "GB"],
  },
  ...{
    worcester: ["GB", "US"],
    dublin: ["IE"],
    york: ["GB"],
    "new york": ["US"],
    macedonia: ["MK", "GR"],
    samoa: ["WS"],
    sudan: ["SD"],
    "santa cruz": ["BO", "US", "ES"],
    "st petersburg": ["RU", "US"],
  },
  ...{
    "saint petersburg": ["RU", "US"],
    london: ["GB"],
    perth: ["AU", "GB"],
    athens: ["GR", "US"],
    trujillo: ["PE", "ES"],
    zaragoza: ["ES"],
    "the virgin islands": ["VG", "VI"],
    luxembourg: ["LU"],
  },
};

/** What people of a country call themselves. */
export const demonyms = `
AR: argentine|argentinian|argentino|argentina
AT: austrian|osterreicher|osterreicherin
AU: australian|aussie
BD: bangladeshi
BE: belgian|belge|belgier
BR: brazilian|brasileiro|brasileira|brasileno|brasilena
CA: canadian|canadien|canadienne|canadiense|kanadier
CH: schweizer|schweizerin
CL: chilean|chileno|chilena
CN: 中国人
CO: colombian|colombiano|colombiana
CZ: czech
DE: deutscher|deutsche
DK: danish|dane
EG: egyptian|مصري|مصرية
ES: spaniard|espanol|espanola
FI: finnish|finn
FR: frenchman|frenchwoman|francais|francaise|franzose
GB: british|brit|briton|english|scottish|welsh|britisch
GH: ghanaian
GR: greek
HK: hongkonger|香港人
HU: hungarian
ID: indonesian|orang indonesia
IE: irish
IL: israeli
IN: indian|भारतीय
IT: italian|italiano|italiana
JP: japanese
KE: kenyan
KR: south korean|korean
LB: lebanese|لبناني|لبنانية
MA: moroccan|مغربي|مغربية|marocain|marocaine
MX: mexican|mexicano|mexicana
MY: malaysian
NG: nigerian
NL: dutch
NO: norwegian
NZ: kiwi|new zealander
PE: peruvian|peruano|peruana
PH: filipino|filipina|pinoy
PK: pakistani
PL: polish
PT: portuguese|portugues|portuguesa
RO: romanian
RU: russian
SA: سعودي|سعودية
SE: swedish|swede
SG: singaporean|新加坡人
TH: thai
TR: turkish
TW: taiwanese|台湾人
UA: ukrainian
US: american|americano|americana|美国人|amerikaner
VE: venezuelan|venezolano|venezolana
VN: vietnamese
ZA: south african
`;

/** Abbreviations of states and provinces, for a name that is two places: `Birmingham, AL`. */
export const subdivisions: Readonly<Record<string, string>> = Object.fromEntries(
  [
    [
      "US",
      "AL AK AZ AR CA CO CT FL GA HI ID IL IN IA KS KY LA MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY",
    ],
    ["CA", "ON QC BC AB MB SK NS NB NL PE"],
    ["AU", "NSW VIC QLD TAS"],
  ].flatMap(([country = "", codes = ""]) => codes.split(" ").map((code) => [code.toLowerCase(), country] as const)),
);
