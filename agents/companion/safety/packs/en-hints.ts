import type { RulePack } from "throughline/safety";
import { rows, softRows } from "./rows.ts";

/** What is said in English by few words that mean something only together: a place and a second, a thing laid out and courage, a day and nothing after. */
export const englishHints: RulePack["concepts"] = {
  do_it: [
    ...rows(
      `tonight ~3 the same way, today|tonight ~8 i will do it, no more reason|reasons to wait, {time}|{day} ~2 i will ~2 be ~1 dead|at_peace|gone_forever|gone_for_good, {time}|{day} ~3 i am ~2 dead|leaving_forever|gone_for_good, do|doing it today $, i am ~1 doing it {time}, going to ~1 finally? ~1 do it {time}, by then it|i|everything will be done|over|gone, it will be done ~1 by|before|until, last ~1 night|day|week|hours|christmas|birthday alive, after|once|when ~5 {day}|{event}|over|asleep|gone|{time} ~3 will|going_to ~1 be ~2 finished|over|gone|free|done_for_good|dead|at_peace|nothing_left, it has to be {time}, has|have to happen {time}, must be {time} or never`,
    ),
    ...softRows(
      `one more|last|one_last cigarette|drink|song|beer|coffee|glass ~3 then, when|after this song|cigarette|drink|beer|glass|episode ~2 finishes|ends|over|finished|done|empty, going over the side|edge|railing, over the side $, i am going now $, i am ~2 doing it, going to ~1 do it, i will ~1 do it, i am ready $, it is time $, it is time ~1 now, i am going now $, end it, ending it, time to go $, i feel so? calm now $, only|just ~1 takes|take ~1 a|one ~1 second|moment|minute|step|push|jump|pull|slip, take a second, over in a ~1 second|moment|flash|minute, one|just|a ~1 quick|single|small|little? step|push|pull|jump|squeeze ~2 over|done|free|end|away|and, not turning|going|walking|coming|swimming|climbing ~1 around|back|down|home, no going|turning|way ~1 back,
       {courage} to ~2 go|do|jump|step|pull|let_go|finish|swallow|drink|leave, {need} ~1 the? ~1 {courage}, working|work|build|building|get|getting|summon* ~2 up ~1 the? ~1 {courage}, get|getting|got it over with, let|letting go ~2 wheel|railing|rail|rope|branch|edge|side, close my eyes and ~2, i am not scared|afraid $, not scared|afraid anymore, this is it, today is the day, tonight is the night, {time} is the day|night, finally brave|ready, will be finished, it will be finished, finish it {time}`,
    ),
  ],
  means_in_hand: [
    ...rows(
      `all ~2 {pills} ~6 in ~2 bowl|cup|glass|hand|palm, boxes of ~1 {pills} ~5 bowl|table|front|bed, bought|got|have|found ~3 {poison} ~4 ready|bed|drink|tonight|here|bag, {poison} ~2 ready, from the pharmacy ~4 poured|spread|heap, i have everything i need ~3 to ~3 die|do_it|end|go|finish, i have everything i need ~1 {time}, sitting|standing|here|alone|lying|i_am ~5 with ~1 the|a|my|his|her {weapon}|{pills}, know|have|got|found ~2 code|key|keys|combination ~5 gun|safe|rifle|gun_safe|locker, {weapon} ~4 looking|staring at it, {pills} ~2 under|in my ~1 pillow*|mattress|pillowcase, got|took ~3 her|his|mums|moms|dads|grandmas ~2 {pills} ~3 all|whole|in_my|with_me, knife|razor|blade|scalpel|box_cutter ~3 to|on|against|at|over ~1 my ~1 wrist|wrists|throat|neck|chest|arm|skin, gun|pistol|revolver|rifle|shotgun|noose|helium|charcoal|exit_bag|gun's ~1 is|are|on|in ~3 lap|hand*|beam|car|table|drawer|bag|bed|floor|pocket|desk|trunk|nightstand|seat|counter|kitchen, rope|belt|cord|sheet|scarf|noose|it|cable ~2 tied|tie|hung|hang|looped|loop|attached|fixed|knotted ~3 to|over|from|around|on ~2 beam|rafter*|hook|branch|ceiling|door_frame|doorframe|banister|pull_up_bar|pipe|fan, tied|hung|looped|knotted ~1 the|a|my rope|belt|cord|sheet|scarf|noose|cable ~3 to|over|from|around|on ~2 beam|rafter*|hook|branch|ceiling|door_frame|banister|pipe|fan, picked|found|chose|chosen|tested|checked ~2 beam|branch|tree|hook, saving|saved ~1 them|these|those ~1 up, it|gun|pistol|rifle|barrel|blade|knife|razor|needle ~3 to|under|against|at|on|in ~1 my ~1 chin|temple|throat|wrist|wrists|mouth|forehead|jugular|artery, putting|put|holding|hold|press*|pointed|pointing ~1 it|them to|against|under my ~1 chin|temple|head|throat|wrist*|neck|mouth,
       {pills} ~2 {laid} ~2, {weapon} ~2 {laid} ~2, {pills} ~2 crushed|dissolved|poured|popped_out|emptied ~3 glass|bowl|cup|pile|table|juice|yoghurt|yogurt|vodka|wine|water, filled|loaded|drew_up|prepared the|a ~1 syringe|needle|bath|tub|glass ~2 {pills}|insulin|everything|ready|and, pile of ~1 {pills}, chambered`,
    ),
    ...softRows(
      `bought|have|got ~3 {poison}, it is in my ~1 lap|hand|hands|pocket, next to the keyboard, it|everything|they|all ~2 {laid} ~3 front|table|bed|nightstand|desk|floor|sink|kitchen|counter|neatly|ready|row, it is|are|they ~1 loaded|tied|knotted|sharpened|primed|cocked|filled ~1, everything|all|it|they ~2 on the nightstand|bedside_table|bathroom_floor|edge_of_the_bath, everything|all|it ~3 in front of me, tie|tying|tied|test*|check* ~2 knot|knots|beam|branch|weight, testing the ~2 weight|beam|knot, enough ~1 saved|put_aside|stashed|hidden, hidden|stashed ~3 under|behind|in ~2 bed|mattress|drawer|closet`,
    ),
  ],
  lethal_place: [
    ...rows(
      `past|over|beyond|outside the ~1 barrier|railing|guardrail|safety_fence ~1 $, rails|tracks ~2 humming|vibrating|shaking, floor ~2 window ~3 opens|open|wide, shoes off ~5 side|neatly|ledge|edge|next, heels ~3 edge|concrete|ledge, {at} ~3 {deadly} ~3 now|right_now|today, end|edge of the platform ~5, end of the ~1 platform, on the chair ~4 rope|tied|noose, into the ~1 lake|river|sea|water|ocean ~3 up to my, on|at ~1 top of ~3 {structure} ~6 second|jump|fall|drop|below|down|over|edge|step|railing|ledge, {structure} ~4 edge|ledge|railing|parapet|wrong_side|barrier, out on ~2 ice ~5 crack*|thin|not|alone|river|lake, past|over|outside|beyond ~1 the ~1 fence|barrier|railing|rail|guardrail|safety_net|parapet ~4 now|and|drop|cars|water|train*|tracks|below, legs ~2 over ~2 edge|side|rail|railing|wall|ledge`,
    ),
    ...softRows(
      `on|onto ~1 the|a|this chair|stool|bucket, up|on|onto|to ~2 roof|rooftop, up here, top of ~3 {structure}, on ~2 {structure} ~2 alone|tonight|now|again|crying, walked|walking|gone|went|drove|driven ~1 out? on|onto|up|to ~2 ice|roof|{structure}|cliffs|pier|jetty|gorge|dam|quarry, climbed|climbing ~2 up|over|onto|out ~3, stairs to the roof, roof door ~2 open|unlocked, {structure} again`,
    ),
  ],
  kill_self: [
    ...rows(
      `jump* ~3 ends it|everything, {will} ~3 jump* in front of ~3 {traffic}, drive|driving|steer|steering|run|running|crash|crashing|smash|smashing|ram|plough|plow|put|wrap ~3 into|against|at|around ~2 tree|wall|pole|pillar|truck|lorry|oncoming|traffic|river|lake|bridge ~4 speed|belt|seatbelt|purpose|home|tonight|hard|fast|full|wheel, find|found|looking_for|pick*|chose ~1 a|the|which wall|tree|pillar|truck|lorry|bridge to ~1 hit|crash|drive|jump, wall|tree|pole|truck ~1 to hit ~1 $, let|letting go of the ~1 wheel|steering, close my eyes ~4 wheel|driving|highway|motorway,
       not turn|turning the wheel, unbuckle* ~5 wall|tree|speed|truck|fast, eat* nothing until i ~1 die|fade, drink ~2 until i ~2 not ~1 wake|die, drinking ~2 until ~4 not ~1 wake|die|breathe`,
    ),
    ...softRows(
      `ending it, end it, i {will} ~2 jump, into ~2 oncoming|traffic|path ~2, swerv* ~2 into, end|ending things, leave ~1 for good ~2, leave you all for good`,
    ),
  ],
  act_done: [
    ...rows(
      `cut|slit|slashed ~1 her|his|their ~1 wrist*|throat|veins, tied it to ~2 tree|beam|branch|hook, {took} ~6 twenty|thirty|forty|fifty|sixty|fifteen|eighteen|seventy|eighty|ninety|hundred ~1 of ~1 them, windows ~2 taped|sealed, taped ~3 windows, bath*|bathwater|water ~2 pink|red ~1 now|and|already?, have ~1 drunk|drank|drink it ~4 burn*|stomach|throat, it is already in me, already in my stomach|blood|veins, rope|noose|belt|cord|cable|sheet ~2 is|around ~2 my neck, it is ~1 around my neck, {pills} ~2 are ~2 kicking, can feel it|them ~2 kicking|working|starting, lying|sitting|standing|waiting ~1 on the tracks ~2 now, wrist*|arm*|thigh*|leg*|cut*|i ~5 will|can|does not ~1 stop bleeding, {took} ~1 #|thirty|forty|fifty|sixty|twenty|ten|fifteen ~2 {pills} ~6 now|sleepy|drowsy|sorry|goodbye|die|end|on_purpose|waiting|alone, {took} ~1 thirty|forty|fifty|sixty|twenty|fifteen|eighteen|hundred|eighty|seventy|ninety ~3 {pills}|of_them, {took} ~2 bunch|load|loads|ton|mix|handful|handfuls|pile ~1 of ~1 stuff|things|pills|them|everything|different ~3, {took} ~3 stuff|things|whatever|everything ~1 from|in|under ~2 cabinet|cupboard|drawer|bathroom|sink|garage, cut|cuts ~1 way|so|too|really|pretty|very ~1 deep ~5 not|stop|stopping|blood|bleeding|shaking, not|keeps ~1 stop|stopping|bleeding ~1 bleeding $, all|they|everything|packet|bottle|pack|box|strip is|are ~1 all? swallowed|inside_me|in_me|in_my_stomach, had|swallowed|finished|taken|took|emptied ~1 the ~1 whole|entire|full|second|last ~1 packet|pack|bottle|box|strip|blister|tub|jar ~4 feel*|heavy|sleepy|drowsy|numb|sick|warm|dizzy|now|with|of, so much blood, too much blood, blood ~4 did not think|expect ~4 much, did not think|expect ~3 this much blood, swallowed|swallowing ~2 whole|entire|all|full|hole ~1 bottle|botle|packet|pack|box, pills|tablets ~4 and ~2 they were|are gone,
       {took} them|it ~4 and now|feel|feeling ~3 heavy|sleepy|warm|drowsy|numb|cold|dizzy|calm|floaty, arms|legs|lips|hands|tongue are|is|feel|feels|getting ~1 heavy|numb|cold|tingly|blue ~5 {pills}|took|swallowed|drank`,
    ),
    ...softRows("feel|feeling|getting ~1 so ~1 heavy|floaty|sleepy|drowsy|warm, getting so? cold, getting dark now, "),
  ],
  farewell: [
    ...rows(
      `tell {dear} it was ~1 quick|painless|not, tell ~1 {dear} ~3 is ~1 hers|his|theirs, last conversation ~4 with, do not ~2 search ~1 for? me, by morning you|they|someone will ~3 body, you will get the body, by|before morning ~3 find|get the ~1 body, i hugged them ~3 longer, goodbye to ~1 you|you_all|everyone|all_of_you|this_world|the_world|life, i am leaving ~1 forever|for_good|this_world|this_life|you_all ~3, not be|b ~1 around|here|alive ~1 when|by_the_time they|you|she|he|anyone|it ~3, never stopped loving ~1, this is ~1 it from me, last you will hear, do not ~1 look for me, do not come looking, do not try to find me, take this as, if something happens to me ~4 tell|give|make|know, tell ~2 {dear} ~2 never stopped, tell ~1 {dear} ~3 not|nobody's ~3 fault, my last|final ~1 message ~2 to ~1 you|everyone|all|the_world|my_family|mom|mum|dad, {dear} ~1 please? ~1 forgive me ~2, not be here|around after ~1 {time}|{day}, by the time ~3 sends|posts|arrives|goes_out|reaches|opens, you|they|someone|police|somebody will find me, find me ~1 in|at|by|under|behind the ~2 {find_place}, this|it is scheduled|timed to ~1 send|post, not ~1 need|have to ~1 check|worry|look|wait|care|wonder ~1 on|about|after|for|up ~1 me, not need to ~1 check on me, {dear} ~3 it was|is not|never ~1 her|his|their|your|anyone's|anybody's ~1 fault, tell ~2 {dear} ~4 fault, tell ~2 {dear} i ~3 loved|love ~3 stay|strong|tonight|sorry|after|gone, when i am not here|around ~3 {dear}|remember|take|look|please, please ~1 raise|hug|hold|love my ~1 {dear}, remember me as|the_way|how|for, nobody|no_one could have ~2 saved|stopped|helped|done, could not have ~1 saved|stopped|helped me, nothing you|anyone|anybody could|can ~2 do|done|say|said`,
    ),
    ...softRows(
      "when|once|after i am ~1 not ~1 here|around|alive, when|once|after i am ~1 gone, bye $, and bye, ok bye, so bye, love you ~1 always|forever|all, love her|him|them|you more than, loved you ~1 all|always, you were|are ~1 always ~1 kind|good|sweet ~2 to me, only one who ever, i love you, tell ~1 {dear} ~1 i love, it is no one's fault, do not wait up, keep the dog, i can not stay",
    ),
  ],
  secrecy: [
    ...rows(
      `no one|nobody ~1 will|would|can|could find me, no one|nobody ~2 look|come|coming|search* ~2 for|after me, no one|nobody ~3 stop|save|rescue|reach|find|interrupt me, no one|nobody will|can|could ~2 stop|save|reach|find|interrupt ~1 me|it|this, where ~1 no one|nobody will|can|could ~1 look|find|see|come|hear, told|tell|telling ~2 i am ~4 so ~1 no one|nobody|they|that, they|everyone|everybody think|thinks|believe|believes ~1 i am ~2 camping|asleep|work|working|away|fine|visiting|holiday|shopping|shower|walk ~4 not|instead|but|while`,
    ),
    ...softRows(
      "no one|nobody ~1 looks|notices|sees|hears|checks|suspects, can not see ~1 this|me|here, no one|nobody ~1 comes|come|walks|goes ~1 here|by|past|up, phone ~1 is? ~1 off|silent|airplane_mode|about_to_die, turned|turning|switched|switching ~2 my ~1 phone off|location, blocked everyone, alone in the ~1 house|flat|apartment|cabin|car",
    ),
  ],
  plan: [
    ...rows(
      "by|before sunrise|morning|dawn|tomorrow ~2 not ~3 problem|burden|worry|here|alive, my plan is for ~1 {day}|{time}, plan is for ~1 tonight, it is planned for ~1 {day}|{time}|tonight, {day}|# ~3 that is ~1 my last, chosen|picked|set|circled ~2 the #, been set on it ~2 since, that is ~1 the whole plan, on the day|night ~2 i ~1 will|am ~2 die|go|end|leave_you|leave_this, leave|leaving|gone|exit|out ~1 of? ~1 this ~1 world|life|earth|planet ~3, i have ~1 picked|chosen|decided ~2 way|how|when|where, know ~2 how ~2 i ~2 do it, it will look like ~2 accident|crash|fall",
    ),
    ...softRows(
      "got everything ready, i have got everything $, got everything i need, try again, want to try again, chosen|picked|circled ~1 a? ~1 date|day, already know ~1 how|where|when|which, decided ~2 on|how|when",
    ),
  ],
  ideation: [
    ...rows(
      `suicide ~2 my ~1 mind|head|thoughts, mind|head ~3 is ~1 suicide, not ~1 joking ~1 anymore, yes to thinking|thoughts ~1 of? suicide, fantasi* ~1 about? ~1 ending it, come to feel ~3 ending it, want|wanna|ready kms ~3 every|all|again|now, think* ~1 about|abt ~1 kms, time to kms ~8 mean, thinking|thought|think|idea|thoughts ~4 by my own ~1 hand|hands|doing, what i ~3 do to myself, permanent way out, check*|checking out early, leave ~2 this planet|world, stay on this planet, thinking|thought|think ~3 to finish ~2 my_life|life|myself|everything, drafted|written|composed|rehearsed ~2 note ~3 head|mind, take|taking the exit, pictured|imagined|planned ~3 how i would ~2 stop|end|do|die, how high ~3 has|have to be, {count} ~3 {pills} ~4 {mental}|enough|would, how long ~5 before|until ~2 somebody|anyone|someone|they|anybody|people ~1 found|find|finds|notice|noticed|notices me?, know|knew ~1 how|where ~1 i ~1 would|will|am_going_to ~1 do|go ~1 it?, worked out ~3 how ~1 i ~1 would|will, the|my|these|having|get|getting|got|have ~1 suicide|suicidal thoughts|thots, i ~2 get|feel|am|felt ~2 suicidal, think* ~1 about dying ~2, suicidal thoughts ~2 are|come|came|keep, i ~3 {mental} ~4 suicide|{kill_me}|dying|die|my_death|my_own_death|being_dead|ending_my, {mental} ~4 if|when|how i did ~1 it, {mental} ~3 letting go of ~2 wheel|railing|rail|edge, {mental} ~4 trying ~1 it? again, {mental} ~4 taking ~2 all|them_all|every ~2 {pills}?, {mental} ~5 not ~1 brak*|stopping|turning ~3 wheel|corner|curve|bend|car|bridge, death|dying ~2 like|as ~1 a|such_a|the ~2 relief|comfort|peace|rest|gift|friend|answer|escape, back to where i was ~3 hospital|attempt|overdose|icu|ward, feel* like ~2 before ~1 the? ~1 hospital|attempt|overdose|ward, want*|wish*|hope|hoping|long* ~2 to ~1 be ~1 dead|gone_for_good|not_alive,
       why i ~2 think* ~2 about? ~2 ending, think* ~2 about? ~1 ending it|things|everything|my, think* ~2 of ending it|things|everything|my, {mental} ~3 jumping|driving|steering|stepping|walking ~2 into|off|over|in_front ~3 {high}|{traffic}|bridge|road|water|trees|tree|wall`,
    ),
    ...softRows(
      "what is it like to ~1 die|be_dead, what does ~2 dying|death feel, know how i would, looked it up, picture|picturing|imagine|imagining ~2 how it would ~1 be|feel|look|end, {count} ~3 {pills}, would it hurt, would it be quick, how long ~2 take to find me",
    ),
  ],
  injure_self: [
    ...rows(
      `i cut ~1 a|the|my ~2 line|little|leg|place|hips|stomach|thigh*, and i ~1 cut ~1 always|again|in_the_same|a_little|deeper, can not stop cutting, punch* ~2 wall*|doors|tiles ~6 purpose|bruise*|broke|bleed*|bled|again, hand|palm|arm|fingers ~4 hob|stove|burner|boiling|plancha|iron|lighter|flame ~8 purpose|slipped|again|quiet, using|used|took ~2 my ~1 compass|razor|sharpener|tweezers|lighter|needle ~3 on my ~1 {body}, want to hurt my ~1 {body}, let it out on my ~1 skin, count|counting the ~1 marks|cuts|scars, so i do not cut, dug ~2 nails ~5 {body}|palm*|skin, new ones ~4 {body}|hips|stomach, it ~2 on my ~1 arm|arms|leg|legs|thigh* again, make|making|made cuts, cuts ~1 in|on my ~1 {body}, fresh|new lines|marks|cuts ~2 on my ~1 {body}, hitting|hit|punch*|slap* my ~1 face|head|legs ~5 mistake|hard|strong|when|again, knuckles ~2 split|bleeding|raw ~3 again|wall, take it out on my ~1 own? ~1 skin|body, leaving|left a mark on myself, carved|scratched ~2 words, {harming} ~2 until ~3 bleed*|bled|blood|numb|hurts|stars|bruise*, bang*|hit|hitting|slam* my head ~2 against|into|on ~5 until|stars|bleed*|again|hard|when, keep|hide|hid|hiding|carry|kept ~1 a|the|my|some ~1 blade|blades ~3 in|under|behind|on_me|with_me, # ~1 months|weeks|days|years|month|week clean ~4 down|gone|over|ruined|lost|blew|broke, gave in ~2 cut|hurt|harmed|burned, legs|arms|thighs|wrists ~1 are ~2 mess|covered|wrecked|shredded, want|need|have to ~1 cut ~1 $, want|need to cut ~1 again|so_bad|myself|so_badly|tonight|really_bad|it, {harming} ~1 my ~1 {body}|face|head|knuckles|chest ~6 until|deserve*|again|to_feel|feel_something|numb|punish*|relief|calm*|black_and_blue|raw|on_purpose|bleed*|bled, {harming} myself ~6 until|deserve*|to_feel|feel_something|punish*|relief|on_purpose, {body} ~2 look ~2 terrible|awful|like_shit|bad ~3 again|cut*, back to ~1 hurting|cutting|burning ~2, started|start|starting ~1 cutting|burning|self_harming|hurting ~1 myself? ~1 again, been|am ~1 clean ~6 not ~1 anymore, slipped ~3 blade|razor|cut*|cutting, blade ~2 out|again, opened ~2 old|my scars`,
    ),
    ...softRows(`{body} ~4 long sleeves, long sleeves ~4 july|summer|heat|hot, bandaged ~2, months|weeks|days clean, scars, thighs ~3 mess`),
  ],
  passive_death: [
    ...rows(
      `{want} ~3 sleep ~4 not ~3 wake|waking, go|fall ~1 to? ~1 sleep|asleep ~2 and ~2 not|never ~3 wake|waking|get_up, plane ~5 never|not ~2 land*, wish|want|could|if_i_could ~3 poof, no memory of me, forget i ~2 existed, erased from, wish i ~2 could ~2 be ~1 gone, want to be ~2 nowhere, not|never ~3 have to wake, wish* ~3 would ~1 just? take me, hit|hits ~1 me ~4 relieved|relief|glad|happy|fine|good|better|not_mind|not_care, cross* the ~1 street|road ~5 not ~3 look*|care, not ~2 look* ~4 cross* ~1 the? ~1 street|road|highway, stopped ~1 looking ~4 cross*|street|road, okay|ok|fine|alright|relieved|glad|happy|not_mind ~6 not ~1 wake|waking ~1 up, go to bed ~3 hop*|pray*|wish* ~5 not|last|never, every night ~3 hop*|pray*|wish* ~4 not ~1 wake|morning|be, drink|drinking|smoke|smoking|eat|eating|stopped_eating|starv* ~6 not ~1 wake ~1 up, stop*|stopped|skip*|quit taking ~2 insulin|heart|{pills} ~4 whatever|care|die|happens|matter*, hope|hoping ~2 it is ~2 cancer|terminal|fatal|serious|malignant, wish ~2 it was|were me ~2 instead|who_died|in_the_coffin, should have been me ~1 who|that|instead?`,
    ),
    ...softRows("nature take its course, whatever happens happens, if it happens it happens"),
  ],
  burden: [
    ...rows(
      `{dear}|they|he|she|everyone|everybody|kids|people ~2 would|will|might|could ~2 have_been|been|be ~2 better|happier|ok|okay|fine|relieved|less_stressed|less_worried|richer|calmer ~4 with|if ~1 a_different|different|someone_else|somebody_else|another|they|i|she|he, all because of me, it is all my fault ~3, i am ~3 problem ~3 solve|deal|fix|handle|manage, everything would be ~2 easier|better|calmer|fine ~3 without|if_i, i ~2 ruin* ~1 everyone's|their|her|his life, they|everyone ~2 forget ~1 about? ~1 me, {dear}|she|he|they|everyone|everybody|world|life ~1 would|will|might|could ~2 have|be|get|live|breathe ~3 easier|better|happier|lighter|freer|simpler ~4 not|without|gone|out_of_the_picture|away, easier ~2 time ~2 if i ~3 not|gone|left|out, if i was|were ~1 not|out ~2 in? ~1 picture|way|here|around, lives|life ~2 would|will ~1 be ~1 easier|better|lighter|simpler|happier, they would|will ~1 cry|be_sad|grieve|miss_me ~4 and|but then ~4, get over it|me in ~1 a? ~1 week|month|year, all i do is ~1 cost|hurt|ruin|disappoint|drain, only ~1 in the way, in everyone's way`,
    ),
  ],
  disappear: rows(
    "fade out, fading out, fade away, just fade, slowly fade, stop being here, stop being a person, not be anywhere, gone without a trace, dissolve, sleep and not come back",
  ),
  hopeless: [
    ...rows(
      `nothing ~1 ahead ~1 of? ~1 me?, not|nothing ~1 matter|matters ~2 in the end|anyway, none of it ~2 matter*|will|worth, nothing ahead, what is ~2 the ~1 point ~1 of ~1 turning|being|growing|living|any|it|me|getting|waking|trying|going|anything, already ~1 a? ~1 ghost, feel|feels ~2 like ~2 a? ghost, same grey|gray ~2, do not care what happens ~1 to me, see no future|end, no end in sight ~2 me, do not ~1 see ~1 it|this|things getting ~1 any? better, going to be like this ~1 forever|until, it never ~1 gets|get|got better, nothing is|was|will ~2 ever ~3 better|change|different|okay|work|matter, nothing ever gets|got ~1 better, nothing ~2 going to ~2 better|change|improve, it|things|this|life will|is|are|does ~2 never|not ~2 get|gets|getting|be|going_to ~2 better|okay|ok|good|end|stop|change ~2 ever|anymore|for_me, never going to ~2 be ~1 okay|ok|better|happy|different, how long|much_longer ~3 i ~1 can ~2 keep|go|do|take|hold|stand|last|bear|carry, do not know how ~2 long|much_longer ~4, point of ~1 getting|waking|trying|staying|going|living|breathing|eating|showering ~1 up|on|alive?, see no|any point, no point ~1 in? ~1 any|me|life|going|living|it_anymore, this is all there ~2 is|be for me, i am ~1 already ~1 dead|gone inside, no part of me ~2 wants ~2 stay|live|here, do not have ~3 left ~1 in|to ~1 me|give|live|fight|go, nothing in me ~2, everything in me ~2 stop|give|quit|gone`,
    ),
  ],
  past_attempt: rows(
    "did ~2 one try|attempt, been to ~1 that edge, pulled me back, hospital bracelet, tried to ~1 od|overdose|hang|jump|drown|kill, after my ~1 last|first|second|latest? attempt, survived an|my|two|three|the ~1 suicide? ~1 attempt*, last time i ~2 woke up, did not work ~1 last|the|before|first ~1 time, since my attempt ~4 again|messing|lately|back|hard, my attempt ~5 anniversary|again|lately|back, anniversary ~4 attempt",
  ),
  other_at_risk: rows(
    `she|he|they ~5 took|swallowed ~2 pills ~5 not|answer*, texted me ~2 she|he|they ~2 took ~3 pills, {kin}|she|he ~3 locked ~6 with ~3 {pills}|{weapon}|gun|knife, {kin} ~6 sent|texted|posted ~5 picture|photo|pic|selfie ~4 {high}|bridge|noose|rope|pills|gun|blade, {kin} ~8 once|when|after|if she|he|they is|are ~1 dead|gone|not_here, {kin} ~5 not ~2 be ~1 alive|here|around ~1 for|by|next|at|when, {kin} ~5 {say} ~4 never ~1 been? ~1 born, {kin} ~4 {say} ~5 wants|want|wish*|rather|better ~3 dead|gone|die|not_be|disappear|born|over, {kin} ~6 not ~1 want|wants ~2 live|be_alive|be_here|go_on, {kin} ~4 cutting|cuts|hurting|hurts herself|himself|themselves|themself, {kin} ~5 {say} ~3 goodbye|farewell|everyone_would_be_better|no_point|give_up|giving_up|can_not_go_on`,
  ),
  preparation: [
    ...softRows(
      `left the ~2 door unlocked, rent is paid, month of food, labelled|labeled ~2 everything, gave|handed|given ~2 my ~1 documents|papers|keys to, sent ~4 all ~1 the? ~1 money, phone code, wiped my ~1 phone|laptop, can|could ~1 have|keep|take my ~2 room|stuff|things|car|bike|guitar|records|clothes|phone|laptop|dog|cat|books|ps5|xbox|console|collection|jewellery|jewelry|bed|hoodie|headphones, fed ~3 last time, cleaned|tidied|cleared ~4 so ~3 not ~2 have|deal|after, transferred ~3 savings|money ~3 to, signed ~2 over to, calm ~3 first time in|for, at peace for the first time, giving|gave|given|give ~2 my ~2 records|guitar|books|clothes|jewellery|jewelry|collection|tools|camera|bike|plants|games|instruments|paintings ~2 to|away, sorting|sorted|organi* ~1 all? ~1 my ~1 stuff|things|papers|documents|affairs ~3 so|and|for, oddly|strangely|weirdly|suddenly ~1 light|calm|peaceful|relieved|happy, what happens ~2 to ~1 my ~1 dog|cat|pets|account*|debt*|pension|phone|body|organs ~4 die|dead|gone|death|not_here|after, who ~2 take|take_care|look_after|feed ~1 of? ~1 my ~1 dog|cat|pets|plants ~4, insurance ~3 pay|pays|cover|covers ~3 die|dead|suicide|death|gone, packed ~2 my|up ~2 whole|entire|all ~1 life|room`,
    ),
    ...rows(
      `labelled|labeled ~3 everything|things|all ~4 whose|who|for, envelope*|letter*|note* are|is ~1 on|under the ~1 pillow|bed|table|desk|shelf, wiped my ~1 phone|laptop|computer ~3 and, posted|set|scheduled|queued|recorded|written|wrote ~2 goodbye ~6 midnight|later|tonight|send|story|tomorrow|for_when|post, wrote|written ~3 what to say ~4 note, wrote|written|finished|sealed|left ~1 the|my|a|all_the|their|each letter|letters ~3 to|for ~3 {dear}|each|parents|everyone ~8 find|after|gone|sorry|drawer|desk|table|tonight|ready|money|will, goodbye letter* ~6 desk|table|drawer|done|finished|written|ready|sealed|find|left|hidden|for_each|for_my|in_my`,
    ),
  ],
  alone_now: softRows(
    "nobody ~1 about|around, no one ~1 about|around, goes|gone|going to bed, at work ~1 tomorrow|now, he is asleep, she is asleep, they are ~1 asleep, everyone is ~1 asleep, they are ~1 out|gone|away, everyone is ~1 out|gone|away, house is quiet, nobody is up, no one is up",
  ),
  means: softRows("rooftop, platform, top floor, overpass, tracks, syringe, blade, bath, ice, keys in my hand, wall, oncoming, packet, tablets"),
  wish_to_die: rows(
    `best|better|easiest ~2 if i ~1 was|were dead, wish it was|were me ~4 dead|eaten|buried|coffin|died|obituar*, wish i ~1 died, should have ~1 killed me, should have ~1 taken me ~1 too|instead|with, waited|wait|waiting ~3 to ~1 die, my time to ~1 die, happier|sooner|better|gladly dead ~1 than, so ~1 i can|could|will ~1 just? ~1 die, and i can|could ~1 finally ~1 die, when|after|once {dear}|she|he ~2 goes|dies|gone|dead|passes|go ~4 i ~2 go|follow ~1 too|with|as_well|her|him, not ~2 glad ~1 i survived, hit|hits ~1 me ~5 dead|die|killed|not_survive|survive, and not ~1 survive ~1, hope*|wish* ~6 hit ~4 not ~1 survive`,
  ),
  time_near: [
    ...softRows(
      `when ~2 neighbours|everyone|they|parents|kids|family|roommate ~2 out|gone|leave|asleep|sleep|bed, in ~2 about ~2 hour|hours|minutes`,
    ),
    ...rows(
      `wait|waiting until ~4 bed|asleep|sleep|out|gone|leave*|work|home, when ~2 they|everyone|parents|kids|she|he ~3 gone to bed|asleep|sleeping, # ~1 minutes|hours|mins $, in six|five|ten|two|three|# minutes`,
    ),
  ],
  intrusive: rows(
    `brain|head|mind ~2 goes|says|tells|whispers|shouts|asks ~6 stab|stabbed|jump|jumped|hurt|swerve|push|drop|kill|cut|knife, pictures|images|visions|flashes ~2 in my head ~5, awful|horrible|terrible|violent pictures|images|visions ~3`,
  ),
  command_voices: rows(`voice* ~4 jump jump|die_die|do_it, not stop telling me to ~1 die|jump|kill`),
};
