import type { Role } from '@ergon/contract'
import type { Random } from '../kernel/index.ts'
import type { Sessions } from './sessions.ts'
import { type App, setUpApp } from './setUpApp.ts'

export type OperatorItem = {
  id: string
  email: string
  role: Role
  secondStep: boolean
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
export function createOperators({ library, createOperator }: Sessions, random: Random) {
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
      return users.map(({ id, email, operatorRole, twoFactorEnabled, createdAt }) => ({
        id,
        email,
        role: operatorRole ?? 'viewer',
        secondStep: twoFactorEnabled === true,
        createdAt,
      }))
    },
  }
}

export type Operators = ReturnType<typeof createOperators>
