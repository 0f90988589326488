import type { Attachment } from "../../contract/attachment.ts";
import type { eventRoutes } from "../../contract/routes/events.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { makeBody } from "../../store/body.ts";
import { ApiError } from "../errors.ts";
import type { Call, Handlers } from "../handler.ts";
import type { EventStreams, StreamRequest } from "../ports.ts";
import { addUpload, readUpload } from "../uploads.ts";
import { filesOf, omitDamagedContent, wireEvent } from "../wire/event.ts";
import { wirePrompt } from "../wire/prompt.ts";
import { expectSession } from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";

type EventServices = RouteServices & { readonly streams: EventStreams | null };

export function eventHandlers(services: EventServices): Handlers<keyof typeof eventRoutes> {
  const { runtime, streams, security } = services;
  const wholeEvent = omitDamagedContent({
    encode: (event) => wireEvent(runtime.store, event, { whole: true }),
  });
  const open = async (
    request: Omit<StreamRequest, "ended">,
    start: (streams: EventStreams, request: StreamRequest) => Promise<Response>,
  ): Promise<Response> => {
    if (streams === null)
      throw new ApiError("notOffered", "event streams are available only on a server");
    const ended = security.openStream(request.principal);
    try {
      return await start(streams, { ...request, ended });
    } catch (error) {
      ended();
      throw error;
    }
  };
  return {
    followSession: async (call) => {
      const { sessionId } = call.params;
      await expectSession(runtime, sessionId);
      return open(streamRequest(call, sessionId), (streams, request) =>
        streams.session({ ...request, sessionId }),
      );
    },
    followAll: (call) =>
      open(streamRequest(call, null), (streams, request) => streams.all(request)),
    getEvent: async ({ params }) => {
      const event = await expectEvent(services, params);
      return { status: 200, body: await wholeEvent(event) };
    },
    getEventFile: async ({ params, headers }) => {
      const files = await filesOf(runtime.store, await expectEvent(services, params));
      return download(headers, await expectContent(services, files, params.hash));
    },
    uploadAttachment: async ({ query, body, request, principal }) => {
      if (body.byteLength === 0)
        throw new ApiError("invalid", "the attachment is empty; send its content as the body");
      const mediaType = mediaTypeOf(request);
      const { hash, content } = makeBody(body);
      const name = query.name ?? null;
      await addUpload(runtime.store, principal, { hash, mediaType, name, content });
      return { status: 201, body: { hash, mediaType, name, bytes: content.byteLength } };
    },
    getUpload: async ({ params, headers, principal }) => {
      const upload = await readUpload(runtime.store, principal, params.hash);
      if (upload === null) throw unknownAttachment(params.hash);
      return download(headers, upload);
    },
    getAttachment: async ({ params, headers }) => {
      const { sessionId, promptId, hash } = params;
      const row = await runtime.store.prompt(sessionId, promptId);
      if (row === null) {
        await expectSession(runtime, sessionId);
        throw new ApiError("unknownPrompt", `session ${sessionId} has no prompt ${promptId}`);
      }
      const { attachments } = await wirePrompt(runtime.store, row);
      return download(headers, await expectContent(services, attachments, hash));
    },
  };
}

async function expectEvent(
  { runtime }: EventServices,
  { sessionId, seq }: { sessionId: string; seq: number },
): Promise<LaneEvent> {
  await expectSession(runtime, sessionId);
  const [event] = await runtime.store.events(sessionId, { after: seq - 1, limit: 1 });
  if (event?.seq === seq) return event;
  throw new ApiError("unknownEvent", `session ${sessionId} has no event ${seq}`);
}

/** Refuses content that the event or prompt does not refer to: knowing a hash is not enough to read content. */
async function expectContent(
  { runtime }: EventServices,
  named: readonly Attachment[],
  hash: string,
): Promise<Attachment & { content: Uint8Array }> {
  const found = named.find((file) => file.hash === hash);
  const content = found === undefined ? null : await runtime.store.body(hash);
  if (found === undefined || content === null) throw unknownAttachment(hash);
  return { ...found, content };
}

function streamRequest(
  call: Pick<
    Call<(typeof eventRoutes)["followAll"]>,
    "context" | "principal" | "request" | "headers" | "query"
  >,
  sessionId: string | null,
): Omit<StreamRequest, "ended"> {
  const { context, principal, headers, query, request } = call;
  const after = request.headers.get("last-event-id") ?? query.after ?? null;
  const { deltas = true, follow = true } = query;
  return { context, principal, sessionId, after, deltas, follow, headers };
}

/**
 * Returns a media type that is safe to send. Images and plain text keep their type. Any other type, such as SVG, HTML,
 * PDF or a script, could run in the origin of the web page.
 */
function harmlessType(mediaType: string): string {
  const isHarmless = /^(?:image\/(?:png|jpeg|gif|webp)|text\/plain(?:; ?charset=[\w-]+)?)$/i;
  return isHarmless.test(mediaType) ? mediaType : "application/octet-stream";
}

/** Sends content as a download, so that a browser never shows it as a page of this server. */
function download(
  headers: Headers,
  file: Pick<Attachment, "name" | "mediaType" | "hash"> & { content: Uint8Array },
): Response {
  const name = encodeURIComponent(file.name ?? file.hash).replaceAll("'", "%27");
  headers.set("content-disposition", `attachment; filename*=UTF-8''${name}`);
  headers.set("x-content-type-options", "nosniff");
  headers.set("content-security-policy", "sandbox; default-src 'none'");
  return new Response(new Uint8Array(file.content), {
    headers: { "content-type": harmlessType(file.mediaType) },
  });
}

const mediaTypePattern = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;[\x20-\x7e]{0,200})?$/;

/** Returns the content type that the sender declared; the content itself is not inspected. */
function mediaTypeOf(request: Request): string {
  const given = request.headers.get("content-type")?.trim() ?? "application/octet-stream";
  if (mediaTypePattern.test(given)) return given;
  throw new ApiError("badContentType", "content-type must be a media type, such as image/png");
}

function unknownAttachment(hash: string): ApiError {
  return new ApiError("unknownAttachment", `there is no attachment ${hash}`, { details: { hash } });
}
