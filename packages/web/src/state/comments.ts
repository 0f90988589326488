import { createSignal } from "solid-js";
import type { LineComment } from "../model/comment-text.ts";
import { newId } from "./new-id.ts";
import { readStored, writeStored } from "./storage.ts";

const maxComments = 200;
const [all, setAll] = createSignal<ReadonlyMap<string, readonly LineComment[]>>(new Map());

/** Returns the comments that go into the next prompt of a session. They are stored with its draft. Reactive. */
export function commentsOf(sessionId: string): readonly LineComment[] {
  return all().get(sessionId) ?? readStored<readonly LineComment[]>(`comments.${sessionId}`, []);
}

export function addComment(sessionId: string, comment: Omit<LineComment, "id">): void {
  const id = newId("comment");
  put(sessionId, [...commentsOf(sessionId), { ...comment, id }].slice(-maxComments));
}

export function removeComment(sessionId: string, id: string): void {
  put(
    sessionId,
    commentsOf(sessionId).filter((comment) => comment.id !== id),
  );
}

/** Returns the comments and removes them, because they are sent now. */
export function takeComments(sessionId: string): readonly LineComment[] {
  const taken = commentsOf(sessionId);
  if (taken.length > 0) put(sessionId, []);
  return taken;
}

/** Puts comments back, because they could not be sent. */
export function putBackComments(sessionId: string, comments: readonly LineComment[]): void {
  if (comments.length > 0) put(sessionId, [...comments, ...commentsOf(sessionId)]);
}

function put(sessionId: string, comments: readonly LineComment[]): void {
  writeStored(`comments.${sessionId}`, comments.length === 0 ? null : comments);
  setAll((before) => new Map(before).set(sessionId, comments));
}

/** Applies comments that another tab has changed. */
addEventListener("storage", ({ key }) => {
  const name = key?.startsWith("holdfast.comments.") === true ? key.slice(9) : null;
  if (name === null) return;
  const comments = readStored<readonly LineComment[]>(name, []);
  setAll((before) => new Map(before).set(name.slice("comments.".length), comments));
});
