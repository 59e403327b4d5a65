import type { Retention } from '../db/index.ts'
import {
  pruneChallenges,
  prunePasskeyChallenges,
  pruneSessions,
  pruneVerifications,
} from './retention.sql.ts'

const DAY_MS = 86_400_000

/** A day after they end, by the wall clock, because clocks of nodes differ. */
export const retention: readonly Retention[] = [
  {
    table: 'better_auth.session',
    keptMs: DAY_MS,
    clock: 'wall',
    prune: { byAge: pruneSessions },
  },
  {
    table: 'better_auth.verification',
    keptMs: DAY_MS,
    clock: 'wall',
    prune: { byAge: pruneVerifications },
  },
  {
    table: 'identity.wallet_challenge',
    keptMs: DAY_MS,
    clock: 'wall',
    prune: { byAge: pruneChallenges },
  },
  {
    table: 'identity.passkey_challenge',
    keptMs: DAY_MS,
    clock: 'wall',
    prune: { byAge: prunePasskeyChallenges },
  },
]
