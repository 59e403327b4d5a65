import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestApp, type TestApp } from '../../../proof/testing/app.ts'
import { SOLID_LAG } from '../../../proof/testing/solidLag.ts'
import { until } from '../../../proof/testing/until.ts'
import type { Invitations, OperatorRoles, Operators } from '../../identity/index.ts'
import { sun } from '../../kernel/index.ts'
import { keys } from './keys.ts'
import { operatorKey } from './operatorKey.ts'
import { runOperators } from './operators.ts'
import { runPayout } from './payout.ts'
import { runReconcile } from './reconcile.ts'

// The operator's commands, with their output and exit codes.

type Ran = { code: number; out: string; complaint: string }

async function run(command: () => Promise<number> | number): Promise<Ran> {
  const out = vi.spyOn(console, 'log').mockImplementation(() => {})
  const complaint = vi.spyOn(console, 'error').mockImplementation(() => {})
  try {
    const code = await command()
    const textOf = (spy: typeof out) => spy.mock.calls.map(([line]) => `${line}\n`).join('')
    return { code, out: textOf(out), complaint: textOf(complaint) }
  } finally {
    out.mockRestore()
    complaint.mockRestore()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'ergon-keys-'))
const passphraseFile = join(folder, 'passphrase')
writeFileSync(passphraseFile, 'correct horse battery staple\n', { mode: 0o600 })
const withFile = (file: string) => ['--file', file, '--passphrase-file', passphraseFile]

test('keys create shows the words once; keys show tells only what is public', async () => {
  const file = join(folder, 'keys.json')
  const created = await run(() => keys.run(['create', ...withFile(file)]))
  expect(created.code).toBe(0)
  const words = /^ {2}((?:[a-z]+ ){11}[a-z]+)$/m.exec(created.out)?.[1] ?? ''
  expect(words.split(' ')).toHaveLength(12)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(words)
  const shown = await run(() => keys.run(['show', ...withFile(file)]))
  expect(shown.code).toBe(0)
  expect(shown.out).not.toContain(words)
  expect(created.out).toContain(shown.out.trim())
  expect(shown.out).toMatch(/DEPOSIT_XPUB=xpub[\w]+\nhot wallet +T\w{33}\nstake +T\w{33}\n/)
  const again = await run(() => keys.run(['create', ...withFile(file)]))
  expect(again).toMatchObject({ code: 1, out: '' })
  expect(again.complaint).toContain('is not overwritten')
})

test('a file with a secret that others can read is refused, and the remedy is said', async () => {
  const open = join(folder, 'open-passphrase')
  writeFileSync(open, 'correct horse battery staple\n', { mode: 0o644 })
  const on = ['--file', join(folder, 'never.json'), '--passphrase-file', open]
  const refusal = `Others can read or change ${open}. First: chmod 600 ${open}\n`
  const refused = { code: 1, out: '', complaint: refusal }
  expect(await run(() => keys.run(['create', ...on]))).toEqual(refused)
  expect(await run(() => operatorKey.run(['create', ...on]))).toEqual(refused)
  const add = ['add', 'ann@example.com', '--password-file', open]
  // It is refused before anybody is added.
  const { actions } = app.rooms.operator
  const none = { roles: {} as OperatorRoles, invitations: {} as Invitations }
  const deps = { operators: {} as Operators, ...none, actions }
  expect(await run(() => runOperators(deps, add))).toEqual(refused)
})

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ signer: true })
})
afterAll(() => app.close())

async function verifiedAccount() {
  const account = await app.newAccount({ deposit_trx: '500' })
  for (let block = 0; block < SOLID_LAG + 2; block++) app.devnet.chain.mine()
  await until('the holding, and its verified deposit', async () => {
    const [row] = await app.database.sql(
      `select from deposits.holding where address = $1
          and exists (select from deposits.deposit where account_id = $2 and verified_at is not null)`,
      [account.deposit_address, account.account_id],
    )
    return row
  })
  return account
}

