import type { SessionDetail } from "@holdfast/sdk";
import type { Conversation } from "@holdfast/model/conversation.ts";
import { isSteering, queueId } from "@holdfast/model/queue.ts";
import type { QueueItem } from "@holdfast/model/queue.ts";
import type { Look } from "../screen/look.ts";
import { fit, justify, oneLine } from "../screen/text.ts";
import { promptText } from "../transcript/prompt-rows.ts";

/** Maximum number of rows of the panel while it does not have the focus. */
const restingRows = 4;

export interface Outgoing {
  readonly promptId: string;
  readonly text: string;
}

export interface QueuePanelOptions {
  readonly detail: SessionDetail | null;
  readonly conversation: Conversation | null;
  /** Prompts that the server has not accepted yet. */
  readonly outgoing: readonly Outgoing[];
  /** Id of the selected item while the panel has the focus. Null: the panel does not have the focus. */
  readonly selected: string | null;
  readonly look: Look;
  readonly columns: number;
}

/** Shows the waiting prompts, each with the reason why it waits. */
export function queueRows(options: QueuePanelOptions): string[] {
  const { detail, outgoing, selected, look, columns } = options;
  const queue = detail?.queue ?? [];
  const known = new Set(queue.map(queueId));
  const sending = outgoing.filter(({ promptId }) => !known.has(promptId));
  if (queue.length === 0 && sending.length === 0) return [];
  const isFocused = selected !== null;
  const at = Math.max(
    0,
    queue.findIndex((item) => queueId(item) === selected),
  );
  const room = isFocused ? 10 : restingRows;
  const begin = isFocused ? Math.max(0, Math.min(at - 4, queue.length - room)) : 0;
  const rows = queue.slice(begin, begin + room).map((item, index) => {
    const row = itemRow(item, begin + index, options);
    return queueId(item) === selected ? look.selected(`❯${row.slice(1)}`) : row;
  });
  const hidden = queue.length - rows.length;
  const hint = isFocused
    ? "e edit · Shift-↑↓ move · x withdraw · p run now · s steer · Esc back"
    : "Alt-↑ edits the queue";
  return [
    justify(
      look.bold(`Queue ${queue.length + sending.length}`),
      look.dim(fit(hint, columns - 12)),
      columns,
    ),
    ...rows,
    ...(hidden > 0 ? [look.dim(`  … ${hidden} more`)] : []),
    ...sending.map(({ text }) => look.dim(fit(`  … sending: ${oneLine(text)}`, columns))),
  ];
}

function itemRow(item: QueueItem, place: number, options: QueuePanelOptions): string {
  const { look, columns } = options;
  const why = reason(item, place, options);
  return justify(`  ${place + 1} ${itemText(item, options.conversation)}`, look.dim(why), columns);
}

function itemText(item: QueueItem, conversation: Conversation | null): string {
  if (item.kind === "work") return oneLine(item.name);
  const prompt = conversation?.prompts.get(item.promptId);
  return prompt === undefined ? "…" : oneLine(promptText(prompt));
}

/** Returns the reason why the item waits. */
function reason(item: QueueItem, place: number, { detail }: QueuePanelOptions): string {
  if (isSteering(item)) return "joins the run at its next step";
  if ((detail?.holds.length ?? 0) > 0) return "paused";
  if (place > 0) return `after ${place}`;
  return detail?.active === null ? "starts next" : "after this run";
}
