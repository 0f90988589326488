import type { McpServer } from "./stub-agent-mcp.ts";

/** A JSON-RPC message from the client, with the fields that the stub agent reads. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly modelId?: string;
    readonly methodId?: string;
    readonly modeId?: string;
    readonly configId?: string;
    readonly value?: string;
    readonly prompt?: readonly { readonly type: string; readonly text?: string }[];
    readonly mcpServers?: readonly McpServer[];
  };
  readonly result?: { readonly outcome?: { readonly outcome: string; readonly optionId?: string } };
}
