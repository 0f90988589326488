import { startModelServer } from "../../gauntlet/model-server/model-server.ts";
import type { Part } from "../../gauntlet/model-server/script.ts";
import { longWords, now } from "./clock.ts";
import { beChild, takeJob } from "../server/child-side.ts";

// The model server that all measured products (peers) use. It answers immediately and records when each prompt arrives.

const short: readonly Part[] = [{ text: "Done, " }, { text: "as you " }, { text: "said." }];
const long: readonly Part[] = Array.from({ length: 2_000 }, (_, index) => ({
  text: index % 12 === 11 ? "word.\n" : "word ",
}));
const usage = { input: 100, cached: 0, output: 10 };

await takeJob<null>();
let arrivals: Record<string, number> = {};
const server = await startModelServer(({ messages, tools }) => {
  const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
  const [mark = ""] = /#\d+/.exec(text) ?? [];
  if (tools.length > 0) arrivals[mark] ??= now();
  return { parts: text.includes(longWords) ? long : short, usage };
});
// Clear the recorded calls, which only tests need, so that they do not use more and more memory.
setInterval(() => server.forget(), 1_000).unref();
beChild({
  ready: server.addresses.openaiChat,
  answers: {
    arrivals: () => {
      const told = arrivals;
      arrivals = {};
      return told;
    },
  },
  stop: () => server.close(),
});
