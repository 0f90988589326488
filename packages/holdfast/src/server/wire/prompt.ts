import type { Attachment } from "../../contract/attachment.ts";
import type { Prompt, PromptInput, SentCommand } from "../../contract/prompt.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import { omitDamaged, readBody } from "../../log/bodies.ts";
import type { BodyReader } from "../../log/bodies.ts";

/** Stored content of a prompt. */
interface Content {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  readonly agent?: string;
  readonly model?: string;
  readonly agentMode?: string;
  readonly effort?: NonNullable<PromptInput["effort"]>;
  readonly thinking?: boolean;
  readonly command?: SentCommand;
}

/**
 * Converts a ledger row to the form that clients get: with the prompt's text and, if it is settled, its result. Damaged
 * content is omitted.
 */
export async function wirePrompt(source: BodyReader, row: LedgerRow): Promise<Prompt> {
  const bodies = omitDamaged(source);
  const [content, result] = await Promise.all([
    readBody<Content>(bodies, row.body),
    readBody<{ text: string }>(bodies, row.outcome?.result ?? null),
  ]);
  // Damaged content can be valid JSON of another kind.
  const known: Partial<Content> = typeof content?.text === "string" ? content : {};
  const { text = null, attachments = [], ...named } = known;
  const words = { text, attachments, ...named };
  if (row.status === "settled") return { ...row, ...words, result: result?.text ?? null };
  return { ...row, ...words, result: null };
}
