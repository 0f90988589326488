import type { ModelFile, ModelMessage } from "../model/model.ts";

/** About how many characters of a request a message is. */
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

/** What an image of the usual size counts for, and about how much text a document's bytes hold. */
const imageLength = 5_000;
const documentPart = 0.5;

function filesLength(files: readonly ModelFile[]): number {
  return files.reduce((sum, file) => sum + fileLength(file), 0);
}

function fileLength({ mediaType, bytes }: ModelFile): number {
  if (mediaType.startsWith("image/")) return imageLength;
  return Math.max(imageLength, Math.round(bytes * documentPart));
}
