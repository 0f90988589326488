import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { beChild, takeJob } from "./child-side.ts";

// Readers of one stream, in a separate process. They only look for the end of the stream.

export interface ReadersJob {
  readonly url: string;
  readonly count: number;
}

const { url, count } = await takeJob<ReadersJob>();
const last = Buffer.from("\nevent: run.ended\n");
let ended = 0;
let allEnded = Promise.withResolvers<void>();

function connect(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (response) => {
      let tail: Buffer = Buffer.alloc(0);
      response.on("data", (piece: Buffer) => {
        const found = Buffer.concat([tail, piece.subarray(0, last.length)]).includes(last);
        if (found || piece.includes(last)) {
          ended += 1;
          if (ended === count) allEnded.resolve();
        }
        tail = piece.subarray(-last.length + 1);
      });
      resolve(response);
    });
    request.on("error", reject);
  });
}

const responses = await Promise.all(Array.from({ length: count }, connect));
beChild({
  ready: null,
  answers: {
    /** Resolves when every reader has received the event `run.ended`. */
    ended: async () => {
      await allEnded.promise;
      ended = 0;
      allEnded = Promise.withResolvers();
      return null;
    },
  },
  stop: async () => {
    for (const response of responses) response.destroy();
  },
});
