import '../shared/styles.ts'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { whenClockMoves } from '../shared/clock.ts'
import { StepUp } from '../shared/StepUp.tsx'
import { cssVariables, theme } from '../shared/theme.ts'
import { queryClient } from './queries.ts'
import { router } from './router.tsx'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
// The library that locks the scroll behind a drawer reads it: its style needs the nonce too.
Object.assign(window, { __webpack_nonce__: nonce })

// What was read before belongs to another hour.
whenClockMoves(() => queryClient.invalidateQueries())

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <StepUp path="/app/v1/session/step-up" />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
