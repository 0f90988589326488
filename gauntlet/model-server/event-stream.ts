import { crc32 } from "node:zlib";

/** Encodes a message of AWS's event stream format: lengths, headers, payload, and two checksums. */
export function eventStreamFrame(
  headers: Readonly<Record<string, string>>,
  payload: object,
): Uint8Array {
  const encoded = Buffer.concat(Object.entries(headers).map(headerOf));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + encoded.length + body.length + 4, 0);
  prelude.writeUInt32BE(encoded.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, encoded, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message), 0);
  return Buffer.concat([message, checksum]);
}

/**
 * Encodes an error in AWS's event stream format. A model service can send this error even after its answer has started.
 */
export function exceptionFrame(type: string, message: string): Uint8Array {
  return eventStreamFrame(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    { message },
  );
}

function headerOf([name, value]: readonly [string, string]): Buffer {
  const stringType = 7;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value), 0);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([stringType]),
    length,
    Buffer.from(value),
  ]);
}
