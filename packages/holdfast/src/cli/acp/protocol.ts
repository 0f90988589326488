// The parts of the Agent Client Protocol, version 1, that are spoken here: agentclientprotocol.com.

export const protocolVersion = 1;

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** What an editor is told of a session while it works. */
export type SessionUpdate =
  | {
      readonly sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
      readonly content: TextBlock;
      /** Pieces of one message have it in common. */
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
      readonly sessionUpdate: "session_info_update";
      readonly title: string;
      readonly updatedAt: string;
    };

export interface ToolCall {
  readonly toolCallId: string;
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly status?: "pending" | "in_progress" | "completed" | "failed";
  /** It replaces what was there before. */
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
}

export type ToolKind = "read" | "edit" | "search" | "execute" | "think" | "fetch" | "other";

export type ToolCallContent =
  | { readonly type: "content"; readonly content: TextBlock }
  | {
      readonly type: "diff";
      readonly path: string;
      /** Null for a file that is new. */
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

/** Something that the person can set for the next prompts of a session. */
export interface ConfigOption {
  readonly type: "select";
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: "mode" | "model";
  readonly currentValue: string;
  readonly options: readonly {
    readonly value: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

/** What the same was before there were options. */
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
