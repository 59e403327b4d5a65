import type { Db } from '../db/index.ts'
import { sealAgain, sealedByOthers } from './reseal.sql.ts'
import type { Secrets } from './secrets.ts'

const PAGE = 500

/** Seals every secret with the current key, so that the old one can be removed from the file. */
export function createResealing({ db, secrets }: { db: Db; secrets: Secrets }) {
  return async (): Promise<number> => {
    let resealed = 0
    for (;;) {
      const rows = await db.query(sealedByOthers, [secrets.name, PAGE])
      if (rows.length === 0) return resealed
      for (const { id, secret, previousSecret } of rows) {
        const again = (sealed: Buffer) => secrets.seal(id, secrets.open(id, sealed))
        const previous = previousSecret && again(previousSecret)
        const done = await db.query(sealAgain, [
          id,
          secret,
          again(secret),
          previousSecret,
          previous,
        ])
        resealed += done.length
      }
    }
  }
}
