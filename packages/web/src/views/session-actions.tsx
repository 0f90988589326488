import type { Receipt, Session } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { t } from "../i18n/text.ts";
import { countReceipt } from "@holdfast/model/receipt.ts";
import { sessionOf } from "../model/route.ts";
import { mayDecide } from "../state/account.ts";
import { holdfast } from "../state/client.ts";
import { currentRoute, go } from "../state/router.ts";
import { sendPromptsAgain } from "../state/send-again.ts";
import { attempt } from "../state/show-error.ts";
import { showToast } from "../state/toasts.ts";
import type { ToastAction } from "../state/toasts.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { saveFile } from "../ui/save-file.ts";

/** The session whose rename or delete dialog is open. */
export const [renaming, setRenaming] = createSignal<Session | null>(null);
export const [deleting, setDeleting] = createSignal<Session | null>(null);

/** Menu items for a session. */
export function sessionActions(session: Session): readonly MenuItem[] {
  if (!mayDecide()) return [];
  return [
    { label: t().sessions.rename, icon: "pencil", run: () => setRenaming(session) },
    { label: t().sessions.fork, icon: "fork", run: () => void forkSession(session.sessionId) },
    {
      label: session.archived ? t().sessions.unarchive : t().sessions.archive,
      icon: "archive",
      run: () => void archiveSession(session),
    },
    {
      label: session.holds.length > 0 ? t().sessions.release : t().sessions.hold,
      icon: "pause",
      run: () => void (session.holds.length > 0 ? releaseHolds(session) : holdSession(session)),
    },
    {
      label: t().notifications.mute,
      icon: "bellOff",
      run: () => void muteSession(session),
    },
    {
      label: t().sessions.export,
      icon: "external",
      run: () => void exportSession(session),
    },
    {
      label: t().sessions.report,
      icon: "file",
      run: () => void saveReport({ sessionId: session.sessionId }),
    },
    {
      label: t().sessions.delete,
      icon: "trash",
      isDangerous: true,
      run: () => setDeleting(session),
    },
  ];
}

export function forkSession(sessionId: string, at?: number): Promise<void> {
  return attempt(async () => {
    const fork = await holdfast.session(sessionId).fork(at === undefined ? {} : { at });
    go({ page: "session", sessionId: fork.sessionId });
    showToast(() => t().sessions.forked);
  });
}

export function archiveSession({ sessionId, archived }: Session): Promise<void> {
  const handle = holdfast.session(sessionId);
  return attempt(async () => {
    if (archived) {
      await handle.unarchive();
      return;
    }
    await handle.archive();
    const undo = {
      label: () => t().sessions.undo,
      run: () => void attempt(() => handle.unarchive()),
    };
    showToast(() => t().sessions.archivedToast, { actions: [undo] });
  });
}

/** Mutes the notifications of a session for this person. */
function muteSession({ sessionId }: Pick<Session, "sessionId">): Promise<void> {
  const { notifications } = holdfast;
  return attempt(async () => {
    await notifications.change({ mute: [sessionId] });
    const undo = {
      label: () => t().sessions.undo,
      run: () => void attempt(() => notifications.change({ unmute: [sessionId] })),
    };
    showToast(() => t().notifications.mutedToast, { actions: [undo] });
  });
}

export function deleteSession({ sessionId }: Session): Promise<void> {
  return attempt(async () => {
    await holdfast.session(sessionId).delete();
    if (sessionOf(currentRoute()) === sessionId) go({ page: "home" });
    showToast(() => t().sessions.deleted);
  });
}

export function holdSession({ sessionId }: Pick<Session, "sessionId">): Promise<void> {
  return attempt(() => holdfast.session(sessionId).hold());
}

export function releaseHolds({ sessionId, holds }: Session): Promise<void> {
  return attempt(async () => {
    for (const { holdId } of holds) await holdfast.session(sessionId).release(holdId);
  });
}

