import { randomUUID } from 'node:crypto'
import type { Devnet } from '@ergon/devnet'
import { buildTransaction, type Contract, sign } from '@ergon/tron'
import pg from 'pg'
import type { TestApp } from './app.ts'
import { until } from './until.ts'

/** An attacker with the service's database role. */
export type Thief = {
  sql<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>
  /** Requests a signature without the service's rows; returns the txid. */
  ask(purpose: string, contract: Contract, position?: number): Promise<string>
  /** 'signed' or the reason of the refusal, once there is an answer. */
  answerTo(txid: string): Promise<string>
  end(): Promise<void>
}

let built = 0

export async function openThief(app: TestApp): Promise<Thief> {
  const client = new pg.Client({ connectionString: app.database.url('ergon_app') })
  client.on('error', () => {})
  await client.connect()
  const sql: Thief['sql'] = async (text, values = []) => (await client.query(text, values)).rows
  return {
    sql,
    async ask(purpose, contract, position) {
      const { raw, rawBytes, txId } = build(app.devnet, contract)
      const values = [randomUUID(), purpose, contract.value.owner_address, Buffer.from(rawBytes)]
      const payout = purpose === 'payout' ? [randomUUID(), 1] : [null, null]
      await sql(
        `insert into signing.request
           (id, purpose, owner_address, raw_bytes, txid, expires_at, position, created_at, payout_id, attempt)
         values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp(), $8, $9)`,
        [...values, txId, new Date(raw.expiration), position ?? null, ...payout],
      )
      app.signer?.wake()
      return txId
    },
    answerTo: (txid) =>
      until(`the answer to ${txid}`, async () => {
        const [answer] = await sql<{ state: string; reason: string | null }>(
          `select a.state, a.reason from signing.answer a join signing.request r on r.id = a.request_id
            where r.txid = $1`,
          [txid],
        )
        return answer && (answer.reason ?? answer.state)
      }),
    end: () => client.end(),
  }
}

/** A transaction on the head block; each one differs. */
function build({ chain }: Devnet, contract: Contract) {
  built += 1
  const timestamp = chain.head.timestamp + built
  return buildTransaction(contract, { headBlock: chain.head, timestamp, expirationMs: 120_000 })
}

/** Sends a transaction with a private key, bypassing the service. Returns the txid. */
export function sendWithKey(devnet: Devnet, key: string, contract: Contract): string {
  const { raw, rawBytes, txId } = build(devnet, contract)
  devnet.chain.broadcast({ txid: txId, rawBytes, raw, signatures: [sign(txId, key)] })
  return txId
}
