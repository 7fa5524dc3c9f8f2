import { useSignal } from '@preact/signals';
import { after } from '../browser/clock.ts';

/** The kubectl command that does what a view shows or a button does, with a button that copies it. */
export function KubectlLine({ command }: { readonly command: string }) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(command);
    isCopied.value = true;
    after(1500, () => (isCopied.value = false));
  };
  return (
    <div class="kubectl">
      <code title={command}>{command}</code>
      <button type="button" class="quiet" onClick={() => void copy()} aria-label="Copy the kubectl command">
        {isCopied.value ? 'copied' : 'copy'}
      </button>
    </div>
  );
}
