import type { Context } from "hono";
import type { z } from "zod";
import type { Wire } from "../contract/component.ts";
import type { Route, RouteAnswer } from "../contract/route.ts";
import type { RouteInput, RouteName, Routes } from "../contract/routes.ts";
import type { Principal } from "./ports.ts";
import type { HttpBindings } from "@hono/node-server";
import type { Role } from "../contract/token.ts";

/** Handles requests of a route. Receives validated input and returns an answer that the contract allows. */
export type Handler<R extends Route> = (call: Call<R>) => Promise<Answer<R>>;

export type Handlers<Names extends RouteName> = {
  readonly [Name in Names]: Handler<Routes[Name]>;
};

export interface Call<R extends Route> extends RouteInput<R> {
  readonly principal: R["role"] extends null ? null : Principal;
  readonly request: Request;
  readonly context: Context;
  /** Headers to send, for handlers that send the response themselves. */
  readonly headers: Headers;
}

/** An answer of the route: a status with its body, or a complete response. */
export type Answer<R extends Route> = {
  [Status in keyof R["answers"] & number]: AnswerOf<R["answers"][Status], Status>;
}[keyof R["answers"] & number];

export type AnyAnswer = Response | { readonly status: number; readonly body?: unknown };

type AnswerOf<A, Status> = A extends { kind: "json"; schema: infer Schema extends z.ZodType }
  ? { readonly status: Status; readonly body: Wire<Schema> } | Response
  : A extends RouteAnswer
    ? A["kind"] extends "none"
      ? { readonly status: Status }
      : Response
    : never;

/** A method and a route pattern, with the role that they require. */
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

/** Bindings of @hono/node-server. Absent for in-process requests. */
export type Bindings = { Bindings: Partial<HttpBindings> };
