// This rule is for browser windows: postMessage of a worker thread has no target origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { withTimeout } from "../../base/time.ts";
import type { FittedImage, ImageLimits } from "./fit-image.ts";

interface ScaleRequest {
  readonly data: Uint8Array;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

const mark = "holdfast scale";
const milliseconds = 30_000;

/**
 * Scales an image down in a worker thread, because decoding takes seconds, a damaged image can crash the decoder, and
 * the end of the thread frees the decoder's memory. Returns null on failure.
 */
export async function scaleInThread(
  request: ScaleRequest,
  limits: ImageLimits,
): Promise<FittedImage | null> {
  // The worker runs this same file. A string with the name of another .ts file would be wrong after the build, which
  // renames files to .js.
  const worker = new Worker(new URL(import.meta.url), { workerData: { mark, request, limits } });
  const { promise, resolve } = Promise.withResolvers<FittedImage | null>();
  worker.once("message", resolve);
  worker.once("error", () => resolve(null));
  worker.once("exit", () => resolve(null));
  try {
    return await withTimeout(promise, { milliseconds, late: () => null });
  } finally {
    await worker.terminate();
  }
}

if (!isMainThread && workerData?.mark === mark) {
  void serve(workerData.request, workerData.limits);
}

async function serve(request: ScaleRequest, limits: ImageLimits): Promise<void> {
  parentPort?.postMessage(await scale(request, limits));
}

const jpegQuality = 80;
/** Lanczos3, the sharpest filter of the library. */
const filter = 5;
const smallestEdge = 200;

async function scale(request: ScaleRequest, limits: ImageLimits): Promise<FittedImage | null> {
  const { PhotonImage, resize } = await import("@silvia-odwyer/photon-node");
  const { data, mediaType, width, height } = request;
  const image = PhotonImage.new_from_byteslice(data);
  let edge = Math.min(limits.edge, Math.max(width, height));
  do {
    const factor = edge / Math.max(width, height);
    const side = (pixels: number): number => Math.max(1, Math.round(pixels * factor));
    const scaled = resize(image, side(width), side(height), filter);
    // Screenshots are sharper and often smaller as PNG; photos are not.
    const png = mediaType === "image/jpeg" ? null : scaled.get_bytes();
    if (png !== null && png.length <= limits.bytes) return { data: png, mediaType: "image/png" };
    const jpeg = scaled.get_bytes_jpeg(jpegQuality);
    scaled.free();
    if (jpeg.length <= limits.bytes) return { data: jpeg, mediaType: "image/jpeg" };
    edge = Math.floor(edge * 0.75);
  } while (edge >= smallestEdge);
  return null;
}
