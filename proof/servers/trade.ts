import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { COMPILED } from '../testing/compiled.ts'
import { descendantsOf, isAlive, startProgram, untilUp } from '../testing/program.ts'
import { until } from '../testing/until.ts'

// The whole service on a given database, as separate programs: migrate, start, buy, audit.

const ROOT = join(import.meta.dirname, '../..')
type Urls = (role: string) => string
export type Ran = { code: number; text: string }
export type Traded = { delivered: number; migrated: string; audit: string }

/** `npx ergon …` with these settings. */
export function ergon(args: string[], env: Record<string, string>): Promise<Ran> {
  const own = {
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
    ...COMPILED,
    ...env,
  }
  return new Promise((resolve) => {
    execFile('ergon', args, { cwd: ROOT, env: own }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, text: `${out}${err}`.trim() }),
    )
  })
}

/** Buys some orders, waits until they are delivered, and lets the auditor prove all history. */
export async function trade(url: Urls, folder: string, orders = 5): Promise<Traded> {
  const migrated = await ergon(['migrate'], { DATABASE_ADMIN_URL: url('ergon_admin') })
  if (migrated.code !== 0) throw new Error(`migrate: ${migrated.text}`)
  const env = settingsOf(url, folder)
  const program = startProgram({ env })
  try {
    const { base_url, accounts, funded_keys } = await untilUp(program, folder)
    const headers = { 'x-api-key': accounts[0]!.api_key, 'content-type': 'application/json' }
    const ids: string[] = []
    for (let number = 0; number < orders; number += 1) {
      const body = JSON.stringify({
        receiver_address: funded_keys[number]!.address,
        resource_amount: 65_000,
      })
      const bought = await fetch(`${base_url}/buy`, { method: 'POST', headers, body })
      if (bought.status !== 200) throw new Error(`buy: ${await bought.text()}`)
      ids.push(((await bought.json()) as { order_id: string }).order_id)
    }
    for (const id of ids) {
      await until(
        `order ${id} completes`,
        async () => {
          const order = await fetch(`${base_url}/order/${id}`, { headers })
          return ((await order.json()) as { status: string }).status === 'COMPLETED'
        },
        60_000,
      )
    }
    const audit = await ergon(['audit'], env)
    if (audit.code !== 0) throw new Error(`audit: ${audit.text}`)
    return { delivered: ids.length, migrated: migrated.text, audit: audit.text.split('\n').at(-1)! }
  } finally {
    const family = descendantsOf(program.pid)
    program.kill('SIGTERM')
    await program.ended
    for (const one of family) if (isAlive(one)) process.kill(one.pid, 'SIGKILL')
  }
}

export const settingsOf = (url: Urls, folder: string): Record<string, string> => ({
  DATA_DIR: folder,
  DATABASE_URL: url('ergon_app'),
  DATABASE_SIGNER_URL: url('ergon_signer'),
})

/** A start that is expected to be refused: its code and what it says. */
export async function startOn(url: Urls, folder: string): Promise<Ran> {
  const program = startProgram({ env: settingsOf(url, folder) })
  const code = await Promise.race([
    program.ended,
    until('it listens', () => program.output().includes('is up'), 60_000).then(() => 'started'),
  ])
  const family = descendantsOf(program.pid)
  program.kill('SIGKILL')
  await program.ended
  for (const one of family) if (isAlive(one)) process.kill(one.pid, 'SIGKILL')
  return { code: Number(code), text: program.complaints().trim() }
}
