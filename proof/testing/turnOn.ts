import { openDb } from '../../service/db/index.ts'
import { silentLog, systemDoors } from '../../service/kernel/index.ts'
import { turnSigningOn } from '../../service/signing/index.ts'
import type { TestDatabase } from './database.ts'

/** As `npx ergon signer on` does it, with the signer's role. Answers the outflows that it looked at. */
export async function turnOn(database: TestDatabase) {
  const doors = systemDoors()
  const urls = [database.url('ergon_signer')]
  const db = await openDb({ urls, connections: 1, doors, log: silentLog, name: 'test' })
  try {
    return await turnSigningOn({ db, doors }, { why: 'looked at', by: 'ann' })
  } finally {
    await db.close()
  }
}
