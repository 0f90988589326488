import type { RouteName } from "../contract/routes.ts";
import type { Quota, QuotaKind } from "./security/quotas.ts";

/**
 * The quota to which each route's requests are charged. Null: none, so that a token whose quota is used up can still
 * stop, delete and answer. Admins have no quota, so their routes are missing here.
 */
export const routeCharges: Readonly<Partial<Record<RouteName, QuotaKind | null>>> = {
  uploadAttachment: "uploadBytes",
  createSession: "logBytes",
  importSession: "logBytes",
  changeSession: "logBytes",
  forkSession: "logBytes",
  sendPrompt: "logBytes",
  editPrompt: "logBytes",
  movePrompt: "logBytes",
  promotePrompt: "logBytes",
  placeHold: "logBytes",
  revertRun: "logBytes",
  deleteSession: null,
  withdrawPrompt: null,
  cancelSession: null,
  clearQueue: null,
  releaseHold: null,
  answerAsk: null,
  revokeRule: null,
  changeNotificationSettings: null,
  markSeen: null,
  signOut: null,
  addPushSubscription: null,
  removePushSubscription: null,
  testPushSubscription: null,
  // Not charged here: each tool call becomes another request to this API, which is charged.
  callMcp: null,
};

const makesSession: ReadonlySet<RouteName> = new Set([
  "createSession",
  "importSession",
  "forkSession",
]);

/** Bytes to charge for a request besides its body: about the size of the events that it causes. */
const requestBytes = 1_024;

/** Charges a request before its body is read. Returns a function that charges the body. */
export function chargeRequest(name: RouteName, quota: Quota | null): (bytes: number) => void {
  const kind = routeCharges[name] ?? null;
  if (quota === null || kind === null) return () => {};
  if (makesSession.has(name)) quota.take("sessions", 1);
  quota.take(kind, requestBytes);
  return (bytes) => quota.take(kind, bytes);
}
