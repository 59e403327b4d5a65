import './styles.ts'
import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type AnyRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { whenClockMoves } from './clock.ts'
import { StepUp } from './StepUp.tsx'
import { cssVariables, theme } from './theme.ts'

type App = { router: AnyRouter; queryClient: QueryClient; stepUpPath: string }

/** Starts the workspace or the console. Its HTML stays until the first page can be painted. */
export async function start({ router, queryClient, stepUpPath }: App): Promise<void> {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
  // The library that locks the scroll behind a drawer reads it: its style needs the nonce too.
  Object.assign(window, { __webpack_nonce__: nonce })
  // What was read before belongs to another hour.
  whenClockMoves(() => queryClient.invalidateQueries())
  await router.load()
  const root = createRoot(document.getElementById('root')!)
  const page = (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <StepUp path={stepUpPath} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  )
  // In small steps: a phone stays able to scroll and tap meanwhile.
  startTransition(() => root.render(page))
}
