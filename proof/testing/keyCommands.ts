import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { TEST_KEY, type TestAccount } from './app.ts'
import type { Market } from './market.ts'
import type { runningErgon } from './runningErgon.ts'
import { signerFolder } from './world.ts'

const BY = ['--by', 'ann', '--why', 'a test']

type Given = Pick<ReturnType<typeof runningErgon>, 'ergon' | 'both' | 'program'> & {
  market: Market
  client: TestAccount
  folder: string
  passphrase: string
}

/** Keys are made and shown; others come from typed words and get another passphrase. */
export async function makeKeys({ ergon, program, folder, passphrase }: Given) {
  const on = ['--file', join(folder, 'keys.json'), '--passphrase-file', passphrase]
  const made = await ergon(['keys', 'create', ...on, '--json'])
  expect([made.code, made.json.mnemonic.split(' ').length]).toEqual([0, 12])
  const shown = await ergon(['keys', 'show', ...on])
  expect(shown.out).toContain(`DEPOSIT_XPUB=${made.json.depositXpub}`)

  const copy = ['--file', join(folder, 'copy.json'), '--passphrase-file', passphrase]
  const { mnemonic, depositXpub } = made.json
  const wrong = await program(['keys', 'import', ...copy, mnemonic])
  expect([wrong.code, wrong.out]).toEqual([2, ''])
  const typed = await program(['keys', 'import', ...copy, '--json'], {}, `${mnemonic}\n`)
  expect([typed.code, typed.json]).toMatchObject([0, { depositXpub }])
  expect(typed.out + typed.err).not.toContain(mnemonic)
  const next = join(folder, 'next-passphrase')
  writeFileSync(next, 'another horse battery staple\n', { mode: 0o600 })
  const change = ['keys', 'passphrase', ...copy, '--new-passphrase-file', next]
  expect((await ergon(change)).code).toBe(0)
  expect((await ergon(change)).code).toBe(1)
  const opened = ['keys', 'show', '--file', copy[1]!, '--passphrase-file', next, '--json']
  expect((await ergon(opened)).json).toMatchObject({ depositXpub })
}

/** The secrets of webhooks, under the first key of the file. */
export async function resealSecrets({ ergon, market, client, folder }: Given) {
  const sink = await market.call('POST', '/sandbox/webhook-sink')
  const body = { name: 'till', url: sink.body.url }
  const made = await market.call('POST', '/v1/webhooks', { key: client.api_key, body })
  expect(made.status).toBe(201)
  const keys = join(folder, 'secrets.key')
  const [old, next] = [Buffer.from(TEST_KEY).toString('hex'), 'ab'.repeat(32)]
  writeFileSync(keys, `${next}\n${old}\n`, { mode: 0o600 })
  const file = { SECRETS_KEY_FILE: keys }
  expect((await ergon(['secrets', 'reseal', '--json'], file)).json).toEqual({ resealed: 1 })
  expect((await ergon(['secrets', 'reseal', '--json'], file)).json).toEqual({ resealed: 0 })
  expect((await ergon(['secrets'], file)).code).toBe(2)
  const [row] = await market.database.sql<{ secret: Buffer; id: string }>(
    `select id, secret from webhooks.endpoint where name = 'till'`,
  )
  const name = createHash('sha256').update(Buffer.from(next, 'hex')).digest().subarray(0, 4)
  expect(row!.secret.subarray(0, 4)).toEqual(name)
}

/** Nothing to book, nothing to attach, and a finding that is confirmed by its name. */
export async function recoverNothing({ ergon, both, market, client }: Given) {
  const position = `select next_position::int as position from addresses.counter`
  const [before] = await market.database.sql<{ position: number }>(position)
  expect((await ergon(['recover', '--restored'])).code).toBe(0)
  expect(await market.database.sql(position)).toEqual([{ position: before!.position + 10_000 }])
  const [text, json] = await both('recover')
  expect([text.code, text.out]).toEqual([0, expect.stringMatching(/^Nothing new to book\./)])
  expect(json.json).toEqual({ booked: {}, open: [], waiting: 0 })
  const attach = ['recover', 'attach', 'b'.repeat(64)]
  const other = '01900000-0000-7000-8000-000000000000'
  const said = [
    await ergon([...attach, '--payout', other, ...BY]),
    await ergon([...attach, '--account', client.account_id, '--id', other, ...BY]),
  ]
  for (const { code, err } of said) {
    expect([code, err]).toEqual([1, 'There is no open finding with this txid.\n'])
  }
  expect((await ergon([...attach, ...BY])).code).toBe(2)
  await market.database.sql(
    `insert into signing.outflow (txid, address, amount_sun, contract, found_at)
     select $1, address, 7000000, 'TransferContract', now() from signing.address where purpose = 'hot'`,
    ['c'.repeat(64)],
  )
  const machine = { DATABASE_SIGNER_URL: market.database.url('ergon_signer') }
  const confirm = ['recover', 'confirm', ...BY, '--dir', signerFolder(market.devnet)]
  const unseen = await ergon(confirm, machine)
  expect([unseen.code, unseen.err]).toEqual([
    1,
    expect.stringMatching(/^Signing stays off\. Look at these.*\nc{64} TransferContract of 7 TRX/),
  ])
  const confirmed = await ergon([...confirm, '--seen', 'c'.repeat(64)], machine)
  expect([confirmed.code, confirmed.err]).toEqual([0, ''])
  expect(confirmed.out).toContain('Confirmed: 1 findings. Signing is on.')
}
