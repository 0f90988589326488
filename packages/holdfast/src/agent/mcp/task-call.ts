import { z } from "zod";
import { sleep } from "../../base/time.ts";
import { callResultSchema } from "./call-result.ts";
import type { McpRequest } from "./server-tool.ts";
import { brief } from "./wire.ts";

// Tasks of protocol revision 2025-11-25: a call returns a task immediately, and its result is fetched later.

const taskSchema = z.looseObject({
  taskId: z.string().min(1),
  status: z.enum(["working", "input_required", "completed", "failed", "cancelled"]),
  statusMessage: z.string().optional().catch(undefined),
  pollInterval: z.number().optional().catch(undefined),
});
type Task = z.infer<typeof taskSchema>;
const createdSchema = z.looseObject({ task: taskSchema });

/** Poll interval in milliseconds: the default, and the limits for an interval that the server requests. */
const pollInterval = { usual: 1_000, least: 50, most: 30_000 };
/** Number of consecutive failed polls after which the call fails. Fewer are tolerated, because a server may restart. */
const maxFailures = 3;
/** Milliseconds that a server has to cancel a task. */
const cancelTime = 2_000;

type CallResult = z.output<typeof callResultSchema>;
type CallOptions = Omit<Parameters<McpRequest>[1], "result"> & {
  readonly signal: AbortSignal;
  /** Milliseconds that the task may work. The time in which it waits for a person's input does not count. */
  readonly maxTime: number;
};

/** Calls a tool that can only run as a task: starts the task, polls it, and fetches its result. */
export async function callAsTask(
  request: McpRequest,
  { params, maxTime, ...options }: CallOptions,
): Promise<CallResult> {
  const { signal, onProgress } = options;
  const { task } = await request("tools/call", {
    ...options,
    params: { ...params, task: {} },
    result: createdSchema,
  });
  const named = { params: { taskId: task.taskId } };
  const deadline = AbortSignal.timeout(maxTime);
  const over = AbortSignal.any([signal, deadline]);
  let status: Task["status"] = "working";
  try {
    status = await untilReady(task, {
      signal: over,
      onStatus: (text) => onProgress?.(`${text}\n`),
      poll: () => request("tasks/get", { ...named, result: taskSchema, signal: over }),
    });
    // Request the result. If the task needs input, the server asks for the input while this request waits. The request
    // has its own time limit, which pauses while a person answers.
    return await request("tasks/result", { ...options, ...named, result: callResultSchema });
  } catch (error) {
    if (status === "working" || status === "input_required") {
      const end = AbortSignal.timeout(cancelTime);
      const result = z.unknown();
      // Ignore errors: the server may be gone, or the task may have ended.
      await request("tasks/cancel", { ...named, result, signal: end }).catch(() => {});
    }
    if (status === "working" && deadline.aborted && !signal.aborted) {
      throw new Error(`the task did not end within ${maxTime / 1_000} s`, { cause: error });
    }
    throw error;
  }
}

/** Polls until the task has ended or needs input, and returns its status. Throws if the server cancelled the task. */
async function untilReady(
  first: Task,
  options: {
    readonly signal: AbortSignal;
    readonly onStatus: (text: string) => void;
    readonly poll: () => Promise<Task>;
  },
): Promise<Task["status"]> {
  let task = first;
  let failures = 0;
  let shown = "";
  for (;;) {
    const { status, statusMessage = "" } = task;
    if (statusMessage !== "" && statusMessage !== shown) {
      options.onStatus(brief(statusMessage, 500));
      shown = statusMessage;
    }
    if (status === "cancelled") throw new Error("the server cancelled the task");
    if (status !== "working") return status;
    await sleep(intervalOf(task), { signal: options.signal });
    try {
      task = await options.poll();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures >= maxFailures || options.signal.aborted) throw error;
    }
  }
}

function intervalOf({ pollInterval: wanted = pollInterval.usual }: Task): number {
  return Math.min(pollInterval.most, Math.max(pollInterval.least, wanted));
}
