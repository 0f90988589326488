import type { Attachment } from "../../contract/attachment.ts";
import type { Prompt } from "../../contract/prompt.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import { readBody } from "../../runner/read-body.ts";
import type { BodyReader } from "../../runner/read-body.ts";

/** A ledger entry with its words, and those of its result once it is settled. */
export async function wirePrompt(bodies: BodyReader, row: LedgerRow): Promise<Prompt> {
  const [content, result] = await Promise.all([
    readBody<{ text: string; attachments?: readonly Attachment[] }>(bodies, row.body),
    readBody<{ text: string }>(bodies, row.outcome?.result ?? null),
  ]);
  const words = { text: content?.text ?? null, attachments: content?.attachments ?? [] };
  if (row.status === "settled") return { ...row, ...words, result: result?.text ?? null };
  return { ...row, ...words, result: null };
}
