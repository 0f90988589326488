import type { Receipt, Session } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { t } from "../i18n/text.ts";
import { countReceipt } from "@holdfast/model/receipt.ts";
import { sessionOf } from "../model/route.ts";
import { mayDecide } from "../state/account.ts";
import { holdfast } from "../state/client.ts";
import { currentRoute, go } from "../state/router.ts";
import { attempt } from "../state/show-error.ts";
import { showToast } from "../state/toasts.ts";
import type { Toast } from "../state/toasts.ts";
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
      label: t().sessions.export,
      icon: "external",
      run: () => void exportSession(session),
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
    showToast(() => t().sessions.archivedToast, { action: undo });
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

/** Cancels all unsettled prompts and shows which these were. */
export function cancelSession(sessionId: string): Promise<void> {
  const session = holdfast.session(sessionId);
  return attempt(async () => {
    const receipt = await session.cancel();
    // Background work continues unless the user also stops it (C7).
    const { background, seq } = await session.get();
    const more = {
      label: () => t().cancel.background({ count: background.length }),
      run: () => void cancelTree(sessionId, receipt.mark ?? seq),
    };
    showReceipt(receipt, background.length === 0 ? null : more);
  });
}

/**
 * Cancels the background work too, in one request: if only a child were cancelled, its result would start a new run of
 * the parent.
 */
function cancelTree(sessionId: string, upTo: number): Promise<void> {
  return attempt(async () => {
    showReceipt(await holdfast.session(sessionId).cancel({ tree: true, upTo }), null);
  });
}

function showReceipt(receipt: Receipt, action: Toast["action"]): void {
  const covered = countReceipt(receipt);
  const isNothing = covered.running + covered.queued + covered.background === 0;
  showToast(() => (isNothing ? t().cancel.nothing : t().cancel.done(covered)), { action });
}

export function clearQueue(sessionId: string): Promise<void> {
  return attempt(async () => {
    const { queued } = countReceipt(await holdfast.session(sessionId).clearQueue());
    showToast(() => t().cancel.cleared({ queued }));
  });
}
