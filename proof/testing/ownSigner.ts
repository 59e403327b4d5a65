import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { approvalText } from '@ergon/contract/approval.ts'
import { type Contract, encodeRaw, toBase58, txId } from '@ergon/tron'
import pg from 'pg'
import {
  SANDBOX_HOT_ADDRESS,
  SANDBOX_MNEMONIC_FILE,
  SANDBOX_STAKE,
} from '../../service/app/sandboxNetwork.ts'
import { SANDBOX_OPERATORS } from '../../service/app/sandboxOperators.ts'
import { openDb } from '../../service/db/index.ts'
import { readSettings, silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { createSignerFiles } from '../../service/signer/init.ts'
import { openKeyRing } from '../../service/signer/keyRing.ts'
import { openSigner } from '../../service/signer.ts'
import { signText } from '../../service/signing/index.ts'
import { createTestDatabase } from './database.ts'
import { seeHead } from './nearHead.ts'

export const CHAIN = '00'.repeat(8) + 'ab'.repeat(24)
export const [ANN, BOB] = SANDBOX_OPERATORS
export const KEYS = SANDBOX_OPERATORS.map(({ email, key }) => ({ operator: email, key }))
const LIFE_MS = 120_000

export type Wish = {
  payout: string
  attempt: number
  to: string
  amount: bigint
  expiration: number
}
export type OwnSigner = Awaited<ReturnType<typeof openOwnSigner>>

/**
 * The signer in this process on a clock that the test moves, and an attacker with the service's
 * database role. `production` uses the wall clock, as real signers do.
 */
export async function openOwnSigner() {
  const database = await createTestDatabase()
  const app = new pg.Client({ connectionString: database.url('ergon_app') })
  await app.connect()
  const folder = mkdtempSync(join(tmpdir(), 'ergon-signer-'))
  const clock = { ms: 1_800_000_000_000 }
  const state: { failsAt: string | undefined } = { failsAt: undefined }
  const runtime = {
    ...systemRuntime(),
    step: async (name: string) => {
      if (name === state.failsAt) throw new Error('no space left on the device')
    },
    clock: {
      now: () => new Date(clock.ms),
      wallMs: () => clock.ms,
      elapsedMs: () => performance.now(),
    },
  }
  const settings = {
    ...readSettings({
      SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
      SIGNER_STAKES: SANDBOX_STAKE,
      SIGNER_DIR: folder,
    }),
  }
  const ring = openKeyRing(settings)
  const urls = [database.url('ergon_signer')]
  const open = { urls, connections: 2, runtime, log: silentLog, name: 'own-signer' }
  const db = await openDb(open)
  const start = () =>
    openSigner({
      db,
      runtime,
      log: silentLog,
      ring,
      settings: { ...settings, MODE: 'production' },
      lease: undefined,
    })
  const begin = ({ isFirst = true } = {}) =>
    createSignerFiles(folder, {
      chain: CHAIN,
      hot: SANDBOX_HOT_ADDRESS,
      keys: KEYS,
      now: clock.ms,
      isFirst,
    })
  begin()
  const started = async () => {
    const signer = await start()
    await signer.answerRequests()
    await seeHead(database)
    return signer
  }
  let signer = await started()
  let asked = 0

  /**
   * Requests a signature with the service's role: returns 'signed' or the reason of the refusal.
   */
  async function askBytes(
    purpose: string,
    raw: Uint8Array,
    of: Partial<Wish>,
    owner: string = ring.hot,
  ): Promise<string> {
    const id = randomUUID()
    await app.query(
      `insert into signing.request
         (id, purpose, owner_address, raw_bytes, txid, expires_at, created_at, payout_id, attempt)
       values ($1, $2, $3, $4, $5, $6, now(), $7, $8)`,
      [
        id,
        purpose,
        owner,
        Buffer.from(raw),
        txId(raw),
        new Date(of.expiration!),
        of.payout ?? null,
        of.attempt ?? null,
      ],
    )
    await signer.answerRequests()
    const { rows } = await app.query(
      `select state, reason from signing.answer where request_id = $1`,
      [id],
    )
    return rows[0] ? (rows[0].reason ?? rows[0].state) : 'no answer'
  }

  function bytesOf({ to, amount, expiration }: Pick<Wish, 'to' | 'amount' | 'expiration'>) {
    const value = { owner_address: ring.hot, to_address: to, amount }
    return bytesOfContract({ type: 'TransferContract', value }, expiration)
  }

  function bytesOfContract(contract: Contract, expiration: number) {
    asked += 1
    return encodeRaw({
      contract,
      refBlockBytes: '0001',
      refBlockHash: '0011223344556677',
      expiration,
      timestamp: clock.ms + asked,
      feeLimit: 0n,
      data: '',
    })
  }

  return Object.assign(state, {
    database,
    app,
    folder,
    clock,
    begin,
    restart: async () => {
      signer = await started()
    },
    answerRequests: () => signer.answerRequests(),
    wish: (changes: Partial<Wish> = {}): Wish => ({
      payout: randomUUID(),
      attempt: 1,
      to: `41${'66'.repeat(20)}`,
      amount: 5_000_000n,
      expiration: clock.ms + LIFE_MS,
      ...changes,
    }),
    ask: (wish: Wish, purpose = 'payout') => askBytes(purpose, bytesOf(wish), wish),
    bytesOf,
    bytesOfContract,
    askBytes,
    /**
     * Submits an approval as the service does; `changes` apply to what is signed and to what is
     * written.
     */
    async approve(
      wish: Wish,
      operator: { key: string; privateKey: string },
      changes: Partial<Parameters<typeof approvalText>[0]> = {},
    ) {
      const facts = {
        chain: CHAIN,
        hot: SANDBOX_HOT_ADDRESS,
        payout: wish.payout,
        attempt: wish.attempt,
        amountSun: wish.amount,
        to: toBase58(wish.to),
        ends: new Date(clock.ms + 3_600_000),
        ...changes,
      }
      const signature = signText(approvalText(facts), operator.privateKey)
      await app.query(
        `insert into signing.approval
           (payout_id, attempt, key, approved_by, ends_at, signature, approved_at)
         values ($1, $2, $3, 'anybody', $4, $5, now())
         on conflict (payout_id, attempt, key) do update
           set ends_at = excluded.ends_at, signature = excluded.signature`,
        [wish.payout, wish.attempt, operator.key, facts.ends, signature],
      )
    },
    async close() {
      await db.close()
      await app.end()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  })
}
