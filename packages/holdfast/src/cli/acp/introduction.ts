import { programVersion } from "../../base/package.ts";
import { fieldsOf } from "../../base/json-rpc.ts";
import { protocolVersion } from "./protocol.ts";
import { offersTerminals } from "./terminals.ts";

/** Features of the editor that change the messages that it gets. */
export interface EditorFeatures {
  /** The editor can ask people with a form. */
  readonly hasForms: boolean;
  /** The editor shows the output of commands as terminals. */
  readonly hasTerminals: boolean;
}

export function featuresOf(params: unknown): EditorFeatures {
  const { clientCapabilities } = fieldsOf(params);
  const { form } = fieldsOf(fieldsOf(clientCapabilities)["elicitation"]);
  return {
    hasForms: typeof form === "object" && form !== null,
    hasTerminals: offersTerminals(clientCapabilities),
  };
}

export function introduction(): object {
  return {
    protocolVersion,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    agentInfo: { name: "holdfast", title: "Holdfast", version: programVersion() },
    authMethods: [],
    // The extension `_session/steering`, as other agents announce it.
    _meta: { steering: { supported: true } },
  };
}
