import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { listen } from "../stream/listen.ts";

/** A target for webhooks: keeps deliveries, and answers as the test wants. */
export interface Target {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  /** Statuses for the next deliveries; after these, 200. */
  answer(...statuses: number[]): void;
  /** Resolves when this many deliveries have arrived. */
  until(count: number): Promise<void>;
}

export interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export async function startTarget(context: TestContext): Promise<Target> {
  const arrived: Arrived[] = [];
  const statuses: number[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    arrived.push({ headers: request.headers, body });
    response.writeHead(statuses.shift() ?? 200, { location: "/elsewhere" });
    response.end();
    for (const { count, resolve } of waiting) if (arrived.length >= count) resolve();
  };
  const port = await listen(context, (request, response) => void take(request, response));
  return {
    url: `http://127.0.0.1:${port}/hook`,
    arrived,
    answer: (...given) => void statuses.push(...given),
    until: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        if (arrived.length >= count) resolve();
      }),
  };
}

/** Checks the signature as a receiver does. */
export function isSigned({ headers, body }: Arrived, secret: string): boolean {
  const signed = `${String(headers["holdfast-timestamp"])}.${body}`;
  const expected = `v1=${createHmac("sha256", secret).update(signed).digest("hex")}`;
  return headers["holdfast-signature"] === expected;
}
