import { defineConfig } from 'vite'

// Shared by all applications; build.ts sets the root and the output folder.
export default defineConfig({
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
