import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import type { OpenApi, Operation, Parameter } from "../../../../src/server/openapi.ts";
import { oddTexts, spoilt, valuesOf } from "./arbitrary.ts";
import type { Pools } from "./arbitrary.ts";

export interface FuzzRequest {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Requests to all operations of a document: valid, with a mistake, and random. */
export function requestsTo(
  document: OpenApi,
  poolsFor: (operationId: string) => Pools,
): Arbitrary<FuzzRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return fc.oneof(
    ...operations.map((entry) =>
      requestTo(document, { ...entry, pools: poolsFor(entry.operation.operationId) }),
    ),
  );
}

function requestTo(
  document: OpenApi,
  entry: { path: string; method: string; operation: Operation; pools: Pools },
): Arbitrary<FuzzRequest> {
  const { operation, method, pools } = entry;
  const values = valuesOf(document, pools);
  const text = ({ schema, name }: Parameter): Arbitrary<string> =>
    fc.oneof(
      { weight: 20, arbitrary: values(schema, name).map(String) },
      { weight: 1, arbitrary: oddTexts },
    );
  const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  const query = fc.record(
    Object.fromEntries(inQuery.map((parameter) => [parameter.name, text(parameter)])),
    { requiredKeys: [] },
  );
  const more = rarely(fc.dictionary(oddTexts, oddTexts, { maxKeys: 2 }), {});
  const params = fc.record(
    Object.fromEntries(inPath.map((parameter) => [parameter.name, text(parameter)])),
  );
  return fc
    .record({ params, query, more, body: bodyOf(operation, values), headers: headers() })
    .map(({ params: given, query: asked, more: odd, body, headers: sent }) => ({
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path: pathOf(entry.path, { params: given, query: { ...asked, ...odd } }),
      headers: { ...body.headers, ...sent },
      body: body.bytes,
    }));
}

interface FuzzBody {
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly headers: Readonly<Record<string, string>>;
}

const noBody: FuzzBody = { bytes: null, headers: {} };

function bodyOf(
  { requestBody }: Operation,
  values: ReturnType<typeof valuesOf>,
): Arbitrary<FuzzBody> {
  const wild = fc.uint8Array({ maxLength: 200 }).map((bytes): FuzzBody => ({
    bytes: new Uint8Array(bytes),
    headers: { "content-type": "application/json" },
  }));
  if (requestBody === undefined) return rarely(wild, noBody);
  const json = requestBody.content["application/json"];
  if (json === undefined) {
    return wild.map(({ bytes }) => ({ bytes, headers: { "content-type": "image/png" } }));
  }
  const right = values(json.schema);
  return fc.oneof(
    { weight: 10, arbitrary: right.map(jsonBody) },
    { weight: 4, arbitrary: right.chain(spoilt).map(jsonBody) },
    { weight: 1, arbitrary: wild },
    { weight: 1, arbitrary: fc.constant(noBody) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(right.map(jsonBody), fc.constantFrom("text/plain", "", "application/json;charset=x"))
        .map(([body, type]) => ({ ...body, headers: { "content-type": type } })),
    },
  );
}

function jsonBody(value: unknown): FuzzBody {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return { bytes, headers: { "content-type": "application/json" } };
}

function headers(): Arbitrary<Readonly<Record<string, string>>> {
  const printable = fc.string({ maxLength: 30 });
  const some = fc.record(
    {
      "last-event-id": fc.oneof(printable, fc.nat().map(String)),
      "x-request-id": printable,
      "x-holdfast-client": printable,
      accept: printable,
    },
    { requiredKeys: [] },
  );
  return rarely(some, {});
}

function rarely<Value>(arbitrary: Arbitrary<Value>, usual: Value): Arbitrary<Value> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
}

function pathOf(
  pattern: string,
  given: { params: Record<string, string>; query: Record<string, string | undefined> },
): string {
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((given.params[name] ?? "").toWellFormed()),
  );
  const entries = Object.entries(given.query).map(([name, value = ""]): [string, string] => [
    name,
    value,
  ]);
  const query = new URLSearchParams(entries).toString();
  return query === "" ? path : `${path}?${query}`;
}
