import { defineConfig } from 'vite'

export default defineConfig({
  root: `${import.meta.dirname}/workspace`,
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: '../dist/workspace',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page has no inline script, and a data: module would be one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    manifest: true,
  },
})
