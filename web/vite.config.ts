import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

/** The typeface is asked for with the page, not after the styles: no text moves when it comes. */
function preloadFont(): Plugin {
  let base = '/'
  return {
    name: 'preload-font',
    configResolved(config) {
      base = config.base
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const fonts = Object.keys(bundle).filter((name) => name.endsWith('.woff2'))
        return fonts.map((name) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            crossorigin: '',
            href: base + name,
          },
        }))
      },
    },
  }
}

/** What uPlot makes when it is loaded, for figures and times that we write ourselves. */
const UPLOT_FORMATS: [made: string, instead: string][] = [
  ["new Intl.NumberFormat(domEnv ? nav.language : 'en-US')", '{ format: String }'],
  ['new Intl.DateTimeFormat().resolvedOptions().timeZone', "''"],
]

/**
 * The first format of a page makes the browser load its tables of languages: of the time in which a phone draws
 * the overview, that was a fifth.
 */
function withoutFormats(): Plugin {
  return {
    name: 'uplot-without-formats',
    transform: {
      filter: { id: /uPlot\.esm\.js$/ },
      handler(code) {
        return UPLOT_FORMATS.reduce((all, [made, instead]) => {
          if (!all.includes(made)) throw new Error(`uPlot no longer has ${made}.`)
          return all.replace(made, instead)
        }, code)
      },
    },
  }
}

/**
 * What is written for React runs on Preact, which is a sixth of its size (docs/decisions/0114-preact.md). The
 * whole names: `react` must not catch `react-dom`.
 */
const PREACT = Object.entries({
  react: join(import.meta.dirname, 'shared/react.ts'),
  'react-dom': 'preact/compat',
  'react-dom/client': 'preact/compat/client',
  'react/jsx-runtime': 'preact/jsx-runtime',
}).map(([name, replacement]) => ({ find: new RegExp(`^${name}$`), replacement }))

/**
 * What the pages before a sign-in share with the applications. All else that a first visit loads is one file: over a
 * slow line each file costs a round trip, and a browser asks for six at once.
 */
const BEFORE_SIGN_IN =
  /\/web\/shared\/(api|canPasskey|clock|messages|money|wallet)\.ts|\/(palette|base)\.css|\/contract\/|rolldown\/runtime|vite\/preload-helper/
const CHUNKS = [
  { name: 'shared', test: BEFORE_SIGN_IN, tags: ['$initial' as const], priority: 1 },
  {
    name: 'frame',
    test: /^(?!.*(\.html|\/main\.tsx?|\/entrance\.\w+|\/passkeyEntrance\.ts)$)/,
    tags: ['$initial' as const],
  },
]

// Shared by all applications; build.ts sets the root and the output folder.
export default defineConfig({
  resolve: { alias: PREACT },
  plugins: [preloadFont(), withoutFormats()],
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy forbids inline scripts, and a data: module counts as one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    manifest: true,
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
})
