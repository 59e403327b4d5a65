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

// Shared by all applications; build.ts sets the root and the output folder.
export default defineConfig({
  plugins: [preloadFont()],
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy forbids inline scripts, and a data: module counts as one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    manifest: true,
  },
})
