// The parts of the Agent Client Protocol, version 1, that Holdfast uses: agentclientprotocol.com.

export const protocolVersion = 1;

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** An update about a session for the editor. */
export type SessionUpdate =
  | {
      readonly sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
      readonly content: TextBlock;
      /** Id of the message. All chunks of one message have the same id. */
      readonly messageId?: string;
    }
  | ({ readonly sessionUpdate: "tool_call" } & ToolCall & { readonly title: string })
  | ({ readonly sessionUpdate: "tool_call_update" } & ToolCall)
  | { readonly sessionUpdate: "plan"; readonly entries: readonly PlanEntry[] }
  | {
      readonly sessionUpdate: "available_commands_update";
      readonly availableCommands: readonly {
        readonly name: string;
        readonly description: string;
        readonly input: { readonly hint: string };
      }[];
    }
  | {
      readonly sessionUpdate: "config_option_update";
      readonly configOptions: readonly ConfigOption[];
    }
  | { readonly sessionUpdate: "current_mode_update"; readonly currentModeId: string }
  | {
      readonly sessionUpdate: "usage_update";
      /** Tokens in the model's context. */
      readonly used: number;
      /** Tokens that the model's context can hold. */
      readonly size: number;
      /** Cost of the session so far. */
      readonly cost?: { readonly amount: number; readonly currency: "USD" };
    }
  | {
      readonly sessionUpdate: "session_info_update";
      readonly title: string;
      readonly updatedAt: string;
    };

export interface ToolCall {
  readonly toolCallId: string;
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly status?: "pending" | "in_progress" | "completed" | "failed";
  /** Content of the call; it replaces the content of the last update. */
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
  /** Data of protocol extensions. */
  readonly _meta?: object;
}

export type ToolKind = "read" | "edit" | "search" | "execute" | "think" | "fetch" | "other";

export type ToolCallContent =
  | { readonly type: "content"; readonly content: TextBlock }
  | { readonly type: "terminal"; readonly terminalId: string }
  | {
      readonly type: "diff";
      readonly path: string;
      /** Text before the change; null for a new file. */
      readonly oldText: string | null;
      readonly newText: string;
    };

export interface Location {
  readonly path: string;
  readonly line?: number;
}

export interface PlanEntry {
  readonly content: string;
  readonly priority: "medium";
  readonly status: "pending" | "in_progress" | "completed";
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
}

/** A setting for the next prompts of a session. */
export interface ConfigOption {
  readonly type: "select";
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: "mode" | "model" | "_agent" | "_agent_mode";
  readonly currentValue: string;
  readonly options: readonly {
    readonly value: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

/** Permission modes, in the older form of the protocol, which had no config options. */
export interface SessionModes {
  readonly currentModeId: string;
  readonly availableModes: readonly {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

export function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
