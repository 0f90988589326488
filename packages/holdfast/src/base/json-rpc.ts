/** One end of a JSON-RPC 2.0 connection, with one message per line. */
export interface Peer {
  /** Handles a received line. */
  take(line: string): void;
  /** Sends a request and resolves with its result. If the signal aborts, sends a cancel notification and rejects. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: object): void;
}

export interface PeerOptions {
  /** Sends one line to the other side. */
  readonly send: (line: string) => void;
  /** Handles a request of the other side. The signal aborts when the other side cancels the request. */
  readonly asked: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>;
  readonly notified: (method: string, params: unknown) => void;
  /** Converts an error of `asked` to an error response. */
  readonly describe: (error: unknown) => RpcFailure;
}

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  notFound: -32002,
} as const;

/** A JSON-RPC error. A handler throws it to refuse a request; `request` rejects with it if the other side refused. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: RpcFailure) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

type Id = number | string | null;

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Called when the other side has answered the request. */
  readonly settled: () => void;
}

/** Notification with which a side cancels its own request. A side that does not support it ignores it. */
const cancelRequest = "$/cancel_request";

export function createPeer({ send, asked, notified, describe }: PeerOptions): Peer {
  const waiting = new Map<Id, Waiter>();
  const answering = new Map<Id, AbortController>();
  let last = 0;
  const write = (message: object): void => send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const answer = async (id: Id, method: string, params: unknown): Promise<void> => {
    const controller = new AbortController();
    answering.set(id, controller);
    try {
      write({ id, result: await asked(method, params, controller.signal) });
    } catch (error) {
      write({ id, error: describe(error) });
    } finally {
      answering.delete(id);
    }
  };
  const settle = (id: Id, { result, error }: Message): void => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    waiter?.settled();
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new RpcError(failureOf(error)));
  };
  const hear = (method: string, params: unknown): void => {
    if (method !== cancelRequest) return notified(method, params);
    const { requestId } = fieldsOf(params);
    if (isId(requestId)) answering.get(requestId)?.abort();
  };
  return {
    take: (line) => {
      if (line.trim() === "") return;
      const message = parse(line);
      if ("code" in message) return write({ id: null, error: message });
      const { id, method, params } = message;
      if (typeof method === "string") {
        if (id === undefined) hear(method, params);
        else if (isId(id)) void answer(id, method, params);
        else write({ id: null, error: badRequest("an id must be a number or a string") });
      } else if (isId(id) && ("result" in message || "error" in message)) settle(id, message);
      else write({ id: isId(id) ? id : null, error: badRequest("a request must have a method") });
    },
    request: (method, params, signal) =>
      new Promise((resolve, reject) => {
        last += 1;
        const id = last;
        const takeBack = (): void => {
          waiting.delete(id);
          write({ method: cancelRequest, params: { requestId: id } });
          reject(new Error("cancelled", { cause: signal.reason }));
        };
        signal.addEventListener("abort", takeBack, { once: true });
        const settled = (): void => signal.removeEventListener("abort", takeBack);
        waiting.set(id, { resolve, reject, settled });
        write({ id, method, params });
      }),
    notify: (method, params) => write({ method, params }),
  };
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Fields of an unknown value; empty if it is not an object. */
export function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function parse(line: string): Message | RpcFailure {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isMessage) return badRequest("a message must be a JSON object on one line");
    // Pick the known fields: with an unknown field named `code`, the message would be taken for an `RpcFailure`.
    const { id, method, params } = fieldsOf(value);
    const { result, error } = fieldsOf(value);
    const outcome = {
      ...("result" in value ? { result } : {}),
      ...("error" in value ? { error } : {}),
    };
    return { id, method, params, ...outcome };
  } catch {
    return { code: rpcCodes.parse, message: "the line is not valid JSON" };
  }
}

function badRequest(message: string): RpcFailure {
  return { code: rpcCodes.invalidRequest, message };
}

function failureOf(error: unknown): RpcFailure {
  const { code, message, data } = fieldsOf(error);
  return {
    code: typeof code === "number" ? code : rpcCodes.internal,
    message: typeof message === "string" ? message : "error without a message",
    data,
  };
}

function isId(id: unknown): id is Id {
  return id === null || typeof id === "number" || typeof id === "string";
}
