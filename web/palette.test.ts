import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(join(import.meta.dirname, 'shared', name), 'utf8')
const colours = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/(--[\w-]+): (#\w+);/g)].map(([, name, value]) => [name, value]),
  )

test('pages without an application have the colours of those with one', () => {
  const [, light, dark] = /:root \{(.*?)\}.*?:root \{(.*?)\}/s.exec(read('plain.css'))!
  const plain = { light: colours(light!), dark: { ...colours(light!), ...colours(dark!) } }
  const palette = read('palette.css')
  const pairs = [...palette.matchAll(/(--[\w-]+): light-dark\((#\w+), (#\w+)\);/g)]
  const shared = pairs.filter(([, name]) => plain.light[name!] !== undefined)
  expect(shared.length).toBeGreaterThan(8)
  for (const [, name, inLight, inDark] of shared) {
    expect([name, plain.light[name!], plain.dark[name!]]).toEqual([name, inLight, inDark])
  }
  expect(plain.light['--accent']).toBe(colours(palette)['--accent'])
})
