import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";

/** What is said in English every day in words that are also those of danger: of tries, kitchens, contracts, journeys and parties. */
export const englishEveryday: RulePack["frames"] = {
  idiom: rows(
    `attempt|attempts ~1 at ~1 the|a|an|my|making|baking|cooking|writing|solving|fixing|learning|passing|parking|driving|bread|sourdough|penalty|level|exam|test|recipe|knitting|drawing, first|second|third|last attempt ~1 at ~1 making|baking|sourdough|bread|the|a|driving|writing|parking,
     cut my ~1 hand|finger|thumb|arm|leg|foot|knee|lip|toe ~2 on|with|by ~2 can|tin|glass|fence|wire|nail|thorn*|door|rock*|paper|lid|shell*|branch|bush, old stuff|clothes|things|toys|books|furniture|phone ~2 away|to, end this|the|that|my contract|subscription|trial|lease|call|meeting|chapter|season|membership|plan,
     took|taken|take ~1 vitamins|antibiotics|allergy, knife ~8 onion*|vegetable*|bread|cheese|potato*|carrot*|chicken|tomato*|salad, onion*|vegetable*|bread|cheese|potato*|carrot*|chicken|salad ~6 knife, railing|fence|wall|barrier ~3 to get|reach|fetch|see ~2 beach|ball|view|photo|garden|park|field|pitch|sea,
     give up how|what|where|who|which|tell, fitted|bed|cheat|balance|answer|excel|data|spread sheet, point in|of ~1 going|ironing|buying|arguing|calling|waiting|cooking|cleaning|asking|paying|washing|shopping|driving|studying|running ~1, tired of ~1 this|the|all ~1 weather|rain|heat|cold|winter|snow|traffic|noise|job|commute|food|song|show|city|diet|meeting*,
     disappear|vanish|die when|whenever|if ~2 people|they|someone|he|she|everyone ~1 sing|sings|stares|stare|looks|look|calls|clap|asks, vanish|disappear|escape|run_away to ~2 a|the|my|some ~1 beach|island|cabin|mountains|forest|countryside|holiday|spa|sea, would notice if i ~1 skipped|missed|wore|ate|took|left_early|changed,
     landlord ~5 gone|out, smoking|cigarettes|sugar|stress|smoke|salt|alcohol|diet ~6 kill|killing|kills me|you, lethal|toxic|deadly|fatal dose ~1 of? ~1 chocolate|caffeine|onion*|grapes|sugar|nutmeg|for, overdose|od on ~1 vitamin*|coffee|chocolate|tea|sugar|water|carrot*|cheese|sun, goodbye scene|song|episode|video|tour|concert, buried ~1 under ~1 tree,
     funeral ~3 insurance|agent|director|home, be here ~1 this|at|in ~2 party|meeting|class|lecture|office|gym|wedding|queue|line|shop|conference, wake up ~1 early|at|so_early|before|late, sleep forever ~2 finals|exam*|shift|week|flight|trip|marathon, plan for ~1 tonight|today|tomorrow|weekend|dinner|summer|holidays,
     do it ~1 tonight|tomorrow|today|now ~1 ask|propose|quit|tell_him|tell_her|buy|book|sign|send|apply|kiss, kill|killed himself|herself|themselves|yourself laughing, bleeding|bleed* ~1 from ~1 my|the? ~1 gums|gum|nose|finger|knee|lip|toe|mouth|tooth, gums|nose|gum ~2 bleeding|bleed*, rope broke|snapped ~8 laugh*|lake|swing|boat|climb*,
     no way out of ~1 the|this|that ~1 parking|car_park|maze|level|contract|traffic|mall|building|queue, battery|phone|laptop ~5 goodbye|bye, thank|thanks you? ~1 for everything ~1 talk|speak|see|catch|today|this_week|so_far|again|until, one last time ~1 how|what|where|can|could|please, live with my|his|her|the ~1 parents|mum|mom|roommate*|flatmate*|ex|in_laws|dog|brother|sister|boyfriend|girlfriend,
     live in ~1 this|the|a|my ~1 city|town|house|flat|country|apartment|place|village|dorm|suburb*, live without ~1 coffee|chocolate|music|my_phone|tea|cheese|wifi|internet|netflix|garlic, living ~1 out of ~1 a? suitcase|boxes|bag, living ~1 in ~1 this|the|a ~1 city|flat|house|mess|town|dorm|suburb*, my life ~2 being ~1 so? ~1 boring|busy|chaotic|hectic,
     voices|voice|noise ~1 from ~1 the ~1 flat|upstairs|downstairs|street|kitchen|room|corridor, voices next_door|upstairs|downstairs, voice in my head ~1 says|saying|goes ~1 eat|buy|call|relax|order|go_to_bed|go_home, hear voices ~1 from|upstairs|next_door|outside|downstairs`,
  ),
  harmless_plan: rows(
    `back ~1 on|by|in ~1 monday|tuesday|wednesday|thursday|friday|saturday|sunday|a_week|two_weeks|january|time, long flight, pregnant, surprise, letter*|card|cards ~5 christmas|birthday|wedding|valentine*, at the ~1 platform ~3 train|bus, landlord, contract, ask ~1 her|him out|to_marry, moving in, pizza, pyjamas, pajamas, see you ~2, talk ~1 tomorrow|soon|later|monday, speak ~1 tomorrow|soon|later`,
  ),
};
