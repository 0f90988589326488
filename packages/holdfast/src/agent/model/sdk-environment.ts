// The SDK's packages read these when they are loaded, and one that is set to nothing makes them throw.
// Here such a variable means the same as one that is not set, so it is taken away before they look.

for (const name of ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]) {
  if (process.env[name]?.trim() === "") delete process.env[name];
}
