import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSetup } from "../../packages/holdfast/src/compose/setup.ts";
import type { Setup } from "../../packages/holdfast/src/compose/setup.ts";

/** Project directories with their own config, agents and commands, and a setup that loads them. */
export interface Projects {
  readonly setup: Setup;
  readonly directories: readonly string[];
  /** Writes a config that differs from all earlier ones. */
  change(directory: string): Promise<void>;
  close(): Promise<void>;
}

export async function openProjects(options: { count: number; watch: boolean }): Promise<Projects> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-bench-projects-"));
  const directories = Array.from({ length: options.count }, (_, index) =>
    join(home, "projects", `${index}`),
  );
  let changes = 0;
  const change = async (directory: string): Promise<void> => {
    changes += 1;
    await writeFile(join(directory, "holdfast.jsonc"), JSON.stringify(config(changes)));
  };
  for (const directory of directories) {
    await mkdir(join(directory, ".holdfast", "agents"), { recursive: true });
    await mkdir(join(directory, ".holdfast", "commands"), { recursive: true });
    await writeFile(join(directory, ".holdfast", "agents", "reviewer.md"), reviewer);
    await writeFile(join(directory, ".holdfast", "commands", "fix.md"), command);
    await change(directory);
  }
  const setup = await openSetup({
    model: null,
    environment: { ANTHROPIC_API_KEY: "sk-of-nobody" },
    home,
    dataFolder: join(home, "data"),
    watch: options.watch,
    onError: (error) => console.error(error),
  });
  return {
    setup,
    directories,
    change,
    close: async () => {
      await setup.close();
      await rm(home, { recursive: true });
    },
  };
}

function config(number: number): unknown {
  return {
    limits: { maxSteps: 1_000 + number },
    permissions: [{ action: "run", pattern: "git push*", effect: "ask" }],
    agents: { helper: { description: "helps", prompt: "Help where you can." } },
  };
}

const reviewer =
  "---\ndescription: reads changes\n---\nRead what has changed, and say what is wrong.\n";
const command = "---\ndescription: mends a test\n---\nMend the failing test $ARGUMENTS.\n";
