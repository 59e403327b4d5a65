import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Place, placesOf, plant } from './place.ts'
import { functionsIn, sqlChanges } from './sql.ts'
import { typescriptChanges } from './typescript.ts'

/** The rooms in which a wrong token costs money. */
export const ROOMS = [
  'ledger',
  'orders',
  'deposits',
  'autoenergy',
  'agent',
  'delivery',
  'signing',
  'signer',
  'webhooks',
]

/** Every place in the rooms where a mutant can be planted, without migrations. */
export function readPlaces(root: string, rooms: readonly string[] = ROOMS): Place[] {
  return rooms
    .flatMap((room) => globSync(`service/${room}/**/*.{ts,sql}`, { cwd: root }))
    .filter((file) => !/\.(test|bench)\.ts$|\/up\.sql$|\/(before|after)\.sql$/.test(file))
    .sort()
    .flatMap((file) => placesIn(file, readFileSync(join(root, file), 'utf8')))
}

export function placesIn(file: string, text: string): Place[] {
  if (!file.endsWith('.sql')) return placesOf(file, text, typescriptChanges(file, text))
  const changes = functionsIn(text).flatMap(({ name, body, start }) =>
    sqlChanges(body, { from: start, inSqlFunction: name }),
  )
  return placesOf(file, text, changes)
}

/** False when the planted text is not valid TypeScript. */
export function isParsed(text: string, place: Place): boolean {
  try {
    if (place.file.endsWith('.ts')) typescriptChanges(place.file, plant(text, place))
    return true
  } catch {
    return false
  }
}
