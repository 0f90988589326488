import { StoreError } from "../../../src/store/store-error.ts";

/** A channel that carries messages to another process, in order, as structured clones. */
export interface Channel {
  send(message: Message): void;
  listen(listener: (message: Message) => void): void;
}

/**
 * Calls between two processes. Arguments and answers may contain functions, signals and streams at any depth: the
 * other side gets proxies whose calls come back here. All functions become asynchronous.
 */
export interface Link {
  /** Offers a function that the other side may call by name. */
  offer(name: string, serve: (...input: never[]) => unknown): void;
  call(name: string, ...input: unknown[]): Promise<unknown>;
  /** Call if the other side is gone: all pending calls fail. */
  cut(): void;
}

export type Message =
  | { kind: "call"; id: number; target: string | number; input: unknown[] }
  | { kind: "answer"; id: number; value: unknown }
  | { kind: "failure"; id: number; error: WireError }
  | { kind: "abort"; signal: number };

interface WireError {
  readonly name: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

type Serve = (...input: unknown[]) => unknown;

export function createLink(channel: Channel): Link {
  const named = new Map<string, Serve>();
  const lent = new Map<number, Serve>();
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const signals = new Map<number, AbortController>();
  let lastId = 0;
  const nextId = (): number => (lastId += 1);

  const ask = (target: string | number, input: readonly unknown[]): Promise<unknown> => {
    const id = nextId();
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    channel.send({ kind: "call", id, target, input: input.map(pack) });
    return answer.promise;
  };
  const lend = (serve: Serve): number => {
    const id = nextId();
    lent.set(id, serve);
    return id;
  };
  const pack = (value: unknown): unknown => {
    if (typeof value === "function") return { $call: lend((...input) => value(...input)) };
    if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
    if (Array.isArray(value)) return value.map(pack);
    if (value instanceof AbortSignal) return packSignal(value);
    if (isStream(value)) return packStream(value);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, pack(part)]));
  };
  const packSignal = (signal: AbortSignal): unknown => {
    const id = nextId();
    const tell = (): void => channel.send({ kind: "abort", signal: id });
    signal.addEventListener("abort", tell, { once: true });
    return { $signal: id, aborted: signal.aborted };
  };
  const packStream = (stream: AsyncIterable<unknown>): unknown => {
    const iterator = stream[Symbol.asyncIterator]();
    return {
      $next: lend(() => iterator.next()),
      $return: lend(() => iterator.return?.() ?? { done: true, value: undefined }),
    };
  };
  const unpack = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
    if (Array.isArray(value)) return value.map(unpack);
    if ("$call" in value) return standIn(value.$call);
    if ("$signal" in value)
      return unpackSignal(Number(value.$signal), "aborted" in value && value.aborted === true);
    if ("$next" in value && "$return" in value) {
      const iterator = { next: standIn(value.$next), return: standIn(value.$return) };
      return { [Symbol.asyncIterator]: () => iterator };
    }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unpack(part)]));
  };
  const standIn =
    (id: unknown): Serve =>
    (...input) =>
      ask(Number(id), input);
  const unpackSignal = (id: number, aborted: boolean): AbortSignal => {
    const controller = new AbortController();
    signals.set(id, controller);
    if (aborted) controller.abort();
    return controller.signal;
  };
  const serve = async (call: Extract<Message, { kind: "call" }>): Promise<void> => {
    const { id, target } = call;
    try {
      const serving = typeof target === "string" ? named.get(target) : lent.get(target);
      if (serving === undefined) throw new Error(`nothing is offered as ${target}`);
      const value = await serving(...call.input.map(unpack));
      channel.send({ kind: "answer", id, value: pack(value) });
    } catch (error) {
      channel.send({ kind: "failure", id, error: packError(error) });
    }
  };
  channel.listen((message) => {
    if (message.kind === "call") void serve(message);
    else if (message.kind === "abort") signals.get(message.signal)?.abort();
    else {
      const answer = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.kind === "answer") answer?.resolve(unpack(message.value));
      else answer?.reject(unpackError(message.error));
    }
  });
  return {
    offer: (name, target) => void named.set(name, (...input) => Reflect.apply(target, null, input)),
    call: (name, ...input) => ask(name, input),
    cut: () => {
      for (const answer of waiting.values()) answer.reject(new Error("the process is gone"));
      waiting.clear();
    },
  };
}

function isStream(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value;
}

function packError(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), fields: {} };
  const { name, message } = error;
  const fields = Object.entries(error).filter(([key]) => key !== "cause");
  return { name, message, fields: Object.fromEntries(fields) };
}

/** A StoreError stays one: the runner retries only errors of this class. */
function unpackError({ name, message, fields }: WireError): Error {
  const error =
    name === "StoreError" ? new StoreError("storeUnavailable", message) : new Error(message);
  return Object.assign(error, fields, { name });
}
