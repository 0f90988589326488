import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { NoticeEntry } from "@holdfast/model/conversation.ts";
import { countReceipt } from "@holdfast/model/receipt.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { clockTime, fullTime } from "../../ui/time.tsx";
import { holdText } from "../status-mark.tsx";
import { whoOf } from "../../state/who.ts";

/** A session event, in one line. */
export function NoticeRow(props: { entry: NoticeEntry }): JSX.Element {
  const detail = (): string | null => {
    const { notice } = props.entry;
    return notice.type === "runEnded" ? notice.text : null;
  };
  return (
    <div class={`notice ${props.entry.notice.type}`}>
      <p>
        <span>{noticeText(props.entry)}</span>
        <time title={fullTime(props.entry.at)}>{clockTime(props.entry.at)}</time>
      </p>
      <Show when={detail()}>{(text) => <p class="notice-detail">{visibleText(text())}</p>}</Show>
    </div>
  );
}

function noticeText({ notice, actor }: NoticeEntry): string {
  const text = t().notices;
  switch (notice.type) {
    case "cancelled":
      return text.cancelled({ ...countReceipt(notice.receipt), who: whoOf(actor) });
    case "runEnded": {
      const { reason } = notice.outcome;
      return text.failed({ reason: reason === null ? "" : t().reasons[reason] });
    }
    case "added":
      return visibleText(notice.text);
    case "lacking":
      return text.lacking({ names: notice.without.join(", ") });
    case "resumed": {
      const { attempt, without } = notice;
      const resumed = text.resumed({ attempt });
      return without.length === 0
        ? resumed
        : `${resumed} · ${text.lacking({ names: without.join(", ") })}`;
    }
    case "suspended":
      return text.suspended;
    case "held":
      return text.held({ reason: holdText(notice.hold) });
    case "released":
      return text.released[notice.cause];
    case "workEnded":
      return notice.cause === "done"
        ? text.workDone({ name: notice.name })
        : text.workStopped({ name: notice.name });
    case "forked":
      return notice.from === null ? text.imported : text.forkedFrom;
    case "deleted":
      return text.deleted;
  }
}
