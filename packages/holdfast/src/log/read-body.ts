import type { AnswerToAskBody } from "../agent/message.ts";
import type { StoreReader } from "../store/store.ts";

/** Where bodies are: a store, or a document that has them with it. */
export type BodyReader = Pick<StoreReader, "body">;

/** A stored body. Bodies are written by this program alone, so their shape is trusted. */
export async function readBody<Content>(
  bodies: BodyReader,
  hash: string | null,
): Promise<Content | null> {
  const bytes = hash === null ? null : await bodies.body(hash);
  if (bytes === null) return null;
  const content: Content = JSON.parse(new TextDecoder().decode(bytes));
  return content;
}

/** Reads the text of an answer; null if the answer has none. */
export async function readAnswer(
  bodies: BodyReader,
  hash: string | null,
): Promise<AnswerToAskBody | null> {
  const body = await readBody<Partial<AnswerToAskBody>>(bodies, hash);
  return body === null ? null : { text: body.text ?? null, remember: body.remember ?? null };
}
