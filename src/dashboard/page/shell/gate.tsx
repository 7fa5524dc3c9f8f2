import { useSignal } from '@preact/signals';
import { keepKey, keepToken } from '../cluster/session.ts';
import { useApp } from './app-context.ts';

/** Asks for the key that the server printed or, inside of a cluster, for the viewer's token. */
export function Gate({ message, wants }: { readonly message: string; readonly wants: 'key' | 'token' }) {
  const { connection } = useApp();
  const text = useSignal('');
  const wantsToken = wants === 'token';
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void connection.open(wantsToken ? keepToken(text.value) : keepKey(text.value));
  };
  return (
    <main class="gate">
      <form onSubmit={onSubmit}>
        <h1>Keelson</h1>
        <p>
          {wantsToken
            ? 'Paste a token of yours. kubectl create token NAME makes one for a service account.'
            : 'Open the address that the server printed when it started, or paste it here: its key is behind the #.'}
        </p>
        <label>
          {wantsToken ? 'Token' : 'Address or key'}
          <input
            type="password"
            autocomplete="off"
            value={text.value}
            onInput={({ currentTarget }) => (text.value = currentTarget.value)}
            autofocus
          />
        </label>
        <button type="submit" class="primary" disabled={text.value.trim() === ''}>
          Open
        </button>
        <p class="hint" role="status">
          {message}
        </p>
      </form>
    </main>
  );
}
