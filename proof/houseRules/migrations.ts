import type { Schema } from '../../service/db/index.ts'

type SchemaFile = Schema['migrations'][number]
type Landed = { name: string; hash: string }

export function listed(text: string): Landed[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [hash = '', name = ''] = line.split(' ')
    return { name, hash }
  })
}

const nameOf = ({ room, name }: SchemaFile) => `${room}/${name}`

/** A sentence for each landed migration that is not as it was. */
export function changedSince(landed: Landed[], migrations: SchemaFile[]): string[] {
  const now = new Map(migrations.map((file) => [nameOf(file), file.hash]))
  return landed.flatMap(({ name, hash }) => {
    if (now.get(name) === hash) return []
    return now.has(name)
      ? `${name} was changed after it had landed: put it back as it was, and add a new migration`
      : `${name} was removed after it had landed: put it back as it was`
  })
}

/** The list with the migrations that it lacks, by room and time: two branches add to different places. */
export function withNew(landed: Landed[], migrations: SchemaFile[]): string {
  const known = new Set(landed.map(({ name }) => name))
  const added = migrations.filter((file) => !known.has(nameOf(file)))
  const all = [...landed, ...added.map((file) => ({ name: nameOf(file), hash: file.hash }))]
  const lines = all
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((one) => `${one.hash} ${one.name}\n`)
  return lines.join('')
}
