import type { Usage } from "../../kernel/state.ts";
import type { AgentContext } from "../agent.ts";
import type { Model } from "../model/model.ts";
import { derivedId } from "../tools/derived-id.ts";
import type { PermissionRequest, Sample, SampleRequest } from "../tools/tool.ts";
import type { Permissions } from "./policy.ts";
import type { UnpaidUsage } from "./unpaid-usage.ts";

/** Calls the model for tools that need it. The usage of these calls is added to the run's next step (P6). */
export interface Sampler {
  sample(request: SampleRequest, call: SamplingCall): Promise<Sample>;
}

export interface SamplingCall {
  readonly callId: string;
  readonly permissions: Permissions;
  readonly ask: AgentContext["ask"];
}

const timeout = 120_000;

export function createSampler(
  model: Model,
  options: Pick<AgentContext, "runId" | "signal"> & { readonly unpaid: UnpaidUsage },
): Sampler {
  const { runId, signal, unpaid } = options;
  let count = 0;
  return {
    sample: async (request, call) => {
      count += 1;
      await expectPermission(request.permission, { ...call, runId, count });
      let text = "";
      for await (const part of model.stream({
        system: request.system,
        messages: request.messages.map((message) =>
          message.role === "user"
            ? { role: "user", text: message.text, files: [] }
            : { role: "assistant", text: message.text, calls: [], original: null },
        ),
        tools: [],
        file: async () => null,
        maxOutput: request.maxOutput,
        signal,
        stallAfter: timeout,
        endAfter: timeout,
      })) {
        if (part.type === "text") text += part.text;
        if (part.type !== "end") continue;
        unpaid.add(part.usage);
        return { text, model: model.id, isCut: part.finish === "length" };
      }
      throw new Error("the model's answer ended early");
    },
  };
}

/** Adds two usage records. Null counts as zero. */
export function addUsage(one: Usage | null, other: Usage): Usage {
  return {
    inputTokens: (one?.inputTokens ?? 0) + other.inputTokens,
    outputTokens: (one?.outputTokens ?? 0) + other.outputTokens,
    cost: (one?.cost ?? 0) + other.cost,
  };
}

async function expectPermission(
  request: PermissionRequest,
  call: SamplingCall & { runId: string; count: number },
): Promise<void> {
  const { callId, permissions, ask, runId, count } = call;
  const decision = permissions.decide(request, "ask");
  if (decision === "allow") return;
  const answer =
    decision === "deny"
      ? null
      : await ask({
          askId: derivedId(`sampling-${count}`, { runId, callId }),
          within: callId,
          question: `May the agent use ${request.subject}?`,
          extra: { permission: request, tool: "sampling", remembers: [] },
        });
  if (answer?.verdict !== "allow") throw new Error("the user did not allow the model call");
}
