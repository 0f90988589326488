import type { Actor, Hold } from "@holdfast/sdk";
import type { Notice, NoticeEntry } from "@holdfast/model/conversation.ts";
import { reasonTexts } from "@holdfast/model/reason-texts.ts";
import { countReceipt } from "@holdfast/model/receipt.ts";
import { whoIs } from "@holdfast/model/who.ts";
import type { Look } from "../screen/look.ts";
import { oneLine, printable, wrap } from "../screen/text.ts";
import { plural } from "./call-card.ts";

export interface NoticeOptions {
  readonly look: Look;
  readonly columns: number;
  /** Name of this client, to tell this user's actions from those of others. */
  readonly own: string | null;
}

/** Returns the rows of a notice, such as the result of a cancel, a failed run or a pause. */
export function noticeRows(entry: NoticeEntry, options: NoticeOptions): string[] {
  const { look, columns } = options;
  const { text, tone } = noticeText(entry, options.own);
  if (text === "") return [];
  const paint = { bad: look.bad, warn: look.warn, plain: look.dim }[tone];
  return wrap(printable(text), columns - 2).map((row, index) =>
    paint(index === 0 ? `■ ${row}` : `  ${row}`),
  );
}

interface NoticeText {
  readonly text: string;
  readonly tone: "bad" | "warn" | "plain";
}

function noticeText({ notice, actor }: NoticeEntry, own: string | null): NoticeText {
  switch (notice.type) {
    case "cancelled":
      return { text: receiptText(notice, whoText(actor, own)), tone: "warn" };
    case "runEnded":
      return { text: failureText(notice), tone: "bad" };
    case "added":
      return { text: notice.text, tone: "warn" };
    case "lacking":
      return { text: `Started without ${notice.without.join(", ")}`, tone: "warn" };
    case "resumed":
      return {
        text: `The run was interrupted and continues from its last saved step (attempt ${notice.attempt})`,
        tone: "warn",
      };
    case "suspended":
      return { text: "The run was interrupted. /resume continues it", tone: "warn" };
    case "held":
      return { text: `Paused: ${holdText(notice.hold)}`, tone: "warn" };
    case "released":
      return { text: releaseTexts[notice.cause], tone: "plain" };
    case "workEnded":
      return { text: `${notice.name}: ${notice.cause}`, tone: "plain" };
    case "forked":
      return {
        text:
          notice.from === null
            ? "Imported. The messages above come from a file"
            : "Forked. The messages above come from another session",
        tone: "plain",
      };
    case "deleted":
      return { text: "This session was deleted", tone: "warn" };
  }
}

/** Describes exactly which prompts a cancel covers. It does not say "stopped", because the run may still be stopping. */
function receiptText({ receipt }: Extract<Notice, { type: "cancelled" }>, who: string): string {
  const { running, queued, background } = countReceipt(receipt);
  const parts = [
    running > 0 ? `${running} running ${plural(running, "prompt")}` : "",
    queued > 0 ? `${queued} queued ${plural(queued, "prompt")}` : "",
    background > 0 ? `${background} in the background` : "",
  ].filter((part) => part !== "");
  const rest =
    receipt.tree || receipt.background.length === 0
      ? ""
      : backgroundText(receipt.background.length);
  return `${who} cancelled ${parts.join(" and ")}${rest}`;
}

function backgroundText(count: number): string {
  return `; ${count} in the background ${count === 1 ? "continues" : "continue"}. /stop-all stops ${count === 1 ? "it" : "them"}`;
}

function failureText({ outcome, text }: Extract<Notice, { type: "runEnded" }>): string {
  const reason = outcome.reason === null ? "the agent failed" : reasonTexts[outcome.reason];
  return text === null || text === "" ? `Failed: ${reason}` : `Failed: ${reason}. ${oneLine(text)}`;
}

function holdText(hold: Hold): string {
  switch (hold.kind) {
    case "person":
      return hold.reason === ""
        ? "by a user. /resume ends the pause"
        : `${oneLine(hold.reason)}. /resume ends the pause`;
    case "failure":
      return `${reasonTexts[hold.reason]}. The next prompt or /resume tries again`;
    case "recovery":
      return "the run was interrupted. /resume continues it";
  }
}

type ReleaseCause = Extract<Notice, { type: "released" }>["cause"];

const releaseTexts: Readonly<Record<ReleaseCause, string>> = {
  person: "Resumed",
  refresh: "Resumed: the directory was reloaded",
  retryTime: "Resumed: trying again",
  newPrompt: "Resumed by a new prompt",
  runEnded: "Resumed: the run ended",
  deleted: "",
};

/** Returns the name of the person or program that caused an action. */
export function whoText(actor: Actor, own: string | null): string {
  if (actor.kind !== "client") return "Holdfast";
  const who = whoIs(actor.id, own);
  if (who.kind === "here") return "You";
  if (who.kind === "other") return oneLine(who.name);
  return who.client === "" ? "You" : `You (${oneLine(who.client)})`;
}
