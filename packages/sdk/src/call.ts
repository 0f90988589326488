import { readJson } from "./transport.ts";
import type { CallOptions, Outgoing, Reading, Transport } from "./transport.ts";
import type { Routes } from "./types.gen.ts";

export type RouteKey = keyof Routes;

export type AnswerOf<Key extends RouteKey> = Routes[Key]["answer"];

/** The input of a route: only the parts that the route has. */
export type RouteInput<Key extends RouteKey> = Filled<"params", Routes[Key]["params"]> &
  Filled<"query", Routes[Key]["query"]> &
  ([Routes[Key]["body"]] extends [undefined]
    ? unknown
    : { readonly body: Exclude<Routes[Key]["body"], undefined> });

type Filled<Name extends string, Part> = keyof Part extends never
  ? unknown
  : Partial<Part> extends Part
    ? { readonly [Each in Name]?: Part }
    : { readonly [Each in Name]: Part };

export interface RouteOptions<Key extends RouteKey>
  extends
    CallOptions,
    Pick<Outgoing, "repeatable" | "wait">,
    Pick<Reading<AnswerOf<Key>>, "afterRepeat"> {}

/** Calls a route. Input and answer have the types of the API contract. */
export function call<Key extends RouteKey>(
  transport: Transport,
  key: Key,
  input: RouteInput<Key> & RouteOptions<Key>,
): Promise<AnswerOf<Key>> {
  const { params, query, body, repeatable, wait, ...rest }: LooseInput & RouteOptions<Key> = input;
  const content = JSON.stringify(body);
  const sent = body === undefined ? undefined : { type: "application/json", content };
  const [method = "", path = ""] = key.split(" ");
  const outgoing = { method, path, params, query, body: sent, repeatable, wait };
  return transport.send(outgoing, { ...rest, read: readJson<AnswerOf<Key>> });
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
