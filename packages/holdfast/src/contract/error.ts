import { z } from "zod";
import { component } from "./component.ts";

/**
 * Every code that an error can have, and its HTTP status. Codes are stable: programs decide by them,
 * people read the message.
 */
export const errorStatus = {
  // The request itself.
  invalid: 400,
  badJson: 400,
  badCursor: 400,
  badConfig: 400,
  unauthorized: 401,
  forbidden: 403,
  badOrigin: 403,
  unknownRoute: 404,
  methodNotAllowed: 405,
  timeout: 408,
  tooLarge: 413,
  badContentType: 415,
  badHost: 421,
  rateLimited: 429,
  tooManyStreams: 429,
  quotaExceeded: 429,
  headersTooLarge: 431,
  // What it names is not there, or not for this token.
  unknownSession: 404,
  unknownPrompt: 404,
  unknownRun: 404,
  unknownAsk: 404,
  unknownHold: 404,
  unknownWork: 404,
  unknownEvent: 404,
  unknownAttachment: 404,
  unknownWebhook: 404,
  unknownToken: 404,
  unknownAction: 404,
  unknownProvider: 404,
  unknownServer: 404,
  notOffered: 404,
  deleted: 410,
  badLink: 410,
  // It is there, and cannot be done as it is now.
  conflict: 409,
  tombstoned: 409,
  busy: 409,
  held: 409,
  idle: 409,
  runMismatch: 409,
  stopping: 409,
  takenIn: 409,
  notWaiting: 409,
  staleRevision: 409,
  askClosed: 409,
  fenced: 409,
  outOfOrder: 409,
  stepLimit: 409,
  cycle: 409,
  treeFull: 409,
  owned: 409,
  brokenWorkspace: 409,
  tooManyHolds: 409,
  queueFull: 429,
  // The server.
  internal: 500,
  notReady: 503,
  draining: 503,
  tooManyConnections: 503,
  storeUnavailable: 503,
  storeReadOnly: 503,
  storeFull: 507,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

export const errorCodes = Object.keys(errorStatus).filter(isErrorCode);

export const errorCodeSchema = component(
  "ErrorCode",
  z.enum(errorCodes).describe("stable: what programs decide by"),
);

export const errorSchema = component(
  "ErrorBody",
  z.object({
    error: z.object({
      code: errorCodeSchema,
      message: z.string().describe("for people: what is wrong and what to do"),
      requestId: z.string().describe("also in the header x-request-id and in the server's log"),
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("what a caller needs to go on, such as the current revision"),
    }),
  }),
);

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code);
}
