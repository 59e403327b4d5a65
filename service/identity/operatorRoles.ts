import { mayAct, type Refusal, type Role, refuse } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import type { Clock } from '../kernel/index.ts'
import { revokeInvitationsOf } from './invitations.sql.ts'
import {
  anyOperator,
  lockAdministrators,
  type OperatorRow,
  operatorRole,
  operatorsNamed,
  removeOperator,
  setOperatorRole,
} from './operatorRoles.sql.ts'

const NOBODY = 'No operator has this e-mail address.'
const LAST = 'This is the last administrator. Make somebody else administrator first.'

/** What operators may do. Read each time, so that a change holds for the next request. */
export function createOperatorRoles({ db, clock }: { db: Db; clock: Clock }) {
  /** Undefined for somebody who is no operator. */
  async function roleOf(email: string): Promise<Role | undefined> {
    return (await db.query(operatorRole, [email]))[0]?.role
  }

  /** The locks come first: somebody who waited here counts the administrators that are left. Their open links end. */
  async function keepingOne<T>(email: string, work: (tx: Tx) => Promise<T>): Promise<T | Refusal> {
    return db.transaction(async (tx) => {
      const administrators = await tx.query(lockAdministrators)
      const isLast = administrators.length === 1 && administrators[0]!.email === email
      if (isLast) return refuse('validation_error', { message: LAST })
      await tx.query(revokeInvitationsOf, [email, clock.now()])
      return work(tx)
    })
  }
  const nobodyOr = ([row]: { email: string }[]) =>
    row ? undefined : refuse('not_found', { message: NOBODY })

  return {
    roleOf,

    /** Undefined when the operator may; otherwise the refusal for the console. */
    async objection(email: string, needed: Role): Promise<Refusal | undefined> {
      const held = await roleOf(email)
      if (held === undefined) return refuse('session_required')
      if (mayAct(held, needed)) return undefined
      const message = `Your role is ${held}; this needs ${needed}. Ask an administrator.`
      return refuse('role_required', { message })
    },

    /**
     * The operator whom a command names, by e-mail or by what comes before its @. Before the first operator is
     * added every name is taken as it is.
     */
    async named(by: string, needed: Role): Promise<string | Refusal> {
      const name = by.trim().toLowerCase()
      const found = await db.query(operatorsNamed, [name])
      const [one] = found
      if (!one) {
        if ((await db.query(anyOperator)).length === 0) return by
        const message = `No operator is called "${by}". npx ergon operators list shows who there is.`
        return refuse('not_found', { message })
      }
      if (one.email !== name && found.length > 1) {
        const message = `Several operators are called "${by}". Write the e-mail address.`
        return refuse('validation_error', { message })
      }
      return mayAct(one.role, needed) ? one.email : refuse('role_required', lacking(one, needed))
    },

    /** Undefined when it is done. The last administrator keeps the role. */
    async set(email: string, role: Role): Promise<Refusal | undefined> {
      const change = async (tx: Tx) => nobodyOr(await tx.query(setOperatorRole, [email, role]))
      return role === 'administrator' ? db.transaction(change) : keepingOne(email, change)
    },

    /** Removes an operator and ends all sessions. Undefined when it is done; the last administrator stays. */
    remove(email: string): Promise<Refusal | undefined> {
      return keepingOne(email, async (tx) => nobodyOr(await tx.query(removeOperator, [email])))
    },
  }
}

const lacking = ({ email, role }: OperatorRow, needed: Role) => ({
  message: `The role of ${email} is ${role}; this needs ${needed}.`,
})

export type OperatorRoles = ReturnType<typeof createOperatorRoles>
