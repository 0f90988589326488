import { reportSandbox } from "../agent/tools/sandbox/find-sandbox.ts";
import type { SandboxStatus } from "../server/ports.ts";

/** Returns whether commands run in a sandbox on this machine, or why not. */
export async function sandboxStatus(): Promise<SandboxStatus> {
  const { sandbox, problem } = await reportSandbox();
  return { name: sandbox?.name ?? null, problem };
}

/** Describes the sandbox status for people. */
export function sandboxText({ name, problem }: SandboxStatus): string {
  if (name !== null) return name;
  return `none: ${problem}. Commands of agents have the same access as you.`;
}
