import type { Command, Commands } from './command.ts'
import { type Known, optionsOf, verbsOf } from './help.ts'
import { PROGRAM } from './program.ts'

type Entry = { name: string; summary: string; verbs: readonly string[]; options: string[] }

const SHELLS: Record<string, (entries: Entry[]) => string> = { bash, zsh, fish }

/** `ergon completion bash`: a script that completes commands, their verbs and their options. */
export function completion(known: () => Promise<Known>): Command {
  return {
    group: 'This machine',
    summary: 'Completion of commands and options for bash, zsh or fish',
    example: 'completion bash > ~/.local/share/bash-completion/completions/ergon',
    usage: `bash | zsh | fish

bash  ${PROGRAM} completion bash > ~/.local/share/bash-completion/completions/ergon
zsh   ${PROGRAM} completion zsh > "\${fpath[1]}/_ergon"
fish  ${PROGRAM} completion fish > ~/.config/fish/completions/ergon.fish`,
    verbs: Object.keys(SHELLS),
    async run(args) {
      const [shell = ''] = args
      if (args.length !== 1 || !Object.hasOwn(SHELLS, shell)) {
        console.error(`Say which shell: ${PROGRAM} completion bash, zsh or fish.`)
        return 2
      }
      const { client, operator } = await known()
      console.log(SHELLS[shell]!(entriesOf(client, operator)))
      return 0
    },
  }
}

/** A name that both have appears once, with the words of both. */
function entriesOf(client: Commands, operator: Commands): Entry[] {
  const names = [...new Set([...Object.keys(client), ...Object.keys(operator)])].sort()
  return names.map((name) => {
    const both = [client[name], operator[name]].filter((one) => one !== undefined)
    const unique = (lists: (readonly string[])[]) => [...new Set(lists.flat())]
    return {
      name,
      summary: both[0]!.summary,
      verbs: unique(both.map((one) => verbsOf(name, one))),
      options: unique(both.map(optionsOf)),
    }
  })
}

function bash(entries: Entry[]): string {
  const cases = entries.map(
    ({ name, verbs, options }) =>
      `    ${name}) verbs="${verbs.join(' ')}" options="${options.join(' ')}" ;;`,
  )
  return `_ergon() {
  local word="\${COMP_WORDS[COMP_CWORD]}" verbs="" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${entries.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$verbs" -- "$word"))
  fi
}
complete -o default -F _ergon ergon`
}

function zsh(entries: Entry[]): string {
  const names = entries.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  const cases = entries.map(
    ({ name, verbs, options }) =>
      `    ${name}) verbs=(${verbs.join(' ')}); options=(${options.join(' ')}) ;;`,
  )
  return `#compdef ergon
_ergon() {
  local -a names verbs options
  names=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command names; return; fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then compadd -- $options
  elif (( CURRENT == 3 && \${#verbs} > 0 )); then compadd -- $verbs
  else _files
  fi
}
if [ "$funcstack[1]" = "_ergon" ]; then _ergon "$@"; else compdef _ergon ergon; fi`
}

function fish(entries: Entry[]): string {
  const lines = entries.flatMap(({ name, summary, verbs, options }) => [
    `complete -c ergon -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...(verbs.length === 0
      ? []
      : [
          `complete -c ergon -n '__fish_seen_subcommand_from ${name}' -f -a ${quoted(verbs.join(' '))}`,
        ]),
    ...options.map(
      (option) =>
        `complete -c ergon -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ])
  return lines.join('\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
