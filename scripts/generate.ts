// `npm run generate` writes all generated files again.
await import("./generate-sdk-types.ts");
await import("./generate-config-schema.ts");
await import("./generate-reference.ts");
