import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { keepLast } from "../../base/bounded-map.ts";

/*
 * Notifications are encrypted and authenticated: any role that may connect to the database can
 * listen to them and send its own (decision 14). A payload is base64 of
 *
 *   sender (16 random bytes per connection) | counter (6 bytes) | AES-256-GCM ciphertext | tag (16)
 *
 * The encryption key is derived from the store's key, the channel, the sender and the process id of
 * its database connection. PostgreSQL itself reports that id with every notification, so a payload
 * that another connection repeats cannot be decrypted. The counter is the nonce, and a receiver
 * takes only a higher one from the same sender.
 */
const senderLength = 16;
const counterLength = 6;
const headLength = senderLength + counterLength;
const tagLength = 16;
const nonceLength = 12;
/** Maximum number of senders that a receiver remembers. Each connection of a node is a new sender. */
const maxSenders = 1_000;

export interface SealOptions {
  readonly key: Uint8Array;
  readonly channel: string;
}

/** Returns a function that encrypts the texts of one database connection. */
export function createSealer(
  options: SealOptions & { readonly processId: number },
): (text: string) => string {
  const sender = randomBytes(senderLength);
  const key = senderKey(options, { sender, processId: options.processId });
  let counter = 0;
  return (text) => {
    const head = Buffer.concat([sender, counterBytes((counter += 1))]);
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(head));
    const parts = [head, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString("base64");
  };
}

/**
 * Returns a function that decrypts payloads. It returns null for a payload that is forged, repeated or not from this
 * store.
 */
export function createOpener(
  options: SealOptions,
): (payload: string, processId: number) => string | null {
  const senders = new Map<string, { readonly key: Uint8Array; counter: number }>();
  return (payload, processId) => {
    const bytes = Buffer.from(payload, "base64");
    if (bytes.length < headLength + tagLength) return null;
    const sender = bytes.subarray(0, senderLength);
    const counter = bytes.readUIntBE(senderLength, counterLength);
    const name = `${processId} ${sender.toString("hex")}`;
    const known = senders.get(name);
    if (known !== undefined && counter <= known.counter) return null;
    const key = known?.key ?? senderKey(options, { sender, processId });
    const text = decrypt(bytes, key);
    if (text === null) return null;
    if (known !== undefined) known.counter = counter;
    else keepLast(senders, { key: name, value: { key, counter } }, maxSenders);
    return text;
  };
}

function decrypt(bytes: Buffer, key: Uint8Array): string | null {
  const head = bytes.subarray(0, headLength);
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(head), {
    authTagLength: tagLength,
  });
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const start = decipher.update(bytes.subarray(headLength, -tagLength), undefined, "utf8");
  try {
    return start + decipher.final("utf8");
  } catch {
    // The text was not encrypted with this store's key.
    return null;
  }
}

function senderKey(
  { key, channel }: SealOptions,
  { sender, processId }: { sender: Uint8Array; processId: number },
): Uint8Array {
  return createHmac("sha256", key).update(`${channel} ${processId} `).update(sender).digest();
}

function counterBytes(counter: number): Buffer {
  const bytes = Buffer.alloc(counterLength);
  bytes.writeUIntBE(counter, 0, counterLength);
  return bytes;
}

/** Returns the nonce. It is unique per key, because the counter never repeats. */
function nonceOf(head: Uint8Array): Buffer {
  return Buffer.concat([head.subarray(senderLength)], nonceLength);
}
