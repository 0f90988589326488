import type { TestContext } from "node:test";
import { startModelServer } from "../../../../../../gauntlet/model-server/model-server.ts";
import type {
  ModelServer,
  RawAnswer,
  RawRequest,
} from "../../../../../../gauntlet/model-server/model-server.ts";
import { says } from "../../../../../../gauntlet/model-server/script.ts";
import type { Script } from "../../../../../../gauntlet/model-server/script.ts";
import type { TransportOptions } from "../../../../src/agent/model/access/transport.ts";
import type { Provider } from "../../../../src/agent/model/known-providers.ts";
import { ModelError } from "../../../../src/agent/model/model.ts";
import type { ModelPart } from "../../../../src/agent/model/model.ts";
import { openModel } from "../../../../src/agent/model/providers.ts";

export interface Served extends ModelServer {
  readonly root: string;
  /** Every request, including those that no model answers. */
  readonly requests: readonly RawRequest[];
}

/** A model server that looks at each request first. */
export async function serve(
  t: TestContext,
  before: (request: RawRequest) => RawAnswer | null,
  script: Script = () => says("Hello."),
): Promise<Served> {
  const requests: RawRequest[] = [];
  const server = await startModelServer(script, {
    before: (request) => {
      requests.push(request);
      return before(request);
    },
  });
  t.after(() => server.close());
  return { ...server, root: `http://127.0.0.1:${server.port}`, requests };
}

/** Makes one call. Returns the text, or the kind and the message of the error. */
export async function ask(
  provider: Provider,
  { model = "test", ...options }: TransportOptions & { model?: string } = {},
): Promise<string> {
  const opened = openModel([provider], `${provider.name}/${model}`, options);
  return speak(opened);
}

export async function speak(
  model: ReturnType<typeof openModel>,
  onPart: (part: ModelPart) => void = () => {},
): Promise<string> {
  let said = "";
  try {
    for await (const part of model.stream({
      system: "Be brief.",
      messages: [{ role: "user", text: "Hello?", files: [] }],
      tools: [{ name: "look", description: "Looks.", schema: { type: "object", properties: {} } }],
      file: async () => null,
      signal: AbortSignal.timeout(60_000),
      stallAfter: 60_000,
      endAfter: 60_000,
    })) {
      onPart(part);
      if (part.type === "text") said += part.text;
    }
    return said;
  } catch (error) {
    if (error instanceof ModelError) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

export function providerAt(
  fields: Pick<Provider, "name" | "baseUrl"> & Partial<Provider>,
): Provider {
  return { key: null, defaultModel: null, ...fields };
}
