import assert from "node:assert/strict";
import { test } from "node:test";
import { collectorOf, resourceAttributes } from "../../../src/server/tracing/environment.ts";

test("resource attributes are percent-decoded, and OTEL_SERVICE_NAME overrides the name among them", () => {
  const cases: [environment: Record<string, string>, attributes: object][] = [
    [{}, {}],
    [
      { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=a%20b, service.name=listed,x=1=2," },
      { "deployment.environment.name": "a b", "service.name": "listed", x: "1=2" },
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: "service.name=listed", OTEL_SERVICE_NAME: "named" },
      { "service.name": "named" },
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: "a=1,b", OTEL_SERVICE_NAME: "named" },
      { "service.name": "named" },
    ],
    [{ OTEL_RESOURCE_ATTRIBUTES: "a=%zz" }, {}],
  ];
  for (const [environment, attributes] of cases) {
    assert.deepEqual(resourceAttributes(environment), attributes, JSON.stringify(environment));
  }
});

test("the address for traces overrides the general one, which needs a path", () => {
  const general = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  assert.equal(collectorOf({}), null);
  assert.equal(collectorOf(general), "http://collector:4318/v1/traces");
  const own = { ...general, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/in" };
  assert.equal(collectorOf(own), "http://traces/in");
});
