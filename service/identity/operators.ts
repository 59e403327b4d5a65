import type { Sessions } from './sessions.ts'

export type OperatorItem = { email: string; secondStep: boolean; createdAt: Date }

type User = {
  id: string
  email: string
  role: string
  twoFactorEnabled: boolean | null
  createdAt: Date
}

/** Who may sign in at the console. Nobody becomes one by signing up. */
export function createOperators({ library, createOperator }: Sessions) {
  return {
    /** False when the address is taken. */
    add: createOperator,

    /** Oldest first. */
    async list(): Promise<OperatorItem[]> {
      const { adapter } = await (await library()).$context
      const users = await adapter.findMany<User>({
        model: 'user',
        where: [{ field: 'role', value: 'operator' }],
        sortBy: { field: 'createdAt', direction: 'asc' },
      })
      return users.map(({ email, twoFactorEnabled, createdAt }) => ({
        email,
        secondStep: twoFactorEnabled === true,
        createdAt,
      }))
    },

    /** With their sessions, at once. False when nobody of ours has this address. */
    async remove(email: string): Promise<boolean> {
      const { internalAdapter } = await (await library()).$context
      const user = (await internalAdapter.findUserByEmail(email))?.user as User | undefined
      if (user?.role !== 'operator') return false
      await internalAdapter.deleteUser(user.id)
      return true
    },
  }
}

export type Operators = ReturnType<typeof createOperators>
