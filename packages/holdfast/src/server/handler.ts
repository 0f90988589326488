import type { Context } from "hono";
import type { z } from "zod";
import type { Wire } from "../contract/component.ts";
import type { Route, RouteAnswer } from "../contract/route.ts";
import type { RouteInput, RouteName, Routes } from "../contract/routes.ts";
import type { Principal } from "./ports.ts";
import type { HttpBindings } from "@hono/node-server";
import type { Role } from "../contract/token.ts";

/** What does a route's work: it gets what was checked, and answers in the shape of the contract. */
export type Handler<R extends Route> = (call: Call<R>) => Promise<Answer<R>>;

export type Handlers<Names extends RouteName> = {
  readonly [Name in Names]: Handler<Routes[Name]>;
};

export interface Call<R extends Route> extends RouteInput<R> {
  readonly principal: R["role"] extends null ? null : Principal;
  readonly request: Request;
  readonly context: Context;
  /** What the answer will carry; for those who send it themselves. */
  readonly headers: Headers;
}

/** One of the route's answers: a status with the value that goes with it, or a whole response. */
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
