import { connect } from "../../src/index.ts";
import type { ConnectOptions, Holdfast } from "../../src/index.ts";
import { handTiming } from "./hand-timing.ts";
import type { HandTiming } from "./hand-timing.ts";

export interface Sent {
  readonly at: number;
  readonly route: string;
  readonly body: unknown;
}

export type Answer = (request: Request) => Response | Promise<Response>;

export interface Scripted {
  readonly holdfast: Holdfast;
  readonly timing: HandTiming;
  readonly sent: Sent[];
}

/** A client whose requests get these responses in order. The last one is repeated. */
export function scripted(
  answers: Answer[],
  { random, ...options }: Partial<ConnectOptions> & { random?: () => number } = {},
): Scripted {
  const timing = handTiming(random);
  const sent: Sent[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const answer = answers[Math.min(sent.length, answers.length - 1)];
    const { pathname, search } = new URL(request.url);
    const body = bodyOf(await request.clone().text());
    sent.push({ at: timing.now(), route: `${request.method} ${pathname}${search}`, body });
    if (answer === undefined) throw new Error("no answer was written for this request");
    return answer(request);
  };
  const holdfast = connect({ url: "http://holdfast.test", fetch, timing, ...options });
  return { holdfast, timing, sent };
}

function bodyOf(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text) : text;
}

export const cut: Answer = () => {
  throw new TypeError("fetch failed", { cause: new Error("connection reset") });
};

export function json(body: unknown, { status = 200, headers = {} } = {}): Answer {
  return () => Response.json(body, { status, headers });
}

export function refusal(
  status: number,
  code: string,
  { details = {}, headers = {} }: { details?: object; headers?: Record<string, string> } = {},
): Answer {
  const error = { code, message: `${code} for a test`, requestId: "request-1", details };
  return json({ error }, { status, headers });
}

/** A stream of events: chunks of text, followed by the end, a cut connection, or silence. */
export function eventStream(
  pieces: readonly string[],
  { end = "end" }: { end?: "end" | "cut" | "silence" } = {},
): Answer {
  return ({ signal }) => {
    const encoder = new TextEncoder();
    const rest = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        signal.addEventListener("abort", () => {
          try {
            controller.error(signal.reason);
          } catch {
            // The stream has already ended.
          }
        });
      },
      pull: (controller) => {
        const piece = rest.shift();
        if (piece !== undefined) controller.enqueue(encoder.encode(piece));
        else if (end === "end") controller.close();
        else if (end === "cut") controller.error(new Error("connection reset"));
        else return new Promise(() => {});
        return undefined;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/** An event in the server's format. */
export function frame(type: string, data: object, id: string | number | null = null): string {
  const place = id === null ? "" : `id: ${id}\n`;
  return `${place}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
