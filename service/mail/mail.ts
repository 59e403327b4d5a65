import { createApart, type Db, type Tx } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { LETTERS_TO_SEND } from './due.sql.ts'
import { claimLetters, delayLetter, deleteLetter, insertLetter, type LetterRow } from './store.ts'

type Letter = { subject: string; text: string }

export type Mail = {
  /** Writes a letter in the caller's transaction; it is sent once this commits. */
  write(tx: Tx, address: string, letter: Letter): Promise<void>
  /** Writes a letter and sends it at once. */
  send(address: string, letter: Letter): Promise<void>
  /** What becomes of letters here. */
  letters: 'sent' | 'logged' | 'none'
  loop: Loop
}

/** `url` is smtp://host:port, or smtps:// where the connection begins with TLS. */
export type MailServer = { url: string; user: string; password: string; from: string }
/** `log`: the sandbox notes that there would have been a letter, with the link in it. */
export type MailOptions = MailServer | 'log' | undefined

const POLL_MS = 1_000
const BATCH = 10
/** Longer than everything a mail server may take. */
const LEASE_SECONDS = 60
const CALL_MS = 15_000
const RETRY_SECONDS = 30
const RETRY_SECONDS_MAX = 3_600
/** With these pauses about a day. */
const ATTEMPTS_MAX = 30

export function createMail(deps: {
  db: Db
  runtime: Runtime
  log: Log
  options: MailOptions
}): Mail {
  const { db, runtime, log, options } = deps
  const of = { loop: 'mail.send', kind: 'letter' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)
  let opened: ReturnType<typeof openServer> | undefined

  async function deliver({ recipient, subject, text }: LetterRow): Promise<'over' | 'again'> {
    if (options === undefined || options === 'log') {
      const url = /https?:\S+/.exec(text)?.[0]
      log.warn('mail_not_sent', { to: recipient, subject, ...(url && { url }) })
      return 'over'
    }
    opened ??= openServer(options)
    const server = await opened
    try {
      await server.sendMail({ from: options.from, to: recipient, subject, text })
      return 'over'
    } catch (error) {
      const { responseCode = 0, code = '' } = error as { responseCode?: number; code?: string }
      // The server's own words may quote the letter; its number says enough.
      log.warn('mail_not_taken', { status: responseCode, reason: code })
      return responseCode >= 550 && responseCode < 560 ? 'over' : 'again'
    }
  }

  async function work(): Promise<number> {
    const letters = await db.query(claimLetters, [LEASE_SECONDS, BATCH, apart.waiting()])
    return (await apart.each(letters, ({ id }) => id, handle)).length
  }

  async function handle(letter: LetterRow): Promise<void> {
    const end = await deliver(letter)
    if (end === 'over' || letter.attempts >= ATTEMPTS_MAX) {
      await db.query(deleteLetter, [letter.id])
      return
    }
    const pause = Math.min(RETRY_SECONDS * 2 ** letter.attempts, RETRY_SECONDS_MAX)
    await db.query(delayLetter, [letter.id, pause])
  }

  const loop = createLoop({
    name: 'mail.send',
    everyMs: POLL_MS,
    due: LETTERS_TO_SEND,
    log,
    work,
  })
  return {
    async write(tx, address, { subject, text }) {
      if (options === undefined) return
      await tx.query(insertLetter, [runtime.ids.next(), address, subject, text])
    },
    async send(address, { subject, text }) {
      if (options === undefined) return
      await db.query(insertLetter, [runtime.ids.next(), address, subject, text])
      loop.wake()
    },
    letters: options === undefined ? 'none' : options === 'log' ? 'logged' : 'sent',
    loop,
  }
}

/** Loaded with the first letter. Passwords and letters go over TLS, except to this machine. */
async function openServer({ url, user, password }: MailServer) {
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port } = new URL(url)
  const secure = protocol === 'smtps:'
  const isLocal = /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname)
  return createTransport({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    requireTLS: !secure && !isLocal,
    ignoreTLS: isLocal && !secure,
    ...(user && { auth: { user, pass: password } }),
    connectionTimeout: CALL_MS,
    greetingTimeout: CALL_MS,
    socketTimeout: CALL_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
