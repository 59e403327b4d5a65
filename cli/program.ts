import { existsSync } from 'node:fs'

/** The operators' commands; the package does not have this file. */
export const OPERATOR_COMMANDS = new URL('../service/app/commands.ts', import.meta.url)

/** Only their names: the commands themselves import the whole service. */
export const OPERATOR_NAMES = new URL('../service/operator/commands/listed.ts', import.meta.url)

/** How a person calls us: inside the repository npx finds the command, elsewhere it is installed. */
export const PROGRAM = existsSync(OPERATOR_COMMANDS) ? 'npx ergon' : 'ergon'
