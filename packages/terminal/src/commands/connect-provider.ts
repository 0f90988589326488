import type { Client } from "../client.ts";
import { reachServer } from "./reach-server.ts";

/** Providers that are connected with a sign-in code instead of a key. */
const signsIn: ReadonlySet<string> = new Set(["copilot"]);

/** Signs in to a provider with a code. For a provider that needs a key, prints the shell command to run. */
export async function connectProvider(client: Client, name: string): Promise<void> {
  const holdfast = await reachServer(client);
  if (holdfast === null) return;
  if (!signsIn.has(name)) {
    // Do not let the user type a key here, because it would become part of the prompt history.
    const command = `holdfast connect ${name === "" ? "PROVIDER" : name}`;
    return client.say(`Type /connect copilot. For a provider with a key, run: ${command}`);
  }
  try {
    const { url, userCode } = await holdfast.providers.startSignIn(name);
    client.remark(`Open ${url} in your browser and enter the code ${userCode}`);
    for (;;) {
      const { status, problem } = await holdfast.providers.waitForSignIn(name);
      if (client.isClosed) return;
      if (status === "waiting") continue;
      if (problem === null) return client.remark(`Connected ${name}. The next prompts can use it.`);
      return client.remark(`The sign-in to ${name} failed: ${problem}`, "bad");
    }
  } catch (error) {
    client.fail(error);
  }
}
