import { createInterface } from "node:readline";
import { Refused } from "../target.ts";
import type { TargetProcess } from "./target-process.ts";

/** A connection that sends and receives messages. */
export interface Channel {
  send(text: string): void;
  onMessage(take: (text: string) => void): void;
  /** Resolves with the reason when the connection is closed. */
  readonly closed: Promise<string>;
}

/** A process that sends and receives one message per line. */
export function stdioOf(target: TargetProcess): Channel {
  const { stdin, stdout } = target.child;
  const over = async (): Promise<string> => {
    await target.ended;
    const words = target.lastWords();
    return words === ""
      ? "the process has ended without output"
      : `the process has ended: ${words}`;
  };
  return {
    send: (text) => void stdin.write(`${text}\n`),
    onMessage: (take) => void createInterface({ input: stdout }).on("line", take),
    closed: over(),
  };
}

export interface JsonRpc {
  request<Result>(method: string, params: object): Promise<Result>;
  notify(method: string, params: object): void;
}

/**
 * A JSON-RPC message from the process. TypeScript accepts a value of type `never` as any type, so `result` can be
 * passed to a caller that expects any result type.
 */
interface Message<Params> {
  readonly id?: number | string;
  readonly method?: string;
  readonly params: Params;
  readonly result: never;
  readonly error?: RpcError;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns the message of an error with its details. */
function wordsOf({ message, data }: RpcError): string {
  return data === undefined ? message : `${message} ${JSON.stringify(data).slice(0, 400)}`;
}

/** Error codes for an unsupported request. All other codes are failures. */
const refusals = new Set([-32600, -32601, -32602]);

const overloaded = -32001;

/** The process is overloaded, has not executed the request, and asks for a retry. */
export class Overloaded extends Error {}

export interface Handlers<Params> {
  readonly notified: (method: string, params: Params) => void;
  /** Called when the process at the other end of the JSON-RPC channel sends a request. Returns the answer. */
  readonly asked: (method: string, params: Params) => unknown;
}

export function openJsonRpc<Params>(channel: Channel, handlers: Handlers<Params>): JsonRpc {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: Reject }>();
  let last = 0;
  const write = (message: object): void => {
    channel.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  };
  const answer = async (id: number | string, handle: () => Promise<unknown>): Promise<void> =>
    write({ id, ...(await answerTo(handle)) });
  const take = (line: string): void => {
    const message = parse<Params>(line);
    if (message === null) return;
    const { id, method, params, result, error } = message;
    if (method !== undefined) {
      if (id === undefined) handlers.notified(method, params);
      else void answer(id, async () => handlers.asked(method, params));
      return;
    }
    const waiter = typeof id === "number" ? waiting.get(id) : undefined;
    if (waiter === undefined) return;
    waiting.delete(Number(id));
    if (error === undefined) waiter.resolve(result);
    else if (refusals.has(error.code)) waiter.reject(new Refused(wordsOf(error)));
    else if (error.code === overloaded) waiter.reject(new Overloaded(error.message));
    else waiter.reject(new Error(wordsOf(error)));
  };
  channel.onMessage(take);
  let over: Error | null = null;
  const giveUp = async (): Promise<void> => {
    over = new Error(await channel.closed);
    for (const { reject } of waiting.values()) reject(over);
    waiting.clear();
  };
  void giveUp();
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (over !== null) return reject(over);
        last += 1;
        waiting.set(last, { resolve, reject });
        write({ id: last, method, params });
      }),
    notify: (method, params) => write({ method, params }),
  };
}

type Reject = (error: Error) => void;

async function answerTo(handle: () => Promise<unknown>): Promise<object> {
  try {
    return { result: await handle() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: -32601, message } };
  }
}

/** Parses a message. Returns null for other output, because some programs also log to stdout. */
function parse<Params>(line: string): Message<Params> | null {
  try {
    const value: Message<Params> | null = JSON.parse(line);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
