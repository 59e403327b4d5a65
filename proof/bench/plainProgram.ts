import { hash, randomUUID } from 'node:crypto'
import { isAddress } from '@ergon/tron'
import Fastify from 'fastify'
import pg from 'pg'

// The plain service that a competent team writes in a day, as a baseline. One process, Fastify, a
// pool, one interactive transaction for each purchase with the same checks and the same rows, one
// query for the key and one for the answer of a read, the same JSON.

const [databaseUrl, price] = process.argv.slice(2) as [string, string]
const CONNECTIONS = 20
const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
const server = Fastify()

type Account = { id: string }
type Balance = { balance_sun: string; spendable_sun: string; overdrawn: boolean }
type Buy = { receiver_address: string; resource_amount: number }

class Refused extends Error {
  readonly status: number
  constructor(status: number, code: string) {
    super(code)
    this.status = status
  }
}

server.setErrorHandler((error, _request, reply) => {
  const { status = 500, message } = error as Refused
  reply.code(status).send({ detail: { error: message } })
})

async function accountOf(key: unknown): Promise<Account> {
  const { rows } = await pool.query<Account>(
    `select k.account_id as id from identity.api_key k join identity.app_user u on u.id = k.user_id
      where k.key_hash = $1 and k.revoked_at is null and u.removed_at is null`,
    [hash('sha256', String(key))],
  )
  if (!rows[0]) throw new Refused(401, 'invalid_api_key')
  return rows[0]
}

async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** The first answer to the key, or undefined when the key is new. */
async function replayOf(client: pg.PoolClient, account: string, key: string) {
  const { rows: locks } = await client.query<{ free: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended($1::text || $2, 7)) as free`,
    [account, key],
  )
  if (!locks[0]!.free) throw new Refused(409, 'duplicate_request')
  const { rows } = await client.query<{ response: string }>(
    `select response from orders.idempotency_key
      where account_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
    [account, key],
  )
  return rows[0]?.response
}

async function pay(client: pg.PoolClient, account: string): Promise<{ after: string; at: string }> {
  const { rows: held } = await client.query<Balance>(
    `select balance_sun - reserved_sun - withheld_sun as spendable_sun, overdrawn
       from ledger.account where id = $1 for update`,
    [account],
  )
  if (held[0]!.overdrawn || BigInt(held[0]!.spendable_sun) < BigInt(price)) {
    throw new Refused(400, 'insufficient_balance')
  }
  const { rows } = await client.query<{ after: string; at: string }>(
    `update ledger.account set balance_sun = balance_sun - $2, version = version + 1
      where id = $1 returning balance_sun as after, version as at`,
    [account, price],
  )
  return rows[0]!
}

async function book(client: pg.PoolClient, account: string, order: string, text: string) {
  const { after, at } = await pay(client, account)
  const [movement, event] = [randomUUID(), randomUUID()]
  await client.query(
    `insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit,
                                  amount_sun, description, created_at)
     values ('purchase', $1, $2, $3, $4, $5, 'client', 'escrow:orders', $6, $7, now())`,
    [order, movement, account, at, after, price, text],
  )
  const data = {
    entry_id: movement,
    entry_type: 'purchase',
    amount_sun: -Number(price),
    balance_sun: Number(after),
    reference_id: order,
  }
  await client.query(
    `insert into events.event (id, account_id, type, subject, created_at, trace, data)
     values ($1, $2, 'balance.changed', $3, now(), $4, $5)`,
    [event, account, movement, order, JSON.stringify(data)],
  )
  await client.query(
    `insert into events.pending (reader, event_id, event_created_at, account_id)
     select reader, $1, now(), account_id from events.interest
      where account_id = $2 and 'balance.changed' = any (types)`,
    [event, account],
  )
  return after
}

server.post<{ Body: Buy }>('/v1/buy', async (request) => {
  const { id: account } = await accountOf(request.headers['x-api-key'])
  const { receiver_address: receiver, resource_amount: amount } = request.body
  if (!isAddress(receiver)) throw new Refused(400, 'invalid_address')
  if (!Number.isSafeInteger(amount) || amount < 1) throw new Refused(400, 'invalid_amount')
  const key = request.headers['idempotency-key']
  return inTransaction(async (client) => {
    const replay = key === undefined ? undefined : await replayOf(client, account, String(key))
    if (replay !== undefined) return replay
    const { rows: selling } = await client.query(`select enabled from orders.selling`)
    if (!selling[0].enabled) throw new Refused(503, 'service_unavailable')
    const order = randomUUID()
    const after = await book(client, account, order, `${amount} Energy for ${receiver}`)
    await client.query(
      `insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address,
                                          buyer_address, price_sun, source, trace, created_at, updated_at)
       select $1, $2, coalesce(max(number), 0) + 1, 'PENDING', $3, $4, '', $5, 'api', $6, now(), now()
         from orders.purchase_order where account_id = $2`,
      [order, account, amount, receiver, price, order],
    )
    const answer = {
      order_id: order,
      status: 'PENDING',
      total_price_sun: Number(price),
      total_price_trx: trx(price),
      balance_after_sun: Number(after),
    }
    if (key !== undefined) {
      await client.query(
        `insert into orders.idempotency_key (account_id, key, order_id, response, created_at)
         values ($1, $2, $3, $4, now())`,
        [account, String(key), order, JSON.stringify(answer)],
      )
    }
    return answer
  })
})

server.get('/v1/account', async (request) => {
  const { id } = await accountOf(request.headers['x-api-key'])
  const { rows } = await pool.query(
    `select a.balance_sun, a.reserved_sun, d.address, i.wallet_address
       from ledger.account a join identity.account i on i.id = a.id
       left join addresses.address d on d.account_id = a.id and d.purpose = 'deposit'
      where a.id = $1`,
    [id],
  )
  const { balance_sun, reserved_sun, address, wallet_address } = rows[0]
  return {
    balance_trx: trx(balance_sun),
    reserved_trx: trx(reserved_sun),
    deposit_address: address ?? '',
    wallet_address,
  }
})

server.get<{ Params: { id: string } }>('/v1/order/:id', async (request) => {
  const { id: account } = await accountOf(request.headers['x-api-key'])
  const { rows } = await pool.query(
    `select id, status, resource_amount, receiver_address, buyer_address, price_sun, source, delegation_txids,
            error_message, created_at, updated_at, completed_at
       from orders.purchase_order where id = $1 and account_id = $2`,
    [request.params.id, account],
  )
  if (!rows[0]) throw new Refused(404, 'order_not_found')
  const { price_sun, resource_amount, ...order } = rows[0]
  return {
    ...order,
    resource_type: 'ENERGY',
    resource_amount: Number(resource_amount),
    duration: '1h',
    total_price_sun: Number(price_sun),
    total_price_trx: trx(price_sun),
  }
})

function trx(sun: string): string {
  const digits = sun.padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

const url = await server.listen({ host: '127.0.0.1', port: 0 })
process.once('disconnect', () => process.exit(0))
process.send!({ url })
