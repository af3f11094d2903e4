import { rows } from "./rows.ts";

/** Lists that English patterns name. */
export const englishWords: Readonly<Record<string, readonly string[]>> = {
  contrast: rows(
    "but, however, though, although, yet, now, again, still, lately, recently, except, until, stop, stopping, resist, help, escape, shake, ignore, control, fight, avoid, handle, alone, without",
  ),
  self: rows("i, me, myself, my, we"),
  am: rows("am, feel, felt, feeling, been, being, getting, get, become, was"),
  want: rows(
    "want, wanted, wanting, wants, wish, wishing, wished, hope, hoping, need, long, longing, would like, crave, craving, ready, prefer, deserve, rather, pray, praying, beg, desire, ache, dream of, feel like, feels like",
  ),
  will: rows(
    `going to, will, about to, plan to, planning to, planned to, planning on, decided to, have decided to, intend to, intending to, ready to, have to, need to, want to, wanted to, wish to, trying to,
     try to, considering, thinking of, thinking about, might, may, should, would, could just, might as well, rather, gon, will just, going to just, prepared to, set to, have made up my mind to, made up my mind to`,
  ),
  die: rows(
    "die, be dead, dying, death, stop living, cease to exist, be dead already, drop dead, not be alive, not live, never wake up again, end my life, to die, be killed, get killed, stop breathing, unalive",
  ),
  mental: rows(
    "think, thinks, thought, thoughts, thinking, imagine, imagining, imagined, picture, picturing, pictured, fantasize, fantasizing, fantasise, fantasising, daydream, daydreaming, dream, dreaming, consider, considering, considered, contemplate, contemplating, contemplated, obsessed, obsessing, urge, urges, tempted, plan, planning, planned, wonder, wondering, pondering, visualize, visualizing, rehearse, rehearsing, drawn to, feel like, keep going back to, long for, longing for, love to, toying with, toy with, fixated on, preoccupied with",
  ),
  good: rows(
    "best, better, easier, easiest, only, relief, peace, peaceful, answer, option, solution, choice, way out, escape, comfort, comforting, nice, beautiful, freedom, release, rest, right thing, kinder, calling, calls, appealing, tempting",
  ),
  body: rows(
    "arm, arms, wrist, wrists, thigh, thighs, leg, legs, skin, stomach, hand, hands, forearm, forearms, neck, vein, veins, hips, hip, ankle, ankles, belly",
  ),
  edge: rows("edge, ledge, railing, railings, rail, guardrail, guard rail, parapet, tracks, train tracks, rails, barrier, banister"),
  alive: rows(
    "live, be alive, be here, exist, be around, go on living, keep living, continue living, stay alive, wake up, be on this earth, be on this planet, carry on living, live anymore, stick around, remain alive, wake up tomorrow, wake up anymore, breathe",
  ),
  kill_me: rows(
    `make suicide, making suicide, do suicide, doing suicide, finish my life, finish with my life, finishing my life, finish with myself, terminate my life, terminate myself, end my own existence, take own life, go by my own hand, kill myself, killing myself, kill my self, killed myself, end my life, ending my life, end my own life, ending my own life, take my life, taking my life, take my own life, taking my own life, ended my life,
     commit suicide, committing suicide, commiting suicide, comitting suicide, commit self delete, off myself, offing myself, unalive myself, unaliving myself, unalive my self, do myself in, doing myself in,
     end it all, ending it all, hang myself, hanging myself, hung myself, shoot myself, shooting myself, drown myself, drowning myself, gas myself, poison myself, electrocute myself, suffocate myself, strangle myself,
     stab myself, slit my wrist*, slit my throat, slitting my wrist*, slash my wrist*, slashing my wrist*, open my veins, blow my brains out, blow my head off, top myself, topping myself, neck myself, rope myself, end myself, ending myself,
     delete myself, deleting myself, throw myself off, throw myself in front, throwing myself, jump to my death, overdose myself, od myself, starve myself to death, drink myself to death, catch the bus, catching the bus,
     self terminate, self delete, murder myself, smother myself, put a bullet in my, put a gun to my, put a gun in my mouth, eat a bullet, finish myself off, finish myself, get rid of myself, destroy myself, put myself out of, do away with myself,
     kill me self, crash my car on purpose, take all my pills, take all the pills, take all of my pills, take all my meds, take the whole bottle, swallow all, swallow the whole bottle, bleed out, set myself on fire, burn myself alive, suicide myself, make an attempt, attempt suicide, attempt again, kill urself, try to kill`,
  ),
  kill_soft: rows(
    "die by suicide, unalive, kms, overdose, overdosing, end it, ending it, suicide, jump, hang, od, commit, not wake up, end things, end everything, end this, stop it all, take them all, disappear forever, go permanently, checkout, check out",
  ),
  harm_me: rows(
    `cut myself, cutting myself, cuttin myself, hurt myself, hurting myself, harm myself, harming myself, burn myself, burning myself, self harming, self harmed, selfharmed, selfharming, self injure, self injuring, scratch myself, scratching myself,
     hit myself, hitting myself, punch myself, punching myself, bruise myself, punish myself physically, injure myself, injuring myself, cut my arm*, cutting my arm*, cut my wrist*, cutting my wrist*, cut my thigh*, cutting my thigh*, cut my leg*, cut my skin, cut up my arm*, cutting my skin, cut up my thigh*, cut into my,
     bang my head, banging my head, carve my skin, carved my, carving my skin, stab my arm, burn my arm*, burn my skin, burned my arm*, slice my skin, slice my arm*, slicing my skin, slicing myself, mutilate myself`,
  ),
  pills: rows(
    `pill*, tablet*, med, meds, medication*, medicine*, painkiller*, sleeping pill*, paracetamol, tylenol, ibuprofen, advil, aspirin, xanax, valium, benzo*, ambien, opioid*, oxy*, antidepressant*, prozac, zoloft, lithium, insulin, fentanyl, acetaminophen, sedative*, drug*, capsule*, dose*, sleeping, morphine, codeine, tramadol, melatonin, trazodone, seroquel, heroin, :pills:`,
  ),
  lot: rows(
    "all, whole, entire, every, every last, too many, too much, a lot, lots, handful*, handful of, bunch, #, fifty, forty, thirty, twenty, sixty, hundred, bottle*, pack*, packet*, box*, strip*, blister*, rest, everything, dozens, ton, both, two bottles, full, fistful, bunch of",
  ),
  took: rows(
    "took, taken, swallowed, downed, ate, popped, chugged, drank, drunk, ingested, injected, gulped, eaten, necked, swallowing, taking them, washed down, finished",
  ),
  poison: rows(
    "bleach, poison*, rat poison, antifreeze, pesticide*, drain cleaner, weed killer, insecticide, cleaning fluid, detergent, herbicide, cyanide, chemical*",
  ),
  weapon: rows(
    "gun, pistol, revolver, rifle, shotgun, handgun, knife, razor*, blade*, box cutter, scalpel, noose, rope, cord, belt, rope*, :knife:, :gun:, :blade:, :rope:, firearm, glock, sheet, bullet*, helium, charcoal, exit bag, hose, syringe, :needle:",
  ),
  high: rows(
    `bridge, roof, rooftop, cliff, ledge, overpass, balcony, building, parking garage, car park, multi storey, skyscraper, window, tower, viaduct, top floor, th floor, railing*, tracks, track, rails, platform, edge, train tracks, flyover, dam, quarry, pier, fire escape, :bridge:`,
  ),
  deadly: rows(
    "edge of the platform, edge of the bridge, edge of the roof, edge of the cliff, edge of the building, edge of a bridge, edge of a cliff, edge of a roof, edge of the balcony, ledge, railing, wrong side, train tracks, tracks, rails, railway line, railroad tracks, parapet, barrier, yellow line, guardrail, guard rail, edge of the rooftop, edge of the quay, edge of the pier, edge of the overpass, motorway bridge, roof of, edge of the roof of",
  ),
  traffic: rows(
    "train, trains, bus, truck, lorry, traffic, car, cars, tube, subway, metro, oncoming traffic, the highway, the motorway, a tram, tram, semi, :train:",
  ),
  at: rows(
    "stand, standing, sit, sitting, stood, sat, am, im, here, up, out, over, climbed, climbing, waiting, leaning, hanging, lying, parked, walked, went, gone, got, currently, alone",
  ),
  kin: rows(
    `mom, mum, mam, mama, mother, dad, father, brother, sister, son, daughter, friend, friends, best friend, bestie, girlfriend, boyfriend, gf, bf, bff, wife, husband, partner, cousin, uncle, aunt, grandma, grandpa, grandmother, grandfather, gran, nan, roommate, flatmate, housemate, neighbour, neighbor, classmate,
     coworker, colleague, boss, teacher, student, patient, client, kid, kids, child, children, nephew, niece, ex, teammate, buddy, mate, fiance, fiancee, stepdad, stepmom, stepson, stepdaughter, parents, family, teenager, teen, girl, guy, boy, someone, somebody, a person, man, woman, stepbrother, stepsister, dog, cat, sis, bro, friend's, employee, tenant`,
  ),
  dear: rows(
    "mom, mum, mam, mama, mother, dad, father, parents, brother, sister, son, daughter, kid*, child*, family, wife, husband, girlfriend, boyfriend, partner, friend*, everyone, them, him, her, cat, dog, grandma, nan, gran, sarah, people, babies, baby, boys, girls, wife and kids, loved ones, pet*",
  ),
  time: rows(
    `tonight, tomorrow, in an hour, in a few hours, in a few minutes, in a minute, in half an hour, in ten minutes, in five minutes, in # minutes, in # hours, in # days, in two days, in three days, in a couple of hours, before morning, by morning, before sunrise, by sunrise, by midnight, at midnight, before dawn, before midnight, this evening, this weekend, this week, this afternoon, later today,
     tonite, before the weekend, in the morning, this morning, by the end of the day, by the end of the week, the end of the night, before school, after school tomorrow, when everyone is asleep, when they are asleep, once everyone is asleep, as soon as everyone, when everyone leaves, once they leave, when my parents leave, after midnight, after dinner tonight, before they get home, before anyone gets home, before she gets home, before he gets home, when i get home, at # pm, at #pm, at # am, later tonight, next few hours, few more hours, # more days, one more day, an hour from now, after my shift, after everyone goes to bed, when the kids are asleep, next train`,
  ),
  day: rows(
    "monday, tuesday, wednesday, thursday, friday, saturday, sunday, christmas, new year*, my birthday, birthday, weekend, the holidays, graduation, the wedding, easter, january, february, march, april, june, july, august, september, october, november, december, next week, next month, the first, the #, the anniversary, exam*, thanksgiving, halloween,",
  ),
  anymore: rows("anymore, any more, any longer, no more, again"),
  life: rows(
    "life, living, being alive, existing, existence, this world, the world, this life, my life, everything, it all, being here, waking up, breathing, fighting, all of this, all this, trying, people and life",
  ),
  voices: rows(
    "voices, voice, the voices, a voice, they, it, demons, demon, shadow*, whisper*, the tv, the man in my head, my head, the angels, god",
  ),
  tell: rows(
    "tell, tells, telling, told, say, says, saying, said, scream, screams, screaming, whisper*, command*, order*, ask, asks, asking, urging, urge, want, wants, keep saying, keeps saying",
  ),
  structure: rows(
    "parking structure, parking garage, parking deck, car park, multi storey, multistorey, tower, water tower, radio mast, mast, crane, silo, building, skyscraper, high rise, apartment block, tower block, block, stairwell, scaffolding, viaduct, overpass, flyover, bridge, dam, cliff, cliffs, quarry, gorge, lighthouse, hotel, hospital roof, roof",
  ),
  laid: rows(
    "laid out, lined up, set out, spread out, set up, arranged, counted out, sorted, poured out, ready, waiting, laid, stacked, piled up, prepared, next to each other",
  ),
  courage: rows("thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty one, twenty two, twenty three, twenty five, thirty"),
  need: rows("need, just need, only need, all i need is, wish i had, waiting for, looking for, find, need to find, have to find, lack"),
  event: rows(
    "wedding, birthday, exam*, finals, graduation, funeral, christmas, holidays, party, anniversary, trip, semester, term, surgery, move, divorce, trial, game, concert, dinner, shift, prom",
  ),
  count: rows(
    "count, counting, counted, check, checking, checked, look at, looking at, staring at, stare at, googling, adding up, calculating, hoarding, saving, saving up, stashing",
  ),
  harming: rows(
    "hit, hits, hitting, punch, punched, punching, burn, burned, burnt, burning, scratch, scratched, scratching, bruise, bruised, bruising, cut, cuts, cutting, bite, biting, bit, pick, picked, picking, dig, digging, slam, slammed, slamming, bang, banged, banging, hurt, hurting, starve, starved, starving, pinch, pinching",
  ),
  find_place: rows(
    "cabin, woods, forest, garage, lake, bridge, bath, bathroom, bathtub, shed, basement, attic, car, barn, river, hotel, motel, beach, bed, tracks, quarry, park, tree, house, room, apartment, flat",
  ),
  say: rows(
    "say, says, said, saying, keeps saying, tell, tells, told, telling, text, texted, texting, wrote, writes, posted, posting, mentions, mentioned, talks, talked, talking, sent, message, messaged, hinted, whispered, asked",
  ),
  him: rows(
    "him, her, them, everyone, everybody, someone, somebody, people, my boss, my ex, my dad, my mom, my husband, my wife, my stepdad, my brother, my sister, my neighbour, my neighbor, my teacher, my roommate, those people, these people, that man, that woman, that guy, my classmates, my coworkers, my parents, my family, my kids, my baby, the kids at school",
  ),
  trivial: rows(
    "homework, meeting, meetings, recipe, recipes, laundry, dishes, wifi, wi fi, printer, commute, traffic, weather, rain, heat, episode, season, series, playlist, song, sofa, couch, fridge, freezer, cake, cookies, pizza, pasta, sauce, soup, bread, alarm, spreadsheet, excel, powerpoint, slides, subscription, app, update, laptop, wallpaper, paint, garden, puzzle, crossword, knitting, level, boss fight, pop quiz, quiz, essay, paper, lecture, class, maths, math, algebra, chemistry, spanish, group project, project, presentation, email, emails, invoice, tax, taxes, parking, bus, queue, line, conference, zoom, dentist, gym, burpees, squats, treadmill, diet, salad, kale, broccoli, ironing, vacuuming, hoovering, shoes, jeans, dress, haircut, fringe, cooking, coffee, tea, lasagna, season finale, finale, trailer, referee, ref, tournament, practice, rehearsal, choir, wasps, mosquitoes, weeds, bindweed, roses, tomatoes, lawn, landlord, neighbours, roommate's, dog's, cat's, ads, adverts, jingle, contract, deadline",
  ),
  fed_up: rows(
    "tired of, sick of, so done with, done with, point of, point in, point to, the point, can not do, can not take, can not stand, can not keep, can not live without, give up, giving up, gave up, hopeless, nothing left, over it, end of, over, at my wits end, wits end, at my limit, drowning in, drowning, no way out, no escape, hate, want out, scared of, scared",
  ),
  age: rows("thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty one, twenty two, twenty three, twenty five, thirty"),
  or: rows("or, nor"),
};
