import type { LaneEvent } from "../../kernel/event.ts";

export type EventOf<Type extends LaneEvent["type"]> = Extract<LaneEvent, { type: Type }>;
