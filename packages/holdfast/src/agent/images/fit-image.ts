import { createMutex } from "../../base/serial.ts";
import { imageSize } from "./image-size.ts";
import { scaleInThread } from "./scale-image.ts";

/** Limits of an image that a provider accepts. */
export interface ImageLimits {
  readonly bytes: number;
  /** Maximum length of the longer side in pixels. */
  readonly edge: number;
}

export interface FittedImage {
  readonly data: Uint8Array;
  readonly mediaType: string;
}

/**
 * Limits that every provider accepts. Anthropic rejects 5 MB of base64 and, in a request with many images, more than
 * 2,000 pixels. Models do not see more detail in a larger image.
 */
export const usualImageLimits: ImageLimits = { bytes: 3_500_000, edge: 2_000 };

/** Returns the image limits of a model. The catalogue states the byte limit for base64, so it is converted. */
export function imageLimitsOf(
  known: { readonly width?: number; readonly height?: number; readonly bytes?: number } | null,
): ImageLimits {
  const { bytes, edge } = usualImageLimits;
  return {
    bytes: Math.min(bytes, Math.floor(((known?.bytes ?? Infinity) * 3) / 4)),
    edge: Math.min(edge, known?.width ?? edge, known?.height ?? edge),
  };
}

/** Maximum number of pixels. A larger image is not decoded, because that would take too much memory. */
const maxPixels = 50_000_000;

/** True if the image is within the limits or can be scaled down to them. */
export function isFitting(image: Buffer, limits: ImageLimits): boolean {
  const size = imageSize(image);
  if (size === null) return image.length <= limits.bytes;
  return isWithin(image, size, limits) || size.width * size.height <= maxPixels;
}

/**
 * Returns the image within the limits: unchanged if possible, else scaled down. Null if it cannot be scaled. The same
 * image always gives the same bytes, so that the provider's cache stays valid.
 */
export async function fitImage(
  { hash, data, mediaType }: { hash: string; data: Uint8Array; mediaType: string },
  limits: ImageLimits,
): Promise<FittedImage | null> {
  const image = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const size = imageSize(image);
  if (size === null) return image.length <= limits.bytes ? { data, mediaType } : null;
  if (isWithin(image, size, limits)) return { data, mediaType };
  if (size.width * size.height > maxPixels) return null;
  const key = `${hash} ${limits.bytes} ${limits.edge}`;
  // Scale one image at a time, because a decoded image needs much memory.
  return (
    known.get(key) ??
    oneAtATime(async () => {
      const found = known.get(key) ?? (await scaleInThread({ data, mediaType, ...size }, limits));
      if (found !== null) remember(key, found);
      return found;
    })
  );
}

function isWithin(
  image: Buffer,
  { width, height }: { width: number; height: number },
  { bytes, edge }: ImageLimits,
): boolean {
  return image.length <= bytes && Math.max(width, height) <= edge;
}

const oneAtATime = createMutex();

/** Cached scaled images, by content and limits: each request of a session contains its images again. */
const known = new Map<string, FittedImage>();
const mostBytes = 64_000_000;
let knownBytes = 0;

function remember(key: string, image: FittedImage): void {
  if (known.has(key)) return;
  known.set(key, image);
  knownBytes += image.data.byteLength;
  for (const [oldest, { data }] of known) {
    if (knownBytes <= mostBytes) break;
    known.delete(oldest);
    knownBytes -= data.byteLength;
  }
}
