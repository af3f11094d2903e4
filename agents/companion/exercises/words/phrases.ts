/** What the companion says around the steps of an exercise, per language: for whoever answers without a model, and as a draft for one. */
import type { ExerciseLanguage } from "../definition.ts";

/** `{step}` is the instruction, `{smaller}` the smaller step, `{name}` the exercise, `{names}` several, `{count}` and `{steps}` numbers. */
export interface ExercisePhrases {
  readonly start: string;
  /** Said in turn, by step. */
  readonly next: readonly [string, ...string[]];
  readonly hold: string;
  /** Some things were named, and not enough yet. */
  readonly some: string;
  readonly stuck: string;
  /** The exercise does them no good. */
  readonly unwell: string;
  readonly resume: string;
  readonly restart: string;
  readonly exit: string;
  readonly finish: string;
  readonly clarify: string;
  readonly explain: string;
  readonly offer: string;
  readonly none: string;
}

export const exercisePhrases: Readonly<Record<ExerciseLanguage, ExercisePhrases>> = {
  en: {
    start: "Good, let us do it together: {name}, {steps} short steps. You can stop whenever you like. {step}",
    next: ["Thank you. {step}", "Good, you are with it. {step}", "That is fine, just as it is. {step}"],
    hold: "Take the time you need, there is no hurry. {step}",
    some: "You have {count} so far, that counts. Whenever you like, go on: {step}",
    stuck: "That is all right, many people get stuck here. Let us make it smaller. {smaller}",
    unwell:
      "Then do not push on. Breathe however your body wants to, sit or lie down, and let it settle; if it does not, or you have pain in your chest, get medical help. We can stop here, that is quite all right. If you want to go on, then smaller: {smaller}",
    resume: "Welcome back. We were here: {step}",
    restart: "This exercise has changed since we began it, so let us start again from the beginning. {step}",
    exit: "Of course, we leave it there. Thank you for trying it. What would help you most right now?",
    finish:
      "That was {name}, and you went all the way through it. Notice your body for a moment, your shoulders, your breath. What is different now, if anything?",
    clarify: "There is no wrong answer here, and a few words are enough. {step}",
    explain: "{why} Whenever you like, we go on where we were. {step}",
    offer: "These are the exercises that I can do with you: {names}. Which one would you like?",
    none: "I have no exercise that I can do with you here at the moment. We can simply go on talking. What would help you most right now?",
  },
  es: {
    start: "Bien, hagámoslo juntos: {name}, {steps} pasos cortos. Puedes parar cuando quieras. {step}",
    next: ["Gracias. {step}", "Bien, vas siguiendo. {step}", "Está bien así, tal como es. {step}"],
    hold: "Tómate el tiempo que necesites, no hay prisa. {step}",
    some: "Llevas {count}, eso ya cuenta. Cuando quieras, sigue: {step}",
    stuck: "No pasa nada, mucha gente se atasca aquí. Hagámoslo más pequeño. {smaller}",
    unwell:
      "Entonces no sigas forzando. Respira como te pida el cuerpo, siéntate o túmbate y deja que se calme; si no se calma, o te duele el pecho, busca ayuda médica. Podemos parar aquí, está muy bien. Si quieres seguir, más pequeño: {smaller}",
    resume: "Aquí seguimos. Estábamos en esto: {step}",
    restart: "Este ejercicio ha cambiado desde que lo empezamos, así que comencemos de nuevo. {step}",
    exit: "Claro, lo dejamos aquí. Gracias por intentarlo. ¿Qué te ayudaría más ahora mismo?",
    finish:
      "Esto era {name}, y lo has hecho entero. Fíjate un momento en tu cuerpo, los hombros, la respiración. ¿Qué ha cambiado, si es que algo ha cambiado?",
    clarify: "Aquí no hay respuesta equivocada, y bastan pocas palabras. {step}",
    explain: "{why} Cuando quieras, seguimos donde estábamos. {step}",
    offer: "Estos son los ejercicios que puedo hacer contigo: {names}. ¿Cuál te gustaría?",
    none: "Ahora mismo no tengo aquí ningún ejercicio que pueda hacer contigo. Podemos seguir hablando. ¿Qué te ayudaría más?",
  },
  de: {
    start: "Gut, machen wir es zusammen: {name}, {steps} kurze Schritte. Du kannst jederzeit aufhören. {step}",
    next: ["Danke. {step}", "Gut, du bist dabei. {step}", "Das ist gut so, wie es ist. {step}"],
    hold: "Nimm dir die Zeit, die du brauchst, es eilt nicht. {step}",
    some: "Bisher hast du {count}, das zählt. Wenn du magst, mach weiter: {step}",
    stuck: "Das macht nichts, hier bleiben viele hängen. Machen wir es kleiner. {smaller}",
    unwell:
      "Dann mach nicht weiter so. Atme, wie dein Körper es will, setz oder leg dich hin und lass es abklingen; wenn es nicht besser wird oder dir die Brust wehtut, hol ärztliche Hilfe. Wir können hier aufhören, das ist völlig in Ordnung. Wenn du weitermachen magst, dann kleiner: {smaller}",
    resume: "Schön, dass du wieder da bist. Wir waren hier: {step}",
    restart: "Diese Übung hat sich geändert, seit wir sie begonnen haben, also fangen wir noch einmal von vorn an. {step}",
    exit: "Natürlich, wir lassen es dabei. Danke, dass du es versucht hast. Was würde dir jetzt am meisten helfen?",
    finish:
      "Das war {name}, und du hast alles durchgemacht. Spür einen Moment in deinen Körper, die Schultern, den Atem. Was ist jetzt anders, wenn überhaupt?",
    clarify: "Es gibt hier keine falsche Antwort, und wenige Worte genügen. {step}",
    explain: "{why} Wenn du magst, machen wir dort weiter, wo wir waren. {step}",
    offer: "Diese Übungen kann ich mit dir machen: {names}. Welche möchtest du?",
    none: "Im Moment habe ich hier keine Übung, die ich mit dir machen kann. Wir können einfach weiterreden. Was würde dir jetzt am meisten helfen?",
  },
  fr: {
    start: "Bien, faisons-le ensemble : {name}, {steps} courtes étapes. Tu peux arrêter quand tu veux. {step}",
    next: ["Merci. {step}", "Bien, tu y es. {step}", "C'est très bien comme ça. {step}"],
    hold: "Prends le temps qu'il te faut, rien ne presse. {step}",
    some: "Tu en as {count}, cela compte déjà. Quand tu veux, continue : {step}",
    stuck: "Ce n'est pas grave, beaucoup de gens bloquent ici. Faisons plus petit. {smaller}",
    unwell:
      "Alors n'insiste pas. Respire comme ton corps le veut, assieds-toi ou allonge-toi et laisse passer ; si cela ne passe pas, ou si tu as mal à la poitrine, cherche une aide médicale. On peut s'arrêter là, c'est très bien. Si tu veux continuer, alors plus petit : {smaller}",
    resume: "Te revoilà. Nous en étions là : {step}",
    restart: "Cet exercice a changé depuis que nous l'avons commencé, alors reprenons du début. {step}",
    exit: "Bien sûr, on s'arrête là. Merci d'avoir essayé. Qu'est-ce qui t'aiderait le plus maintenant ?",
    finish:
      "C'était {name}, et tu es allé jusqu'au bout. Sens ton corps un instant, les épaules, le souffle. Qu'est-ce qui a changé, si quelque chose a changé ?",
    clarify: "Il n'y a pas de mauvaise réponse, et quelques mots suffisent. {step}",
    explain: "{why} Quand tu veux, on reprend où nous en étions. {step}",
    offer: "Voici les exercices que je peux faire avec toi : {names}. Lequel voudrais-tu ?",
    none: "Je n'ai pas d'exercice à faire avec toi ici pour le moment. Nous pouvons continuer à parler. Qu'est-ce qui t'aiderait le plus ?",
  },
  pt: {
    start: "Bom, vamos fazer juntos: {name}, {steps} passos curtos. Você pode parar quando quiser. {step}",
    next: ["Obrigado. {step}", "Bom, você está acompanhando. {step}", "Está bem assim, do jeito que é. {step}"],
    hold: "Leve o tempo que precisar, não há pressa. {step}",
    some: "Você já tem {count}, isso conta. Quando quiser, continue: {step}",
    stuck: "Não faz mal, muita gente trava aqui. Vamos fazer menor. {smaller}",
    unwell:
      "Então não force. Respire como o corpo pedir, sente-se ou deite-se e deixe passar; se não passar, ou se doer o peito, procure ajuda médica. Podemos parar aqui, está tudo bem. Se quiser continuar, então menor: {smaller}",
    resume: "Que bom que voltou. Estávamos aqui: {step}",
    restart: "Este exercício mudou desde que começamos, então vamos recomeçar. {step}",
    exit: "Claro, deixamos por aqui. Obrigado por tentar. O que mais ajudaria você agora?",
    finish: "Isso foi {name}, e você foi até o fim. Note seu corpo por um momento, os ombros, a respiração. O que mudou, se algo mudou?",
    clarify: "Não há resposta errada aqui, e poucas palavras bastam. {step}",
    explain: "{why} Quando quiser, continuamos de onde paramos. {step}",
    offer: "Não tenho certeza de qual exercício você quer. Estes são os que posso fazer com você: {names}. Qual você gostaria?",
    none: "No momento não tenho aqui nenhum exercício que possa fazer com você. Podemos continuar conversando. O que mais ajudaria você agora?",
  },
  zh: {
    start: "好，我们一起来做：{name}，一共{steps}小步，你随时可以停下。{step}",
    next: ["谢谢你。{step}", "很好，你跟上了。{step}", "这样就很好。{step}"],
    hold: "慢慢来，不着急。{step}",
    some: "你已经说了{count}个，这就算数。愿意的话继续：{step}",
    stuck: "没关系，很多人在这里都会卡住。我们把它变小一点。{smaller}",
    unwell:
      "那就不要勉强。按身体想要的方式呼吸，坐下或躺下，等它过去；如果没有好转，或者胸口疼，请去看医生。我们可以就到这里，完全没关系。如果还想继续，就更小一点：{smaller}",
    resume: "欢迎回来。我们刚才到这里：{step}",
    restart: "这个练习在我们开始之后有了变化，我们从头再来吧。{step}",
    exit: "当然，我们就到这里。谢谢你愿意尝试。现在什么对你最有帮助？",
    finish: "这就是{name}，你完整地做下来了。感觉一下你的身体，肩膀、呼吸。现在有什么不一样吗？",
    clarify: "两种都可以，这里没有错误的答案。{step}",
    explain: "{why}愿意的话，我们接着刚才的地方继续。{step}",
    offer: "我不太确定你想做哪个练习。我可以陪你做这些：{names}。你想做哪一个？",
    none: "现在这里没有我可以陪你做的练习。我们可以继续聊聊。现在什么对你最有帮助？",
  },
};
