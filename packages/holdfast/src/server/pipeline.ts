import { randomUUID } from "node:crypto";
import type { Runtime } from "../runtime/runtime.ts";
import { ApiError, apiErrorOf, errorBody } from "./errors.ts";
import { expectRole } from "./expect-role.ts";
import type { AnyAnswer, AppContext, Endpoint } from "./handler.ts";
import type { AdmittedRequest, Lifecycle, Observer, Principal, Security } from "./ports.ts";
import { unknownSession } from "./routes/route-services.ts";
import { mayUse } from "./security/directories.ts";

export interface PipelineServices {
  readonly runtime: Runtime;
  readonly security: Security;
  readonly lifecycle: Lifecycle;
  readonly observer?: Observer;
  readonly redact?: (text: string) => string;
}

/**
 * Returns a function that passes every request through the same checks in the same order, and converts every error to
 * an error response.
 */
export function pipeline(
  services: PipelineServices,
): (context: AppContext, endpoint: Endpoint) => Promise<Response> {
  const { security, lifecycle, observer, redact } = services;

  const admit = async (context: AppContext, endpoint: Endpoint): Promise<Principal | null> => {
    const request = context.req.raw;
    expectReady(lifecycle, endpoint);
    security.checkOrigin(request);
    const source = { address: addressOf(context) };
    if (endpoint.role === null) {
      // Do not rate limit probes: a refusal costs as much as an answer, and could make a supervisor restart the server.
      if (!isProbe(endpoint)) await security.limit(request, source);
      return null;
    }
    const principal = await security.authenticate(request, source);
    expectRole(principal, endpoint.role);
    expectAgentRights(principal, endpoint);
    await expectDirectory(services.runtime, principal, context.req.param("sessionId"));
    return principal;
  };

  return async (context, endpoint) => {
    const request = context.req.raw;
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const headers = new Headers({ "x-request-id": requestId });
    const result: Result = { principal: null, failure: null };
    const about = (): AdmittedRequest => ({
      request,
      method: request.method,
      route: endpoint.pattern,
      duration: (performance.now() - startedAt) / 1000,
    });
    const answer = async (): Promise<Response> => {
      try {
        security.decorate(request, headers);
        const preflight = request.method === "OPTIONS" ? security.preflight(request) : null;
        if (preflight !== null) return merge(preflight, headers);
        if (request.method === "HEAD" && endpoint.isStream) throw notAllowed(["GET"]);
        result.principal = await admit(context, endpoint);
        if (result.principal !== null) observer?.admitted?.(about());
        const call = { principal: result.principal, request, context, headers };
        return respond(await endpoint.handle(call), headers);
      } catch (error) {
        result.failure = apiErrorOf(error);
        return errorResponse(result.failure, { requestId, headers, redact });
      }
    };
    const response = await answer();
    observer?.answered({
      ...about(),
      requestId,
      path: context.req.path,
      status: response.status,
      code: result.failure?.code ?? null,
      actor: result.principal?.actor ?? null,
      error: result.failure?.code === "internal" ? result.failure.cause : null,
    });
    return response;
  };
}

/** Caller and error of one request, collected while the request is handled and then passed to `observer.answered`. */
interface Result {
  principal: Principal | null;
  failure: ApiError | null;
}

function isProbe({ pattern }: Endpoint): boolean {
  return pattern === "/healthz" || pattern === "/readyz";
}

function expectReady(lifecycle: Lifecycle, endpoint: Endpoint): void {
  if (lifecycle.state() !== "starting" || isProbe(endpoint)) return;
  throw new ApiError("notReady", "the server is starting; try again in a moment", {
    headers: { "retry-after": `${lifecycle.retryAfter()}` },
  });
}

/** Refuses sessions outside of the principal's directories as if the sessions did not exist. */
async function expectDirectory(
  runtime: Runtime,
  principal: Principal,
  sessionId: string | undefined,
): Promise<void> {
  if (principal.directories === null || sessionId === undefined) return;
  const state = await runtime.store.lane(sessionId);
  if (state !== null && !mayUse(principal, state.directory)) throw unknownSession(sessionId);
}

/**
 * Refuses requests that would let a hosted agent work outside of its run, such as sending a prompt or cancelling
 * another person's prompt. The agent starts its tasks over MCP, so that they belong to the tree of its run (C7).
 */
function expectAgentRights({ isAgent, name }: Principal, { method, pattern }: Endpoint): void {
  if (isAgent !== true || method === "GET" || pattern === "/mcp") return;
  const message = `this token belongs to the hosted agent ${name}: it can only read, and start tasks with the MCP tool "task"`;
  throw new ApiError("forbidden", message);
}

function respond(answer: AnyAnswer, headers: Headers): Response {
  // Do not use `instanceof Response`: the adapter replaces the global class, but its response for "already sent" is an
  // instance of the original class.
  if ("headers" in answer) return merge(answer, headers);
  const { status, body } = answer;
  if (body === undefined) return new Response(null, { status, headers });
  headers.set("content-type", "application/json");
  return new Response(JSON.stringify(body), { status, headers });
}

/** Adds the common headers. A response that was already sent on the socket is returned unchanged. */
function merge(response: Response, headers: Headers): Response {
  if (response.headers.has("x-hono-already-sent")) return response;
  for (const [name, value] of response.headers) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

function errorResponse(
  error: ApiError,
  options: { requestId: string; headers: Headers; redact: PipelineServices["redact"] },
): Response {
  const { requestId, headers, redact = (text) => text } = options;
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  headers.set("content-type", "application/json");
  const body = redact(JSON.stringify(errorBody(error, requestId)));
  return new Response(body, { status: error.status, headers });
}

const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the request id that the client sent, so that client and server logs can be matched; otherwise a new one. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && requestIdPattern.test(given) ? given : randomUUID();
}

function addressOf(context: AppContext): string | null {
  return context.env.incoming?.socket.remoteAddress ?? null;
}

export function notAllowed(methods: readonly string[]): ApiError {
  const allow = methods.join(", ");
  return new ApiError("methodNotAllowed", `this method is not supported here; use ${allow}`, {
    headers: { allow },
  });
}
