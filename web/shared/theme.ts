import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const amber: MantineColorsTuple = [
  '#fff6e5',
  '#ffebcc',
  '#fed89b',
  '#fcc365',
  '#f9b13c',
  '#f5a524',
  '#d98b0e',
  '#9a6200',
  '#7a4d00',
  '#523400',
]

/**
 * One accent on neutral grey. autoContrast writes dark text on amber, where white is unreadable.
 */
export const theme = createTheme({
  colors: { amber },
  primaryColor: 'amber',
  primaryShade: { light: 5, dark: 5 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
})

/** The library's soft grey, its links and its warnings have too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636b',
    '--mantine-color-placeholder': '#6b727a',
    '--mantine-color-anchor': '#8a5700',
    '--mantine-color-error': '#c62828',
    '--mantine-color-yellow-light-color': '#7a4d00',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb5',
    '--mantine-color-placeholder': '#8f98a3',
    '--mantine-color-anchor': '#f9b13c',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-yellow-light-color': '#fcc365',
    '--mantine-color-red-light-color': '#ff8a80',
  },
})
