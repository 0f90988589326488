import type { Session } from "@holdfast/sdk";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { t } from "../i18n/text.ts";

/**
 * Returns the title of a session as the page shows it: hidden characters, which could make a title look like another
 * one, are shown as codes. `otherwise`: text for a session without a title, or one that is not loaded.
 */
export function shownTitle(
  session: Pick<Session, "title"> | null | undefined,
  otherwise: string = t().sessions.untitled,
): string {
  const title = session?.title ?? null;
  return title === null ? otherwise : visibleLine(title);
}
