import type { Role } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import type { Random } from '../kernel/index.ts'
import { removePasskeysOfOperator } from './operators.sql.ts'
import { countPasskeysByUser, listPasskeys } from './passkeys.sql.ts'
import type { Passkey } from './passkeys.ts'
import type { Sessions } from './sessions.ts'
import { type App, setUpApp } from './setUpApp.ts'

export type OperatorItem = {
  id: string
  email: string
  role: Role
  /** With an app or a passkey. */
  secondStep: boolean
  hasApp: boolean
  passkeys: number
  createdAt: Date
}

type User = {
  id: string
  email: string
  role: string
  /** Null: made by a process of the release before. */
  operatorRole: Role | null
  twoFactorEnabled: boolean | null
  createdAt: Date
}

/** The name under which an operator's deeds are kept: Ann and ann are one person. */
export function operatorName(by: string): string {
  return by.trim().toLowerCase()
}

/** Operators, who may sign in at the console. Sign-up never makes one. */
export function createOperators(
  { library, createOperator }: Sessions,
  { random, db }: { random: Random; db: Db },
) {
  async function find(email: string): Promise<User | undefined> {
    const { internalAdapter } = await (await library()).$context
    const user = (await internalAdapter.findUserByEmail(email))?.user as User | undefined
    return user?.role === 'operator' ? user : undefined
  }

  /** Replaces the app and ends all sessions at once. Undefined when no operator has this address. */
  async function replaceApp(email: string): Promise<App | undefined> {
    const auth = await library()
    const user = await find(email)
    if (!user) return undefined
    const app = await setUpApp(auth, user, Buffer.from(random.bytes(24)).toString('base64url'))
    await (await auth.$context).internalAdapter.deleteUserSessions(user.id)
    return app
  }

  return {
    replaceApp,

    /** Adds an operator with an app, because a password alone can change nothing. Undefined when the address is taken. */
    async add(email: string, password: string, role: Role): Promise<App | undefined> {
      return (await createOperator(email, password, { role })) ? replaceApp(email) : undefined
    },

    /** Oldest first. */
    async list(): Promise<OperatorItem[]> {
      const { adapter } = await (await library()).$context
      const users = await adapter.findMany<User>({
        model: 'user',
        where: [{ field: 'role', value: 'operator' }],
        sortBy: { field: 'createdAt', direction: 'asc' },
      })
      const counts = await db.query(countPasskeysByUser, ['operator'])
      const byUser = new Map(counts.map(({ userId, passkeys }) => [userId, Number(passkeys)]))
      return users.map(({ id, email, operatorRole, twoFactorEnabled, createdAt }) => {
        const hasApp = twoFactorEnabled === true
        const passkeys = byUser.get(id) ?? 0
        const secondStep = hasApp || passkeys > 0
        return {
          id,
          email,
          role: operatorRole ?? 'viewer',
          secondStep,
          hasApp,
          passkeys,
          createdAt,
        }
      })
    },

    /** Oldest first. Undefined when no operator has this address. */
    async passkeysOf(email: string): Promise<Passkey[] | undefined> {
      const user = await find(email)
      if (!user) return undefined
      const rows = await db.query(listPasskeys, [user.id])
      return rows.map(({ id, name, synced, createdAt, lastUsedAt }) => ({
        id,
        name,
        synced,
        createdAt,
        lastUsedAt,
      }))
    },

    /** Removes one or all, and ends all sessions. Returns their names; undefined when no operator has this address. */
    async removePasskeys(email: string, id: string | undefined): Promise<string[] | undefined> {
      const user = await find(email)
      if (!user) return undefined
      const gone = await db.query(removePasskeysOfOperator, [user.id, id ?? null])
      if (gone.length > 0) {
        const auth = await library()
        await (await auth.$context).internalAdapter.deleteUserSessions(user.id)
      }
      return gone.map(({ name }) => name)
    },
  }
}

export type Operators = ReturnType<typeof createOperators>
