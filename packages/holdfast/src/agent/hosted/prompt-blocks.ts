import type { AgentContext } from "../agent.ts";
import type { Message, UserMessage } from "../message.ts";
import type { Features } from "./foreign-session.ts";
import { describeInput } from "./past-turns.ts";
import type { PastTurn } from "./past-turns.ts";

/** Builds the content blocks of a request to a hosted agent: an introduction, then each prompt with its attachments. */
export async function blocksOf(
  prompts: readonly UserMessage[],
  options: {
    readonly introduction: string;
    readonly features: Features;
    readonly attachment: AgentContext["attachment"];
  },
): Promise<readonly object[]> {
  const blocks: object[] = [];
  if (options.introduction !== "") blocks.push(text(options.introduction));
  for (const prompt of prompts) {
    if (prompt.text !== "") blocks.push(text(prompt.text));
    for (const file of prompt.attachments) {
      const content = await options.attachment(file.hash);
      const name = file.name ?? "attachment";
      blocks.push(
        content === null
          ? text(`[The attachment ${name} no longer exists.]`)
          : attachmentBlock(content, { ...file, name, features: options.features }),
      );
    }
  }
  return blocks.length === 0 ? [text("(empty prompt)")] : blocks;
}

function text(words: string): object {
  return { type: "text", text: words };
}

function attachmentBlock(
  content: Uint8Array,
  file: { name: string; mediaType: string; features: Features },
): object {
  const { name, mediaType, features } = file;
  const bytes = Buffer.from(content);
  if (mediaType.startsWith("image/")) {
    if (features.images) {
      return { type: "image", mimeType: mediaType, data: bytes.toString("base64") };
    }
    return text(`[The image ${name} is attached, but this agent does not accept images.]`);
  }
  const words = bytes.toString("utf8");
  if (words.includes("\0")) {
    return text(`[The file ${name} is attached, but this agent does not accept such files.]`);
  }
  if (!features.embeds) return text(`Attached file ${name}:\n\n${words}`);
  const uri = `attachment:///${encodeURIComponent(name)}`;
  return { type: "resource", resource: { uri, mimeType: mediaType, text: words } };
}

/** Maximum number of characters of the transcript that is sent to the agent. */
const maxTranscript = 100_000;

/** Writes messages as one text, for a hosted agent whose own session does not contain these messages (H3). */
export function transcriptOf(messages: readonly Message[]): string {
  const lines = messages.flatMap((message) => {
    if (message.role === "user") return [`User: ${message.text}`];
    if (message.role === "tool") return [];
    const calls = message.calls.map(({ name, input }) => `[${name}: ${describeInput(input)}]`);
    return [message.text === "" ? "" : `Assistant: ${message.text}`, ...calls];
  });
  const whole = lines.filter((line) => line !== "").join("\n\n");
  if (whole === "") return "";
  const kept = whole.length > maxTranscript ? `[…]\n${whole.slice(-maxTranscript)}` : whole;
  return (
    "This conversation began elsewhere. Here is what you have not seen of it. Do not repeat actions from it.\n\n" +
    `<transcript>\n${kept}\n</transcript>\n\nThe next request of the user follows.`
  );
}

/** First sentence of each text that asks the agent to continue an interrupted turn. */
export const continuationStart =
  "Your previous turn was interrupted, because the process that ran it ended.";

/**
 * Builds the text that asks the agent to continue an interrupted turn. The text lists the actions for which it is
 * unknown whether they took effect (H2). It repeats the request, because the agent may have lost it.
 */
export function continuationOf(
  calls: PastTurn["calls"],
  options: {
    /** Text of the prompts that the interrupted turn was working on; empty if they have only attachments. */
    readonly request: string;
    readonly uncertainSteers: readonly string[];
  },
): string {
  const doubtful = calls.filter(({ name, status }) => status === "inDoubt" && name !== "steer");
  const actions = doubtful.map(({ name, input }) => `- ${name}: ${describeInput(input)}`);
  return [
    continuationStart,
    actions.length === 0
      ? "An action may have begun that was not recorded. Check before you repeat anything."
      : `These actions may or may not have taken effect:\n${actions.join("\n")}\nCheck their effect before you repeat one of them.`,
    ...options.uncertainSteers.map((words) => `This message may not have reached you:\n${words}`),
    options.request === "" ? "" : `The request was:\n<request>\n${options.request}\n</request>`,
    "Continue with the request.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
