import { useEffect, useRef } from 'preact/hooks';
import { PLACES } from './key-bindings.ts';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'filter the list'],
  ['Ctrl K', 'search all kinds'],
  ['n', 'choose a namespace'],
  ['j k ↓ ↑', 'move through rows'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['Esc', 'select nothing; close'],
  ['t', 'light or dark'],
  ['?', 'this page'],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="help" aria-label="Keys" onCancel={onClose} onClose={onClose}>
      <h2>Keys</h2>
      <div class="columns">
        <dl>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <dl>
          {Object.entries(PLACES).map(([key, [title]]) => (
            <div key={key}>
              <dt>
                <kbd>g</kbd>
                <kbd>{key}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div class="buttons">
        <button type="button" onClick={onClose} autofocus>
          Close
        </button>
      </div>
    </dialog>
  );
}
