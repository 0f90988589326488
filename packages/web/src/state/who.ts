import type { Actor } from "@holdfast/sdk";
import { t } from "../i18n/text.ts";
import { whoIs } from "@holdfast/model/who.ts";
import { account } from "./account.ts";

/**
 * Returns the display name of an actor: "You" for the user of this browser, with the client's name if the user acted in
 * another client. Other actors: their name.
 */
export function whoOf(actor: Actor | null): string {
  if (actor === null) return t().conversation.you;
  const who = whoIs(actor.id, account()?.name ?? null);
  if (who.kind === "other") return who.name;
  const client = who.kind === "own" ? who.client : "";
  return client === "" ? t().conversation.you : t().conversation.youWith({ client });
}

export function isHere({ id }: Actor): boolean {
  return whoIs(id, account()?.name ?? null).kind === "here";
}
