import type { Message } from "../../contract/message.ts";

type AnswerFields = Pick<
  Extract<Message, { role: "assistant" }>,
  "reasoning" | "model" | "summary"
>;

/** What of an answer's extra is for people; the rest is for the next request to the same model. */
export function answerFields(extra: unknown): AnswerFields {
  const fields = typeof extra === "object" && extra !== null ? extra : {};
  const reasoning = "reasoning" in fields ? fields.reasoning : null;
  const model = "model" in fields ? fields.model : null;
  return {
    reasoning: typeof reasoning === "string" && reasoning !== "" ? reasoning : null,
    model: typeof model === "string" ? model : null,
    summary: "kind" in fields && fields.kind === "compaction",
  };
}
