import type { Receipt } from "@holdfast/sdk";

/** How many prompts a cancel has stopped, by their state at that moment. */
export interface ReceiptCount {
  readonly running: number;
  readonly queued: number;
  readonly background: number;
}

export function countReceipt({ covered, background, tree }: Receipt): ReceiptCount {
  const running = covered.filter(({ was }) => was === "running" || was === "takenIn").length;
  return {
    running,
    queued: covered.length - running,
    background: tree ? background.length : 0,
  };
}
