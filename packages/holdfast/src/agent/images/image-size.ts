export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads width and height from the header of a PNG, JPEG, GIF or WebP image. Null: another format, or damaged. */
export function imageSize(image: Buffer): ImageSize | null {
  try {
    const read = readers.find(({ isMatch }) => isMatch(image));
    const size = read?.size(image) ?? null;
    return size !== null && size.width > 0 && size.height > 0 ? size : null;
  } catch (error) {
    // The image ends in the middle of its header.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Reader {
  readonly isMatch: (image: Buffer) => boolean;
  readonly size: (image: Buffer) => ImageSize | null;
}

const readers: readonly Reader[] = [
  {
    isMatch: (image) => image.toString("latin1", 1, 4) === "PNG",
    size: (image) => ({ width: image.readUInt32BE(16), height: image.readUInt32BE(20) }),
  },
  {
    isMatch: (image) => image.toString("latin1", 0, 4) === "GIF8",
    size: (image) => ({ width: image.readUInt16LE(6), height: image.readUInt16LE(8) }),
  },
  { isMatch: (image) => image.readUInt16BE(0) === 0xff_d8, size: jpegSize },
  { isMatch: (image) => image.toString("latin1", 8, 12) === "WEBP", size: webpSize },
];

/** Reads the size from the first frame header, after skipping all segments before it. */
function jpegSize(image: Buffer): ImageSize | null {
  let place = 2;
  for (;;) {
    while (image.readUInt8(place) !== 0xff) place += 1;
    const marker = image.readUInt8(place + 1);
    if (marker === 0xff) place += 1;
    else if (isFrame(marker)) {
      return { height: image.readUInt16BE(place + 5), width: image.readUInt16BE(place + 7) };
    } else if (marker === 0xd9 || marker === 0xda) return null;
    else place += 2 + image.readUInt16BE(place + 2);
  }
}

/** In a JPEG file, the markers C0 to CF start a frame header, except C4, C8 and CC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function webpSize(image: Buffer): ImageSize | null {
  switch (image.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = image.readUInt32LE(21);
      return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 };
    }
    case "VP8 ":
      return { width: image.readUInt16LE(26) & 0x3f_ff, height: image.readUInt16LE(28) & 0x3f_ff };
    default:
      return null;
  }
}
