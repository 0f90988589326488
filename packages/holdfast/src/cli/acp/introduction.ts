import { programVersion } from "../../base/package.ts";
import { fieldsOf } from "../../base/json-rpc.ts";
import { protocolVersion } from "./protocol.ts";
import { offersTerminals } from "./terminals.ts";

/** Features of the editor that decide in which form it gets messages. */
export interface EditorFeatures {
  /** Name of the editor. */
  readonly editor: string;
  /** The editor can show people a form. */
  readonly hasForms: boolean;
  /** The editor can show the output of commands as terminals. */
  readonly hasTerminals: boolean;
}

export function featuresOf(params: unknown): EditorFeatures {
  const { clientCapabilities, clientInfo } = fieldsOf(params);
  const { name } = fieldsOf(clientInfo);
  const { form } = fieldsOf(fieldsOf(clientCapabilities)["elicitation"]);
  return {
    editor: typeof name === "string" && name !== "" ? name.slice(0, 100) : "editor",
    hasForms: typeof form === "object" && form !== null,
    hasTerminals: offersTerminals(clientCapabilities),
  };
}

/**
 * The sign-in method of this agent: the ACP registry requires one. It needs no input, because the owner's token is on
 * the machine.
 */
export const serverSignIn = {
  id: "server",
  name: "Holdfast server",
  description:
    "Use the Holdfast server of this machine. To connect a model, run: holdfast connect PROVIDER",
} as const;

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
    authMethods: [serverSignIn],
    // The extension `_session/steering`, as other agents announce it.
    _meta: { steering: { supported: true } },
  };
}
