import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { KubectlLine } from './kubectl-line.tsx';

export interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly command?: string;
  readonly children?: ComponentChildren;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** A question before something that cannot be taken back. The browser keeps the focus inside of it. */
export function Confirm({ title, action, command, children, onConfirm, onCancel }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="confirm" aria-label={title} onCancel={onCancel}>
      <h2>{title}</h2>
      {children}
      {command === undefined ? null : <KubectlLine command={command} />}
      <div class="buttons">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={onConfirm} autofocus>
          {action}
        </button>
      </div>
    </dialog>
  );
}
