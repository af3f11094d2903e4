/** Phrases of Chinese, written by us, in simplified and traditional characters. */
import { chinese } from "../../text/locales/zh.ts";
import type { RuleLanguage } from "./phrase.ts";

const kin =
  "(?:姐姐|妹妹|哥哥|弟弟|妈妈|媽媽|母亲|母親|爸爸|父亲|父親|儿子|兒子|女儿|女兒|奶奶|爷爷|爺爺|外婆|外公|姑姑|叔叔|阿姨|舅舅|表姐|表妹|表哥|表弟|朋友|闺蜜|閨蜜|老板|老闆|同事|邻居|鄰居|老师|老師|室友)";
const partner = "(?:妻子|老婆|太太|丈夫|老公|先生|女朋友|男朋友|女友|男友|伴侣|伴侶|未婚妻|未婚夫)";
const animal = "(?:狗狗|狗|猫咪|貓咪|猫|貓|兔子|仓鼠|倉鼠|鹦鹉|鸚鵡|乌龟|烏龜)";

/** Chinese. */
export const chineseRules: RuleLanguage = {
  code: "zh",
  before: "[,;:，；：、（\\s]|(?:而且|但是|但|所以|因为|因為|其实|其實|你好|嗨|请|請|也|还有|還有)",
  adverb: "(?:现在|現在|一直|真的|很|非常|特别|特別|最近|有点|有點|总是|總是|也|刚刚|剛剛|刚|剛|已经|已經|都|还|還|比较|比較)",
  people: kin,
  partner,
  animal,
  facts: [
    {
      say: "(?:我叫|我的名字是|我的名字叫|叫我|你可以叫我)(?<o>.{1,12})",
      form: "name",
      category: "preference",
      predicate: "PREFERRED_NAME",
      object: "Value",
    },
    { say: "我{adverb}*(?:住在|搬到了?|搬去了?|定居在)(?<o>.{1,12})", form: "place", category: "context", predicate: "LIVES_IN", object: "Place" },
    { say: "我{adverb}*(?:来自|來自|出生在|生于|生於)(?<o>.{1,12})", form: "place", category: "context", predicate: "COMES_FROM", object: "Place" },
    {
      say: "我{adverb}*在(?<o>[^,，。!！?？;；、]{2,15}?)(?:工作|上班)",
      form: "place",
      category: "context",
      predicate: "WORKS_AT",
      object: "Organisation",
    },
    {
      say: "我(?:是|做)(?:一名|一个|一個|一位)(?<o>[^,，。!！?？;；、]{2,8})",
      form: "words",
      category: "context",
      predicate: "WORKS_AS",
      object: "Occupation",
    },
    { say: "我(?:今年)?{adverb}*(?<o>\\d{1,3})[岁歲]", form: "age", category: "context", predicate: "AGE", object: "Value" },
    { say: "我(?:的)?{partner}(?:叫|名叫|的名字是)(?<o>.{1,8})", form: "name", category: "relationship", predicate: "PARTNER_OF", object: "Person" },
    { say: "我(?:的)?{people}(?:叫|名叫|的名字是)(?<o>.{1,8})", form: "name", category: "relationship", predicate: "KNOWS", object: "Person" },
    { say: "我(?:的)?{animal}(?:叫|名叫|的名字是)(?<o>.{1,8})", form: "name", category: "relationship", predicate: "HAS", object: "Animal" },
    {
      say: "我(?:养了?|養了?|有)(?<o>(?:一|两|兩|三|\\d)[只隻条條个個](?:{animal}|{people}))",
      form: "listed",
      category: "relationship",
      predicate: "HAS",
      object: "Thing",
    },
    {
      say: "我{adverb}*(?:对|對)(?<o>[^,，。!！?？;；、]{1,12}?)(?:过敏|過敏)",
      form: "words",
      category: "context",
      predicate: "AVOIDS",
      object: "Thing",
      sensitivity: "sensitive",
    },
    {
      say: "我{adverb}*(?:是)?(?:吃)?(?<o>素食者|纯素|純素|吃素)",
      form: "listed",
      category: "context",
      predicate: "IS",
      object: "Thing",
      sensitivity: "sensitive",
    },
    {
      say: `我(?:的)?(?<o>${kin}|${partner}|${animal}){adverb}*(?:去世|过世|過世|走了|死了|离世|離世)了?`,
      form: "listed",
      category: "loss",
      predicate: "EXPERIENCED",
      object: "Event",
      id: "{o}去世",
    },
    {
      say: `我{adverb}*(?:失去了|丢了|丟了)(?:我的)?(?<o>${kin}|${partner}|${animal}|工作|孩子)`,
      form: "listed",
      category: "loss",
      predicate: "EXPERIENCED",
      object: "Event",
      id: "失去{o}",
    },
    {
      say: "我{adverb}*(?:担心|擔心|害怕|为(?=[^,，。]{1,20}(?:紧张|发愁|焦虑))|為(?=[^,，。]{1,20}(?:緊張|發愁|焦慮)))(?<o>[^,，。!！?？;；、]{1,20}?)(?:(?:感到|而)?(?:很)?(?:紧张|緊張|发愁|發愁|焦虑|焦慮)|(?=$|[,，。!！;；、]))",
      form: "words",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
    },
    {
      say: "我(?:觉得自己|覺得自己|感觉自己|真的|就是|很)*(?:很|是个|是個|太|真)*(?<o>没用|沒用|废物|廢物|失败者|失敗者)",
      form: "listed",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
      id: "觉得自己{o}",
    },
    { say: "我{adverb}*(?:喜欢|喜歡|热爱|熱愛|爱|愛)(?<o>.{1,20})", form: "words", category: "preference", predicate: "LIKES", object: "Thing" },
    {
      say: "我{adverb}*(?:讨厌|討厭|不喜欢|不喜歡|受不了)(?<o>.{1,20})",
      form: "words",
      category: "preference",
      predicate: "DISLIKES",
      object: "Thing",
    },
    {
      say: "(?:我{adverb}*(?:想要|想|打算|希望|计划|計劃)|我的(?:目标|目標|梦想|夢想)是)(?<o>.{2,30})",
      form: "words",
      category: "goal",
      predicate: "WANTS",
      object: "Goal",
    },
    {
      say: "我{adverb}*(?:在学|在學|正在学|正在學|学习|學習)(?<o>.{1,12})",
      form: "words",
      category: "context",
      predicate: "STUDIES",
      object: "Thing",
    },
    {
      say: "(?<o>[^,，。!！?？;；、我]{1,20}?)(?:能|可以)?(?:让我|讓我|帮我|幫我|帮助我|幫助我)(?:放松|放鬆|入睡|平静|平靜|冷静|冷靜|好一点|好一點)",
      form: "words",
      category: "coping_strategy",
      predicate: "USES",
      object: "CopingStrategy",
    },
  ],
  rules: [
    {
      say: "(?:请|請)?(?:回答|回复|回覆|说|說)(?:得|的)?(?:简短|簡短|短|简洁|簡潔)(?:一点|一點|一些|点|點)?|(?:简短|簡短)(?:一点|一點|回答)",
      text: "Keep your replies short.",
    },
    {
      say: "(?:不要|别|別|不用)(?:再)?(?:给|給)我(?:任何)?(?:建议|建議)|(?:只要|只需|就)(?:听我说|聽我說)",
      text: "Do not give advice unless you are asked for it.",
    },
    { say: "(?:不要|别|別)(?:再)?(?:问|問)(?:我)?(?:这么多|這麼多|那么多|那麼多|太多)?(?:问题|問題)", text: "Ask few questions." },
    { say: "(?:直接|坦率)(?:一点|一點|点|點)", text: "Be direct." },
    { say: "(?:不要|别|別)(?:再)?用表情", text: "Use no emojis." },
  ],
  uncertain:
    "如果|要是|假如|假设|假設|吗$|嗎$|呢$|为什么|為什麼|怎么|怎麼|什么|什麼|梦见|夢見|梦里|夢裡|开玩笑|開玩笑|以前|曾经|曾經|他说|她说|他說|她說|他们说|他們說",
  ends: "但是|但|因为|因為|所以|而且|然后|然後|的时候|的時候|了$|和(?=我)|已经|已經",
  noObject: "(?:你|他|她|它|这|這|那|什么|什麼|没|沒|不|死|自杀|自殺|知道|问|問|说|說|自己|一个人|一個人)",
  crisis: "想死|去死|死掉|死了算了|自杀|自殺|自残|自殘|自伤|自傷|消失|结束生命|結束生命|不想活",
  locale: chinese,
  feelings:
    "难过|難過|悲伤|悲傷|焦虑|焦慮|紧张|緊張|担心|擔心|害怕|生气|生氣|孤独|孤獨|累|疲惫|疲憊|压力|壓力|内疚|內疚|平静|平靜|好多了|好一点|好一點|放心|开心|開心|高兴|高興|感激|轻松|輕鬆",
  not: "(?:不|没|沒|不太|没有|沒有)",
  unspaced: true,
};
