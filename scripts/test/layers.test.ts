import { existsSync, globSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allLayers, layerOf, ROOT, roomsOf } from './layers.ts'

const proofs = allLayers()
  .flatMap((layer) => ('files' in layer ? layer.files : []))
  .concat('proof/faults/chaos.test.ts')
  .filter((file) => /^proof\/(attacks|browser|contract|faults|stories)\//.test(file))

test.each(proofs)('%s says on its first line which rooms it proves', (file) => {
  const rooms = roomsOf(file)
  expect(rooms).not.toEqual([])
  expect(rooms.filter((room) => !existsSync(join(ROOT, 'service', room)))).toEqual([])
})

test('a room is proven by its own tests, and by what names it', () => {
  const { files } = layerOf('deposits')!
  expect(files).toContain('proof/contract/get-deposits.test.ts')
  expect(files).toContain('proof/stories/sweeps.story.ts')
  expect(files).toContain('proof/attacks/unverified-credit.test.ts')
  expect(files.some((file) => file.startsWith('service/deposits/'))).toBe(true)
  expect(files).not.toContain('proof/stories/chat.story.ts')
  expect(layerOf('service/deposits/')?.files).toEqual(files)
})

const rooms = readdirSync(join(ROOT, 'service'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

test.each(rooms)(
  'npm test -- %s runs its own tests and every file that says it proves it',
  (room) => {
    const found = layerOf(room)?.files ?? []
    const stories = proofs.filter((file) => roomsOf(file).includes(room))
    const own = globSync(`service/${room}/**/*.test.ts`, { cwd: ROOT })
    expect(stories).not.toEqual([])
    expect(found).toEqual(expect.arrayContaining([...stories, ...own]))
  },
)

test('a path and a file are found, and nothing else', () => {
  const story = 'proof/stories/sweeps.story.ts'
  expect(layerOf(story)?.files).toEqual([story])
  expect(layerOf('proof/attacks')?.files.every((file) => file.startsWith('proof/attacks/'))).toBe(
    true,
  )
  expect(layerOf('no-such-room')).toBeUndefined()
})
