import { get } from "node:http";
import { createSseParser } from "../../src/sse.ts";

// A reader that has nothing of the client library but its parser: a request, a stream, and
// `Last-Event-ID` when it comes back, as a browser's EventSource or a shell script would do it.

export interface PlainReader {
  readonly url: string;
  readonly token: string;
  /** Called with each event's type and data; false ends the reading. */
  readonly take: (type: string, data: string) => boolean;
}

export async function readPlainly({ url, token, take }: PlainReader): Promise<void> {
  let lastEventId: string | null = null;
  for (let isOver = false; !isOver;) {
    isOver = await new Promise<boolean>((done) => {
      const parser = createSseParser();
      const resumed = lastEventId === null ? {} : { "last-event-id": lastEventId };
      const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...resumed };
      const request = get(url, { headers, agent: false }, (response) => {
        response.on("data", (bytes: Buffer) => {
          for (const { id, type, data } of parser.push(bytes)) {
            if (id !== null) lastEventId = id;
            if (take(type, data)) continue;
            done(true);
            request.destroy();
            return;
          }
        });
        response.on("error", () => done(false));
        response.on("close", () => done(false));
      });
      request.on("error", () => done(false));
    });
  }
}
