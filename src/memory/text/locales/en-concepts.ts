/**
 * Classes of things in English, version 2026-11.1. Written by hand from general knowledge of everyday life: what people have, do, like and suffer from. No
 * text of any conversation or data set into it.
 */
export const concepts: Readonly<Record<string, string>> = {
  "activity hobby pastime interest":
    "hiking camping painting drawing pottery running jogging swimming cycling biking yoga dancing singing reading writing gardening cooking baking knitting sewing crochet photography fishing hunting climbing surfing skiing snowboarding kayaking canoeing sailing skating gaming chess woodworking volunteering meditation bowling archery birdwatching karaoke origami calligraphy sculpting journaling blogging collecting exploring traveling museum concert picnic hike camp paint swim",
  "outdoor outdoors nature outside":
    "hiking hike camping camp mountain mountaineering climbing trail forest woods lake river beach park canyon waterfall kayaking canoeing fishing surfing skiing picnic garden gardening sunset stars campfire trek backpacking rafting desert island",
  "sport exercise workout fitness athletic":
    "soccer football basketball baseball tennis golf hockey volleyball rugby cricket badminton swimming running jogging marathon cycling gym yoga pilates boxing karate judo taekwondo wrestling skiing snowboarding surfing skating climbing hiking gymnastics weights crossfit rowing fencing softball aerobics kickboxing triathlon treadmill race swim run",
  "game videogame":
    "chess poker monopoly scrabble minecraft zelda mario pokemon fortnite catan dungeons puzzle cards console nintendo playstation xbox gaming tournament checkers backgammon bingo charades trivia",
  "music musical":
    "song band concert album guitar piano violin drums singer sing jazz rock classical pop hip-hop rap opera symphony orchestra choir melody playlist festival gig karaoke",
  instrument:
    "guitar piano violin viola cello drums flute clarinet saxophone trumpet trombone harp ukulele banjo keyboard bass harmonica accordion mandolin oboe tuba organ recorder fiddle",
  "musician artist band singer composer": "mozart bach beethoven beatles sheeran swift singer guitarist pianist drummer rapper vocalist",
  "art artwork arts":
    "painting drawing sculpture pottery sketch portrait watercolor mural canvas photography gallery exhibition illustration ceramic mosaic landscape paint draw museum craft oil acrylic",
  "craft handmade": "pottery knitting sewing crochet quilt ceramics woodworking weaving embroidery jewelry origami candle scrapbook clay bowl beads",
  "pet animal":
    "dog cat puppy kitten hamster rabbit bunny bird parrot fish goldfish turtle tortoise snake lizard gecko guinea pig horse pony ferret rat mouse chicken duck goat",
  "animal wildlife":
    "dog cat bird horse cow pig sheep goat lion tiger bear elephant giraffe zebra monkey wolf fox deer squirrel rabbit snake turtle whale dolphin shark fish butterfly bee owl eagle penguin panda koala kangaroo frog",
  "dog breed":
    "labrador retriever shepherd poodle bulldog beagle husky terrier collie corgi dachshund pug chihuahua spaniel rottweiler pup puppy mutt",
  "family relative relation":
    "mother father mom dad sister brother son daughter child husband wife parent grandmother grandfather aunt uncle cousin niece nephew sibling twin grandparent stepmother stepfather grandchild grandson granddaughter",
  parent: "mother father stepmother stepfather",
  sibling: "brother sister twin",
  "child kid": "son daughter baby toddler twin newborn boy girl",
  grandparent: "grandmother grandfather",
  "partner spouse": "husband wife boyfriend girlfriend fiance fiancee married wedding",
  "relationship marital status":
    "single married divorced engaged dating boyfriend girlfriend husband wife partner widow breakup wedding fiance separated",
  friend: "buddy pal bestie mate roommate classmate neighbor colleague",
  "food dish meal eat cuisine":
    "pizza pasta sushi burger sandwich soup salad rice noodles bread cheese chicken beef pork fish steak taco burrito curry stew cake cookie pie chocolate ice cream dessert vegetable fruit egg bacon pancakes waffle dumplings ramen lasagna roast grill barbecue dinner lunch breakfast brunch snack seafood shrimp lobster tofu",
  cuisine: "italian mexican chinese japanese indian thai french greek korean vietnamese spanish turkish lebanese ethiopian mediterranean",
  "dessert sweet baked":
    "cake cookie pie brownie ice cream chocolate candy cupcake muffin pudding tart donut pastry cheesecake tiramisu sorbet macaron croissant",
  fruit:
    "apple banana orange strawberry blueberry raspberry grape mango pineapple peach pear cherry lemon lime watermelon melon kiwi plum coconut avocado",
  vegetable: "tomato potato carrot onion broccoli spinach lettuce cucumber pepper corn pea bean cabbage kale zucchini eggplant mushroom",
  "drink beverage": "coffee tea water juice soda beer wine whiskey cocktail milk smoothie lemonade espresso latte champagne vodka rum gin cider cola",
  "diet dietary": "vegan vegetarian gluten dairy keto halal kosher pescatarian allergy lactose sugar calorie carb paleo fasting",
  "allergy allergic": "peanut nut gluten dairy lactose pollen shellfish cat dog fur penicillin hives egg soy reptile dust",
  restaurant: "cafe diner bistro pizzeria bar pub buffet bakery steakhouse brunch",
  "country nation abroad":
    "america usa england uk britain scotland ireland france germany spain italy portugal greece sweden norway denmark finland iceland netherlands belgium switzerland austria poland russia ukraine turkey egypt morocco kenya nigeria ghana ethiopia africa india pakistan bangladesh china japan korea thailand vietnam indonesia philippines malaysia singapore australia zealand canada mexico cuba jamaica brazil argentina chile peru colombia israel iran iraq croatia hungary czech romania nepal",
  "european europe":
    "england uk britain scotland ireland france germany spain italy portugal greece sweden norway denmark finland iceland netherlands belgium switzerland austria poland croatia hungary czech prague romania paris london rome berlin barcelona madrid vienna amsterdam lisbon athens venice",
  "asian asia": "china japan korea thailand vietnam india indonesia philippines malaysia singapore nepal tokyo beijing seoul bangkok bali kyoto",
  "african africa": "egypt morocco kenya nigeria ghana ethiopia tanzania uganda senegal zimbabwe cairo nairobi",
  "city town":
    "york angeles chicago houston boston seattle miami denver austin dallas portland diego francisco vegas orleans london paris berlin rome madrid barcelona tokyo toronto vancouver sydney melbourne dublin amsterdam vienna prague lisbon moscow beijing shanghai mumbai delhi dubai singapore",
  state:
    "california texas florida york nevada oregon washington colorado arizona utah michigan ohio illinois georgia carolina virginia massachusetts pennsylvania jersey minnesota wisconsin alaska hawaii tennessee indiana connecticut maine montana",
  "place location spot":
    "park beach lake mountain city town museum restaurant cafe library school church hotel office studio gym forest island river country village store shop theater stadium zoo garden",
  "travel trip vacation holiday visit journey":
    "flight fly airport hotel beach road camping cruise abroad tour resort passport paris london rome island mountain roadtrip backpacking sightseeing",
  "home house live apartment residence":
    "move moved apartment condo flat house rent bought mortgage neighborhood suburb downtown roommate backyard kitchen cottage cabin",
  "job work occupation career profession employment living":
    "teacher nurse doctor engineer lawyer designer developer programmer writer artist chef cook waiter manager accountant salesman driver pilot police firefighter soldier actor musician photographer journalist scientist counselor therapist psychologist architect mechanic carpenter electrician plumber farmer librarian baker barista hairdresser veterinarian dentist pharmacist consultant analyst coach trainer internship hired company office boss promotion freelance",
  "business company startup":
    "store shop studio brand customers startup launch boutique website owner entrepreneur clients investor opening cafe firm",
  "field education study degree major subject":
    "psychology counseling engineering medicine law biology chemistry physics math history literature art music economics business nursing computer science philosophy sociology education journalism architecture certificate diploma bachelor master phd college university",
  "school education student":
    "class college university course exam teacher lecture homework graduate graduation semester degree campus professor kindergarten grade",
  language:
    "english spanish french german italian portuguese russian chinese mandarin japanese korean arabic hindi turkish dutch swedish polish greek hebrew latin",
  "nationality ethnicity":
    "american british english french german spanish italian swedish mexican canadian chinese japanese indian korean russian brazilian irish polish",
  "religion religious faith spiritual belief":
    "christian catholic church god prayer pray bible jesus muslim islam mosque quran jewish synagogue judaism buddhist buddhism temple meditation hindu hinduism atheist faith pastor priest mass worship cross",
  "political politics":
    "liberal conservative democrat republican vote election rights activism protest campaign government senator mayor policy rally equality",
  "cause charity volunteer activism community":
    "shelter homeless donation fundraiser charity volunteering rights environment lgbtq equality foodbank mentoring campaign awareness march parade nonprofit donate support rally",
  "lgbtq identity gender": "transgender trans gay lesbian queer bisexual nonbinary pride transition woman man rainbow",
  "illness disease sick condition health medical":
    "cancer diabetes asthma flu cold fever migraine headache arthritis allergy anxiety depression infection pneumonia covid surgery injury pain hypertension stroke epilepsy ulcer hospital doctor diagnosis heart weight knee",
  "injury hurt accident": "broke sprain fracture twisted ankle knee wrist arm leg back concussion bruise cut crash fell stitches ligament torn",
  symptom: "pain fever cough headache nausea dizzy fatigue tired rash swelling insomnia",
  "medicine medication treatment therapy":
    "pill tablet antibiotic insulin ibuprofen aspirin antidepressant surgery therapist counseling vaccine physiotherapy chemotherapy inhaler prescription",
  "doctor hospital": "surgeon dentist therapist nurse clinic psychiatrist appointment checkup specialist emergency",
  "mental wellbeing self-care stress cope destress relax relaxation":
    "yoga meditation therapy running reading bath walk nature music journaling breathing painting sleep massage pottery exercise mindfulness",
  "feeling emotion mood feel":
    "happy sad angry anxious excited nervous scared proud grateful thankful lonely worried relieved stressed overwhelmed upset disappointed frustrated jealous calm hopeful inspired joy fear love depressed hurt",
  "personality trait character quality":
    "kind caring thoughtful honest brave funny creative shy outgoing patient determined passionate driven helpful friendly confident curious generous supportive ambitious",
  "fear afraid phobia": "heights spiders snakes flying public dark failure clowns needles",
  "goal dream plan aspiration": "hope want become career travel learn write open start finish wish aim save",
  "achievement accomplishment award success": "won prize trophy medal promotion graduated certificate championship scholarship competition published",
  "problem challenge difficulty struggle setback":
    "lost fired failed broke debt divorce stress injury sick cancelled accident obstacle hard tough rejected",
  "vehicle car transport transportation":
    "car truck bike motorcycle bus train van suv scooter boat tesla ford toyota honda bmw mercedes mustang ferrari subaru jeep drive sedan convertible plane",
  "book novel read author literature":
    "novel story fantasy fiction biography memoir thriller potter tolkien rowling series chapter library bookstore author gatsby mockingbird dickens shakespeare",
  "movie film show series":
    "cinema netflix theater actor director comedy drama horror thriller documentary anime marvel disney star wars episode season titanic avatar",
  genre: "fantasy mystery romance thriller horror comedy drama action sci-fi fiction documentary jazz rock classical pop",
  "event celebration occasion":
    "birthday wedding party graduation anniversary parade festival concert conference funeral baptism reunion picnic fundraiser ceremony christmas thanksgiving easter halloween workshop gala race meeting",
  holiday: "christmas thanksgiving easter halloween hanukkah diwali ramadan eid valentine independence passover",
  "gift present souvenir": "necklace ring bracelet book flowers watch card chocolate toy gave received birthday jewelry painting",
  "clothes clothing wear outfit fashion":
    "dress shirt shoes jacket coat jeans pants hat sweater hoodie skirt boots sneakers scarf gloves suit socks costume",
  "jewelry accessory": "necklace ring bracelet earrings watch pendant brooch",
  "symbol tattoo": "rainbow flag eagle cross heart dove anchor butterfly star",
  color: "red blue green yellow orange purple pink black white brown gray grey turquoise violet beige gold silver",
  furniture: "table chair sofa couch bed desk shelf lamp dresser wardrobe bookcase cabinet",
  "device gadget electronics technology tech":
    "phone laptop computer tablet camera headphones console drone printer smartwatch monitor keyboard tv robot app software speaker",
  "tool equipment gear": "hammer drill camera tent backpack saw wrench brush bike mat boots rope",
  "programming code software": "python javascript java typescript rust app website coding developer bug server database algorithm",
  "plant flower": "rose tulip sunflower lily orchid daisy succulent cactus fern tree basil herb garden lavender",
  "weather season": "rain snow sunny storm wind cloudy hot cold hurricane heat flood thunder winter summer",
  "money finance financial": "salary loan debt mortgage budget savings invest bank tax bonus rent stock cash bill afford",
  "club group class course": "yoga pottery dance book cooking team workshop lesson support choir meeting painting",
  body: "arm leg knee back head hand foot ankle shoulder eye tooth heart stomach neck wrist",
  "name called nickname": "named call",
  "age old birthday": "born birthday turned years",
};
