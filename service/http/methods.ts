import type { FastifyInstance } from 'fastify'

/** Says which methods the path of a URL has; undefined: there is no such path. */
export type MethodsOf = (url: string) => string[] | undefined

/**
 * Remembers the methods of every path that is mounted from now on. Asked only about a request that no
 * route takes: 405 where its path has other methods, 404 where it has none.
 */
export function rememberMethods(server: FastifyInstance): MethodsOf {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  server.addHook('onRoute', ({ url, method }) => {
    const path = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    paths.set(url, path)
    for (const one of [method].flat()) path.methods.add(one)
  })
  return (url) => {
    const asked = decodeURI(url.split('?')[0]!)
    const found = [...paths.values()].filter(({ pattern }) => pattern.test(asked))
    return found.length > 0 ? found.flatMap(({ methods }) => [...methods]) : undefined
  }
}

function patternOf(path: string): RegExp {
  const steps = path.split('/').map((step) => {
    if (step === '*') return '.*'
    return step.startsWith(':') ? '[^/]+' : RegExp.escape(step)
  })
  return new RegExp(`^${steps.join('/')}$`)
}
