import {
  PasswordInput,
  type PasswordInputProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'

/** What a browser's keeper of passwords looks for: the same wherever somebody signs in. */
export const Email = (field: TextInputProps) => (
  <TextInput label="E-mail" type="email" autoComplete="username" required {...field} />
)

export const CurrentPassword = (field: PasswordInputProps) => (
  <PasswordInput label="Password" autoComplete="current-password" required {...field} />
)
