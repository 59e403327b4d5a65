import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { isUuid, type Runtime } from '../kernel/index.ts'
import type { Mail } from '../mail/index.ts'
import { WALLET_MAIL } from './accounts.ts'
import {
  ALGORITHMS,
  challengeIn,
  handleOf,
  madeBy,
  type NewPasskey,
  proofOf,
  type ShownPasskey,
  siteOf,
} from './passkeyProof.ts'
import {
  countPasskeys,
  deletePasskey,
  dropPasskeyChallenges,
  findPasskey,
  insertPasskey,
  insertPasskeyChallenge,
  listPasskeys,
  lockUser,
  notePasskeyUse,
  type PasskeyChallengeRow,
  type PasskeyRow,
  type Purpose,
  renamePasskey,
  takePasskeyChallenge,
} from './passkeys.sql.ts'
import { type Entered, headersOf, type Person, type Sessions, type Visitor } from './sessions.ts'

/** Most per account. */
const PASSKEYS_MAX = 10
const VALID_MS = 5 * 60_000
const NOT_TAKEN =
  'This passkey was not accepted: it is not of this account here, or it came too late. Try again.'
const TOO_LATE = 'This took too long. Sign in again.'
const NONE = 'You have no passkey.'
const TOO_MANY = `${PASSKEYS_MAX} passkeys are the most. Remove one that is not used.`

export type Passkeys = ReturnType<typeof createPasskeys>
export type Passkey = Pick<PasskeyRow, 'id' | 'name' | 'synced' | 'createdAt' | 'lastUsedAt'>

type Bound = { purpose: Purpose; userId: string | null; sessionId: string | null }

/**
 * Passkeys of the users of one entrance. Each answers a challenge of ours that is bound to its purpose and to the
 * account, and that the first answer consumes. Every refusal of an answer is the same.
 */
