import {
  createCipheriv,
  createECDH,
  createHmac,
  createPrivateKey,
  hkdfSync,
  sign,
} from "node:crypto";
import { createBoundedMap } from "../../base/bounded-map.ts";

/** Keys of a browser's subscription, as raw bytes. */
export interface DeviceKeys {
  /** Public key of the browser: an uncompressed point on the curve P-256. */
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

/** The server's key pair for push services (RFC 8292), in base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const curve = "prime256v1";
/** Record size in the encrypted format. Each message is one record. */
const recordSize = 4096;
/** Size to which every message is padded, so that its length reveals nothing. */
const paddedSize = 512;

/**
 * Encrypts a message for a browser with `aes128gcm` (RFC 8291). `salt` and `privateKey` must be new for each message.
 * Throws if the browser's key is not a point on the curve.
 */
export function encryptMessage(
  text: string,
  device: DeviceKeys,
  fresh: { salt: Uint8Array; privateKey: Uint8Array; size?: number },
): Buffer {
  const { salt, size = paddedSize } = fresh;
  const own = createECDH(curve);
  own.setPrivateKey(fresh.privateKey);
  const shared = own.computeSecret(device.p256dh);
  const ownPublic = own.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), device.p256dh, ownPublic]);
  const secret = derive(shared, { salt: device.auth, info, length: 32 });
  const expand = (label: string, length: number): Buffer =>
    derive(secret, { salt, info: Buffer.from(`Content-Encoding: ${label}\0`), length });
  const cipher = createCipheriv("aes-128-gcm", expand("aes128gcm", 16), expand("nonce", 12));
  const plain = Buffer.from(text);
  // A byte with the value 2 ends the text of the last record. Zeros after it are padding.
  const padding = Buffer.alloc(Math.max(0, size - plain.length));
  const body = [cipher.update(plain), cipher.update(Buffer.of(2)), cipher.update(padding)];
  const head = Buffer.alloc(5);
  head.writeUInt32BE(recordSize);
  head.writeUInt8(ownPublic.length, 4);
  return Buffer.concat([salt, head, ownPublic, ...body, cipher.final(), cipher.getAuthTag()]);
}

function derive(
  secret: Uint8Array,
  { salt, info, length }: { salt: Uint8Array; info: Uint8Array; length: number },
): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, length));
}

export function newVapidKeys(): VapidKeys {
  const pair = createECDH(curve);
  pair.generateKeys();
  // Pad the key to 32 bytes: a private key with leading zeros is returned without them.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32);
  return {
    publicKey: pair.getPublicKey("base64url"),
    privateKey: privateKey.toString("base64url"),
  };
}

/**
 * Milliseconds for which a signature is valid. Push services accept up to 24 hours. With 12 hours, the server's clock
 * may be up to 11 hours fast or slow, because a signature is used for an hour.
 */
const validFor = 12 * 60 * 60_000;
const usedFor = 60 * 60_000;
/** Number of push services whose signature is kept. */
const maxServices = 100;

export type VapidSigner = (keys: VapidKeys, claim: { endpoint: string; now: number }) => string;

/** Returns a function that creates Authorization headers. It signs once per hour for each push service. */
export function createVapidSigner(contact: string): VapidSigner {
  const known = createBoundedMap<string, { header: string; at: number }>(maxServices);
  return (keys, { endpoint, now }) => {
    const service = `${keys.publicKey} ${new URL(endpoint).origin}`;
    const before = known.get(service);
    // A clock that was set back makes the age negative.
    if (before !== null && Math.abs(now - before.at) < usedFor) return before.header;
    const header = vapidHeader(keys, { endpoint, now, contact });
    known.set(service, { header, at: now });
    return header;
  };
}

/** Returns the Authorization header that identifies this server to a push service (RFC 8292). */
export function vapidHeader(
  keys: VapidKeys,
  claim: { endpoint: string; now: number; contact: string },
): string {
  const { endpoint, now, contact } = claim;
  const exp = Math.floor((now + validFor) / 1000);
  const parts = [
    { typ: "JWT", alg: "ES256" },
    { aud: new URL(endpoint).origin, exp, sub: contact },
  ];
  const text = parts.map((part) => base64url(JSON.stringify(part))).join(".");
  const signature = sign("sha256", Buffer.from(text), {
    key: privateKeyOf(keys),
    dsaEncoding: "ieee-p1363",
  });
  return `vapid t=${text}.${base64url(signature)}, k=${keys.publicKey}`;
}

function privateKeyOf({ publicKey, privateKey }: VapidKeys) {
  const point = Buffer.from(publicKey, "base64url");
  const x = base64url(point.subarray(1, 33));
  const y = base64url(point.subarray(33));
  return createPrivateKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", d: privateKey, x, y },
  });
}

/**
 * Returns the topic for push messages about a session. The topic does not reveal the session to the push service, which
 * keeps only the newest undelivered message of each topic (RFC 8030).
 */
export function topicOf(sessionId: string, auth: Uint8Array): string {
  return createHmac("sha256", auth).update(sessionId).digest("base64url").slice(0, 32);
}

function base64url(value: string | Uint8Array): string {
  return Buffer.from(value).toString("base64url");
}
