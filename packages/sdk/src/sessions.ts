import { ownSession } from "./after-repeat.ts";
import { call } from "./call.ts";
import { eachItem } from "./pages.ts";
import { sessionHandle } from "./session.ts";
import type { SessionHandle } from "./session.ts";
import { readJson } from "./transport.ts";
import type { CallOptions, RequestBody, Transport } from "./transport.ts";
import type {
  Routes,
  Session,
  SessionDetail,
  SessionDocument,
  SessionInput,
  SessionPage,
} from "./types.gen.ts";

export type SessionsQuery = Routes["GET /v1/sessions"]["query"];

export interface ImportOptions extends CallOptions {
  readonly sessionId?: string | undefined;
  /** Where it will work; that of the document if left out. */
  readonly directory?: string | undefined;
}

export interface Sessions {
  /** A new session in a directory. With an id of your own: that session, if it is there already. */
  create(input: SessionInput & CallOptions): Promise<SessionHandle>;
  /** A page of sessions, latest activity first. */
  list(query?: SessionsQuery & CallOptions): Promise<SessionPage>;
  /** All of them, page by page. */
  each(query?: SessionsQuery & CallOptions): AsyncGenerator<Session>;
  /** A new session from a document that `export` has made: its text, its bytes, or parsed. */
  import(
    document: SessionDocument | RequestBody["content"],
    options?: ImportOptions,
  ): Promise<SessionHandle>;
}

export function sessionsOf(transport: Transport): Sessions {
  const list: Sessions["list"] = ({ signal, patience, ...query } = {}) =>
    call(transport, "GET /v1/sessions", { query, signal, patience });
  return {
    create: async ({ signal, patience, ...input }) => {
      const { sessionId, options } = ownSession(transport, input.sessionId, { signal, patience });
      await call(transport, "POST /v1/sessions", { body: { ...input, sessionId }, ...options });
      return sessionHandle(transport, sessionId);
    },
    list,
    each: (query = {}) => eachItem(query.after, (after) => list({ ...query, after })),
    import: async (document, { directory, sessionId: chosen, signal, patience } = {}) => {
      const { sessionId, options } = ownSession(transport, chosen, { signal, patience });
      const outgoing = {
        method: "POST",
        path: "/v1/sessions/import",
        wait: importTime,
        query: { sessionId, directory },
        body: {
          type: "application/json",
          content: isRaw(document) ? document : JSON.stringify(document),
        },
      };
      await transport.send(outgoing, { ...options, read: readJson<SessionDetail> });
      return sessionHandle(transport, sessionId);
    },
  };
}

/** The server takes in a large document slowly, and a second try would make it slower. */
const importTime = 10 * 60_000;

function isRaw(document: object | string): document is RequestBody["content"] {
  return typeof document === "string" || document instanceof Blob || document instanceof Uint8Array;
}
