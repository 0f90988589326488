import type { ModelFile, ModelMessage } from "./model.ts";

/** Estimates the number of characters that a message adds to a request. */
export function messageLength(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return message.text.length + filesLength(message.files);
    case "assistant":
      return message.text.length + JSON.stringify(message.calls).length;
    case "tool":
      return message.results.reduce(
        (sum, { output, files }) => sum + output.length + 50 + filesLength(files),
        0,
      );
  }
}

/** Estimated length of a typical image in characters. */
const imageLength = 5_000;
/** Estimated share of a document's bytes that is text. */
const documentShare = 0.5;

function filesLength(files: readonly ModelFile[]): number {
  return files.reduce((sum, file) => sum + fileLength(file), 0);
}

function fileLength({ mediaType, bytes }: ModelFile): number {
  if (mediaType.startsWith("image/")) return imageLength;
  return Math.max(imageLength, Math.round(bytes * documentShare));
}
