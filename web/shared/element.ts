/** Creates elements from text only: nothing received is ever parsed as markup. */
export function element(
  name: string,
  attributes: Record<string, string>,
  children: readonly (Node | string)[] = [],
): HTMLElement {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** Icon paths: a tick and a cross. */
export const DONE = 'm5 12.5 4.5 4.5L19 7.5'
export const BAD = 'M7 7l10 10M17 7 7 17'

const SVG = 'http://www.w3.org/2000/svg'

export function mark(path: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(SVG, 'path')
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}
