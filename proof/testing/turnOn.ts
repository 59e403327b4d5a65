import { openDb } from '../../service/db/index.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { openOutflows, turnSigningOn } from '../../service/signing/index.ts'
import type { TestDatabase } from './database.ts'

/**
 * Turns signing on as `npx ergon signer on` does: with the signer's role, after checking all
 * outgoing transactions.
 */
export async function turnOn(database: TestDatabase) {
  const runtime = systemRuntime()
  const urls = [database.url('ergon_signer')]
  const db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
  try {
    const seen = (await db.query(openOutflows)).map(({ txid }) => txid)
    await turnSigningOn({ db, runtime }, { why: 'looked at', by: 'ann', seen })
  } finally {
    await db.close()
  }
}
