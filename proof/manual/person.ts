import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { addressOfPrivateKey, buildTransaction, privateKeyAt, sign, toBase58 } from '@ergon/tron'
import { until } from '../testing/until.ts'
import { confirmSignUp, openVisitor } from '../testing/visitor.ts'
import type { Machine } from './blocks.ts'
import { killServer, serverPids, type World } from './world.ts'

// What the manual leaves to people: files carried between machines, a wallet, a browser, an accident.

/** What blocks have printed so far, which a person reads. */
export type Read = { printed: string }
type Step = { what: string; act(world: World, read: Read): Promise<void> }

const TRX = 1_000_000n
/** As keys create shows them, once. */
const WORDS = /^ *((?:[a-z]+ ){11}[a-z]+)$/m
/** m/44'/195'/2'/0/1, by the key ceremony. */
const STAKE = { index: 1, account: 2 }
const HOT = { index: 0, account: 2 }

/** By the reason that a block gives. */
export const insteadOfBlock: Record<string, Step> = {
  'a person: copies between machines': {
    what: 'passwords, archive-wal and .pgpass carried to the machines that need them',
    async act(world) {
      const carry = (name: string, to: Machine, path = `/etc/ergon/${name}`) =>
        copy(join(world.folder, 'db-1', name), world.pathOn(to, path))
      for (const role of ['admin', 'app', 'api']) carry(`ergon_${role}.password`, 'app-1')
      carry('ergon_signer.password', 'signer-1')
      carry('.pgpass', 'db-2', join(world.folder, 'db-2/.pgpass'))
      // It names folders of db-1.
      const script = '/var/lib/postgresql/archive-wal'
      copy(world.pathOn('db-1', script), world.pathOn('db-2', script))
    },
  },
  "a person: the primary's machine is lost": {
    what: 'kill -9 of all processes of db-1',
    async act({ folder }) {
      for (const pid of serverPids(folder, 'db-1')) {
        killServer(pid)
        // Its lock on the socket holds until the process is reaped; a machine without power has none.
        await until('it is reaped', () => !existsSync(`/proc/${pid}`), 60_000)
      }
    },
  },
}

/** Before the blocks of a section. */
export const beforeSection: Record<string, Step> = {
  'going-live.md#program-and-settings': {
    what: 'DEPOSIT_XPUB read from the screen and carried to app-1',
    async act(world, { printed }) {
      const [, xpub] = /^DEPOSIT_XPUB=(xpub\w+)$/m.exec(printed)!
      writeFileSync(world.pathOn('app-1', '/etc/ergon/deposit.xpub'), `${xpub}\n`)
    },
  },
  'going-live.md#trx-and-stake': {
    what: 'TRX sent to the hot wallet and the stake, and staked with the key from the paper',
    async act(world, { printed }) {
      const [, words] = WORDS.exec(printed)!
      const [hot, stake] = [HOT, STAKE].map(({ index, account }) =>
        privateKeyAt(words!, index, account),
      )
      await send(world, toBase58(addressOfPrivateKey(hot!)), 1_000n * TRX)
      await send(world, toBase58(addressOfPrivateKey(stake!)), 300_000n * TRX)
      freeze(world, stake!, 200_000n * TRX, 'ENERGY')
      freeze(world, stake!, 20_000n * TRX, 'BANDWIDTH')
      await final(world)
    },
  },
  'going-live.md#staking-more': {
    what: '1,000 TRX more are staked while the service runs',
    async act(world, { printed }) {
      const [, words] = WORDS.exec(printed)!
      freeze(world, privateKeyAt(words!, STAKE.index, STAKE.account), 1_000n * TRX, 'ENERGY')
    },
  },
  'going-live.md#the-first-order': {
    what: 'a client signs up by e-mail, makes a key and deposits 100 TRX',
    async act(world) {
      const { mail, apiUrl, places, devnet } = world
      const visitor = openVisitor(apiUrl)
      const email = 'client@example.com'
      await visitor.call('POST', '/session/sign-up', { email })
      const letter = await until(
        'the letter',
        () => mail.letters.find(({ to }) => to === email),
        60_000,
      )
      const text = letter.data.replaceAll('=\n', '').replaceAll('=3D', '=')
      const [link] = /https?:\/\/\S+#\S+/.exec(text)!
      // 503 while the scanner is not near the head: no deposit address is given then.
      await until(
        'the sign-up',
        async () => (await confirmSignUp(visitor, link)).status === 200,
        60_000,
      )
      const { deposit_address } = (await visitor.call('GET', '/account')).body
      const { api_key } = (await visitor.call('POST', '/keys')).body
      places.set('ERGON_KEY=…', `ERGON_KEY=${api_key}`)
      places.set('TO=T…', `TO=${toBase58(devnet.chain.network.funded[5]!.address)}`)
      await send(world, deposit_address, 100n * TRX)
      await until(
        'the deposit',
        async () => {
          const { body } = await visitor.call('GET', '/account')
          return Number(body.balance_trx) > 0
        },
        60_000,
      )
    },
  },
  'backup.md#restore-to-a-moment': {
    what: 'the moment is noted, and a client buys before and after it',
    async act(world) {
      await buy(world, 'before-the-moment')
      const moment = new Date()
      world.places.set(
        "MOMENT='2026-11-15 14:03:00+00'",
        `MOMENT='${moment.toISOString().replace('T', ' ').replace('Z', '+00')}'`,
      )
      await until('a later second', () => Date.now() > moment.getTime() + 1_500)
      await buy(world, 'after-the-moment')
    },
  },
}

/** What recover has booked, which recover confirm wants to hear again. */
export function fillIn(world: World, { printed }: Read) {
  const counts = [...printed.matchAll(/booked (\d+) ×/g)].map(([, count]) => Number(count))
  const booked = counts.reduce((sum, one) => sum + one, 0)
  world.places.set('BOOKED=…', `BOOKED=${booked}`)
}

async function buy(world: World, key: string) {
  const line = `npx ergon buy $TO 32000 --wait --idempotency-key ${key}`
  await world.shells['client-1'].run(line, 120)
}

/** The copy belongs to the user of the folder that it is put into. */
function copy(from: string, to: string) {
  copyFileSync(from, to)
  const { uid, gid } = statSync(join(to, '..'))
  chownSync(to, uid, gid)
  chmodSync(to, statSync(from).mode & 0o777)
  if (readFileSync(to).length === 0) throw new Error(`${from} is empty`)
}

async function send({ devnet }: World, to: string, amount: bigint) {
  const from = toBase58(devnet.chain.network.funded[0]!.address)
  const body = JSON.stringify({ from, to, amount_sun: `${amount}` })
  const answer = await fetch(`${devnet.url}/control/transfer`, { method: 'POST', body })
  if (answer.status !== 200) throw new Error(await answer.text())
}

function freeze(
  { devnet: { chain } }: World,
  key: string,
  amount: bigint,
  resource: 'ENERGY' | 'BANDWIDTH',
) {
  const { id, timestamp } = chain.head
  const value = { owner_address: addressOfPrivateKey(key), frozen_balance: amount, resource }
  const built = buildTransaction({ type: 'FreezeBalanceV2Contract', value } as never, {
    headBlock: { id, timestamp },
  })
  const { raw, rawBytes, txId } = built
  chain.broadcast({ txid: txId, raw, rawBytes, signatures: [sign(txId, key)] })
}

/** Waits until what was just sent is in a solid block. */
async function final({ devnet: { chain } }: World) {
  const { number } = chain.head
  await until('final blocks', () => chain.head.number > number + 8)
}
