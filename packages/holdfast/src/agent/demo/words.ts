/** Adds the prefix of the demo agent, which shows that no model wrote the text. */
export function demoText(text: string): string {
  return `[demo agent] ${text}`;
}

export const helpText = `I am the demo agent: offline, no model behind me. I do what the prompt says, one
instruction per line or separated by ";":
  say <text> [slowly]      words <n> [every 50ms]    think <text>      steps <n>
  say <text> very slowly
  tool <name> [text]       append <file> [line]      parallel { <call>; <call> }
  print <n>                ask <question>            ask to <call>
  child { ... }            background { ... }        send <session> { ... }
  wait 2s                  tokens <n>                cost <amount>
  fail [once | badKey]     stall                     stubborn [2s]
  crash run [for 3s]
With HOLDFAST_DEMO_FAULTS=1 also:
  block 200ms              flood <n>                 crash [once | during <call>]
Any other text I echo.`;
