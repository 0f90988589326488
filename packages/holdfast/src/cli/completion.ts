import type { Command, Option } from "commander";

/** A script for the shell, made of the commands and options that there are. */
export function completionScript(program: Command, shell: "bash" | "zsh" | "fish"): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: command.options.filter((option) => !option.hidden),
  }));
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      // Its own way of completing can use bash's.
      return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
    case "fish":
      return fishScript(commands);
  }
}

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
}

function bashScript(commands: readonly Described[]): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${options.flatMap(flags).join(" ")} --help" ;;`,
  );
  const choices = commands
    .flatMap(({ options }) => options)
    .flatMap((option) =>
      option.argChoices === undefined
        ? []
        : [`    ${flags(option).join("|")}) words="${option.argChoices.join(" ")}"; plain=1 ;;`],
    );
  const files = ["--file", "--schema", "--store", "--output"];
  const folders = ["--dir", "--directory"];
  return `_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" plain=""
  COMPREPLY=()
  case "$previous" in
    ${files.join("|")}) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ${folders.join("|")}) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
${[...new Set(choices)].join("\n")}
    completion) words="bash zsh fish"; plain=1 ;;
  esac
  if [[ -z "$plain" ]]; then
    if [[ "$COMP_CWORD" -eq 1 ]]; then
      words="${commands.map(({ name }) => name).join(" ")} help --version --help"
    else case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    esac; fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _holdfast holdfast`;
}

function fishScript(commands: readonly Described[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c holdfast -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...options.flatMap((option) =>
      flags(option).map((flag) => {
        const takes = option.required ? " -r" : "";
        const choices =
          option.argChoices === undefined ? "" : ` -f -a ${quote(option.argChoices.join(" "))}`;
        const where = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
        const meaning = quote(option.description);
        return `complete -c holdfast ${where} -l ${flag.slice(2)}${takes}${choices} -d ${meaning}`;
      }),
    ),
  ]);
  const shells = `complete -c holdfast -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'`;
  return [...lines, shells].join("\n");
}

function flags(option: Option): string[] {
  return [option.short, option.long].filter((flag) => flag?.startsWith("--") === true).map(String);
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
