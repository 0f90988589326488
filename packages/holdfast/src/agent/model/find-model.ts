import { AgentFailure } from "../agent.ts";
import { defaultModel, protocolOf } from "./known-providers.ts";
import type { Protocol, Provider } from "./known-providers.ts";

/** A model that was found but not opened yet: no provider library is loaded. */
export interface FoundModel {
  readonly id: string;
  readonly provider: Provider;
  /** Model name without the provider prefix. */
  readonly name: string;
}

/** Finds a model by name. Throws an AgentFailure that lists the available providers. */
export function findModel(
  providers: readonly Provider[],
  wanted: string | null,
  /** Names of providers that the user has disconnected. */
  { disconnected = [] }: { readonly disconnected?: readonly string[] } = {},
): FoundModel {
  const id = wanted ?? defaultModel(providers);
  if (id === null) throw unnamed(providers, disconnected);
  const slash = id.indexOf("/");
  if (slash < 1 || slash === id.length - 1) {
    throw modelGone(`"${id}" is not a model name. Write it as provider/model.`);
  }
  const provider = providers.find(({ name }) => name === id.slice(0, slash));
  if (provider === undefined) {
    const known = providers.map(({ name }) => name).join(", ") || "none";
    const missing = id.slice(0, slash);
    const problem = `the provider ${missing} is not connected (connected: ${known})`;
    const advice = `Connect it with \`holdfast connect ${missing}\`, or choose another model.`;
    throw modelGone(`The model ${id} cannot be used: ${problem}. ${advice}`);
  }
  if (provider.baseUrl === "") {
    const advice = missingAddress[protocolOf(provider)] ?? "Give its base URL.";
    throw modelGone(`The provider ${provider.name} has no address. ${advice}`);
  }
  if (!/^https?:$/.test(URL.parse(provider.baseUrl)?.protocol ?? "")) {
    const advice = "Write it as http://host:port/v1.";
    throw modelGone(`The address of the provider ${provider.name} is not an HTTP URL. ${advice}`);
  }
  return { id, provider, name: id.slice(slash + 1) };
}

const missingAddress: Readonly<Partial<Record<Protocol, string>>> = {
  azure: "Set AZURE_OPENAI_ENDPOINT, such as https://NAME.openai.azure.com.",
  bedrock: "Set AWS_REGION, such as us-east-1.",
  vertex: "Set GOOGLE_CLOUD_PROJECT, and GOOGLE_CLOUD_LOCATION if it is not global.",
};

/** Builds an error that also pauses the session, because every prompt fails until the config changes (L4). */
export function modelGone(message: string): AgentFailure {
  return new AgentFailure("modelGone", message, { hold: { retryIn: null } });
}

function unnamed([first]: readonly Provider[], [disconnected]: readonly string[]): AgentFailure {
  if (first === undefined) {
    return modelGone(
      disconnected === undefined
        ? "No model is configured. Connect a provider with `holdfast connect`, or name a model as provider/model."
        : `No model is connected: the provider ${disconnected} was disconnected. Run: holdfast connect ${disconnected}`,
    );
  }
  const advice = `Name one with --model ${first.name}/... or HOLDFAST_MODEL.`;
  return modelGone(`The provider ${first.name} is connected, but no model is selected. ${advice}`);
}
