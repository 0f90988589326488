import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The small project in the screenshots. */
const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "shop", type: "module", scripts: { test: "sleep 2.2 && node --test --test-reporter=spec", outdated: "sleep 2 && echo pg 8.20 '->' 8.23" } }, null, 2)}\n`,
  "src/checkout.ts": `import { createOrder } from "./order.ts";
import { charge } from "./payment.ts";

export async function checkout(request: Request): Promise<Response> {
  const cart = await request.json();
  const order = await createOrder(cart);
  await charge(order);
  return Response.json(order, { status: 201 });
}
`,
  "src/order.ts": `import { db } from "./db.ts";

export async function createOrder(cart: Cart): Promise<Order> {
  return db.orders.insert({ lines: cart.lines, total: totalOf(cart) });
}
`,
  "src/payment.ts": `export async function charge(order: Order): Promise<void> {
  await fetch("https://pay.example/charges", { method: "POST", body: JSON.stringify(order) });
}
`,
  "test/checkout.test.js": `import { test } from "node:test";

test("an order is created once", () => {});
test("a cart without lines is refused", () => {});
test("a charge that fails leaves no order", () => {});
`,
  "migrations/007-invoices.sql": "alter table invoices add column paid_at timestamptz;\n",
};

export function writeShop(folder: string): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
