import { defaultReach, defaultSlices } from "../../contract/activity.ts";
import type { serverRoutes } from "../../contract/routes/server.ts";
import { defaultLatest } from "../../contract/timeline.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Links, Metrics, Principal, SandboxStatus, Tokens, Webhooks } from "../ports.ts";
import { mayUse } from "../security/directories.ts";
import { leanEvent, omitDamagedContent } from "../wire/event.ts";
import { wireSessionDetail } from "../wire/session.ts";
import { limitOf, offered, visible } from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";
import type { Node } from "../../contract/status.ts";
import type { NodesView, NodeView } from "../../runtime/views/nodes.ts";

/** Services that a server has and that an embedded runtime may lack. */
export interface ServerServices extends RouteServices {
  readonly tokens: Tokens | null;
  readonly links: Links | null;
  readonly webhooks: Webhooks | null;
  readonly metrics: Metrics | null;
  readonly version: string;
  readonly startedAt: number;
  readonly sandbox: () => Promise<SandboxStatus>;
}

export function serverHandlers(
  services: ServerServices,
): Handlers<Exclude<keyof typeof serverRoutes, "callMcp">> {
  const { runtime, lifecycle, version } = services;
  const timelineEvent = omitDamagedContent({
    encode: (event) => leanEvent(runtime.store, event),
  });
  return {
    listWebhooks: async ({ query }) => {
      const page = await offered(services.webhooks, "webhooks").list(pageOf(query));
      return { status: 200, body: page };
    },
    createWebhook: async ({ body, principal }) => {
      const webhooks = offered(services.webhooks, "webhooks");
      return { status: 201, body: await webhooks.create(body, principal) };
    },
    getWebhook: async ({ params }) => {
      const webhook = await offered(services.webhooks, "webhooks").get(params.webhookId);
      return { status: 200, body: known(webhook, params.webhookId) };
    },
    removeWebhook: async ({ params }) => {
      const removed = await offered(services.webhooks, "webhooks").remove(params.webhookId);
      known(removed ? {} : null, params.webhookId);
      return { status: 204 };
    },
    listDeliveries: async ({ params, query }) => {
      const webhooks = offered(services.webhooks, "webhooks");
      const page = await webhooks.deliveries(params.webhookId, pageOf(query));
      return { status: 200, body: known(page, params.webhookId) };
    },
    testWebhook: async ({ params }) => {
      const delivery = await offered(services.webhooks, "webhooks").test(params.webhookId);
      return { status: 200, body: known(delivery, params.webhookId) };
    },
    listTokens: async () => {
      const items = await offered(services.tokens, "tokens").list();
      return { status: 200, body: { items } };
    },
    createToken: async ({ body, principal }) => {
      const { name, role, directories = null, expiresAt = null } = body;
      const tokens = offered(services.tokens, "tokens");
      const input = { name, role, directories, expiresAt };
      const { token, secret } = await tokens.create(input, principal);
      return { status: 201, body: { ...token, secret } };
    },
    revokeToken: async ({ params }) => {
      const token = await offered(services.tokens, "tokens").revoke(params.tokenId);
      if (token !== null) return { status: 200, body: token };
      throw new ApiError("unknownToken", `there is no token ${params.tokenId}`);
    },
    getMe: async ({ principal }) => {
      const { tokenId, name, role, directories } = principal;
      return { status: 200, body: { tokenId, name, role, directories } };
    },
    createLink: async ({ principal }) => {
      const link = await offered(services.links, "links").create(principal);
      return { status: 201, body: link };
    },
    signIn: async ({ body, headers }) => {
      const { cookie, key } = await offered(services.links, "links").open(body.code);
      headers.set("set-cookie", cookie);
      return { status: 201, body: { key } };
    },
    signOut: async ({ principal, headers }) => {
      headers.set("set-cookie", await offered(services.links, "links").signOut(principal));
      return { status: 204 };
    },
    getStatus: async ({ principal }) => {
      const { nodeId, draining, running, waiting, ...rest } = await runtime.status();
      const state = draining || lifecycle.state() === "draining" ? "draining" : "ready";
      const seen = await visible(services, principal, running);
      const { startedAt } = services;
      const absent = rest.absent.filter(({ directory }) => mayUse(principal, directory));
      const drainingUntil = lifecycle.drainingUntil();
      const sandbox = await services.sandbox();
      // Hide the total spending from tokens that are limited to some directories.
      const caps = principal.directories === null ? rest.caps : [];
      const known = { version, nodeId, startedAt, drainingUntil, waiting, absent, sandbox, caps };
      return { status: 200, body: { ...known, state, running: seen } };
    },
    getActivity: async ({ query, principal }) => {
      const { reach = defaultReach, slices = defaultSlices } = query;
      const { directories } = principal;
      const activity = await runtime.activity({ reach, slices, directories });
      const [all, failures] = [[...activity.slices], [...activity.failures]];
      return { status: 200, body: { ...activity, slices: all, failures } };
    },
    getTimeline: async ({ query, principal }) => {
      const { latest = defaultLatest } = query;
      const { directories } = principal;
      const { sessions, hasMore } = await runtime.timeline({ latest, directories });
      const items = await Promise.all(
        sessions.map(async ({ summary, events }) => ({
          session: wireSessionDetail(summary),
          events: await Promise.all(events.map(timelineEvent)),
        })),
      );
      return { status: 200, body: { items, hasMore } };
    },
    listNodes: async ({ principal }) => ({
      status: 200,
      body: await visibleNodes(services, principal, await runtime.nodes()),
    }),
    stopServer: async ({ body }) => {
      if (body.ifIdle === true) {
        const { running, waiting } = await runtime.status();
        const count = running.length + waiting;
        if (count > 0) throw new ApiError("busy", "the server has active runs or waiting prompts");
      }
      const deadline = lifecycle.stop(body.deadline ?? null);
      return { status: 202, body: { status: "draining", deadline } };
    },
    getHealth: async ({ query }) => {
      const proof = query.nonce === undefined ? null : lifecycle.prove(query.nonce);
      return { status: 200, body: { status: "ok", name: "holdfast", version, proof } };
    },
    getReadiness: async () => {
      const state = lifecycle.state();
      if (state === "ready") return { status: 200, body: { status: "ready" } };
      const headers = { "retry-after": `${lifecycle.retryAfter()}` };
      if (state === "draining")
        throw new ApiError("draining", "the server is stopping", { headers });
      throw new ApiError("notReady", "the server is starting", { headers });
    },
    getMetrics: async ({ principal }) => {
      // Metrics count the work and the cost of all directories.
      if (principal.directories !== null) throw limitedMetrics(principal);
      const text = await offered(services.metrics, "metrics").text();
      return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4" } });
    },
  };
}

