import type { Receipt } from "@holdfast/sdk";

type Told = Pick<Receipt, "covered" | "children" | "background" | "tree">;

/** What a cancel has covered, in words. */
export function receiptText(receipt: Told): string {
  const { covered, children, background, tree } = receipt;
  const running = covered.filter(({ was }) => was === "running" || was === "takenIn").length;
  const queued = covered.length - running;
  const stopped = [
    running > 0 ? `${running} running` : "",
    queued > 0 ? `${queued} queued` : "",
  ].filter((part) => part !== "");
  const fate = tree ? "stopped in the background as well" : "still at work in the background";
  return [
    stopped.length === 0 ? "nothing was left to stop" : `stopped ${stopped.join(", ")}`,
    ...named("stopped with it", children),
    ...named(fate, background),
  ].join("; ");
}

/** Each session once, however many of its prompts are meant. */
function named(what: string, prompts: Receipt["background"]): string[] {
  const sessions = new Set(prompts.map(({ sessionId }) => sessionId));
  return sessions.size === 0 ? [] : [`${what}: ${[...sessions].join(", ")}`];
}
