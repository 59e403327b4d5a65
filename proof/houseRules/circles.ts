import { type Import, importsOf } from './imports.ts'
import type { Rule, Violation } from './source.ts'

const FOLDERS = 'service devnet proof web cli sdk contract tron scripts'.split(' ')

type Graph = Map<string, Import[]>

/** Types count too: two files that need each other's types cannot be understood one after the other. */
export const circles: Rule = {
  name: 'no file imports itself by way of others',
  check(tree) {
    const files = tree.filter(
      ({ path }) => FOLDERS.includes(path.split('/')[0]!) && /\.(ts|tsx|mjs)$/.test(path),
    )
    const graph: Graph = new Map(files.map((source) => [source.path, importsOf(source)]))
    const found = new Map<string, Violation>()
    for (const [path, imports] of graph) {
      for (const { target } of imports) {
        const way = shortestWay(graph, target, path)
        if (way === undefined) continue
        const circle = beginningWithFirst([path, ...way.slice(0, -1)])
        found.set(circle.join(), violationOf(graph, circle))
      }
    }
    return [...found.values()]
  },
}

/** The files from one to another, both included; undefined where no import leads there. */
function shortestWay(graph: Graph, from: string, to: string): string[] | undefined {
  const importers = new Map<string, string | undefined>([[from, undefined]])
  // A map goes on with what is added meanwhile: this is a search in breadth.
  for (const [path] of importers) {
    if (path === to) return wayTo(path, importers)
    for (const { target } of graph.get(path) ?? []) {
      if (!importers.has(target)) importers.set(target, path)
    }
  }
  return undefined
}

function wayTo(path: string, importers: Map<string, string | undefined>): string[] {
  const importer = importers.get(path)
  return importer === undefined ? [path] : [...wayTo(importer, importers), path]
}

/** The same circle found from another of its files is the same circle. */
function beginningWithFirst(circle: string[]): string[] {
  const start = circle.indexOf(circle.toSorted()[0]!)
  return [...circle.slice(start), ...circle.slice(0, start)]
}

function violationOf(graph: Graph, circle: string[]): Violation {
  const [path, next = path] = circle as [string, string?]
  const { line } = graph.get(path)!.find(({ target }) => target === next)!
  const names = [...circle, path].join(' -> ')
  return { path, line, sentence: `${names}; move what they share to the file it belongs to` }
}
