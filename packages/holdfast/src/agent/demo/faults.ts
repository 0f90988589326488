import { parseCall } from "./call-instruction.ts";
import type { Instruction } from "./instruction.ts";

/** Environment variable that makes the demo agent obey instructions that harm the whole process. */
export const faultsVariable = "HOLDFAST_DEMO_FAULTS";

/**
 * If an instruction would stop or stall the whole process, returns another instruction, which prints an explanation.
 */
export function withoutFaults(instruction: Instruction): Instruction {
  const fault = faultOf(instruction);
  if (fault === null) return instruction;
  const text = `"${fault}" is turned off. Start Holdfast with ${faultsVariable}=1 to allow it.`;
  return { type: "say", text, every: 0 };
}

function faultOf(instruction: Instruction): string | null {
  switch (instruction.type) {
    case "crash":
    case "block":
    case "flood":
      return instruction.type;
    case "calls":
      return instruction.calls.some((call) => parseCall(call)?.crashes) ? "crash during" : null;
    case "say":
    case "think":
    case "wait":
    case "use":
    case "fail":
    case "stall":
    case "stubborn":
    case "crashRun":
    case "help":
      return null;
  }
}

/** Kills the process as a power cut would, without flushing or cleaning up. */
export async function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}
