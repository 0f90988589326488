import { get } from "node:http";
import { createSseParser } from "../../src/sse.ts";

// Reads a stream with nothing from the SDK but its parser: one request, and `Last-Event-ID` after a
// reconnect, as a browser's EventSource or a shell script does.

export interface PlainReader {
  readonly url: string;
  readonly token: string;
  /** Called with the type and data of each event. Return false to stop. */
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
