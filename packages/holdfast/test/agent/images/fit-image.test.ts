import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { PhotonImage } from "@silvia-odwyer/photon-node";
import { fitImage, isFitting } from "../../../src/agent/images/fit-image.ts";
import { imageSize } from "../../../src/agent/images/image-size.ts";

const limits = { bytes: 60_000, edge: 300 };

test("an image within the limits stays as it is, byte for byte", async () => {
  const data = picture(300, 200).get_bytes();
  const fitted = await fit(data, "image/png");
  assert(fitted?.data === data, "the same bytes");
  assert.equal(fitted.mediaType, "image/png");
});

test("an image with too many pixels is scaled down and keeps its shape, whatever its format", async () => {
  const image = picture(900, 450);
  const formats = {
    "image/png": image.get_bytes(),
    "image/jpeg": image.get_bytes_jpeg(90),
    "image/webp": image.get_bytes_webp(),
  };
  for (const [mediaType, data] of Object.entries(formats)) {
    assert.deepEqual(imageSize(Buffer.from(data)), { width: 900, height: 450 }, mediaType);
    const fitted = await fit(data, mediaType);
    const expected = mediaType === "image/jpeg" ? "image/jpeg" : "image/png";
    assert.equal(fitted?.mediaType, expected);
    assert.deepEqual(imageSize(Buffer.from(fitted.data)), { width: 300, height: 150 });
  }
});

test("an image with too many bytes becomes a JPEG, and smaller until it fits", async () => {
  const data = noise(280, 280);
  assert(data.length > limits.bytes);
  const fitted = await fit(data, "image/png");
  assert.equal(fitted?.mediaType, "image/jpeg");
  assert(fitted.data.length <= limits.bytes);
  const again = await fitImage({ hash: "same image", data, mediaType: "image/png" }, limits);
  assert(Buffer.compare(again?.data ?? Buffer.alloc(0), fitted.data) === 0, "the same bytes");
});

test("an image with a huge size is not decoded, and a damaged image does no harm", async () => {
  const bomb = header(40_000, 40_000);
  assert.deepEqual(imageSize(bomb), { width: 40_000, height: 40_000 });
  assert.equal(isFitting(bomb, limits), false);
  assert.equal(await fit(bomb, "image/png"), null);
  assert.equal(await fit(header(2_000, 2_000), "image/png"), null);
  const cut = picture(900, 450).get_bytes_jpeg(90).subarray(0, 700);
  assert.equal(imageSize(Buffer.from(cut))?.width, 900);
  await fit(cut, "image/jpeg");
  const whole = await fit(picture(400, 100).get_bytes(), "image/png");
  assert.deepEqual(imageSize(Buffer.from(whole?.data ?? [])), { width: 300, height: 75 });
});

test("an image header that ends early or contains wrong values gives no image size", () => {
  const files = [
    Buffer.alloc(0),
    Buffer.from("GIF8"),
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]),
    Buffer.from("RIFF....WEBPVP8X"),
    Buffer.from("RIFF....WEBPnone"),
    header(0, 10),
    readFileSync(import.meta.filename),
  ];
  assert.deepEqual(
    files.map((file) => imageSize(file)),
    files.map(() => null),
  );
  const gif = Buffer.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x40, 0x01, 0xc8, 0x00]);
  assert.deepEqual(imageSize(gif), { width: 320, height: 200 });
});

let images = 0;

function fit(data: Uint8Array, mediaType: string): ReturnType<typeof fitImage> {
  images += 1;
  return fitImage({ hash: `image ${images}`, data, mediaType }, limits);
}

function picture(width: number, height: number): PhotonImage {
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, place) =>
    place % 4 === 3 ? 255 : (place >> 6) & 255,
  );
  return new PhotonImage(pixels, width, height);
}

/** A PNG that does not compress. */
function noise(width: number, height: number): Uint8Array {
  let seed = 1;
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, place) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return place % 4 === 3 ? 255 : seed & 255;
  });
  return new PhotonImage(pixels, width, height).get_bytes();
}

/** A PNG whose header promises pixels that it does not have. */
function header(width: number, height: number): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    block("IHDR", size),
    block("IDAT", deflateSync(Buffer.alloc(64))),
  ]);
}

function block(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