function limitedMetrics({ name }: Principal): ApiError {
  const message = `token ${name} is limited to some directories, but metrics cover all directories; use GET /v1/activity`;
  return new ApiError("forbidden", message);
}

function known<Value>(value: Value | null, webhookId: string): Value {
  if (value !== null) return value;
  throw new ApiError("unknownWebhook", `there is no webhook ${webhookId}`);
}

function pageOf(query: { after?: string | undefined; limit?: number | undefined }) {
  return { after: query.after ?? null, limit: limitOf(query) };
}

/** Returns the nodes, without the sessions and directories that the principal may not see. */
async function visibleNodes(
  services: Pick<RouteServices, "runtime">,
  principal: Principal,
  view: NodesView,
): Promise<{ items: Node[]; abandoned: string[]; nowhere: string[] }> {
  const seen = async (sessions: readonly string[]): Promise<string[]> => {
    const items = sessions.map((sessionId) => ({ sessionId }));
    return (await visible(services, principal, items)).map(({ sessionId }) => sessionId);
  };
  const mine = (directories: readonly string[]): string[] =>
    directories.filter((directory) => mayUse(principal, directory));
  const itemOf = async ({ about, lanes, ...node }: NodeView): Promise<Node> => ({
    ...node,
    host: about?.host ?? null,
    pid: about?.pid ?? null,
    version: about?.version ?? null,
    startedAt: about?.startedAt ?? null,
    maxRuns: about?.maxRuns ?? null,
    lanes: await seen(lanes),
    absent: mine(about?.absent ?? []),
  });
  return {
    items: await Promise.all(view.nodes.map(itemOf)),
    abandoned: await seen(view.abandoned),
    nowhere: mine(view.nowhere),
  };
}
