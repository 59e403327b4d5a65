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

/** Fields and buttons of the dark theme, between the ink and the paper of palette.css. */
const dark: MantineColorsTuple = [
  '#e8eaed',
  '#c5cad1',
  '#a9b1bb',
  '#6f7b87',
  '#3d454d',
  '#2b3138',
  '#20252a',
  '#191d21',
  '#14171a',
  '#101316',
]

/**
 * One accent on neutral grey. autoContrast writes dark text on amber, where white is unreadable.
 */
export const theme = createTheme({
  colors: { amber, dark },
  primaryColor: 'amber',
  primaryShade: { light: 5, dark: 5 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
})

/** The library's colours, from palette.css. */
const COLOURS = {
  '--mantine-color-body': 'var(--card)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-anchor': 'var(--accent-ink)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-default': 'var(--card)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-hover': 'color-mix(in srgb, var(--soft) 10%, var(--card))',
  '--mantine-color-default-border': 'color-mix(in srgb, var(--soft) 30%, var(--card))',
  '--mantine-color-yellow-light': 'var(--tint)',
  '--mantine-color-yellow-light-color': 'var(--accent-ink)',
  '--mantine-color-red-light-color': 'var(--bad)',
}
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: COLOURS,
  dark: COLOURS,
})
