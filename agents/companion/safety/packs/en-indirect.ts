import type { RulePack } from "throughline/safety";
import { rows, softRows } from "./rows.ts";

/** What is said in English in danger around the words for it: by what it rests on, is done with, waits for or leaves behind. */
export const englishIndirect: RulePack["concepts"] = {
  wish_to_die: rows(
    `lying|lie if i said ~5 die|dead|suicid*|kill_myself|alive, regret ~1 surviving|living|being_alive|being_saved, sorry ~1 i survived, wish ~1 nobody|no_one|they|she|he ~2 had_not|never ~1 found|saved|stopped|revived me, wish* ~1 nobody|no_one ~1 had? found|saved|stopped me, hope|hoping|wish|pray* ~6 kills|kill|killed me,
     part of me ~2 wishes|wants|hopes ~3 {die}|dead|died|not_found|gone_for_good, better off|happier|relieved|free|easier|freer ~2 if|when|once i ~1 were|was|am ~1 dead, when|once|if i am|were|was ~1 dead ~3 they|everyone|everybody|my_family|people|it|the|at_least, if i were|was dead ~4 quiet|over|peace*|easier|better|calm|rest,
     get over my ~1 death|suicide|funeral, out of this ~1 life|world ~1 $, leave|leaving|left|exit this ~1 life|world|earth, nothing to live for, no reason to ~1 live|stay_alive|be_alive|keep_living, not ~1 meant|supposed to be alive, {die} ~2 sounds|feels|seems ~2 relief|peace*|nice|good`,
  ),
  ideation: rows(
    `i ~3 not ~4 make_it|survive|last ~1 through|until|past ~1 the? night|tonight|morning|weekend, think* ~1 about ~1 not_being_alive|not_existing|not_being_here, fantasi*|think*|dream*|imagin* ~1 about|of ~1 driving|crashing|steering|swerving|jumping|falling ~3 into|off|against, no_one|nobody|no would|will|one ~2 miss me ~2 if i ~1 died|die|killed_myself|was_dead|were_dead, stop|keep|always|constantly|can_not_help|still|been ~1 thinking|picturing|imagining|fantasi*|dreaming ~1 about|of? ~1 being_dead|my_death|my_own_death|my_funeral|my_own_funeral|dying|not_being_alive|not_surviving, think|thought|dream|fantasi* ~1 about|of ~1 being_dead|my_own_death|my_funeral|my_own_funeral,
     imagin*|pictur* ~1 my own? ~1 funeral|death, {mental} ~5 and not ~1 surviv*|walking_away|waking_up, crash* ~2 car|bike ~4 not_surviv*|on_purpose|tree|wall, high enough ~3 kill|die, whether|if it would ~2 kill me, ways|way|how to ~1 {kill_me}, want|ready to rope`,
  ),
  injure_self: rows(
    `blade|razor*|scissors ~6 use it|them ~2 when|if|on_myself|on_my, burned|burnt|burn|cut|cutting|hurt|hit|punched|scratched|bruised|carved|starved myself ~6 because|again|until|to_feel|on_purpose|last_night|feel_anything|numb|punish*|deserve*, carve|carved|carving|slice|sliced|slicing|dig|digging|scratching ~2 into|up|open ~1 my ~1 {body},
     scratch|scratching|scratched|picking|digging|rubbing my ~1 {body} ~2 open|raw|bloody|until, until ~1 it|i|my_skin bleed*|bled, relapsed ~4 blood|blade|cut*|arms|razor*|scars|bandage*`,
  ),
  past_attempt: rows(
    `survived ~3 attempt*, # suicide attempts, i overdosed ~3 last|in|ago|years|before, found me ~1 too ~1 early|soon|in_time, discharged ~5 attempt*|again|try`,
  ),
  act_done: rows(
    `emptied ~3 down|into ~1 my? throat|mouth|stomach, swallowed|drank|taken|took|injected|inhaled ~2 something|stuff|things|whatever ~4 should_not|to_die|under_the|cabinet|garage|to_end, drank|drunk|swallowed the stuff, started|keep|been|kept taking|swallowing them, swallowing them ~3 one|by|all, {lot} ~1 {pills} ~3 gone|inside_me|in_my_stomach|down|swallowed|in_me,
     # ~1 {pills} ~5 gone|inside|swallowed|in_me|down, wrists|wrist|veins|vein|throat|arms is|are ~1 open|slit|slashed|cut_open|bleeding, pills ~2 kicking|kicked in, they are ~1 kicking in, engine|car is? running ~4 window*|hose|closed, gas ~2 on ~3 lying|windows|closed|sealed|waiting, all gone ~3 {pills}, {pills} ~2 all gone`,
  ),
  means_in_hand: rows(
    `have|got ~4 revolver|pistol|gun|rifle|shotgun ~4 bullet*|ammo|loaded|round, have|got|with ~1 her|his|mum's|mom's|dad's|their ~1 {pills} ~2 here|with_me|ready|in_front|next_to_me, {weapon} ~2 unlocked|loaded|ready|in_my_hand*|in_my_lap|against|in_front, belt|scarf|sheet|cord|rope and ~2 door|closet|beam|ceiling|hook|branch|wardrobe, enough ~3 {pills} ~2 now|here|ready|saved, saving|saved|saved_up|hoarding|stockpil* ~4 {pills}|prescriptions`,
  ),
  plan: rows(
    `drove|walked|went|came ~1 out? ~1 to|into ~1 the? river|lake|sea|woods|forest|cliffs|bridge|tracks ~5 not ~2 coming|going back, after|by ~1 tomorrow|tonight|today|friday|monday|sunday|this_week ~3 not ~1 be ~2 problem|burden|worry, not ~3 alive ~1 by|after|come ~2 {day}|tomorrow|morning|summer|winter, made|make|making it look like ~1 accident, not ~2 live|alive|make_it|be_here ~1 to see ~1 {day}|tomorrow|morning|sunday|another, not ~2 live|survive|last|make_it ~1 past|until|through|beyond {day}|tonight|this_week,
     in a few ~1 hours|minutes|days ~2 will not ~1 matter|hurt|feel|be_here, after that|this|tonight|tomorrow ~1 nobody|no_one|they|you ~2 worry|deal|bother|carry, when|once|after the? ~2 bottle|glass|drink|song|cigarette|film ~2 empty|finished|over|done ~3 i ~2 going|go|jump|tracks|bridge|roof|do_it, sun come up ~1 again?, not see the sun ~2 up|rise`,
  ),
  do_it: softRows(
    "only|just have|need to ~1 press|pull|swallow|step|jump|push|let_go|lean, finally going to do it, no going back|turning_back, not scared ~1 anymore, not afraid ~1 anymore",
  ),
  secrecy: rows(
    `not want ~1 to be ~1 saved|rescued|found|stopped|resuscitated, not ~1 try to ~1 save|find|stop me, no one|nobody ~3 find|found|find_me ~2 until ~1 tomorrow|morning|monday|too_late|after, so ~1 nobody|no_one ~2 check|checks|looks ~2 me ~1 tonight?, nobody|no_one ~1 can get in`,
  ),
  lethal_place: [
    ...rows(
      `in the ~1 water|sea|river|lake|ocean ~2 up? ~1 to? ~1 my ~1 waist|chest|neck|knees, toes|feet|legs|heels ~2 over|past the ~1 edge|side|ledge|railing|drop, legs ~2 hanging|dangling over, nothing|just me ~3 the drop, other|wrong|outer side of the ~1 railing|rail|fence|barrier`,
    ),
    ...softRows("top of the ~2 car_park|parking_garage|multi_storey|tower|cliff|building"),
  ],
  farewell: rows(
    `not ~1 be ~1 answering|replying|online|reachable after ~1 this|tonight, last ~1 thing|message|text ~1 i|you ~2 send|write|get|hear, will not hear from me ~1 again|anymore|after, nice|good to ~1 be|have_been heard ~1 once?, tell the|my ~1 {dear} ~3 loved|love them|her|him ~2 after, only one who ever ~4 goodbye`,
  ),
  burden: rows(
    `deserve* ~2 better than me, better mother|father|mom|mum|dad|parent|wife|husband|friend|partner|daughter|son than me, drag|dragging ~2 everyone|them|people|everybody|my_family ~1 down, weight ~2 around|on ~1 everyone|their|everybody|my_family*|his|her ~1 neck*|shoulders?, putting up with me, relieved ~2 if i ~2 gone|left|disappeared|away|dead, i only cost ~3 money|worry|nerves`,
  ),
  passive_death: rows(
    `tomorrow ~1 did_not|never|does_not ~1 come|came|comes|happen*|arrive*, switch|turn|shut me off, not bother ~2 treatment|chemo|operation|medicine, hope|hoping|wish something happens|happened ~1 to me, want|wanted to be where he|she|they is|are, go where he|she|they ~1 went|is|are, go|going to? ~1 join|follow him|her|them ~1 soon`,
  ),
  hopeless: rows(
    `not promise ~3 be here|alive|around, being_alive|living|existing|life|alive ~3 punishment|torture|prison|curse|life_sentence, no ~1 colour|color|light ~2 in ~1 anything|life|the_world|my, run out of ~1 reasons|hope|road, ran out of ~1 reasons|hope, feels|feel like ~2 that time ~3 coming_back|again|back, darkness|depression ~2 is coming|creeping back`,
  ),
  psychosis: rows("hear someone|somebody|people|whispers|voices ~6 when|even|though ~3 room|house|nobody|no_one|empty|alone"),
  preparation: softRows(
    `giving|gave|given ~2 my ~2 things|stuff|favourite|favorite|belongings|possessions|records|guitar|books ~2 away, giving|gave|given ~2 my ~1 favourite|favorite|belongings|possessions ~3 to, called|messaged|texted|wrote|visited ~2 everyone ~6 sorry|goodbye|forgive*, strangely|weirdly|suddenly ~1 calm|peaceful|at_peace, wrote|written ~2 down ~2 all ~1 my ~1 passwords|accounts, who ~1 should? ~1 get|gets what`,
  ),
  kill_self: [
    ...rows("if i jump|jumped|do_it|did_it ~1 now|tonight ~3 quick|fast|over|painless"),
    ...softRows(
      "walk|walking|walked|wade|wading ~1 into|out_into the ~1 sea|ocean|lake|river|water|waves|traffic, keep|keeps|kept walking|swimming ~1 in?|out?|into?|until? $, turn* ~1 the? wheel ~3 bridge|tree|wall|truck|oncoming",
    ),
  ],
};
