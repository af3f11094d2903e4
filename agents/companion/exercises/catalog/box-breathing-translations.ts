import type { ExerciseDefinition } from "../definition.ts";

/** What is said in other languages than English. */
export const boxBreathingTranslations: ExerciseDefinition["translations"] = {
  es: {
    display_name: "Respiración cuadrada",
    rationale: "Una respiración lenta y pareja le dice a tu cuerpo que no hay que hacer nada en este segundo, y el resto suele seguirla.",
    steps: {
      breathe_in: {
        instruction: "Siéntate con comodidad e inspira suavemente por la nariz mientras cuentas despacio hasta cuatro. Dime cuando lo hayas hecho.",
        smaller: "Haz solo una respiración normal y nota dónde la sientes. Sin contar. Dime cuando la hayas hecho.",
      },
      hold_full: {
        instruction:
          "Mantén ese aire con suavidad contando hasta cuatro, sin forzar. Si retenerlo es desagradable, haz solo una pausa. Dime cuando estés.",
        smaller: "Deja de lado la retención y que la respiración descanse un momento. Dime cuando estés.",
      },
      breathe_out: {
        instruction: "Suelta el aire despacio por la boca contando hasta cuatro, y deja caer los hombros. Dime cuando lo hayas hecho.",
        smaller: "Deja salir el aire como en un suspiro, a la velocidad que venga. Dime cuando lo hayas hecho.",
      },
      hold_empty: {
        instruction:
          "Descansa contando hasta cuatro antes de la siguiente respiración. Da tres vueltas más al cuadrado a tu ritmo; respira normal si te mareas. Dime cuando termines.",
        smaller: "Descansa un momento y da una vuelta a tu ritmo, sin contar si así es más fácil. Dime cuando termines.",
      },
    },
  },
  de: {
    display_name: "Boxatmung",
    rationale:
      "Ein langsamer, gleichmäßiger Atem sagt deinem Körper, dass in dieser Sekunde nichts getan werden muss, und der Rest zieht meist nach.",
    steps: {
      breathe_in: {
        instruction: "Setz dich bequem hin und atme sanft durch die Nase ein, während du langsam bis vier zählst. Sag mir, wenn du es gemacht hast.",
        smaller: "Mach nur einen gewöhnlichen Atemzug und merk, wo du ihn spürst. Ohne Zählen. Sag mir, wenn du so weit bist.",
      },
      hold_full: {
        instruction:
          "Halte diesen Atem sanft und zähle bis vier, ohne Anstrengung. Wenn Halten unangenehm ist, mach einfach eine Pause. Sag mir, wenn du so weit bist.",
        smaller: "Lass das Halten weg und den Atem einen Moment ruhen. Sag mir, wenn du so weit bist.",
      },
      breathe_out: {
        instruction: "Atme langsam durch den Mund aus, zähle dabei bis vier und lass die Schultern sinken. Sag mir, wenn du es gemacht hast.",
        smaller: "Lass die Luft gehen wie bei einem Seufzer, so schnell sie will. Sag mir, wenn du es gemacht hast.",
      },
      hold_empty: {
        instruction:
          "Ruh dich aus und zähle bis vier, bevor der nächste Atem kommt. Geh noch dreimal um das Viereck, in deinem Tempo; atme normal, wenn dir schwindlig wird. Sag mir, wenn du durch bist.",
        smaller: "Ruh einen Moment, dann mach eine Runde in deinem Tempo, ohne Zählen, wenn das leichter ist. Sag mir, wenn du durch bist.",
      },
    },
  },
  fr: {
    display_name: "Respiration carrée",
    rationale: "Un souffle lent et régulier dit à ton corps que rien n'est à faire à cette seconde, et le reste suit en général.",
    steps: {
      breathe_in: {
        instruction: "Installe-toi bien et inspire doucement par le nez en comptant lentement jusqu'à quatre. Dis-moi quand c'est fait.",
        smaller: "Prends juste une respiration ordinaire et remarque où tu la sens. Sans compter. Dis-moi quand c'est fait.",
      },
      hold_full: {
        instruction:
          "Garde ce souffle doucement en comptant jusqu'à quatre, sans forcer. Si c'est désagréable, fais simplement une pause. Dis-moi quand tu y es.",
        smaller: "Laisse de côté la retenue et que le souffle se repose un instant. Dis-moi quand tu y es.",
      },
      breathe_out: {
        instruction: "Expire lentement par la bouche en comptant jusqu'à quatre, et laisse tomber tes épaules. Dis-moi quand c'est fait.",
        smaller: "Laisse partir l'air comme dans un soupir, à la vitesse qui vient. Dis-moi quand c'est fait.",
      },
      hold_empty: {
        instruction:
          "Repose-toi en comptant jusqu'à quatre avant le souffle suivant. Fais encore trois tours du carré à ton rythme ; respire normalement si la tête te tourne. Dis-moi quand c'est fini.",
        smaller: "Repose-toi un instant, puis fais un tour à ton rythme, sans compter si c'est plus facile. Dis-moi quand c'est fini.",
      },
    },
  },
  pt: {
    display_name: "Respiração quadrada",
    rationale: "Uma respiração lenta e regular diz ao seu corpo que nada precisa ser feito neste segundo, e o resto costuma acompanhar.",
    steps: {
      breathe_in: {
        instruction: "Sente-se com conforto e inspire suavemente pelo nariz, contando devagar até quatro. Me diga quando tiver feito.",
        smaller: "Faça só uma respiração comum e perceba onde a sente. Sem contar. Me diga quando tiver feito.",
      },
      hold_full: {
        instruction:
          "Segure esse ar suavemente contando até quatro, sem esforço. Se segurar for desagradável, apenas faça uma pausa. Me diga quando estiver.",
        smaller: "Deixe de lado o segurar e que a respiração descanse um momento. Me diga quando estiver.",
      },
      breathe_out: {
        instruction: "Solte o ar devagar pela boca contando até quatro, e deixe os ombros caírem. Me diga quando tiver feito.",
        smaller: "Deixe o ar sair como num suspiro, na velocidade que vier. Me diga quando tiver feito.",
      },
      hold_empty: {
        instruction:
          "Descanse contando até quatro antes da próxima respiração. Dê mais três voltas no quadrado, no seu ritmo; respire normalmente se ficar tonto. Me diga quando terminar.",
        smaller: "Descanse um momento e dê uma volta no seu ritmo, sem contar se for mais fácil. Me diga quando terminar.",
      },
    },
  },
  zh: {
    display_name: "箱式呼吸",
    rationale: "缓慢均匀的呼吸会告诉身体，这一秒没有什么非做不可，其他的也往往会跟着慢下来。",
    steps: {
      breathe_in: {
        instruction: "舒服地坐好，用鼻子轻轻吸气，慢慢数到四。做好了告诉我。",
        smaller: "只做一次平常的呼吸，留意你在哪里感觉到它，不用数。做好了告诉我。",
      },
      hold_full: {
        instruction: "轻轻停住这口气，数到四，不要用力。如果停住不舒服，稍微停顿一下就好。准备好了告诉我。",
        smaller: "不用停住，让呼吸歇一会儿。准备好了告诉我。",
      },
      breathe_out: {
        instruction: "用嘴慢慢呼气，数到四，让肩膀放下来。做好了告诉我。",
        smaller: "像叹气一样让气出去，快慢都可以。做好了告诉我。",
      },
      hold_empty: {
        instruction: "在下一次呼吸之前歇一歇，数到四。按自己的节奏再做三圈；如果头晕就正常呼吸。做完了告诉我。",
        smaller: "歇一会儿，然后按自己的节奏做一圈，不数也可以。做完了告诉我。",
      },
    },
  },
};
