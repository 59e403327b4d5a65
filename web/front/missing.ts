import { icons } from '../shared/html.ts'
import { documentOf, type PlainFiles } from './document.ts'

/** Where to go from a part of the site whose page is missing. */
const PLACES = [
  { under: '/operator', name: 'Console', path: '/operator' },
  { under: '/docs', name: 'Documentation', path: '/docs' },
]
const FRONT = { name: 'Start page', path: '/' }

/** For an address that does not exist. It shows nothing of the request, so that a link to us carries no words of others. */
export function missingPage(path: string, files: PlainFiles): string {
  const near = PLACES.find(({ under }) => path === under || path.startsWith(`${under}/`))
  const places = [...(near ? [near] : []), { name: 'Workspace', path: '/overview' }, FRONT]
  const links = places.map(({ name, path: to }) => `<a href="${to}">${name}</a>`)
  return documentOf({
    title: 'Nothing is here · Ergon',
    files: { ...files, script: undefined },
    main: `<section class="card alone">
${icons.missing}
<h1>Nothing is here</h1>
<p>This address does not exist. It may be mistyped, or the link to it is old.</p>
<p>${links.join(' · ')}</p>
</section>`,
    footer: '',
  })
}
