import type { ModelMessage } from "../model/model.ts";

/** About how many characters of a request a message is. */
export function messageLength(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return message.text.length;
    case "assistant":
      return message.text.length + JSON.stringify(message.calls).length;
    case "tool":
      return message.results.reduce((sum, result) => sum + result.output.length + 50, 0);
  }
}
