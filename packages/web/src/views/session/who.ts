import type { Actor } from "@holdfast/sdk";
import { t } from "../../i18n/text.ts";
import { account } from "../../state/account.ts";

/** Who did it, as short as it is clear: this browser's person is "you". */
export function whoOf(actor: Actor | null): string {
  if (actor === null) return t().conversation.you;
  const own = account()?.name;
  if (own !== undefined && (actor.id === own || actor.id.startsWith(`${own}/`))) {
    return t().conversation.you;
  }
  return actor.id;
}
