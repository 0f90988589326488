import { appendFileSync } from "node:fs";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

// A server with tools that can only run as tasks, built with the official SDK for revision 2025-11-25.

const log = process.argv[2] ?? "";

const halfWay = "half of it";

/** Notes polls and cancels, so that a test can see them. A task that is half done ends after the next poll. */
class NotingStore extends InMemoryTaskStore {
  override async getTask(...named: Parameters<InMemoryTaskStore["getTask"]>) {
    appendFileSync(log, "poll\n");
    const task = await super.getTask(...named);
    if (task?.status === "working" && task.statusMessage === halfWay) {
      const content = [{ type: "text" as const, text: "built" }];
      await this.storeTaskResult(task.taskId, "completed", { content });
    }
    return task;
  }
  override async updateTaskStatus(...change: Parameters<InMemoryTaskStore["updateTaskStatus"]>) {
    appendFileSync(log, `${change[1]}\n`);
    return super.updateTaskStatus(...change);
  }
}

const store = new NotingStore();
const server = new McpServer(
  { name: "tasks", version: "1.0.0" },
  {
    capabilities: { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    taskStore: store,
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  },
);

function register(name: string, work: (taskId: string) => Promise<void>): void {
  server.experimental.tasks.registerToolTask(
    name,
    { description: name, execution: { taskSupport: "required" } },
    {
      createTask: async (extra) => {
        const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
        void work(task.taskId);
        return { task };
      },
      getTask: (extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (extra) => {
        const result = await extra.taskStore.getTaskResult(extra.taskId);
        return { content: [], ...result };
      },
    },
  );
}

register("build", async (taskId) => {
  await store.updateTaskStatus(taskId, "working", halfWay);
});
register("break", async (taskId) => {
  const content = [{ type: "text" as const, text: "no compiler" }];
  await store.storeTaskResult(taskId, "failed", { content, isError: true });
});
register("wait", () => Promise.resolve());

await server.connect(new StdioServerTransport());
