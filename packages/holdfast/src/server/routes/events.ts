import type { Attachment } from "../../contract/attachment.ts";
import type { eventRoutes } from "../../contract/routes/events.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { makeBody } from "../../store/body.ts";
import { ApiError } from "../errors.ts";
import type { Call, Handlers } from "../handler.ts";
import type { EventStreams, StreamRequest } from "../ports.ts";
import { addUpload, readUpload } from "../uploads.ts";
import { filesOf, wireEvent } from "../wire/event.ts";
import { wirePrompt } from "../wire/prompt.ts";
import { expectSession } from "./route-services.ts";
import type { RouteParts } from "./route-services.ts";

type EventParts = RouteParts & { readonly streams: EventStreams | null };

export function eventHandlers(parts: EventParts): Handlers<keyof typeof eventRoutes> {
  const { runtime, streams, security } = parts;
  const open = async (
    request: Omit<StreamRequest, "ended">,
    start: (streams: EventStreams, request: StreamRequest) => Promise<Response>,
  ): Promise<Response> => {
    if (streams === null) throw new ApiError("notOffered", "event streams are not offered here");
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
      const event = await expectEvent(parts, params);
      return { status: 200, body: await wireEvent(runtime.store, event, { whole: true }) };
    },
    getEventFile: async ({ params, headers }) => {
      const files = await filesOf(runtime.store, await expectEvent(parts, params));
      return download(headers, await expectContent(parts, files, params.hash));
    },
    uploadAttachment: async ({ query, body, request, principal }) => {
      if (body.byteLength === 0) throw new ApiError("invalid", "the attachment is empty");
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
      return download(headers, await expectContent(parts, attachments, hash));
    },
  };
}

async function expectEvent(
  { runtime }: EventParts,
  { sessionId, seq }: { sessionId: string; seq: number },
): Promise<LaneEvent> {
  await expectSession(runtime, sessionId);
  const [event] = await runtime.store.events(sessionId, { after: seq - 1, limit: 1 });
  if (event?.seq === seq) return event;
  throw new ApiError("unknownEvent", `session ${sessionId} has no event ${seq}`);
}

/** Only what is named where it is asked for: a hash alone opens nothing. */
async function expectContent(
  { runtime }: EventParts,
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
 * Pictures and text keep their type. With any other, such as SVG, HTML, PDF or a script, content of
 * somebody else's could run in the origin of the web page.
 */
function harmlessType(mediaType: string): string {
  const isHarmless = /^(?:image\/(?:png|jpeg|gif|webp)|text\/plain(?:; ?charset=[\w-]+)?)$/i;
  return isHarmless.test(mediaType) ? mediaType : "application/octet-stream";
}

/** Nobody's content is shown as a page of this server: it is always a download. */
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

/** What the sender says that it is; nobody looks into it to guess. */
function mediaTypeOf(request: Request): string {
  const given = request.headers.get("content-type")?.trim() ?? "application/octet-stream";
  if (mediaTypePattern.test(given)) return given;
  throw new ApiError("badContentType", "content-type must be a media type, such as image/png");
}

function unknownAttachment(hash: string): ApiError {
  return new ApiError("unknownAttachment", `there is no attachment ${hash}`, { details: { hash } });
}
