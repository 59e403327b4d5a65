/** A short name, enough to recognise one's own browser. */
export function browserWords(agent: string): string {
  const browser = /(Edg|Firefox|Chrome|Safari)\//.exec(agent)?.[1]?.replace('Edg', 'Edge')
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1]
  if (!browser && !system) return agent.slice(0, 60) || 'Unknown'
  return [browser, system && `on ${system}`].filter(Boolean).join(' ')
}