export function createPasskeys(deps: {
  db: Db
  runtime: Runtime
  sessions: Sessions
  mail: Mail
  webUrl(): string
}) {
  const { db, runtime, sessions, mail } = deps
  const { role } = sessions
  const site = () => siteOf(deps.webUrl())
  // Wall time, because a person is waiting at a browser.
  const now = () => new Date(runtime.clock.wallMs())
  const notTaken = () => refuse('invalid_passkey', { message: NOT_TAKEN })

  async function challengeFor({ purpose, userId, sessionId }: Bound): Promise<string> {
    const challenge = Buffer.from(runtime.random.bytes(32)).toString('base64url')
    const expiresAt = new Date(now().getTime() + VALID_MS)
    const row = [challenge, role, purpose, userId, sessionId, expiresAt]
    await db.query(insertPasskeyChallenge, row)
    return challenge
  }

  /** The challenge that an answer was made for, taken out. Undefined when it is none of ours, or late. */
  async function take(clientData: string) {
    const challenge = challengeIn(clientData)
    if (challenge === undefined) return undefined
    const [row] = await db.query(takePasskeyChallenge, [challenge])
    if (!row || row.entrance !== role || row.expiresAt < now()) return undefined
    return { ...row, challenge }
  }

  async function requestOf(bound: Bound) {
    const known = bound.userId === null ? [] : await db.query(listPasskeys, [bound.userId])
    const challenge = await challengeFor(bound)
    return { challenge, rp_id: site().rpId, allow: known.map(knownAs) }
  }

  /** The passkey that gave this answer, with its use noted. */
  async function prove(
    shown: ShownPasskey,
    asked: PasskeyChallengeRow & { challenge: string },
  ): Promise<PasskeyRow | undefined> {
    const [passkey] = await db.query(findPasskey, [shown.id, role])
    if (!passkey || (asked.userId !== null && asked.userId !== passkey.userId)) return undefined
    const { challenge } = asked
    const proof = await proofOf(shown, { passkey, challenge, site: site() })
    if (!proof) return undefined
    const use = [passkey.id, proof.counter, proof.synced, now()]
    const [noted] = await db.query(notePasskeyUse, use)
    return noted && passkey
  }

  async function mailTo(person: Person, letter: { subject: string; text: string }) {
    const { email } = person
    if (email && !email.endsWith(WALLET_MAIL)) await mail.send(email, letter)
  }

  return {
    async requestToSignIn(visitor: Visitor, isSecondStep: boolean) {
      if (!isSecondStep) return requestOf({ purpose: 'sign_in', userId: null, sessionId: null })
      const userId = await sessions.halfWayOf(visitor)
      if (!userId) return refuse('invalid_passkey', { message: TOO_LATE })
      return requestOf({ purpose: 'second_step', userId, sessionId: null })
    },

    /** Instead of a password, or after it: as the challenge says that was answered. */
    async signIn(visitor: Visitor, shown: ShownPasskey): Promise<Entered | Refusal> {
      const asked = await take(shown.client_data)
      const afterPassword = asked?.purpose === 'second_step'
      if (!asked || (asked.purpose !== 'sign_in' && !afterPassword)) return notTaken()
      const passkey = await prove(shown, asked)
      if (!passkey) return notTaken()
      return sessions.enterByPasskey(visitor, { userId: passkey.userId, afterPassword })
    },

    async requestToStepUp(visitor: Visitor) {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      const { userId, sessionId } = person
      const request = await requestOf({ purpose: 'step_up', userId, sessionId })
      if (request.allow.length > 0) return request
      return refuse('second_factor_required', { message: NONE })
    },

    /** Counts for this session, as a code does. */
    async stepUp(visitor: Visitor, shown: ShownPasskey): Promise<Refusal | undefined> {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      const asked = await take(shown.client_data)
      if (!asked || !isOf(person, asked, 'step_up')) return notTaken()
      if (!(await prove(shown, asked))) return notTaken()
      await sessions.noteSecondFactor(person.sessionId)
      return undefined
    },

    async list(visitor: Visitor): Promise<Passkey[] | Refusal> {
      const person = await sessions.personOf(visitor)
      return person ? db.query(listPasskeys, [person.userId]) : refuse('session_required')
    },

    /** `password`: of a client who has one and no second factor, as when an app is set up. */
    async requestToAdd(visitor: Visitor, password: string | undefined) {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      const { userId, sessionId, email } = person
      const hasFactor = (await sessions.waysOfPerson(person)).length > 0
      if (!hasFactor && !(await sessions.knowsPassword(person, password))) {
        return refuse('wrong_password', { message: 'The password is wrong.' })
      }
      const known = await db.query(listPasskeys, [userId])
      if (known.length >= PASSKEYS_MAX) return refuse('passkey_limit', { message: TOO_MANY })
      const isOperator = role === 'operator'
      return {
        challenge: await challengeFor({ purpose: 'add', userId, sessionId }),
        rp_id: site().rpId,
        rp_name: isOperator ? 'Ergon console' : 'Ergon',
        user_id: handleOf(userId),
        // Browsers list workspace and console together: both are at one host.
        user_name: isOperator ? `${email} (console)` : email || 'Account of a wallet',
        algorithms: [...ALGORITHMS],
        exclude: known.map(knownAs),
      }
    },

    async add(visitor: Visitor, made: NewPasskey & { name: string }): Promise<Passkey | Refusal> {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      const asked = await take(made.client_data)
      if (!asked || !isOf(person, asked, 'add')) return notTaken()
      const key = await madeBy(made, asked.challenge, site())
      if (!key) return notTaken()
      const { userId } = person
      const name = made.name.trim()
      const row = [runtime.ids.next(), userId, name, key.credentialId, Buffer.from(key.publicKey)]
      const transports = (made.transports ?? []).join(' ')
      const rest = [key.counter, transports, key.synced, now()]
      const added = await db.transaction(async (tx) => {
        await tx.query(lockUser, [userId])
        const [{ passkeys = 0n } = {}] = await tx.query(countPasskeys, [userId])
        if (passkeys >= PASSKEYS_MAX) return refuse('passkey_limit', { message: TOO_MANY })
        const [inserted] = await tx.query(insertPasskey, [...row, ...rest])
        return inserted ?? notTaken()
      })
      if (isRefusal(added)) return added
      // Its owner was asked for a finger or a PIN just now.
      await sessions.noteSecondFactor(person.sessionId)
      await mailTo(person, letterOf('added', name))
      const known = await db.query(listPasskeys, [userId])
      return known.find(({ id }) => id === added.id) ?? notTaken()
    },

    async rename(visitor: Visitor, id: string, name: string): Promise<Passkey | Refusal> {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      const row = [id, person.userId, name.trim()]
      const [renamed] = isUuid(id) ? await db.query(renamePasskey, row) : []
      return renamed ?? refuse('passkey_not_found')
    },

    /** Ends all other sessions, as a new password does: one of them may have been opened with it. */
    async remove(visitor: Visitor, id: string): Promise<{ name: string } | Refusal> {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      const [gone] = isUuid(id) ? await db.query(deletePasskey, [id, person.userId]) : []
      if (!gone) return refuse('passkey_not_found')
      await db.query(dropPasskeyChallenges, [person.userId])
      const auth = await sessions.library()
      await auth.api.revokeOtherSessions({ headers: headersOf(visitor) })
      await mailTo(person, letterOf('removed', gone.name))
      return gone
    },
  }
}

const isOf = (person: Person, asked: PasskeyChallengeRow, purpose: Purpose) =>
  asked.purpose === purpose &&
  asked.userId === person.userId &&
  asked.sessionId === person.sessionId

const knownAs = ({ credentialId: id, transports }: PasskeyRow) => ({
  id,
  transports: transports.split(' ').filter(Boolean),
})

function letterOf(done: 'added' | 'removed', name: string) {
  const now = done === 'added' ? 'It signs you in from now on.' : 'All other sessions were ended.'
  return {
    subject: `A passkey was ${done} at Ergon`,
    text: [
      `The passkey “${name}” has just been ${done} at your account at Ergon. ${now}`,
      'If it was not you, change your password, and look at the passkeys on the page Security at once.',
    ].join('\n\n'),
  }
}
