import { ModelError } from "../model/model.ts";
import type { ModelFile, ModelMessage } from "../model/model.ts";
import { describeFile } from "./attachments.ts";

/**
 * Remembers the files that the provider of each model rejected. A rejected file would make every later request of the
 * session fail, so a text describes it instead.
 */
export interface RefusedFiles {
  show(messages: readonly ModelMessage[], model: string): Shown;
}

export interface Shown {
  /** The messages without the files that the provider rejects. */
  readonly messages: readonly ModelMessage[];
  /** Handles a failed request. Returns true if a file caused the error and a retry without it makes sense. */
  blame(error: unknown): boolean;
}

/** Maximum number of remembered files. If it is exceeded, all are forgotten. */
const mostFiles = 10_000;

export function createRefusedFiles(): RefusedFiles {
  const known = new Map<string, "shown" | "refused">();
  return {
    show: (all, model) => {
      if (known.size > mostFiles) known.clear();
      const keyOf = ({ hash }: ModelFile): string => `${hash} ${model}`;
      const isRefused = (file: ModelFile): boolean => known.get(keyOf(file)) === "refused";
      const messages = filesOf(all).some(isRefused) ? all.map(replaceRefused(isRefused)) : all;
      const files = filesOf(messages);
      const fresh = files.filter((file) => !known.has(keyOf(file)));
      for (const file of fresh) known.set(keyOf(file), "shown");
      return {
        messages,
        blame: (error) => {
          if (!(error instanceof ModelError && error.kind === "badFile")) return false;
          // Assume that the error was caused by a file that this model gets for the first time. If there is no such
          // file, any of the files may be the cause.
          const blamed = fresh.length > 0 ? fresh : files;
          for (const file of blamed) known.set(keyOf(file), "refused");
          return blamed.length > 0;
        },
      };
    },
  };
}

function replaceRefused(
  isRefused: (file: ModelFile) => boolean,
): (message: ModelMessage) => ModelMessage {
  const withDescriptions = (text: string, files: readonly ModelFile[]): string =>
    [text, ...files.filter(isRefused).map(describeRefused)].join("\n\n").trimStart();
  const isTaken = (file: ModelFile): boolean => !isRefused(file);
  return (message) => {
    if (!filesIn(message).some(isRefused)) return message;
    switch (message.role) {
      case "user": {
        const { text, files } = message;
        return { ...message, text: withDescriptions(text, files), files: files.filter(isTaken) };
      }
      case "assistant":
        return message;
      case "tool": {
        const results = message.results.map((result) => {
          const { output, files } = result;
          return {
            ...result,
            output: withDescriptions(output, files),
            files: files.filter(isTaken),
          };
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

function describeRefused(file: ModelFile): string {
  return `[${describeFile(file)} is attached, but the provider rejected it. Tell the user if it matters.]`;
}
