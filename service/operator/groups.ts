import { type Refusal, refuse } from '@ergon/contract'
import { type Clients, isGroupName } from '../identity/index.ts'
import type { Actions } from './actions.ts'

type Named = { who: string; why: string }

export type Groups = ReturnType<typeof createGroups>

/** Changes of groups in an operator's name, for the console and the command. */
export function createGroups({ clients, actions }: { clients: Clients; actions: Actions }) {
  return {
    list: clients.groups,
    create(name: string, { who, why }: Named): Promise<string | Refusal> {
      return actions.perform<string>(
        { who, what: 'create_group', subject: name, why },
        async () => {
          if (!isGroupName(name)) {
            return wrong(
              'A name has 1 to 40 lower-case letters, digits and hyphens, and is not "none".',
            )
          }
          if (!(await clients.createGroup(name))) return wrong(`There is a group ${name} already.`)
          return { reply: name, change: { name } }
        },
      )
    },
    /** Null: out of its group. */
    move(id: string, group: string | null, { who, why }: Named): Promise<string | Refusal> {
      return actions.perform<string>({ who, what: 'move_account', subject: id, why }, async () => {
        const moved = await clients.move(id, group)
        if (moved === 'no_account') return missingAccount()
        if (moved === 'no_group') return wrong(`There is no group ${group}. Make it first.`)
        return { reply: id, change: { before: moved.before, after: group } }
      })
    },
  }
}

const wrong = (message: string) => refuse('validation_error', { message })

const missingAccount = () => refuse('not_found', { message: 'There is no account with this id.' })
