import type { Db } from '../db/index.ts'
import { createEvents } from '../events/index.ts'
import { createAccounts, createAuthenticator } from '../identity/index.ts'
import type { Doors, Log, MovableClock } from '../kernel/index.ts'
import { createLedger } from '../ledger/index.ts'

export type RoomsOptions = {
  db: Db
  doors: Doors & { clock: MovableClock }
  log: Log
}

/** Every room of the service, wired. Participants are registered here and nowhere else. */
export function createRooms({ db, doors, log }: RoomsOptions) {
  const events = createEvents({ db, doors, log })
  const ledger = createLedger({ db, doors })
  const accounts = createAccounts({ db, doors, onAccount: [ledger.open] })
  const authenticator = createAuthenticator({ db, log })
  return { accounts, authenticator, events, ledger }
}

export type Rooms = ReturnType<typeof createRooms>
