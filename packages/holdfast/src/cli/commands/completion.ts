import type { Command, Option } from "commander";

/** Generates a completion script for a shell from the defined commands and options. */
export function completionScript(program: Command, shell: "bash" | "zsh" | "fish"): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    subcommands: command.commands.map((part) => part.name()),
    options: optionsOf([command, ...command.commands]),
  }));
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      return zshScript(commands);
    case "fish":
      return fishScript(commands);
  }
}

interface Described {
  readonly name: string;
  readonly summary: string;
  /** Subcommands, as in `token list`. */
  readonly subcommands: readonly string[];
  readonly options: readonly Option[];
}

/** Options of a command and its subcommands, each once. */
function optionsOf(commands: readonly Command[]): readonly Option[] {
  const all = commands.flatMap(({ options }) => options.filter((option) => !option.hidden));
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

const fileFlags = ["--file", "--schema", "--store", "--output"];
const folderFlags = ["--dir", "--directory"];

function bashScript(commands: readonly Described[]): string {
  return `_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${fileFlags.join("|")}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${folderFlags.join("|")}) COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${choicesOf(commands)
  .map(
    ([place, words]) =>
      `    ${place}) COMPREPLY=($(compgen -W "${words}" -- "$current")); return ;;`,
  )
  .join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) words="${flagsOf(command)}" ;;`).join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commandWords(commands)}"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _holdfast holdfast`;
}

function zshScript(commands: readonly Described[]): string {
  return `#compdef holdfast
_holdfast() {
  if (( CURRENT == 2 )); then compadd -- ${commandWords(commands)}; return; fi
  case "\${words[CURRENT-1]}" in
    ${fileFlags.join("|")}) _files; return ;;
    ${folderFlags.join("|")}) _files -/; return ;;
  esac
  case "\${words[2]} \${words[CURRENT-1]}" in
${choicesOf(commands)
  .map(([place, words]) => `    ${place}) compadd -- ${words}; return ;;`)
  .join("\n")}
  esac
  case "\${words[2]}" in
${commands.map((command) => `    ${command.name}) compadd -- ${flagsOf(command)} ;;`).join("\n")}
  esac
}
compdef _holdfast holdfast`;
}

function commandWords(commands: readonly Described[]): string {
  return [...commands.map(({ name }) => name), "help", "--version", "--help"].join(" ");
}

function flagsOf({ subcommands, options }: Described): string {
  return [...subcommands, ...options.flatMap(flags), "--help"].join(" ");
}

/** Values of options with a fixed list of choices, by command and flag. */
function choicesOf(commands: readonly Described[]): readonly (readonly [string, string])[] {
  const choices = commands.flatMap(({ name, options }) =>
    options.flatMap((option) => {
      const { argChoices } = option;
      if (argChoices === undefined) return [];
      const places = flags(option).map((flag) => `"${name} ${flag}"`);
      return [[places.join("|"), argChoices.join(" ")] as const];
    }),
  );
  return [...choices, ['"completion completion"', "bash zsh fish"]];
}

function fishScript(commands: readonly Described[]): string {
  const lines = commands.flatMap(({ name, summary, subcommands, options }) => [
    `complete -c holdfast -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...subcommands.map(
      (part) =>
        `complete -c holdfast -n ${quote(`__fish_seen_subcommand_from ${name}`)} -a ${part}`,
    ),
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
