import { fork } from "node:child_process";
import { join } from "node:path";

/** A model server in a separate process. */
export interface ModelProcess {
  readonly baseUrl: string;
  close(): void;
}

/** Prompts with this text get an answer of 2,000 tokens; all other prompts get three tokens. */
export const longText = "at length";

export async function startModelProcess(): Promise<ModelProcess> {
  const child = fork(join(import.meta.dirname, "server-process.ts"), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.once("message", (address) => {
      if (typeof address === "string") resolve(address);
    });
    child.once("exit", () => reject(new Error("the model's process has ended")));
  });
  return { baseUrl, close: () => child.disconnect() };
}
