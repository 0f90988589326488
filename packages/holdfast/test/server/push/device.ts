import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { listen } from "../stream/listen.ts";

/** A browser's end of a subscription: its keys, and the decryption of RFC 8291. */
export interface Device {
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Throws if the message is for another device. */
  decrypt(body: Uint8Array): string;
}

export function createDevice(): Device {
  const own = createECDH("prime256v1");
  const point = own.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh: point.toString("base64url"), auth: auth.toString("base64url") },
    decrypt: (body) => {
      const message = Buffer.from(body);
      const salt = message.subarray(0, 16);
      const idLength = message.readUInt8(20);
      const sender = message.subarray(21, 21 + idLength);
      const sealed = message.subarray(21 + idLength);
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), point, sender]);
      const secret = derive(own.computeSecret(sender), { salt: auth, info, length: 32 });
      const expand = (label: string, length: number): Buffer =>
        derive(secret, { salt, info: Buffer.from(`Content-Encoding: ${label}\0`), length });
      const opener = createDecipheriv("aes-128-gcm", expand("aes128gcm", 16), expand("nonce", 12));
      opener.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()]);
      return plain.subarray(0, plain.lastIndexOf(2)).toString();
    },
  };
}

function derive(
  secret: Uint8Array,
  { salt, info, length }: { salt: Uint8Array; info: Uint8Array; length: number },
): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, length));
}

export interface PushArrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service on loopback: keeps messages, and answers as the test wants. */
export interface PushService {
  readonly origin: string;
  readonly arrived: readonly PushArrival[];
  /** Statuses for the next messages; after these, 201. Null: never answer. */
  answer(...statuses: (number | null)[]): void;
  /** Resolves when this many messages have arrived. */
  until(count: number): Promise<void>;
}

export async function startPushService(context: TestContext): Promise<PushService> {
  const arrived: PushArrival[] = [];
  const statuses: (number | null)[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    arrived.push({ path: request.url ?? "", headers: request.headers, body });
    const status = statuses.length === 0 ? 201 : (statuses.shift() ?? null);
    if (status === null) return;
    response.writeHead(status, { location: "/elsewhere" });
    response.end();
  };
  const port = await listen(context, (request, response) => void take(request, response));
  return {
    origin: `http://127.0.0.1:${port}`,
    arrived,
    answer: (...given) => void statuses.push(...given),
    until: async (count) => {
      await waitFor(() => arrived.length, {
        describe: `${count} push messages`,
        until: (found) => found >= count,
      });
    },
  };
}
