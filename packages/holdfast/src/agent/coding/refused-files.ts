import { ModelError } from "../model/model.ts";
import type { ModelFile, ModelMessage } from "../model/model.ts";
import { describeFile } from "./attachments.ts";

/**
 * What providers have said to files by refusing a request or not. A file that one of them cannot read
 * would make it refuse every later request of the session, so it is spoken of instead of shown.
 */
export interface RefusedFiles {
  show(messages: readonly ModelMessage[], model: string): Shown;
}

export interface Shown {
  /** Without the files that the model's provider does not take. */
  readonly messages: readonly ModelMessage[];
  /** The request was refused: true when that was for its files, and it is worth another try. */
  blame(error: unknown): boolean;
}

/** Past this what is known is forgotten, and found out again. */
const mostFiles = 10_000;

export function createRefusedFiles(): RefusedFiles {
  const known = new Map<string, "shown" | "refused">();
  return {
    show: (all, model) => {
      if (known.size > mostFiles) known.clear();
      const keyOf = ({ hash }: ModelFile): string => `${hash} ${model}`;
      const isRefused = (file: ModelFile): boolean => known.get(keyOf(file)) === "refused";
      const messages = filesOf(all).some(isRefused) ? all.map(speakOf(isRefused)) : all;
      const files = filesOf(messages);
      const fresh = files.filter((file) => !known.has(keyOf(file)));
      for (const file of fresh) known.set(keyOf(file), "shown");
      return {
        messages,
        blame: (error) => {
          if (!(error instanceof ModelError && error.kind === "badFile")) return false;
          // Those that were shown before are not what it is about, unless there are no others.
          const blamed = fresh.length > 0 ? fresh : files;
          for (const file of blamed) known.set(keyOf(file), "refused");
          return blamed.length > 0;
        },
      };
    },
  };
}

function speakOf(isRefused: (file: ModelFile) => boolean): (message: ModelMessage) => ModelMessage {
  const inWords = (text: string, files: readonly ModelFile[]): string =>
    [text, ...files.filter(isRefused).map(refusalText)].join("\n\n").trimStart();
  const isTaken = (file: ModelFile): boolean => !isRefused(file);
  return (message) => {
    if (!filesIn(message).some(isRefused)) return message;
    switch (message.role) {
      case "user": {
        const { text, files } = message;
        return { ...message, text: inWords(text, files), files: files.filter(isTaken) };
      }
      case "assistant":
        return message;
      case "tool": {
        const results = message.results.map((result) => {
          const { output, files } = result;
          return { ...result, output: inWords(output, files), files: files.filter(isTaken) };
        });
        return { ...message, results };
      }
    }
  };
}

function filesOf(messages: readonly ModelMessage[]): readonly ModelFile[] {
  return messages.flatMap(filesIn);
}

function filesIn(message: ModelMessage): readonly ModelFile[] {
  switch (message.role) {
    case "user":
      return message.files;
    case "assistant":
      return [];
    case "tool":
      return message.results.flatMap(({ files }) => files);
  }
}

function refusalText(file: ModelFile): string {
  return `[${describeFile(file)} is attached, but the provider does not take it: say so if it matters.]`;
}