/** Downloads the whole session as a JSON file. */
function exportSession({ sessionId }: Session): Promise<void> {
  return attempt(async () => {
    const pieces: string[] = [];
    for await (const piece of holdfast.session(sessionId).export()) pieces.push(piece);
    saveFile(pieces, `${sessionId}.json`);
  });
}

/** Downloads an HTML file that shows the session, or one run of the session, without a server. */
export function saveReport(source: { sessionId: string; runId?: string }): Promise<void> {
  const { sessionId, runId } = source;
  return attempt(async () => {
    const { loadReport } = await import("@holdfast/model/report.ts");
    const html = await loadReport(holdfast.session(sessionId), { runId });
    saveFile(html, `${runId ?? sessionId}.html`);
  });
}

/** Stops the active run. Queued prompts stay in the queue (C6). */
export function stopRun(sessionId: string): Promise<void> {
  const session = holdfast.session(sessionId);
  return attempt(async () => {
    const { active, queued } = await session.get();
    // An exclusive operation, such as an undo, has no prompt. Only a cancel of the session ends the operation (M8).
    if (active?.kind === "work") return cancelSession(sessionId);
    const receipt = active === null ? null : await session.promptById(active.startedBy).withdraw();
    if (receipt === null || receipt.covered.length === 0) {
      showToast(() => t().cancel.nothingRuns({ queued }), { about: "stop" });
      return;
    }
    const upTo = Math.max(...receipt.covered.map(({ acceptSeq }) => acceptSeq));
    showToast(() => t().cancel.stopped({ queued }), {
      about: "stop",
      actions: [...(await backgroundAction(sessionId, upTo)), putBackAction(sessionId, receipt)],
    });
  });
}

/** Cancels all unsettled prompts and shows which prompts were cancelled. */
export function cancelSession(sessionId: string): Promise<void> {
  const session = holdfast.session(sessionId);
  return attempt(async () => {
    const receipt = await session.cancel();
    const mark = receipt.mark ?? (await session.get()).seq;
    showReceipt(sessionId, receipt, await backgroundAction(sessionId, mark));
  });
}

/**
 * Background work continues after a cancel (C7). Returns a button that stops this work too; none if there is no such
 * work.
 */
async function backgroundAction(sessionId: string, upTo: number): Promise<readonly ToastAction[]> {
  const { background } = await holdfast.session(sessionId).get();
  if (background.length === 0) return [];
  const label = (): string => t().cancel.background({ count: background.length });
  return [{ label, run: () => void cancelTree(sessionId, upTo) }];
}

/** Returns an action that sends the cancelled prompts again. */
export function putBackAction(sessionId: string, { covered }: Receipt): ToastAction {
  const promptIds = covered.map(({ promptId }) => promptId);
  return {
    label: () => t().cancel.putBack,
    run: () => void attempt(() => sendPromptsAgain(sessionId, promptIds)),
  };
}

/**
 * Cancels the session and its background work in one request: if only a child were cancelled, its result would start a
 * new run of the parent.
 */
function cancelTree(sessionId: string, upTo: number): Promise<void> {
  return attempt(async () => {
    showReceipt(sessionId, await holdfast.session(sessionId).cancel({ tree: true, upTo }), []);
  });
}

function showReceipt(sessionId: string, receipt: Receipt, more: readonly ToastAction[]): void {
  const covered = countReceipt(receipt);
  const isNothing = covered.running + covered.queued + covered.background === 0;
  const back = receipt.covered.length === 0 ? [] : [putBackAction(sessionId, receipt)];
  showToast(() => (isNothing ? t().cancel.nothing : t().cancel.done(covered)), {
    about: "stop",
    actions: [...more, ...back],
  });
}

export function clearQueue(sessionId: string): Promise<void> {
  return attempt(async () => {
    const receipt = await holdfast.session(sessionId).clearQueue();
    const { queued } = countReceipt(receipt);
    const actions = queued === 0 ? [] : [putBackAction(sessionId, receipt)];
    showToast(() => t().cancel.cleared({ queued }), { actions });
  });
}
