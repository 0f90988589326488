import { AgentFailure } from "../agent.ts";
import { defaultModel } from "./known-providers.ts";
import type { Provider } from "./known-providers.ts";

/** A model that can be opened: nothing of a provider's library is loaded to find it. */
export interface FoundModel {
  readonly id: string;
  readonly provider: Provider;
  /** Without the provider's name. */
  readonly name: string;
}

/** The model of that name; throws an AgentFailure that says what is there instead. */
export function findModel(providers: readonly Provider[], wanted: string | null): FoundModel {
  const id = wanted ?? defaultModel(providers);
  if (id === null) throw unnamed(providers);
  const slash = id.indexOf("/");
  if (slash < 1 || slash === id.length - 1) {
    throw modelGone(`${id} does not name a model; write it as provider/model`);
  }
  const provider = providers.find(({ name }) => name === id.slice(0, slash));
  if (provider === undefined) {
    const known = providers.map(({ name }) => name).join(", ") || "none";
    const problem = `no provider ${id.slice(0, slash)} is connected (connected: ${known})`;
    throw modelGone(`the model ${id} can't be used: ${problem}`);
  }
  if (!/^https?:$/.test(URL.parse(provider.baseUrl)?.protocol ?? "")) {
    const advice = "write it as http://host:port/v1";
    throw modelGone(`the address of ${provider.name} is no http address; ${advice}`);
  }
  return { id, provider, name: id.slice(slash + 1) };
}

/** The next prompt would fail alike, until somebody changes what is configured (L4). */
export function modelGone(message: string): AgentFailure {
  return new AgentFailure("modelGone", message, { hold: { retryIn: null } });
}

function unnamed([first]: readonly Provider[]): AgentFailure {
  if (first === undefined) return modelGone("no model is configured; name one as provider/model");
  const advice = `name one with --model ${first.name}/... or HOLDFAST_MODEL`;
  return modelGone(`${first.name} is connected, and no model is named; ${advice}`);
}
