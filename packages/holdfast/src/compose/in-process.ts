import { connect } from "@holdfast/sdk";
import type { LaneEvent } from "../kernel/event.ts";
import { programVersion } from "../base/package.ts";
import type { Runtime, RuntimeOptions } from "../runtime/runtime.ts";
import { createApp } from "../server/app.ts";
import { createEventStreams } from "../server/stream/event-streams.ts";
import { startFollower } from "../server/stream/follower.ts";
import { createStreams } from "../server/stream/streams.ts";
import { wireEvent } from "../server/wire/event.ts";
import type { OwnHoldfast } from "./own-holdfast.ts";
import { sandboxStatus } from "./sandbox-status.ts";
import type { SettingsPorts } from "./settings-ports.ts";
import { workspaceViews } from "./workspace-views.ts";

/** Opens a client on a runtime. Closes the runtime when the client is closed, or if the client cannot be opened. */
export async function onRuntime(
  runtime: Runtime,
  options: Pick<RuntimeOptions, "onError" | "redact"> & { readonly ports?: SettingsPorts },
): Promise<OwnHoldfast> {
  const { onError = () => {}, redact = (text) => text } = options;
  const { store, workspaces: host } = runtime;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => runtime.close());
  const ports = host === null ? {} : { workspaces: workspaceViews(host, redact) };
  const follower = await startFollower({ runtime, onError });
  stack.defer(() => follower.close());
  const encode = (event: LaneEvent): ReturnType<typeof wireEvent> => wireEvent(store, event);
  const streams = createStreams({ runtime, follower, encode, onError });
  stack.defer(() => streams.drain());
  const app = createApp({
    runtime,
    version: programVersion(),
    streams: createEventStreams(streams),
    redact,
    sandbox: sandboxStatus,
    ...(options.ports ?? ports),
  });
  const client = connect({
    // This host name is never resolved: requests go directly to the app, not to a network.
    url: "http://holdfast.invalid",
    fetch: (request) => app.fetch(request),
  });
  const owned = stack.move();
  return {
    ...client,
    close: async ({ deadline = 0 } = {}) => {
      try {
        await runtime.drain({ deadline });
      } finally {
        await owned.disposeAsync();
      }
    },
  };
}
