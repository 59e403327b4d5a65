import { defineConfig } from 'vite'

// What all applications share; build.ts says which one, and where it goes.
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page has no inline script, and a data: module would be one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    manifest: true,
  },
})
