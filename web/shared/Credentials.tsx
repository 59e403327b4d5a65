import {
  PasswordInput,
  type PasswordInputProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'

/** Fields with the names that password managers expect, for every sign-in. */
export const Email = (field: TextInputProps) => (
  <TextInput label="E-mail" type="email" autoComplete="username" required {...field} />
)

export const CurrentPassword = (field: PasswordInputProps) => (
  <PasswordInput label="Password" autoComplete="current-password" required {...field} />
)
