import type { Actor } from "@holdfast/sdk";
import { t } from "../../i18n/text.ts";
import { account } from "../../state/account.ts";

/** Who did it, as short as it is clear: this browser's person is "you". */
export function whoOf(actor: Actor | null): string {
  return actor === null || isMe(actor) ? t().conversation.you : actor.id;
}

export function isMe({ id }: Actor): boolean {
  const own = account()?.name;
  return own !== undefined && (id === own || id.startsWith(`${own}/`));
}
