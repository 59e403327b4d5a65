import { type Db, openDb } from '../../service/db/index.ts'
import { type Runtime, silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { confirmRecovery } from '../../service/signer/index.ts'
import { turnSigningOn } from '../../service/signing/index.ts'
import type { TestDatabase } from './database.ts'

const WORD = { why: 'looked at', by: 'ann' }

/** As `npx ergon recover confirm` does it, with the signer's role and files. */
export function confirm(database: TestDatabase, folder: string, seen: string[] = [], booked = 0) {
  return withSigner(database, (signer) =>
    confirmRecovery({ ...signer, folder }, { ...WORD, seen, booked }),
  )
}

/** As `npx ergon signer on` does it. */
export function turnOn(database: TestDatabase, seen: string[]) {
  return withSigner(database, (signer) => turnSigningOn(signer, { ...WORD, seen }))
}

async function withSigner<T>(
  database: TestDatabase,
  work: (signer: { db: Db; runtime: Runtime }) => Promise<T>,
): Promise<T> {
  const runtime = systemRuntime()
  const urls = [database.url('ergon_signer')]
  const db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
  try {
    return await work({ db, runtime })
  } finally {
    await db.close()
  }
}
