import { startModelServer } from "../../gauntlet/model-server/model-server.ts";
import type { Part } from "../../gauntlet/model-server/script.ts";
import { longText } from "./model-process.ts";

// A model that answers immediately. It runs in a separate process, so that its cost is not measured.

const short: readonly Part[] = [{ text: "Done, " }, { text: "as you " }, { text: "said." }];
const long: readonly Part[] = Array.from({ length: 2_000 }, (_, index) => ({
  text: index % 12 === 11 ? "word.\n" : "word ",
}));

const server = await startModelServer(({ messages }) => {
  const isLong = messages.at(-1)?.text === longText;
  return { parts: isLong ? long : short, usage: { input: 100, cached: 0, output: 10 } };
});
// Clear the recorded calls, which only tests need, so that they do not use more and more memory.
setInterval(() => server.forget(), 1_000).unref();
process.send?.(server.addresses.openaiChat);
process.once("disconnect", () => process.exit());
