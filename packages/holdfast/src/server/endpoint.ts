import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Role } from "../contract/token.ts";
import type { AnyAnswer } from "./handler.ts";
import type { Principal } from "./ports.ts";

/** Something that can be asked for, and what it takes to be allowed to. */
export interface Endpoint {
  readonly method: string;
  readonly pattern: string;
  readonly role: Role | null;
  readonly isStream: boolean;
  readonly handle: (call: EndpointCall) => Promise<AnyAnswer>;
}

export interface EndpointCall {
  readonly principal: Principal | null;
  readonly request: Request;
  readonly context: AppContext;
  readonly headers: Headers;
}

export type AppContext = Context<Bindings>;

/** What a request over a socket brings along; nothing of it in process. */
export type Bindings = { Bindings: Partial<HttpBindings> };
