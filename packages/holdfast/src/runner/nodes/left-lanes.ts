import type { Clock } from "../../base/time.ts";
import { activeRun } from "../../kernel/state.ts";
import type { LaneState } from "../../kernel/state.ts";
import { keepLast } from "../../base/bounded-map.ts";
import type { Store } from "../../store/store.ts";

/**
 * Maximum number of lanes that scans leave out, to limit the size of their query. If there are more, the lane that was
 * left out first is included again.
 */
const most = 1_000;

/**
 * Wraps a store. If the code in `src/kernel` has refused to start the next run of a lane on this node, scans for ready
 * lanes leave the lane out for a while. The run needs a config version that this node does not have, or waits for its
 * parent (M7). Otherwise such lanes would use up the limit of every scan.
 */
export function leavingLanes(
  store: Store,
  options: { readonly milliseconds: number; readonly clock: Clock },
): Store {
  const until = new Map<string, number>();
  const leave = (sessionId: string): void => {
    const value = options.clock.monotonic() + options.milliseconds;
    keepLast(until, { key: sessionId, value }, most);
  };
  const left = (): readonly string[] => {
    const now = options.clock.monotonic();
    for (const [sessionId, time] of until) if (time <= now) until.delete(sessionId);
    return [...until.keys()];
  };
  const pending: Store["pending"] = async (query) => {
    const found = await store.pending({ ...query, left: left() });
    const next = Math.min(...until.values()) - options.clock.monotonic();
    const nextDueIn = Math.min(found.nextDueIn ?? Infinity, Math.max(0, next));
    return { ...found, nextDueIn: nextDueIn === Infinity ? null : nextDueIn };
  };
  const execute: Store["execute"] = async (request) => {
    const answer = await store.execute(request);
    const { type, sessionId } = request.command;
    if (answer.status === "refused") {
      if (answer.refusal.code === "generation") leave(sessionId);
    } else if (type === "lane.takeover") {
      // The parent run was taken over by this node, so its children can start here.
      for (const child of childrenOf(answer.state)) until.delete(child);
    }
    return answer;
  };
  const own = new Map<string | symbol, unknown>(Object.entries({ pending, execute }));
  return new Proxy(store, {
    get: (target, name): unknown => own.get(name) ?? Reflect.get(target, name),
  });
}

function childrenOf(state: LaneState): readonly string[] {
  const children = activeRun(state)?.children ?? [];
  return [...children, ...state.background].map(({ sessionId }) => sessionId);
}
