import { readFileSync } from 'node:fs'
import { isRefusal, isRole, type Refusal, ROLES, refuse } from '@ergon/contract'
import type { Invitations, OperatorRoles, Operators } from '../../identity/index.ts'
import { isUuid } from '../../kernel/index.ts'
import type { Actions } from '../actions.ts'
import { type Line, readLine, reasonIn, Unclear } from '../options.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'
import { troubleOfSecret } from './secretFile.ts'

/** Instead of a name in the log. */
const NOBODY = 'command line'

type Deps = {
  operators: Operators
  roles: OperatorRoles
  invitations: Invitations
  actions: Actions
}

const nobody = () => refuse('not_found', { message: 'No operator has this e-mail address.' })

/** `npx ergon operators …`: who may sign in at /operator. */
export async function runOperators(deps: Deps, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, email = ''] = line.words
  if (verb === 'list') return list(deps, line)
  if (!['add', 'invite', 'role', 'totp', 'passkeys', 'remove'].includes(verb ?? ''))
    return notUnderstood('operators')
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw new Unclear(email === '' ? 'E-MAIL is missing.' : `"${email}" is no e-mail address.`)
  }
  if (verb === 'remove') {
    const text = `${email.toLowerCase()} is signed out and cannot sign in at /operator any more.`
    return perform(
      deps,
      line,
      'remove_operator',
      async (address) => (await deps.roles.remove(address)) ?? { text },
    )
  }
  if (verb === 'invite') return invite(deps, line)
  if (verb === 'passkeys') return passkeys(deps, line)
  if (verb === 'role') return changeRole(deps, line)
  if (verb === 'totp') {
    return perform(deps, line, 'replace_app', async (address) => {
      const app = await deps.operators.replaceApp(address)
      return app ? shown(`${address} is signed out and has a new app.`, app) : nobody()
    })
  }
  const role = roleIn(line.option('role') || 'administrator')
  const file = line.option('password-file')
  if (!file) throw new Unclear('--password-file is missing.')
  const trouble = troubleOfSecret(file)
  if (trouble) return refused(trouble)
  const password = readFileSync(file, 'utf8').trim()
  if (password.length < 10) return refused('The password has at least 10 characters.')
  return perform(deps, line, 'add_operator', async (address) => {
    const app = await deps.operators.add(address, password, role)
    if (app) return shown(`${address} may sign in at /operator as ${role}.`, app)
    return refuse('validation_error', { message: 'Somebody has this e-mail address already.' })
  })
}

/** Lists them, or removes one or all: for a lost device. */
async function passkeys(deps: Deps, line: Line): Promise<number> {
  const which = line.option('remove')
  if (!which) {
    const email = line.words[1]!.toLowerCase()
    const list = await deps.operators.passkeysOf(email)
    return printResponse(list ?? nobody(), (all) => {
      const text = all.map(({ id, name, createdAt, lastUsedAt }) => {
        const used = lastUsedAt ? `last used ${dayOf(lastUsedAt)}` : 'never used'
        return `${id}  ${name}  since ${dayOf(createdAt)}, ${used}`
      })
      line.say(all, text.join('\n') || `${email} has no passkeys.`)
    })
  }
  if (which !== 'all' && !isUuid(which)) {
    throw new Unclear(`"${which}" is no id of a passkey: write one of the list, or all.`)
  }
  return perform(deps, line, 'remove_passkeys', async (address) => {
    const gone = await deps.operators.removePasskeys(address, which === 'all' ? undefined : which)
    if (!gone) return nobody()
    if (gone.length === 0) return refuse('not_found', { message: 'There is no such passkey.' })
    const text = `${address} is signed out. Removed: ${gone.join(', ')}.`
    return { text, more: { removed: gone }, change: { removed: gone } }
  })
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

function changeRole(deps: Deps, line: Line): Promise<number> {
  const role = roleIn(line.words[2] ?? '')
  return perform(deps, line, 'change_role', async (address) => {
    const before = await deps.roles.roleOf(address)
    const objection = await deps.roles.set(address, role)
    return (
      objection ?? { text: `${address} has the role ${role}.`, change: { before, after: role } }
    )
  })
}

function invite(deps: Deps, line: Line): Promise<number> {
  const role = roleIn(line.option('role'))
  const by = line.option('by') || NOBODY
  return perform(deps, line, 'invite', async (email) => {
    const made = await deps.invitations.invite({ email, role, by, byMail: false })
    if (isRefusal(made)) return made
    const ends = made.invitation.expiresAt.toISOString()
    const text = `For ${email} alone, once, until ${ends}; shown this once:\n  ${made.link}`
    return { text, more: { link: made.link, ends }, change: { role } }
  })
}

function roleIn(text: string) {
  if (isRole(text)) return text
  const missing = text === '' ? 'ROLE is missing' : `"${text}" is no role`
  throw new Unclear(`${missing}: write ${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}.`)
}

function refused(sentence: string): number {
  console.error(sentence)
  return EXIT.refused
}

/** Text for people, and the fields of --json. */
type Outcome = {
  text: string
  app?: { totp_uri: string; totp_secret: string }
  more?: Record<string, unknown>
  change?: Record<string, unknown>
}

function shown(done: string, { uri, secret }: { uri: string; secret: string }): Outcome {
  const text = `${done} For the authenticator app, shown this once, as a link for a QR code and as a secret to type:
  ${uri}
  ${secret}`
  return { text, app: { totp_uri: uri, totp_secret: secret } }
}

async function list({ operators }: Deps, line: Line): Promise<number> {
  const all = await operators.list()
  const text = all.map(({ email, role, hasApp, passkeys, createdAt }) => {
    const ways = [
      ...(hasApp ? ['an app'] : []),
      ...(passkeys > 0 ? [passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`] : []),
    ]
    const step =
      ways.length > 0 ? `with ${ways.join(' and ')}` : 'without app and passkey: changes nothing'
    return `${email}  ${role}  since ${createdAt.toISOString().slice(0, 10)}, ${step}`
  })
  line.say(all, text.join('\n') || 'There are no operators.')
  return EXIT.done
}

/** Logs the action like any change; at the command line the name is optional. */
async function perform(
  { actions }: Deps,
  line: Line,
  what: string,
  work: (address: string) => Promise<Outcome | Refusal>,
): Promise<number> {
  const subject = line.words[1]!.toLowerCase()
  const [who, why] = [line.option('by') || NOBODY, reasonIn(line, 'why', 'not said')]
  const result = await actions.perform({ who, what, subject, why }, async () => {
    const done = await work(subject)
    return isRefusal(done) ? done : { reply: done, change: done.change ?? {} }
  })
  return printResponse(result, ({ text, app, more }) =>
    line.say({ email: subject, ...app, ...more }, text),
  )
}
