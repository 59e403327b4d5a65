// `@ergon/sdk` inside the repository: the sources, where the package has the files in dist. Its own manifest
// keeps `npm pack` in sdk/ from needing another one than the one that lies there.
export * from '../index.ts'