test('reconcile prints the table and ends with 0; with a balance planted it ends with 1', async () => {
  const { account_id } = await verifiedAccount()
  const green = await run(() => runReconcile(app.rooms.deposits))
  expect(green.complaint).toBe('')
  expect(green).toMatchObject({ code: 0 })
  expect(green.out).toMatch(/on 1 deposit addresses \(solid\) +500\.000000 TRX/)
  expect(green.out).toMatch(/on the hot wallet \(solid\) +100000\.000000 TRX/)
  expect(green.out).toMatch(/clients' balances +-500\.000000 TRX/)
  expect(green.out).toMatch(/surplus +100000\.000000 TRX/)
  const plant = (amount: bigint) =>
    app.db.transaction((tx) =>
      app.rooms.ledger.post(tx, [
        {
          client: account_id,
          kind: 'adjustment',
          reference: `planted ${amount}`,
          amount: sun(amount),
          counter: 'equity:operator',
          description: 'planted',
          trace: 'test',
        },
      ]),
    )
  await plant(100_000_000_001n)
  const red = await run(() => runReconcile(app.rooms.deposits))
  await plant(-100_000_000_001n)
  expect(red).toMatchObject({ code: 1 })
  expect(red.out).toMatch(/SHORT +-0\.000001 TRX/)
})

const payout = (...args: string[]) => run(() => runPayout(app.rooms, args))

test('payout is requested, approved by another name, and listed', async () => {
  const { account_id } = await verifiedAccount()
  const to = toBase58(app.devnet.chain.network.funded[2]!.address)
  const wish = ['--account', account_id, '--to', to, '--trx', '12.5', '--reason', 'asked for']
  const requested = await payout('request', ...wish, '--by', 'ann')
  expect(requested.complaint).toBe('')
  const id = requested.out.trim()
  const annsKey = ['--file', join(folder, 'ann.json'), '--passphrase-file', passphraseFile]
  const made = await run(() => operatorKey.run(['create', ...annsKey]))
  const shown = await run(() => operatorKey.run(['show', ...annsKey]))
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^[0-9a-f]{64}\n$/) })
  expect(shown.out).toBe(made.out)
  expect(statSync(join(folder, 'ann.json')).mode & 0o777).toBe(0o600)
  const byFile = ['--key-file', join(folder, 'ann.json'), '--passphrase-file', passphraseFile]
  await expect(payout('approve', id, '--by', 'Ann')).rejects.toThrow('An approval needs --key-file')
  expect(await payout('approve', id, ...byFile, '--by', 'Ann')).toMatchObject({ code: 0 })
  expect((await payout('list')).out).toContain(`${id}  requested `)

  // Signed on another machine: only the text goes there, only key and signature come back.
  const text = await payout('text', id)
  expect(text.out).toMatch(/^Ergon payout approval 1\nchain: [0-9a-f]{64}\nhot wallet: T/)
  expect(text.out).toContain(
    `payout: ${id}\nattempt: 1\namount in SUN: 12500000\nto: ${to}\nends: `,
  )
  const textFile = join(folder, 'text')
  writeFileSync(textFile, text.out)
  const bobsKey = ['--file', join(folder, 'bob.json'), '--passphrase-file', passphraseFile]
  await run(() => operatorKey.run(['create', ...bobsKey]))
  const signed = await run(() => operatorKey.run(['sign', textFile, ...bobsKey]))
  expect(signed.out).toContain(text.out)
  const [, ends = ''] = /ends: (.+)/.exec(text.out)!
  const carried = ['--signed', signed.out.trim().split('\n').at(-1)!, '--ends', ends, '--by', 'bob']
  expect(await payout('approve', id, ...carried)).toMatchObject({ code: 0, complaint: '' })
  const listed = await payout('list')
  expect(listed.out).toContain(
    `${id}  approved    12.5 TRX to ${to}  ann, approved by bob: asked for`,
  )
  writeFileSync(textFile, 'Give me everything\n')
  expect(await run(() => operatorKey.run(['sign', textFile, ...bobsKey]))).toMatchObject({
    code: 1,
  })
  expect(await payout('pay')).toMatchObject({ code: 2 })
  // The signer accepts neither key: nothing is signed, and the payout can be cancelled.
  await until('the refusal', async () => (await payout('list')).out.includes('needs two approvals'))
  expect(await payout('cancel', id, '--by', 'ann')).toMatchObject({ code: 0 })
  await until('its end', async () => (await payout('list')).out.includes(`${id}  cancelled`))
})
