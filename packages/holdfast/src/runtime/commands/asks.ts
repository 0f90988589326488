import type { AnswerToAskBody } from "../../agent/message.ts";
import type { Directories } from "../../kernel/directories.ts";
import type { AskRow } from "../../kernel/ledger.ts";
import type { Budget } from "../../kernel/state.ts";
import { makeBody } from "../../store/body.ts";
import { nobody } from "./command-context.ts";
import type { ByActor, CommandContext } from "./command-context.ts";

export interface AskCommands {
  /**
   * Answers an ask. The first answer counts. A later one is refused with `askClosed`, and the refusal contains the ask
   * with its answer (R4).
   */
  answer(input: AnswerInput): Promise<AskRow>;
}

export interface AnswerInput extends ByActor {
  readonly sessionId: string;
  readonly askId: string;
  readonly verdict: "allow" | "deny";
  readonly text?: string;
  /** Where to remember the answer: the same action is then allowed without asking, in the session or in the project. */
  readonly remember?: "session" | "project";
  /** Amount to add to the limit of a used-up budget, instead of the proposed amount. */
  readonly raise?: Budget;
  /** Directories that the answering user is limited to; omitted: no limit. */
  readonly directories?: Directories;
}

export function askCommands(context: CommandContext): AskCommands {
  return {
    answer: async (input) => {
      const { sessionId, askId, verdict, text, remember, raise = null, actor = nobody } = input;
      const { directories = null } = input;
      const content: AnswerToAskBody = {
        text: text === undefined ? null : context.redact(text),
        remember: remember ?? null,
      };
      const isBare = text === undefined && remember === undefined;
      const body = isBare ? null : makeBody(JSON.stringify(content));
      const given = { verdict, body: body?.hash ?? null, directories };
      const { ask } = await context.send({
        command: { type: "ask.answer", sessionId, askId, ...given, raise, actor },
        bodies: body === null ? [] : [body],
      });
      if (ask === null)
        throw new Error(`the store returned no row for ask ${askId}; please report this bug`);
      return ask;
    },
  };
}
