import type { AskRow } from "../../kernel/ledger.ts";
import { makeBody } from "../../store/body.ts";
import { nobody, send } from "./command-parts.ts";
import type { ByActor, CommandParts } from "./command-parts.ts";

export interface AskCommands {
  /** The first answer counts; a later one is refused `askClosed` with the ask, which names it (R4). */
  answer(input: AnswerInput): Promise<AskRow>;
}

export interface AnswerInput extends ByActor {
  readonly sessionId: string;
  readonly askId: string;
  readonly verdict: "allow" | "deny";
  readonly text?: string;
  /** The same is allowed from now on, without asking. */
  readonly remember?: "session" | "project";
}

export function askCommands(parts: CommandParts): AskCommands {
  return {
    answer: async (input) => {
      const { sessionId, askId, verdict, remember, actor = nobody } = input;
      const text = remember === undefined ? input.text : `always for ${remember}`;
      const body = text === undefined ? null : makeBody(JSON.stringify({ text }));
      const given = { verdict, body: body?.hash ?? null };
      const { ask } = await send(parts.store, {
        command: { type: "ask.answer", sessionId, askId, ...given, actor },
        bodies: body === null ? [] : [body],
      });
      if (ask === null) throw new Error(`ask ${askId} was answered without a row`);
      return ask;
    },
  };
}
