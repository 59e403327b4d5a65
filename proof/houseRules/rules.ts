import { bannedImports, bannedWords } from './banned.ts'
import { circles } from './circles.ts'
import { floors } from './floors.ts'
import { startedPackages } from './packages.ts'
import {
  exactVersions,
  lockfile,
  noMachine,
  roomsAreComplete,
  settingsInManual,
} from './repository.ts'
import { fileLength, leftovers, lineWidth, noSleeping, stretchedLimits } from './shape.ts'
import type { Rule } from './source.ts'
import { ownSchema, statementsInStores, timeInSql } from './sql.ts'

export const rules: readonly Rule[] = [
  floors,
  circles,
  ownSchema,
  statementsInStores,
  timeInSql,
  bannedWords,
  bannedImports,
  fileLength,
  lineWidth,
  leftovers,
  noSleeping,
  stretchedLimits,
  noMachine,
  lockfile,
  exactVersions,
  startedPackages,
  settingsInManual,
  roomsAreComplete,
]
