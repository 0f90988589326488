// What layers above the runner need of the store's, besides the store that a runtime holds.

export { makeBody } from "../store/body.ts";
export { isSessionCursor } from "../store/session-list.ts";
export { StoreError } from "../store/store-error.ts";
export type { StoreErrorCode } from "../store/store-error.ts";
